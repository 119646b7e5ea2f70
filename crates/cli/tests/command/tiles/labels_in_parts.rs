//! Tests of labels that are compared although they do not fit into the budget of memory: the numbers of those in memory.

use super::peak::run_within;
use crate::workplace::Workplace;
use veloxel_core::{Grid, Volume};

/// Both images take more in memory, and boxes of them less, MiB.
const BUDGET: usize = 60;
/// Less than boxes take, MiB.
const TOO_LITTLE: &str = "40M";

fn grid() -> Grid {
    let grid = Grid::volume(200, 150, 80).and_then(|grid| grid.with_spacing_mm([1.0, 1.5, 2.5]));
    grid.expect("a grid of constants").with_origin_mm([-20.0, 5.0, 3.0])
}

/// A large label around smaller ones; of the moved ones one has another number.
fn labels(shift: f64, last: f64) -> Volume<f32> {
    Volume::from_fn(grid(), |[x, y, z]| {
        let p = [x as f64 - shift, y as f64 + 0.5 * shift, z as f64];
        let inside =
            ((p[0] - 100.0) / 95.0).powi(2) + ((p[1] - 75.0) / 70.0).powi(2) + ((p[2] - 40.0) / 38.0).powi(2);
        let wave = (0.11 * p[0]).sin() * (0.13 * p[1]).cos() * (0.17 * p[2]).sin();
        let label = match wave {
            _ if inside > 1.0 => 0.0,
            _ if wave > 0.5 => last,
            _ if wave < -0.3 => 300.0 + (p[0] / 40.0).floor(),
            _ => 2.0,
        };
        label as f32
    })
}

#[test]
fn labels_compared_in_parts_have_the_numbers_of_those_in_memory() {
    let place = Workplace::new();
    place.write_image("a.ome.zarr", &labels(2.0, 7.0));
    place.write_image("a.mha", &labels(2.0, 7.0));
    place.write_image("b.nii", &labels(0.0, 9.0));
    for result in ["a.ome.zarr", "a.mha"] {
        let line = ["evaluate", "labels", result, "b.nii", "--json"];
        let (whole, in_parts) = (place.run(&line).succeeded(), run_within(&place, &line, BUDGET).succeeded());
        assert_eq!(whole.stdout, in_parts.stdout, "{result}");
        assert_eq!(whole.stderr, in_parts.stderr, "{result}");
        let told: serde_json::Value = serde_json::from_str(&whole.stdout).expect("JSON");
        assert_eq!(told["labels_not_in_truth"][0], 7, "{told}");
        assert!(told["labels"].as_array().is_some_and(|all| all.len() > 6), "{told}");
        assert!(told["mean_hausdorff95_mm"].as_f64().is_some_and(|mm| mm > 0.5), "{told}");
    }
    assert_eq!(place.names(), ["a.mha", "a.ome.zarr", "b.nii"]);
}

#[test]
fn labels_within_a_mask_have_the_numbers_of_those_in_memory() {
    let place = Workplace::new();
    place.write_image("a.ome.zarr", &labels(2.0, 7.0));
    place.write_image("b.nii", &labels(0.0, 9.0));
    let line = |mask| ["evaluate", "labels", "a.ome.zarr", "b.nii", "--json", "--mask", mask];
    for mask in ["b.nii", "a.ome.zarr=301,302,77"] {
        let whole = place.run(&line(mask)).succeeded();
        let in_parts = run_within(&place, &line(mask), BUDGET).succeeded();
        assert_eq!(whole.stdout, in_parts.stdout, "{mask}");
        assert_eq!(whole.stderr, in_parts.stderr, "{mask}");
        assert_eq!(whole.stderr.contains("no voxel has the label 77"), mask != "b.nii", "{}", whole.stderr);
        let told: serde_json::Value = serde_json::from_str(&whole.stdout).expect("JSON");
        assert!(told["labels"].as_array().is_some_and(|all| all.len() > 1), "{told}");
    }
    let budget = format!("{BUDGET}M");
    let none = [&line("b.nii=77,78")[..], &["--max-memory", &budget]].concat();
    place.run(&none).failed_with(&["77, 78"]);
    place.write_image("c.nii", &Volume::from_fn(Grid::volume(200, 150, 79).unwrap(), |_| 1.0));
    let other = [&line("c.nii")[..], &["--max-memory", &budget]].concat();
    place.run(&other).failed_with(&["truth and mask"]);
}

#[test]
fn what_labels_in_parts_do_not_do_is_refused_by_name() {
    let place = Workplace::new();
    place.write_image("a.mha", &labels(2.0, 7.0));
    place.write_image("a.nii.gz", &labels(2.0, 7.0));
    place.write_image("odd.mha", &labels(2.0, 7.5));
    place.write_image(
        "many.mha",
        &Volume::from_fn(grid(), |[x, y, z]| (x / 2 + 100 * (y / 2 + 75 * (z / 2))) as f32),
    );
    let budget = format!("{BUDGET}M");
    let refused = |files: [&str; 2], more: &[&str], words: &[&str]| {
        let line = [&["evaluate", "labels", files[0], files[1]], more].concat();
        place.run(&line).failed_with(words);
    };
    let within = ["--max-memory", budget.as_str()];
    refused(
        ["a.mha", "a.mha"],
        &["--mask", "a.nii.gz", "--max-memory", &budget],
        &["a.nii.gz", "convert it"],
    );
    refused(["a.nii.gz", "a.mha"], &within, &["a.nii.gz", "convert it to .ome.zarr"]);
    refused(["a.mha", "odd.mha"], &within, &["odd.mha holds 7.5 at voxel"]);
    refused(["a.mha", "many.mha"], &within, &["does not compare more than", "labels", "--max-memory"]);
    refused(["a.mha", "a.mha"], &["--max-memory", TOO_LITTLE], &["are needed even in parts"]);
}
