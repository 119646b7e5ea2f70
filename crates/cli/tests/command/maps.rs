//! `veloxel invert`, `veloxel compose`, and starts from the files of transforms.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::workplace::{Workplace, small_volume};
use veloxel_core::{Flow, Grid, LinearTransform, Warnings};
use veloxel_io::{Strictness, read_flow, read_transform, write_flow, write_transform};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};

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

/// A volume that is stretched, sheared and shifted, on an oblique grid of unlike spacing.
fn affine_volume() -> Phantom {
    let (s, c) = 0.35f64.sin_cos();
    let grid = Grid::volume(40, 36, 32).and_then(|grid| grid.with_spacing_mm([1.0, 1.25, 1.5])).unwrap();
    let direction = [[-c, s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
    let grid = grid.with_origin_mm([60.0, -45.0, 12.0]).with_direction(direction).unwrap();
    Case { motion: MotionKind::Affine, texture: TextureKind::Smooth, noise: Noise::None }.build(&grid)
}

fn transform_of(place: &Workplace, name: &str) -> LinearTransform {
    read_transform(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap()
}

/// The largest distance between where two maps lead the corners of a grid, mm.
fn apart_mm(grid: &Grid, [a, b]: [&LinearTransform; 2]) -> f64 {
    let corner = |nth: usize| {
        let size = grid.size();
        let voxel = [0, 1, 2].map(|axis| if nth >> axis & 1 == 1 { (size[axis] - 1) as f64 } else { 0.0 });
        let (there, other) = (a.apply(grid.world_from_voxel(voxel)), b.apply(grid.world_from_voxel(voxel)));
        (0..3).map(|axis| (there[axis] - other[axis]).powi(2)).sum::<f64>().sqrt()
    };
    (0..8).map(corner).fold(0.0, f64::max)
}

#[test]
fn the_start_that_was_found_is_written_and_leads_from_fixed_to_moving() {
    let (place, phantom) = (Workplace::new(), affine_volume());
    place.write_image("fixed.nii.gz", &phantom.fixed);
    place.write_image("moving.nii.gz", &phantom.moving);
    let grid = phantom.fixed.grid();
    let register = |more: &[&str]| {
        let run =
            ["register", "fixed.nii.gz", "moving.nii.gz", "--preset", "fast", "--device", "cpu", "--quiet"];
        place.run(&[&run[..], more].concat()).succeeded();
    };
    register(&["-o", "first.nii.gz", "--transform", "first.tfm"]);
    let found = transform_of(&place, "first.tfm");
    let voxel = [0, 0, 0];
    let from = voxel.map(|v| v as f64);
    let moved = phantom.truth.displacement_mm().map(|component| component[grid.index(voxel)]);
    let start = grid.world_from_voxel(from);
    let there = found.apply(start);
    let wrong = (0..3).map(|a| (there[a] - start[a] - f64::from(moved[a])).powi(2)).sum::<f64>().sqrt();
    let length = moved.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    assert!(length > 0.5 && wrong < 0.2 * length, "{wrong} mm wrong of {length}");
    // The same map, given again, is the same start, and every format holds it.
    for (again, out) in
        [("first.tfm", "second.mat"), ("second.mat", "third.txt"), ("third.txt", "fourth.tfm")]
    {
        register(&["-o", "again.nii.gz", "--init", again, "--transform", out]);
        assert!(apart_mm(grid, [&found, &transform_of(&place, out)]) < 1e-9, "{out}");
    }
    let field = |name: &str| read_flow(&place.path(name), Strictness::Strict, &mut Warnings::new()).unwrap();
    let (first, again) = (field("first.nii.gz"), field("again.nii.gz"));
    let pairs = first.planar_vox().iter().zip(again.planar_vox());
    let differ = pairs.fold(0.0f32, |worst, (a, b)| worst.max((a - b).abs()));
    assert!(differ < 1e-3, "{differ} voxels");
}

#[test]
fn a_transform_of_a_run_without_a_linear_start_is_refused_by_name() {
    let (place, phantom) = (Workplace::new(), small_volume());
    place.write_image("fixed.nii.gz", &phantom.fixed);
    place.write_image("moving.nii.gz", &phantom.moving);
    write_flow(place.path("still.nii.gz"), &Flow::zeros(phantom.fixed.grid().clone())).unwrap();
    let flat = phantom.fixed.map(|_| 3.0f32);
    place.write_image("flat.nii.gz", &flat);
    for (more, says) in [
        (&["--transform", "t.tfm"][..], &["clg begins from no motion", "--init rigid"][..]),
        (&["--transform", "t.tfm", "--init", "matches"], &["begins from matches"]),
        (&["--transform", "t.tfm", "--init", "still.nii.gz"], &["begins from a field"]),
        (&["--transform", "t.tfm", "--method", "lucas-kanade"], &["lucas-kanade begins from no motion"]),
        (&["--transform", "t.tfm", "--method", "phase"], &["phase begins from no motion"]),
        (&["--transform", "t.nii.gz", "--init", "affine"], &[".tfm .mat .txt"]),
        (&["--transform", "t.h5", "--init", "affine"], &["HDF5", "sitk.WriteTransform"]),
        (&["--transform", "flow.nii.gz", "--init", "affine"], &["flow.nii.gz"]),
    ] {
        let before = place.names();
        let run = ["flow", "fixed.nii.gz", "moving.nii.gz", "-o", "flow.nii.gz", "--device", "cpu"];
        place.run(&[&run[..], more].concat()).failed_with(says);
        assert_eq!(place.names(), before, "nothing may be left behind");
    }
    let before = place.names();
    let run = [
        "flow",
        "fixed.nii.gz",
        "flat.nii.gz",
        "-o",
        "flow.nii.gz",
        "--init",
        "rigid",
        "--transform",
        "t.tfm",
    ];
    place.run(&run).failed_with(&["no linear start was found"]);
    assert_eq!(place.names(), before, "nothing may be left behind");
}
