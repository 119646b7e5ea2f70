//! Tests of fields that are applied to images and labels which do not fit into the budget of memory: the bytes of those in memory.

use super::peak::run_within;
use super::stores::store;
use crate::workplace::Workplace;
use veloxel_core::{Flow, Grid, Volume, Warnings};
use veloxel_io::Strictness;

/// Field, image and result take more in memory, and boxes of them less, MiB.
const BUDGET: usize = 56;

fn grid() -> Grid {
    let grid = Grid::volume(640, 72, 18).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 1.25]));
    grid.expect("a grid of constants").with_origin_mm([-20.0, 5.0, 3.0])
}

/// A place with a field, unknown somewhere, that leads far in one corner and out of the image in another, and what it moves, on two grids.
fn place() -> Workplace {
    let place = Workplace::new();
    let flow = Flow::from_fn(grid(), |[x, y, z]| {
        let far = if x < 40.0 && y < 40.0 { 60.0 } else { 1.0 };
        let known = if x > 600.0 && z > 12.0 { f64::NAN } else { 1.0 };
        [far * (0.7 + 0.3 * (0.05 * y).sin()) * known, 2.5 * (0.1 * x).cos(), -4.0 * (0.04 * z).sin() - 0.3]
    });
    veloxel_io::write_flow(place.path("field.ome.zarr"), &flow).expect("a field is written");
    let smooth = |[x, y, z]: [usize; 3]| {
        let (x, y, z) = (x as f32, y as f32, z as f32);
        100.0 + 40.0 * ((0.3 * x).sin() + (0.21 * y + 0.1 * z).cos())
    };
    place.write_image("image.ome.zarr", &Volume::from_fn(grid(), smooth));
    let other = Grid::volume(600, 62, 17).and_then(|grid| grid.with_spacing_mm([1.1, 1.2, 1.3]));
    let other = other.expect("a grid of constants").with_origin_mm([-10.0, 0.0, 1.0]);
    place.write_image("other.nii", &Volume::from_fn(other, smooth));
    let label = |[x, y, z]: [usize; 3]| ((x / 9 + y / 7 + z / 11) % 5) as i32 * 90 + i32::from(x == 60);
    veloxel_io::write_labels(place.path("labels.nii"), &Volume::from_fn(grid(), label)).expect("labels");
    place
}

/// Runs in memory and in parts: both give the same bytes, and the same words.
fn same(place: &Workplace, what: &str, input: &str, more: &[&str]) {
    let line = |output| {
        let _ = std::fs::remove_dir_all(place.path(output));
        let line = ["warp", what, "field.ome.zarr", input, "-o", output, "--device", "cpu", "--threads", "2"];
        [&line[..], more].concat()
    };
    let told = place.run(&line("whole.ome.zarr")).succeeded().stderr;
    let told_in_parts = run_within(place, &line("parts.ome.zarr"), BUDGET).succeeded().stderr;
    assert_eq!(told.replace("whole.", "parts."), told_in_parts, "{more:?}");
    assert!(store(place, "whole.ome.zarr") == store(place, "parts.ome.zarr"), "{what} {input} {more:?}");
    assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
}

#[test]
fn images_on_a_grid_of_their_own_have_the_bytes_of_images_in_memory() {
    let place = place();
    same(&place, "image", "other.nii", &["--outside=-7"]);
    same(&place, "image", "other.nii", &["--interpolation", "cubic", "--outside", "edge"]);
}

#[test]
fn images_on_the_field_s_grid_have_the_bytes_of_images_in_memory() {
    let place = place();
    same(&place, "image", "image.ome.zarr", &["--interpolation", "nearest"]);
    same(&place, "image", "image.ome.zarr", &["--interpolation", "cubic-convolution"]);
    // A field whose vectors stand together.
    let flow = veloxel_io::read_flow(&place.path("field.ome.zarr"), Strictness::Strict, &mut Warnings::new());
    let flow = flow.expect("a field");
    veloxel_io::write_flow(place.path("field.mha"), &flow).expect("a field is written");
    for (output, budget) in [("w.ome.zarr", &[][..]), ("p.ome.zarr", &["--max-memory", "56M"][..])] {
        let line = ["warp", "image", "field.mha", "image.ome.zarr", "-o", output, "--device", "cpu"];
        place.run(&[&line[..], budget].concat()).succeeded();
    }
    assert!(store(&place, "w.ome.zarr") == store(&place, "p.ome.zarr"));
}

#[test]
fn labels_in_parts_have_the_bytes_of_labels_in_memory() {
    let place = place();
    for choice in ["linear", "nearest"] {
        same(&place, "labels", "labels.nii", &["--interpolation", choice]);
    }
}

#[test]
fn what_a_warp_does_not_do_in_parts_is_refused_by_name() {
    let place = place();
    let refused = |what: &str, input: &str, output: &str, more: &[&str], words: &[&str]| {
        let line = ["warp", what, "field.ome.zarr", input, "-o", output, "--device", "cpu", "--max-memory"];
        place.run(&[&line[..], &["56M"], more].concat()).failed_with(words);
    };
    refused("image", "image.ome.zarr", "w.ome.zarr", &["--smooth"], &["does not smooth", "--max-memory"]);
    refused(
        "image",
        "image.ome.zarr",
        "w.nii",
        &[],
        &["are needed unless the result is a folder named .ome.zarr"],
    );
    refused(
        "labels",
        "image.ome.zarr",
        "w.ome.zarr",
        &[],
        &["no whole numbers below 2^24", "image.ome.zarr has"],
    );
    let line = ["warp", "image", "field.ome.zarr", "image.ome.zarr", "-o", "w.ome.zarr", "--device", "cpu"];
    place.run(&[&line[..], &["--max-memory", "50M"]].concat()).failed_with(&["are needed even in parts"]);
    let mut image =
        veloxel_io::read_image(&place.path("image.ome.zarr"), Strictness::Strict, &mut Warnings::new())
            .unwrap();
    image.data_mut()[640 * 72 * 9 + 70] = f32::NAN;
    place.write_image("holes.nii", &image);
    refused("image", "holes.nii", "w.ome.zarr", &[], &["fill samples that are NaN", "holes.nii has some"]);
    assert!(place.names().iter().all(|name| !name.starts_with('.') && !name.starts_with("w.")));
}

#[cfg(unix)]
#[test]
fn a_warp_that_was_killed_goes_on_and_refuses_other_runs() {
    use super::ended_runs::goes_on;
    let place = place();
    let line = |what, input| {
        [
            "warp",
            what,
            "field.ome.zarr",
            input,
            "--device",
            "cpu",
            "--max-memory",
            "53M",
            "--interpolation",
            "nearest",
        ]
    };
    let other = [&line("image", "other.nii")[..9], &["linear"]].concat();
    let told = goes_on(&place, &line("image", "other.nii"), &other, "its interpolation is another", 4).stderr;
    assert!(told.contains("voxels"), "{told}");
    goes_on(&place, &line("labels", "labels.nii"), &line("image", "other.nii"), "its command is another", 4);
}
