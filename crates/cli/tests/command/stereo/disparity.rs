//! Disparities measured against a truth.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::workplace::Workplace;
use veloxel_core::{Grid, Volume};

fn place() -> Workplace {
    let place = Workplace::new();
    let truth = Volume::from_fn(
        Grid::image(8, 4).unwrap(),
        |[x, y, _]| if y == 0 { 0.0 } else { 8.0 * (x + 2) as f32 },
    );
    place.write_image("truth.png", &truth);
    let mut result = truth.map(|&v| v / 8.0 + 0.75);
    result.data_mut()[9] = f32::NAN;
    veloxel_io::write_disparity(place.path("result.pfm"), &result).unwrap();
    place.write_image(
        "mask.png",
        &Volume::from_fn(Grid::image(8, 4).unwrap(), |[_, y, _]| f32::from(u8::from(y > 1))),
    );
    place
}

#[test]
fn a_disparity_is_measured_against_a_scaled_picture() {
    let place = place();
    let measure = |more: &[&str]| {
        let mut arguments =
            vec!["evaluate", "disparity", "result.pfm", "truth.png", "--scale", "8", "--json"];
        arguments.extend(more);
        serde_json::from_str::<serde_json::Value>(&place.run(&arguments).succeeded().stdout).unwrap()
    };
    let error = measure(&[]);
    assert_eq!((&error["truth_pixels"], &error["measured_pixels"]), (&24.into(), &23.into()));
    assert_eq!((&error["absolute_px"]["mean"], &error["bad_measured"]["bad_1"]), (&0.75.into(), &0.0.into()));
    assert_eq!(error["bad_all"]["bad_1"], 1.0 / 24.0);
    assert_eq!(measure(&["--mask", "mask.png"])["truth_pixels"], 16);
    let text =
        place.run(&["evaluate", "disparity", "result.pfm", "truth.png", "--scale", "8"]).succeeded().stdout;
    for words in ["0.5 px", "95.8 % of 24 pixels", "KITTI's D1"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_users_mistakes_are_one_line() {
    let place = place();
    place.run(&["evaluate", "disparity", "result.pfm", "truth.png"]).failed_with(&["truth.png", "--scale"]);
    place
        .run(&["evaluate", "disparity", "result.pfm", "truth.png", "--scale", "0"])
        .failed_with(&["scale", "above 0"]);
    place.run(&["evaluate", "disparity", "none.pfm", "truth.png", "--scale", "8"]).failed_with(&["none.pfm"]);
    place.write("result.flo", "no disparity");
    place
        .run(&["evaluate", "disparity", "result.flo", "truth.png", "--scale", "8"])
        .failed_with(&["result.flo", ".pfm"]);
    place.write_image("wide.png", &Volume::from_fn(Grid::image(9, 4).unwrap(), |_| 8.0));
    place
        .run(&["evaluate", "disparity", "result.pfm", "wide.png", "--scale", "8"])
        .failed_with(&["8 × 4", "9 × 4"]);
}
