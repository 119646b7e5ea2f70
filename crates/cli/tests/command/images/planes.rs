//! Slices that lie anywhere in space: their fields keep the place, whatever the format, and go on to other commands.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::dicom_cine::{self, Slice};
use crate::workplace::Workplace;
use veloxel_core::{Flow, Grid, Warnings};
use veloxel_io::{Strictness, read_flow, read_image};

/// Two DICOM images of one plane, of which no direction is the world's.
fn two_slices() -> Workplace {
    let place = Workplace::new();
    let oblique = |instance| Slice {
        position: "10\\-20\\33",
        orientation: "0.8\\0.6\\0\\0\\0\\-1",
        ..dicom_cine::slice(instance, 30 * instance)
    };
    place.write("a.dcm", dicom_cine::image(&oblique(1)));
    place.write("b.dcm", dicom_cine::image(&oblique(4)));
    place
}

const QUICK: [&str; 5] = ["--preset", "fast", "--device", "cpu", "-q"];

#[test]
fn the_field_of_two_oblique_slices_is_used_by_every_command() {
    let place = two_slices();
    let mut unsaid = Warnings::new();
    let plane = read_image(&place.path("a.dcm"), Strictness::Lenient, &mut unsaid).unwrap();
    let flow = |output: &str, more: &[&str]| {
        place.run(&[&["flow", "a.dcm", "b.dcm", "-o", output], more, &QUICK[..]].concat()).succeeded();
    };
    for extension in ["nii.gz", "nii", "mha", "mhd", "nrrd", "nhdr"] {
        let field = format!("field.{extension}");
        flow(&field, &[]);
        let found = read_flow(&place.path(&field), Strictness::Strict, &mut unsaid).unwrap();
        found.grid().require_same(plane.grid(), extension).unwrap();
        assert!((found.grid().spacing_mm()[2] - 8.0).abs() < 1e-5, "{extension}");
        let warped = format!("warped.{extension}");
        place.run(&["warp", "image", &field, "b.dcm", "-o", &warped, "--device", "cpu"]).succeeded();
        let warped = read_image(&place.path(&warped), Strictness::Strict, &mut unsaid).unwrap();
        warped.grid().require_same(plane.grid(), extension).unwrap();
        let inside = |x: usize, y: usize| warped.data()[y * 32 + x] - plane.data()[y * 32 + x];
        let differences = (4..20).flat_map(|y| (4..28).map(move |x| (x, y))).map(|(x, y)| inside(x, y).abs());
        assert!(differences.fold(0.0, f32::max) < 60.0, "{extension}: FIXED is found again");
        flow("again.nii", &["--init", &field]);
    }
    // Fields in pixels lie on the images of their size.
    for extension in ["flo", "npy"] {
        let field = format!("field.{extension}");
        flow(&field, &[]);
        flow("again.nii", &["--init", &field, "--truth", &field]);
        let warped = ["warp", "image", &field, "b.dcm", "-o", "pixels.nii", "--device", "cpu"];
        place.run(&warped).succeeded();
    }
    // What was written goes on as an input beside the slices themselves.
    place.run(&[&["flow", "a.dcm", "warped.nii.gz", "-o", "still.mha"], &QUICK[..]].concat()).succeeded();
}

#[test]
fn a_field_on_a_part_of_a_plane_is_applied_where_it_lies() {
    let place = two_slices();
    let plane = read_image(&place.path("a.dcm"), Strictness::Lenient, &mut Warnings::new()).unwrap();
    let part = Grid::image(20, 16).and_then(|g| g.with_direction(plane.grid().direction())).unwrap();
    let part = part.with_origin_mm(plane.grid().world_from_voxel([6.0, 4.0, 0.0]));
    veloxel_io::write_flow(place.path("part.nii.gz"), &Flow::zeros(part)).unwrap();
    place.run(&["warp", "image", "part.nii.gz", "a.dcm", "-o", "cut.nii", "--device", "cpu"]).succeeded();
    let cut = read_image(&place.path("cut.nii"), Strictness::Strict, &mut Warnings::new()).unwrap();
    for (i, sample) in cut.data().iter().enumerate() {
        let [x, y, _] = cut.grid().position(i);
        assert!((sample - plane.data()[(y + 4) * 32 + x + 6]).abs() < 0.1, "{x} {y}");
    }
}

#[test]
fn info_prints_where_a_plane_lies_in_space() {
    let place = two_slices();
    place.run(&[&["flow", "a.dcm", "b.dcm", "-o", "field.nii.gz"], &QUICK[..]].concat()).succeeded();
    for file in ["a.dcm", "field.nii.gz"] {
        let told = place.run(&["info", file]).succeeded().stdout;
        for line in [
            "32 × 24 pixels",
            "1 × 1 × 8 mm",
            "(10, -20, 33) mm",
            "(0.8, 0.6, 0)",
            "(0, 0, -1)",
            "(-0.6, 0.8, 0)",
        ] {
            assert!(told.contains(line), "{line} is missing: {told}");
        }
    }
}

#[test]
fn planes_that_lie_behind_each_other_are_told() {
    let place = two_slices();
    let behind = Slice {
        position: "5.2\\-13.6\\33",
        orientation: "0.8\\0.6\\0\\0\\0\\-1",
        ..dicom_cine::slice(4, 120)
    };
    place.write("behind.dcm", dicom_cine::image(&behind));
    let arguments = ["flow", "a.dcm", "behind.dcm", "-o", "f.mha", "--preset", "fast", "--device", "cpu"];
    let run = place.run(&arguments).succeeded();
    assert!(run.stderr.contains("parallel planes"), "{}", run.stderr);
    let strict = [&arguments[..], &["--strict"]].concat();
    place.run(&strict).failed_with(&["strict reading requires one grid"]);
}
