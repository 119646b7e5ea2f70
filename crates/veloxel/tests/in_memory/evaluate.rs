//! `evaluate flow|disparity|labels|contours|segmentation`.

use crate::no_files::{alone, without_files};
use crate::{pictures, session};
use std::path::PathBuf;
use veloxel::io::{self, CinePlace, ContourReading, PlainNames, Strictness};
use veloxel::jobs::{self, DisparityScales, EvaluateJob, EvaluateSegmentationJob};
use veloxel::pipelines::{
    EvaluateRequest, EvaluateSegmentationRequest, FlowClaims, TrueSegmentation, evaluate_contours,
    evaluate_disparity, evaluate_flow, evaluate_labels, evaluate_segmentation,
};
use veloxel::{Flow, Grid, Volume, Warnings};

/// A folder with a result and a truth of everything.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn job(&self, result: &str, truth: &str) -> EvaluateJob {
        EvaluateJob { result: self.file(result), truth: self.file(truth), ..EvaluateJob::default() }
    }
}

#[test]
fn errors_of_images_are_those_of_the_command() {
    alone(|| {
        let (place, session, mut none) = (Place::new(), session(), Warnings::new());
        let grid = Grid::image(30, 20).unwrap();
        let flows = [0.1, 0.0]
            .map(|by| Flow::from_fn(grid.clone(), move |[x, y, _]| [0.1 * x + by, 1.0 - 0.2 * y * by, 0.0]));
        let maps = [0.5, 0.0]
            .map(|by| Volume::from_fn(grid.clone(), move |[x, y, _]| 3.0 + by * ((x + y) % 5) as f32));
        let labels =
            [0, 1].map(|by| Volume::from_fn(grid.clone(), move |[x, y, _]| ((x + by) / 8 + y / 7) as i32));
        for (nth, name) in ["result", "truth"].into_iter().enumerate() {
            io::write_flow(place.file(&format!("{name}.flo")), &flows[nth]).unwrap();
            io::write_disparity(place.file(&format!("{name}.pfm")), &maps[nth]).unwrap();
            io::write_labels(place.file(&format!("{name}.png")), &labels[nth]).unwrap();
        }
        let inside = Volume::from_fn(grid, |[x, ..]| if x > 4 { 255.0 } else { 0.0 });
        io::write_image(place.file("mask.png"), &inside, &mut none).unwrap();
        let mask = io::read_mask(&place.file("mask.png"), Strictness::Lenient, &mut none).unwrap();
        let masked = |job: EvaluateJob| EvaluateJob { mask: Some(place.file("mask.png").into()), ..job };

        let theirs = jobs::evaluate_flow(
            &masked(place.job("result.flo", "truth.flo")),
            &jobs::ClaimFiles::default(),
            &mut none,
            &session,
        )
        .unwrap();
        let read =
            |name: &str| io::read_flow(&place.file(name), Strictness::Lenient, &mut Warnings::new()).unwrap();
        let (result, truth) = (read("result.flo"), read("truth.flo"));
        let request = EvaluateRequest { mask: Some(&mask), ..EvaluateRequest::new(&result, &truth) };
        assert_eq!(
            without_files(|| evaluate_flow(&request, &FlowClaims::default(), &session)).unwrap(),
            theirs
        );

        let job = masked(place.job("result.pfm", "truth.pfm"));
        let theirs = jobs::evaluate_disparity(&job, DisparityScales::default(), &mut none, &session).unwrap();
        let request = EvaluateRequest { mask: Some(&mask), ..EvaluateRequest::new(&maps[0], &maps[1]) };
        assert_eq!(without_files(|| evaluate_disparity(&request, &session)).unwrap(), theirs);

        let theirs =
            jobs::evaluate_labels(&masked(place.job("result.png", "truth.png")), &mut none, &session)
                .unwrap();
        let [result, truth] = ["result.png", "truth.png"].map(|name| pictures::read(&place.file(name)));
        let request = EvaluateRequest { mask: Some(&mask), ..EvaluateRequest::new(&result, &truth) };
        assert_eq!(without_files(|| evaluate_labels(&request, &session)).unwrap(), theirs);
    });
}

#[test]
fn distances_of_outlines_are_those_of_the_command() {
    alone(|| {
        let (place, session, mut none) = (Place::new(), session(), Warnings::new());
        let outline = |by: f64| {
            let corners = [[5.0, 5.0], [25.0, 6.0 + by], [24.0, 15.0], [6.0 + by, 16.0]];
            let rows = corners.map(|[x, y]| format!("endo,0,0,{x},{y}\n"));
            format!("structure,frame,slice,x,y\n{}", rows.concat())
        };
        std::fs::write(place.file("result.csv"), outline(0.7)).unwrap();
        std::fs::write(place.file("truth.csv"), outline(0.0)).unwrap();
        let grid = Grid::image(30, 20).and_then(|grid| grid.with_spacing_mm([1.5, 1.25, 1.0])).unwrap();
        let cine = Volume::from_fn(grid.clone(), |[x, ..]| x as f32);
        io::write_image(place.file("cine.mha"), &cine, &mut none).unwrap();
        let (job, cine) = (place.job("result.csv", "truth.csv"), place.file("cine.mha"));
        let theirs =
            jobs::evaluate_contours(&job, Some(&cine), PlainNames::default(), &mut none, &session).unwrap();
        let at = CinePlace { grid, frames: 1, frame_interval_ms: None, images: Vec::new() };
        let read = |name: &str| {
            let (path, options) = (place.file(name), ContourReading::default());
            io::read_contours(&path, Some(&at), &options, &mut Warnings::new()).unwrap().contours
        };
        let (result, truth) = (read("result.csv"), read("truth.csv"));
        let request = EvaluateRequest::new(&result, &truth);
        let ours = without_files(|| evaluate_contours(&request, [1.5, 1.25], &session)).unwrap();
        assert_eq!(ours, theirs);
        let nowhere = jobs::evaluate_contours(&job, None, PlainNames::default(), &mut none, &session);
        assert!(nowhere.unwrap_err().to_string().contains("cine"));
        let absent = place.job("absent.json", "truth.csv");
        let absent = jobs::evaluate_contours(&absent, None, PlainNames::default(), &mut none, &session);
        assert!(absent.unwrap_err().to_string().contains("cannot open"));
    });
}

#[test]
fn errors_of_segmentations_are_those_of_the_command() {
    alone(|| {
        let (place, session, mut none) = (Place::new(), session(), Warnings::new());
        let cube = "OFF\n8 12 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n3 0 2 1\n3 0 3 2\n3 4 5 6\n3 4 6 7\n\
                    3 0 1 5\n3 0 5 4\n3 1 2 6\n3 1 6 5\n3 2 3 7\n3 2 7 6\n3 3 0 4\n3 3 4 7\n";
        std::fs::write(place.file("cube.off"), cube).unwrap();
        let parts: [Vec<u32>; 3] = [2, 3, 4].map(|faces| (0..12).map(|face| face / faces).collect());
        for (name, parts) in ["result.seg", "one.seg", "two.seg"].into_iter().zip(&parts) {
            io::write_face_labels(place.file(name), parts).unwrap();
        }
        let job = EvaluateSegmentationJob {
            result: place.file("result.seg"),
            truths: vec![place.file("one.seg"), place.file("two.seg")],
            mesh: Some(place.file("cube.off")),
            reading: Default::default(),
        };
        let theirs = jobs::evaluate_segmentation(&job, &mut none, &session).unwrap();
        let mesh = io::read_surface(&place.file("cube.off"), Strictness::Lenient, &mut none).unwrap();
        let named = |path: &PathBuf, parts: &Vec<u32>| TrueSegmentation {
            name: path.display().to_string(),
            parts: parts.clone(),
        };
        let truths: Vec<_> =
            job.truths.iter().zip(&parts[1..]).map(|(path, parts)| named(path, parts)).collect();
        let request = EvaluateSegmentationRequest { result: &parts[0], truths: &truths, mesh: Some(&mesh) };
        assert_eq!(without_files(|| evaluate_segmentation(&request, &session)).unwrap(), theirs);
    });
}
