//! `--weight FILE`: how much each voxel counts.

use crate::workplace::{Workplace, pair};
use veloxel_core::{Grid, Volume};

const FLOW: [&str; 6] = ["flow", "fixed.nii.gz", "moving.nii.gz", "--device", "cpu", "-q"];

/// Two pictures, of which FIXED shows a bar that MOVING does not, and the weight that is 0 there.
fn pictures_with_a_bar() -> Workplace {
    let place = Workplace::new();
    let phantom = pair(&Grid::image(96, 80).expect("a grid"));
    let grid = phantom.fixed.grid().clone();
    let bar = |[x, y, _]: [usize; 3]| (40..56).contains(&x) && (12..68).contains(&y);
    let white = phantom.fixed.data().iter().copied().fold(0.0, f32::max);
    let barred = |p: [usize; 3]| if bar(p) { white } else { *phantom.fixed.at(p) };
    place.write_image("fixed.nii.gz", &Volume::from_fn(grid.clone(), barred));
    place.write_image("moving.nii.gz", &phantom.moving);
    place.write_image("weight.nii.gz", &Volume::from_fn(grid, |p| f32::from(u8::from(!bar(p)))));
    place.write_image("interior.nii.gz", &phantom.interior.map(|&inside| f32::from(u8::from(inside))));
    veloxel_io::write_flow(place.path("truth.nii.gz"), &phantom.truth).expect("a field is written");
    place
}

#[test]
fn what_has_no_weight_does_not_mislead() {
    let place = pictures_with_a_bar();
    let error_vox = |method: &str, name: &str, more: &[&str]| {
        place.run(&[&FLOW[..], &["--method", method, "-o", name], more].concat()).succeeded();
        let asked = ["evaluate", "flow", name, "truth.nii.gz", "--mask", "interior.nii.gz", "--json"];
        let found: serde_json::Value =
            serde_json::from_str(&place.run(&asked).succeeded().stdout).expect("JSON");
        found["end_point_vox"]["mean"].as_f64().expect("a mean")
    };
    let misled = error_vox("fe", "misled.nii.gz", &[]);
    let weighted = error_vox("fe", "weighted.nii.gz", &["--weight", "weight.nii.gz"]);
    assert!(weighted < 0.25 * misled, "{weighted} voxels with the weight, {misled} without");
    let misled = error_vox("lucas-kanade", "misled_local.nii.gz", &[]);
    let weighted = error_vox("lucas-kanade", "weighted_local.nii.gz", &["--weight", "weight.nii.gz"]);
    assert!(weighted < misled, "{weighted} voxels with the weight, {misled} without");
}

#[test]
fn a_weight_that_cannot_count_is_refused() {
    let place = pictures_with_a_bar();
    let refused = |more: &[&str], words: &[&str]| {
        place.run(&[&FLOW[..], &["-o", "flow.nii.gz"], more].concat()).failed_with(words);
        assert!(!place.names().contains(&"flow.nii.gz".to_owned()));
    };
    refused(&["--weight", "weight.nii.gz"], &["clg does not use a weight image: lucas-kanade and fe do"]);
    let two = Volume::from_fn(Grid::image(96, 80).expect("a grid"), |_| 2.0);
    place.write_image("two.nii.gz", &two);
    refused(&["--method", "fe", "--weight", "two.nii.gz"], &["2", "0 to 1"]);
    place.write_image("small.nii.gz", &Volume::from_fn(Grid::image(90, 80).expect("a grid"), |_| 1.0));
    refused(&["--method", "fe", "--weight", "small.nii.gz"], &["small.nii.gz", "90"]);
}
