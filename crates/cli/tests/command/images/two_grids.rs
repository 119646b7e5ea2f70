//! FIXED and MOVING on grids of their own, what lies outside of them, and samples that stand for no data.

use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Flow, Mask, Volume, Warnings};
use veloxel_io::Strictness;

/// `fixed.nii.gz`, and `moving.nii.gz` without its first slices, so that its origin and size differ.
fn with_two_grids() -> Workplace {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("fixed.nii.gz", &phantom.fixed);
    let grid = phantom.moving.grid();
    let [nx, ny, nz] = grid.size();
    let left_out = 4;
    let part = veloxel_core::Grid::volume(nx, ny, nz - left_out)
        .and_then(|part| part.with_spacing_mm(grid.spacing_mm()))
        .and_then(|part| part.with_direction(grid.direction()))
        .expect("a part of a grid")
        .with_origin_mm(grid.world_from_voxel([0.0, 0.0, left_out as f64]));
    let moving = Volume::from_fn(part.clone(), |[x, y, z]| *phantom.moving.at([x, y, z + left_out]));
    place.write_image("moving.nii.gz", &moving);
    // The mask lies on the moving grid: it is looked up where it is.
    let mask = Mask::everywhere(part).map(|inside| i32::from(*inside));
    veloxel_io::write_labels(place.path("mask.nii.gz"), &mask).expect("labels are written");
    place
}

fn image(place: &Workplace, name: &str) -> Volume<f32> {
    veloxel_io::read_image(&place.path(name), Strictness::Lenient, &mut Warnings::new())
        .expect("an image is read")
}

#[test]
fn images_on_two_grids_are_aligned_in_the_world() {
    let place = with_two_grids();
    let pair =
        ["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "flow.nii.gz", "--preset", "fast", "--device", "cpu"];
    let with = |more: &[&'static str]| [&pair[..], more].concat();
    let run = place
        .run(&with(&[
            "--mask",
            "mask.nii.gz",
            "--warped",
            "warped.nii.gz",
            "--html",
            "page.html",
            "--report",
            "r.json",
        ]))
        .succeeded();
    assert!(run.stderr.contains("grids of FIXED and MOVING differ"), "{}", run.stderr);
    let report = std::fs::read_to_string(place.path("r.json")).unwrap();
    assert!(report.contains("lie outside of MOVING"), "{report}");
    let (fixed, warped) = (image(&place, "fixed.nii.gz"), image(&place, "warped.nii.gz"));
    assert_eq!(fixed.grid().size(), warped.grid().size());
    let middle = fixed.grid().size().map(|n| n / 2);
    assert!((fixed.at(middle) - warped.at(middle)).abs() < 0.1 * fixed.at(middle).abs().max(1.0));
    assert_eq!(*warped.at([middle[0], middle[1], 0]), 0.0, "what moving does not hold is 0, as ITK has it");
    place.run(&with(&["--strict"])).failed_with(&["strict reading", "differ in size"]);
    place
        .run(&with(&["--init", "affine", "--inverse-consistency", "--warped", "nan.mha", "--outside", "nan"]))
        .succeeded();
    assert!(image(&place, "nan.mha").at([middle[0], middle[1], 0]).is_nan());
}

#[test]
fn what_is_outside_is_what_was_asked_for() {
    let place = with_two_grids();
    let grid = image(&place, "fixed.nii.gz").grid().clone();
    veloxel_io::write_flow(place.path("still.nii.gz"), &Flow::zeros(grid.clone())).unwrap();
    let warped = |outside: &[&str]| {
        let start = ["warp", "image", "still.nii.gz", "moving.nii.gz", "-o", "out.mha", "--device", "cpu"];
        place.run(&[&start[..], outside].concat()).succeeded();
        image(&place, "out.mha")
    };
    let moving = image(&place, "moving.nii.gz");
    let at = [5, 6, 0];
    assert_eq!(*warped(&[]).at(at), 0.0);
    assert_eq!(*warped(&["--outside", "-1000"]).at(at), -1000.0);
    assert!(warped(&["--outside", "nan"]).at(at).is_nan());
    let (found, expected) = (*warped(&["--outside", "edge"]).at(at), *moving.at([5, 6, 0]));
    assert!((found - expected).abs() < 1e-5 * expected.abs().max(1.0), "{found} for {expected}");
    let run =
        place.run(&["warp", "image", "still.nii.gz", "moving.nii.gz", "-o", "out.mha", "--outside", "far"]);
    assert!(run.stderr.contains("expected a number, nan, or edge"), "{}", run.stderr);
}

#[test]
fn images_that_hardly_overlap_are_told() {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("fixed.nii.gz", &phantom.fixed);
    let (grid, spacing) = (phantom.moving.grid(), phantom.moving.grid().spacing_mm());
    let mut origin = grid.origin_mm();
    origin[0] += 0.8 * spacing[0] * grid.size()[0] as f64;
    let data = phantom.moving.data().to_vec();
    let elsewhere =
        Volume::new(grid.clone().with_origin_mm(origin), data).expect("as many samples as voxels");
    place.write_image("moving.nii.gz", &elsewhere);
    let pair =
        ["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "flow.nii.gz", "--preset", "fast", "--device", "cpu"];
    let run = place.run(&pair).succeeded();
    assert!(run.stderr.contains("vectors leave the moving image"), "{}", run.stderr);
}

#[test]
fn slicers_points_follow_the_field_in_their_own_axes() {
    let place = Workplace::new();
    let grid = small_volume().fixed.grid().clone();
    // One voxel along every axis.
    veloxel_io::write_flow(place.path("flow.nii.gz"), &Flow::from_fn(grid.clone(), |_| [1.0; 3])).unwrap();
    let [x, y, z] = grid.world_from_voxel([3.0, 4.0, 5.0]);
    let head = "# Markups fiducial file version = 4.11\n# CoordinateSystem = RAS\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n";
    place.write(
        "in.fcsv",
        format!("{head}n_0,{},{},{z},0,0,0,1,1,1,0,F-1,,\nn_1,9e5,0,0,0,0,0,1,1,1,0,F-2,,\n", -x, -y),
    );
    let run = place.run(&["warp", "points", "flow.nii.gz", "in.fcsv", "-o", "out.fcsv"]).succeeded();
    assert!(run.stderr.contains("1 of 2 points lie outside"), "{}", run.stderr);
    let [x, y, z] = grid.world_from_voxel([4.0, 5.0, 6.0]);
    let moved = std::fs::read_to_string(place.path("out.fcsv")).unwrap();
    let first = moved.lines().nth(3).unwrap();
    let found: Vec<f64> = first.split(',').skip(1).take(3).map(|v| v.parse().unwrap()).collect();
    assert!([-x, -y, z].iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-3), "{first}");
    assert!(moved.starts_with(head) && first.ends_with(",0,0,0,1,1,1,0,F-1,,"), "{moved}");
    let run = place.run(&["warp", "points", "flow.nii.gz", "in.fcsv", "-o", "out.json"]);
    run.failed_with(&["out.json", "same extension"]);
    place.write("empty.csv", "");
    place
        .run(&["warp", "points", "flow.nii.gz", "empty.csv", "-o", "out.csv"])
        .failed_with(&["empty.csv", "the file is empty"]);
}

#[test]
fn samples_that_stand_for_no_data_are_told() {
    let place = Workplace::new();
    let phantom = small_volume();
    let spoilt = |image: &Volume<f32>| {
        let mut spoilt = image.clone();
        spoilt.data_mut().iter_mut().step_by(20).for_each(|v| *v = f32::MIN);
        spoilt
    };
    place.write_image("fixed.mha", &spoilt(&phantom.fixed));
    place.write_image("moving.mha", &phantom.moving);
    for preset in ["fast", "paper"] {
        let run = place
            .run(&[
                "flow",
                "fixed.mha",
                "moving.mha",
                "-o",
                "flow.mha",
                "--preset",
                preset,
                "--device",
                "cpu",
            ])
            .succeeded();
        assert!(run.stderr.contains("fixed.mha") && run.stderr.contains("beyond ±1e15"), "{}", run.stderr);
    }
    let flow =
        veloxel_io::read_flow(&place.path("flow.mha"), Strictness::Lenient, &mut Warnings::new()).unwrap();
    let known = (0..flow.grid().len()).filter(|&i| flow.is_valid(i)).count();
    assert_eq!(known, flow.grid().len());
}
