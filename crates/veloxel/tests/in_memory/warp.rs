//! `warp image`, `warp labels` and `warp points`; `measure jacobian` and `measure strain`.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, session};
use veloxel::io::{self, PointFile, Strictness};
use veloxel::jobs::{self, MeasureJob, OutsideFill, WarpJob, WarpSampling};
use veloxel::pipelines::{
    FinerImage, Interpolation, LabelChoice, WarpImageRequest, WarpLabelsRequest, WarpNames, jacobian,
    move_points, strain, warp_image, warp_labels,
};
use veloxel::{Dimension, Flow, Grid, Volume, Warnings};

/// A field, and the grid of what it points into, twice as coarse.
fn grids() -> (Flow, Grid) {
    let fixed = Grid::volume(20, 16, 12).unwrap();
    let flow = Flow::from_fn(fixed, |[x, y, _]| [0.7 + 0.02 * x, -0.4, 0.3 + 0.01 * y]);
    (flow, Grid::volume(10, 8, 6).unwrap().with_spacing_mm([2.0; 3]).unwrap())
}

#[test]
fn what_is_warped_is_that_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| place.path().join(name);
        let (flow, grid) = grids();
        io::write_flow(file("flow.nrrd"), &flow).unwrap();
        let image = Volume::from_fn(grid.clone(), |[x, y, z]| (x * 7 + y * 5 + z * 3) as f32);
        io::write_image(file("image.mha"), &image, &mut Warnings::new()).unwrap();
        let labels = Volume::from_fn(grid, |[x, y, z]| ((x / 3 + y / 2 + z / 2) % 4) as i32);
        io::write_labels(file("labels.mha"), &labels).unwrap();
        let read = io::read_flow(&file("flow.nrrd"), Strictness::Lenient, &mut Warnings::new()).unwrap();
        let job = |input: &str, output: &str| WarpJob {
            flow: file("flow.nrrd"),
            input: file(input),
            output: file(output),
            reading: Strictness::Lenient.into(),
        };
        let (session, strictness) = (session(), Strictness::Lenient);

        for interpolation in [Interpolation::Linear, Interpolation::CubicSpline] {
            for outside in [OutsideFill::Value(-1.0), OutsideFill::Edge] {
                let finer = FinerImage::Sampled;
                let sampling = WarpSampling { interpolation, finer, outside };
                let said = jobs::warp_image(&job("image.mha", "warped.mha"), sampling, &session).unwrap();
                let names = WarpNames { warped: "warped.mha", ..WarpNames::default() };
                let (flow, image) = (&read, &image);
                let image = image.into();
                let request =
                    WarpImageRequest { flow, image, interpolation, finer, outside, strictness, names };
                let result = without_files(|| warp_image(&request, &session)).unwrap();
                io::write_image(file("own.mha"), &result.warped, &mut Warnings::new()).unwrap();
                assert_same_file(&file("own.mha"), &file("warped.mha"));
                assert!(result.account.warnings.iter().all(|own| said.iter().any(|told| told == own)));
                assert!(!result.account.warnings.is_empty(), "two grids are told");
            }
        }
        for choice in [LabelChoice::Nearest, LabelChoice::MostWeight] {
            jobs::warp_labels(&job("labels.mha", "moved.mha"), choice, &session).unwrap();
            let request = WarpLabelsRequest { flow: &read, labels: &labels, choice, strictness };
            let result = without_files(|| warp_labels(&request, &session)).unwrap();
            io::write_labels(file("own.mha"), &result.warped).unwrap();
            assert_same_file(&file("own.mha"), &file("moved.mha"));
        }
        std::fs::write(file("points.csv"), "name,x,y,z\na,3,4,5\nb,-90,0,0\nc,10.25,8.5,2\n").unwrap();
        let (run, _) = jobs::warp_points(&job("points.csv", "moved.csv"), &session).unwrap();
        let points = PointFile::read(&file("points.csv"), Dimension::Three, Strictness::Lenient).unwrap();
        let positions = points.points();
        let moved = without_files(|| move_points(&read, &positions, &session)).unwrap();
        points.write(file("again.csv"), &moved.points).unwrap();
        let [again, by_job] =
            ["again.csv", "moved.csv"].map(|name| std::fs::read_to_string(file(name)).unwrap());
        assert_eq!(again, by_job);
        assert_eq!((moved.outside, moved.undefined, run.outside), (1, 0, 1));
        assert!(jobs::warp_points(&job("points.csv", "moved.png"), &session).is_err());
    });
}

#[test]
fn what_is_measured_of_a_field_is_that_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| place.path().join(name);
        let (s, c) = 0.4f64.sin_cos();
        let grid = Grid::volume(9, 8, 7)
            .and_then(|grid| grid.with_spacing_mm([1.0, 1.5, 2.0]))
            .and_then(|grid| grid.with_direction([[-c, 0.0, s], [0.0, -1.0, 0.0], [s, 0.0, c]]))
            .unwrap();
        let mut flow = Flow::from_fn(grid, |[x, y, z]| [0.05 * x * y, 0.3 * (z - y), 0.02 * z * x]);
        flow.components_vox_mut().for_each(|component| component[200] = f32::NAN);
        io::write_flow(file("flow.nrrd"), &flow).unwrap();
        let read = io::read_flow(&file("flow.nrrd"), Strictness::Lenient, &mut Warnings::new()).unwrap();
        let (reading, session) = (Strictness::Lenient.into(), session());
        let job = |output: &str| MeasureJob {
            flow: file("flow.nrrd"),
            output: file(output),
            report: None,
            reading,
        };

        let run = jobs::measure_jacobian(&job("det.nii.gz"), &session).unwrap();
        let found = without_files(|| jacobian(&read, &session)).unwrap();
        assert_eq!(run.report.maps, [found.maps[0].summary]);
        io::write_image(file("own.nii.gz"), &found.maps[0].volume, &mut Warnings::new()).unwrap();
        assert_same_file(&file("own.nii.gz"), &file("det.nii.gz"));

        let run = jobs::measure_strain(&job("strain"), &session).unwrap();
        let found = without_files(|| strain(&read, &session)).unwrap();
        assert_eq!((found.maps.len(), found.axes, run.report.maps.len()), (9, 3, 9));
        for map in &found.maps {
            io::write_image(file("own.nii.gz"), &map.volume, &mut Warnings::new()).unwrap();
            assert_same_file(&file("own.nii.gz"), &file(&format!("strain/{}.nii.gz", map.name)));
        }
    });
}

/// Samples of an image finer than the field by a third are the image's own, as ITK's are; smoothing has to be asked for.
#[test]
fn a_finer_image_is_sampled_as_it_is_unless_smoothing_is_asked_for() {
    let session = session();
    let image_grid = Grid::image(101, 11).and_then(|grid| grid.with_spacing_mm([0.75, 0.75, 1.0])).unwrap();
    let value = |x: usize, y: usize| ((x * 37 + y * 101) % 64) as f32;
    let image = Volume::from_fn(image_grid, |[x, y, _]| value(x, y));
    let flow = Flow::zeros(Grid::image(75, 8).unwrap().with_origin_mm([0.0, 0.0, 1e-9]));
    let warped = |finer: FinerImage, interpolation: Interpolation| {
        let request = WarpImageRequest {
            flow: &flow,
            image: (&image).into(),
            interpolation,
            finer,
            outside: OutsideFill::Edge,
            strictness: Strictness::Lenient,
            names: WarpNames::default(),
        };
        warp_image(&request, &session).unwrap().warped
    };
    let plain = warped(FinerImage::Sampled, Interpolation::Linear);
    for index in 0..plain.grid().len() {
        let [x, y, _] = plain.grid().position(index).map(|v| v as f64 / 0.75);
        let along = |y: usize| {
            let (first, share) = (x.floor() as usize, x.fract() as f32);
            let next = (first + 1).min(100);
            (1.0 - share) * value(first, y) + share * value(next, y)
        };
        let (row, share) = (y.floor() as usize, y.fract() as f32);
        let expected = (1.0 - share) * along(row) + share * along((row + 1).min(10));
        assert!((plain.data()[index] - expected).abs() < 1e-3, "{x}, {y}");
    }
    let off = |other: &Volume<f32>| {
        let pairs = plain.data().iter().zip(other.data());
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    assert!(off(&warped(FinerImage::Smoothed, Interpolation::Linear)) > 5.0);
    // Every fourth pixel of the image lies on every third one of the field.
    let cubic = warped(FinerImage::Sampled, Interpolation::CubicSpline);
    assert!((cubic.data()[3 * 75 + 9] - value(12, 4)).abs() < 1e-2);
}
