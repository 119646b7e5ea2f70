//! `veloxel stereo` with cameras: depths, points, rectified pictures and their errors.

// A failed unwrap is a failed test, in functions beside the tests as well.
#![allow(clippy::unwrap_used)]

use crate::workplace::{Run, Workplace};
use veloxel_core::{Grid, Volume, Warnings};

/// A pair that is four pixels apart, of cameras that are 0.1 m apart.
fn place() -> Workplace {
    let place = Workplace::new();
    for (name, shift) in [("left.png", 0.0), ("right.png", 4.0)] {
        let wave = |[x, y, _]: [usize; 3]| {
            let (x, y) = (x as f32 + shift, y as f32);
            let of = |n: u8| {
                let (length, turn) = (0.15 * 1.1f32.powi(n.into()), 2.4 * f32::from(n));
                (length * (turn.cos() * x + turn.sin() * y) + f32::from(n).powi(2)).sin()
            };
            (128.0 + 9.0 * (0..20).map(of).sum::<f32>()).round()
        };
        place.write_image(name, &Volume::from_fn(Grid::image(96, 72).unwrap(), wave));
    }
    place.write(
        "k.yaml",
        "%YAML:1.0\n---\nM1: [200, 0, 47.5, 0, 200, 35.5, 0, 0, 1]\nM2: [200, 0, 47.5, 0, 200, 35.5, 0, 0, 1]\n\
         R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-100, 0, 0]\n",
    );
    place
}

/// How far the depth of a small picture may be off, metres of 5: an eighth of a pixel of four.
const OFF_M: f32 = 0.15;

const PAIR: [&str; 4] = ["stereo", "left.png", "right.png", "-o"];

fn median(place: &Workplace, name: &str) -> f32 {
    let image =
        veloxel_io::read_image(&place.path(name), veloxel_io::Strictness::Lenient, &mut Warnings::new());
    let mut values: Vec<f32> =
        image.unwrap().into_data().into_iter().filter(|v| v.is_finite() && *v > 0.0).collect();
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

fn run(place: &Workplace, more: &[&str]) -> Run {
    place.run(&[&PAIR[..], &["d.pfm", "--device", "cpu"], more].concat())
}

#[test]
fn focal_length_and_baseline_make_metres() {
    let place = place();
    let more =
        ["--focal", "200", "--baseline", "0.1", "--depth", "z.npy", "--cloud", "c.ply", "--report", "r.json"];
    run(&place, &more).succeeded();
    let depth_m = median(&place, "z.npy");
    assert!((depth_m - 5.0).abs() < OFF_M, "{depth_m}");
    run(&place, &["--focal", "200", "--baseline", "0.1", "--depth", "z.png"]).succeeded();
    assert!((median(&place, "z.png") - 5000.0).abs() < 1000.0 * OFF_M);
    let cloud = std::fs::read(place.path("c.ply")).unwrap();
    assert!(String::from_utf8_lossy(&cloud[..200]).contains("comment metres, rectified left camera"));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
    let cameras = &report["cameras"];
    assert_eq!((&cameras["focal_px"], &cameras["baseline_m"]), (&200.0.into(), &0.1.into()));
    assert_eq!(cameras["world_from_disparity"][2][3], 200.0);
    assert_eq!(cameras["centre_px"], serde_json::json!([47.5, 35.5]));
}

#[test]
fn a_calibration_rectifies_and_its_unit_can_be_told() {
    let place = place();
    let outputs =
        ["--rectified-left", "l.png", "--rectified-right", "r.png", "--depth", "z.npy", "--picture", "p.png"];
    let calibrated = [&["--calibration", "k.yaml", "--baseline", "0.1"], &outputs[..]].concat();
    run(&place, &calibrated).succeeded();
    let depth_m = median(&place, "z.npy");
    assert!((depth_m - 5.0).abs() < OFF_M, "{depth_m}");
    let read = |name: &str| {
        veloxel_io::read_image(&place.path(name), veloxel_io::Strictness::Lenient, &mut Warnings::new())
            .unwrap()
    };
    assert_eq!(read("l.png").data(), read("left.png").data(), "cameras that are rectified stay");
    assert_eq!(read("p.png").grid().size(), [96, 72, 1]);
    run(&place, &["--picture", "q.png", "--overlay", "--key", "--scale", "8"]).succeeded();
    assert!(read("q.png").grid().size()[1] > 72);
    let warned = run(&place, &["--calibration", "k.yaml"]).succeeded();
    assert!(
        warned.stderr.contains("100 apart") && warned.stderr.contains("(--baseline)"),
        "{}",
        warned.stderr
    );
}

#[test]
fn what_is_missing_is_told_in_one_line() {
    let place = place();
    place.write("empty.json", "{}");
    for (more, said) in [
        (&["--depth", "z.png"][..], "--calibration K.yaml"),
        (&["--calibration", "empty.json"], "M1 D1 M2 D2 R T"),
        (&["--calibration", "k.txt"], ".yaml .yml .json"),
        (&["--calibration", "k.yaml", "--cloud", "c.pcd"], ".ply"),
        (&["--focal", "200", "--baseline", "0.1", "--depth", "z.jpg"], "a depth"),
    ] {
        run(&place, more).failed_with(&[said]);
    }
    for more in
        [&["--focal", "200"][..], &["--baseline", "0.1"], &["--calibration", "k.yaml", "--focal", "9"]]
    {
        assert_eq!(run(&place, more).code, Some(2), "{more:?}");
    }
}
