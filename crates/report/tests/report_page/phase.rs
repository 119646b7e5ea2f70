//! Pages of an invented stereo pair and of invented features.

use super::check;
use std::f32::consts::PI;
use veloxel_core::{Control, Grid, StageTime, Volume, Warnings};
use veloxel_measure::disparity_error;
use veloxel_report::{
    DeviceReport, FeatureScale, FeatureScaleReport, FeaturesReport, FeaturesView, InputReport, RunHeader,
    StereoReport, StereoView, ValueRange, features_html, stereo_html,
};

const SIZE: [usize; 2] = [320, 240];

fn grid() -> Grid {
    Grid::image(SIZE[0], SIZE[1]).expect("an image of constants")
}

fn header(method: &str) -> RunHeader {
    let stage = |stage: &str, time_ms| StageTime { stage: stage.to_owned(), time_ms };
    RunHeader {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: "veloxel stereo left.png right.png -o d.pfm --html d.html".to_owned(),
        method: method.to_owned(),
        preset: Some("accurate".to_owned()),
        device: DeviceReport {
            name: "CPU, AVX2".to_owned(),
            chosen_because: "asked for".to_owned(),
            threads: 2,
        },
        parameters: serde_json::json!({ "sigma_px": 2.27, "max_levels": 6, "stereo_check_px": 1.0 }),
        inputs: vec![InputReport::new("left", "left.png", "Png", &grid())],
        stage_times: vec![stage("load", 9.0), stage("solve", 41.0)],
        warnings: Warnings::new(),
    }
}

/// Rings whose distance from the middle is their phase.
fn radius(x: usize, y: usize, size: [usize; 2]) -> (f32, f32) {
    let (dx, dy) = (x as f32 - 0.5 * size[0] as f32, y as f32 - 0.5 * size[1] as f32);
    (dx.hypot(dy) * 320.0 / size[0] as f32, dy.atan2(dx))
}

fn rings(size: [usize; 2], at: impl Fn(f32, f32) -> f32) -> Volume<f32> {
    Volume::from_fn(Grid::image(size[0], size[1]).expect("an image of constants"), |[x, y, _]| {
        let (r, angle) = radius(x, y, size);
        at(r, angle)
    })
}

#[test]
fn a_stereo_pair_becomes_a_page() {
    let left = rings(SIZE, |r, _| 128.0 + 100.0 * (r / 9.0).sin());
    let mut disparity = rings(SIZE, |r, _| 40.0 - 0.2 * r);
    let truth = disparity.map(|d| d + 0.3);
    disparity.data_mut()[..9000].fill(f32::NAN);
    let mut warped = left.map(|v| v + 3.0);
    warped.data_mut()[..9000].fill(f32::NAN);
    let confidence = disparity.map(|d| if d.is_finite() { d / 40.0 } else { 0.0 });
    let report = StereoReport {
        header: header("phase-stereo"),
        levels: vec![SIZE, [160, 120], [80, 60]],
        valid_share: 0.88,
        mean_confidence: 0.7,
        disparity_px: ValueRange::of(&disparity),
        cameras: None,
        error: Some(disparity_error(&disparity, &truth, None, &Control::default()).expect("both are known")),
    };
    let view = StereoView {
        title: "left.png and right.png",
        left: &left,
        right: &left,
        disparity_px: &disparity,
        confidence: &confidence,
        warped: &warped,
        truth_px: Some(&truth),
        depth_m: None,
    };
    let page = stereo_html(&report, &view, &Control::default()).expect("maps of one pair share a grid");
    check(&page, "stereo.html", 600_000);
    assert!(page.contains("True disparity") && page.contains("Against the truth"));
    assert!(page.contains("no disparity") && page.contains("Right, disparity undone"));
    let other = Volume::from_fn(Grid::image(3, 3).expect("an image"), |_| 0.0);
    assert!(stereo_html(&report, &StereoView { warped: &other, ..view }, &Control::default()).is_err());
    let json = serde_json::to_value(&report).expect("a report is JSON");
    assert_eq!((&json["method"], &json["valid_share"]), (&"phase-stereo".into(), &0.88.into()));
}

#[test]
fn features_become_a_page() {
    let sizes = [SIZE, [160, 120], [80, 60]];
    let maps: Vec<[Volume<f32>; 3]> = sizes
        .iter()
        .map(|&size| {
            [
                rings(size, |r, _| (400.0 - 2.5 * r).max(0.0)),
                rings(size, |_, angle| angle.rem_euclid(PI)),
                rings(size, |r, _| (r / 9.0 + PI).rem_euclid(2.0 * PI) - PI),
            ]
        })
        .collect();
    let scales = maps
        .iter()
        .map(|[energy, orientation, phase]| FeatureScale {
            energy,
            orientation_rad: orientation,
            phase_rad: phase,
        })
        .collect();
    let scale = |(maps, &size): (&[Volume<f32>; 3], &[usize; 2])| FeatureScaleReport {
        size,
        valid_share: 1.0,
        energy: ValueRange::of(&maps[0]),
    };
    let report = FeaturesReport {
        header: header("phase-features"),
        scales: maps.iter().zip(&sizes).map(scale).collect(),
    };
    let image = rings(SIZE, |r, _| 128.0 + 100.0 * (r / 9.0).sin());
    let view = FeaturesView { title: "rings.png", image: &image, scales };
    let page = features_html(&report, &view, &Control::default()).expect("there is a scale to show");
    check(&page, "features.html", 1_200_000);
    assert!(page.contains("layer-2") && page.contains("name=\"layer-1\""));
    assert!(
        features_html(&report, &FeaturesView { scales: Vec::new(), ..view }, &Control::default()).is_err()
    );
}
