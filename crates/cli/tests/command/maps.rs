//! `veloxel invert`, `veloxel compose`, and starts from the files of transforms.

use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Flow, Grid, Warnings};
use veloxel_io::{Strictness, read_flow, read_transform, write_flow, write_transform};

/// A place with a smooth field, one that folds, and two transforms.
fn with_maps() -> Workplace {
    let place = Workplace::new();
    let grid = Grid::volume(20, 18, 16).and_then(|g| g.with_spacing_mm([1.0, 1.5, 2.0])).expect("a grid");
    let bump = |p: [f64; 3]| {
        let size = [19.0, 17.0, 15.0];
        (0..3).map(|a| (std::f64::consts::PI * p[a] / size[a]).sin()).product::<f64>()
    };
    let smooth = Flow::from_fn(grid.clone(), |p| [2.0 * bump(p), -bump(p), 0.5 * bump(p)]);
    let folding = Flow::from_fn(grid, |p| [if p[0] == 9.0 { 3.0 } else { 0.0 }, 0.0, 0.0]);
    write_flow(place.path("smooth.nii.gz"), &smooth).expect("written");
    write_flow(place.path("folding.nii.gz"), &folding).expect("written");
    place.write("a.mat", "1 0 0 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n");
    place.write("mirror.mat", "-1 0 0 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n");
    place
}

#[test]
fn a_field_after_its_inverse_moves_nothing() {
    let place = with_maps();
    place.run(&["invert", "smooth.nii.gz", "-o", "back.nii.gz"]).succeeded();
    place.run(&["compose", "back.nii.gz", "smooth.nii.gz", "-o", "home.nii.gz"]).succeeded();
    let home = read_flow(&place.path("home.nii.gz"), Strictness::Strict, &mut Warnings::new()).unwrap();
    let worst =
        home.planar_vox().iter().filter(|v| v.is_finite()).fold(0.0f32, |worst, v| worst.max(v.abs()));
    let known = (0..home.grid().len()).filter(|&i| home.is_valid(i)).count();
    assert!(worst < 0.01 && known * 100 > 99 * home.grid().len(), "{worst} voxels, {known} known");
}

#[test]
fn transforms_make_transforms_and_become_fields_on_a_grid() {
    let place = with_maps();
    place.run(&["invert", "a.mat", "-o", "back.tfm"]).succeeded();
    place.run(&["compose", "a.mat", "back.tfm", "-o", "home.tfm"]).succeeded();
    let home = read_transform(&place.path("home.tfm"), Strictness::Strict, &mut Warnings::new()).unwrap();
    assert_eq!(home.apply([5.0, 6.0, 7.0]), [5.0, 6.0, 7.0]);
    place.run(&["compose", "a.mat", "-o", "field.nii.gz", "--grid", "smooth.nii.gz"]).succeeded();
    let field = read_flow(&place.path("field.nii.gz"), Strictness::Strict, &mut Warnings::new()).unwrap();
    // 1, 2, 3 mm in RAS are −1, −2, 3 in LPS.
    let moved = field.vector_vox(100);
    let expected = [-1.0, -2.0 / 1.5, 1.5];
    assert!((0..3).all(|a| (moved[a] - expected[a]).abs() < 1e-5), "{moved:?}");
}

#[test]
fn what_makes_no_map_is_refused_by_name() {
    let place = with_maps();
    write_flow(place.path("picture.flo"), &Flow::zeros(Grid::image(20, 18).unwrap())).unwrap();
    let far = Grid::volume(20, 18, 16).unwrap().with_origin_mm([900.0; 3]);
    write_flow(place.path("far.nii.gz"), &Flow::zeros(far)).unwrap();
    for (arguments, says) in [
        (&["invert", "folding.nii.gz", "-o", "o.nii.gz"][..], "folds in"),
        (&["invert", "mirror.mat", "-o", "o.tfm"], "mirrors"),
        (&["compose", "a.mat", "smooth.nii.gz", "-o", "o.nii.gz"], "grid"),
        (&["compose", "smooth.nii.gz", "picture.flo", "-o", "o.nii.gz"], "pictures or both be volumes"),
        (&["compose", "smooth.nii.gz", "far.nii.gz", "-o", "o.nii.gz"], "other spaces"),
        (&["compose", "a.mat", "a.mat", "-o", "o.nii.gz"], ".tfm"),
    ] {
        let before = place.names();
        place.run(arguments).failed_with(&[says]);
        assert_eq!(place.names(), before, "nothing may be left behind");
    }
}

#[test]
fn a_run_begins_from_a_transform() {
    let place = Workplace::new();
    let phantom = small_volume();
    place.write_image("fixed.nii.gz", &phantom.fixed);
    place.write_image("moving.nii.gz", &phantom.moving);
    let identity = veloxel_core::LinearTransform::identity(veloxel_core::Dimension::Three);
    write_transform(place.path("still.tfm"), &identity).unwrap();
    let flow = |out: &str, start: &[&str]| {
        let run = ["flow", "fixed.nii.gz", "moving.nii.gz", "-o", out, "--preset", "fast", "--device", "cpu"];
        place.run(&[&run[..], start].concat()).succeeded();
        read_flow(&place.path(out), Strictness::Strict, &mut Warnings::new()).unwrap()
    };
    let (plain, still) = (flow("plain.nii.gz", &[]), flow("still.nii.gz", &["--init", "still.tfm"]));
    let differ =
        plain.planar_vox().iter().zip(still.planar_vox()).fold(0.0f32, |w, (a, b)| w.max((a - b).abs()));
    assert!(differ < 1e-3, "{differ} voxels");
    place.write("plane.txt", "# LPS\n1 0 0\n0 1 0\n0 0 1\n");
    place
        .run(&["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "no.nii.gz", "--init", "plane.txt"])
        .failed_with(&["2-D"]);
}
