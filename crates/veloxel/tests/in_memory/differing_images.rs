//! Two images that differ in more than motion: in gain, offset, gamma, or in what pads them. The motion is found all the same.

use crate::session;
use veloxel::pipelines::{MethodChoice, OutsideFill, PairRequest, PairResult, PairWanted, pair};
use veloxel::{Grid, Volume};

/// A texture of 40 to 220, two to three bends along each axis.
fn texture([x, y, z]: [f32; 3]) -> f32 {
    130.0 + 30.0 * ((0.45 * x + 0.2 * z).sin() + (0.4 * y - 0.1 * x).cos() + (0.35 * z - 0.25 * y).sin())
}

/// The motion at a voxel: 1.7 voxels at most.
fn motion([x, y, z]: [f32; 3]) -> [f32; 3] {
    [1.2 * (0.15 * y).sin(), 0.9 * (0.12 * z).cos(), 0.8 * (0.14 * x).sin()]
}

fn volume(of: impl Fn([f32; 3]) -> f32) -> Volume<f32> {
    Volume::from_fn(Grid::volume(40, 36, 32).unwrap(), |p| of(p.map(|v| v as f32)))
}

fn fixed() -> Volume<f32> {
    volume(|p| {
        let d = motion(p);
        texture([0, 1, 2].map(|a| p[a] + d[a]))
    })
}

fn found(fixed: &Volume<f32>, moving: &Volume<f32>) -> PairResult {
    let (method, wanted) = (
        MethodChoice::default(),
        PairWanted { warped: Some(OutsideFill::Value(f32::NAN)), ..PairWanted::default() },
    );
    let request = PairRequest { wanted, ..PairRequest::new(fixed, moving, &method) };
    pair(&request, &session()).unwrap()
}

/// Mean length of the difference from the motion, voxels, where `counts`.
fn error_vox(
    result: &PairResult,
    motion: impl Fn([f32; 3]) -> [f32; 3],
    counts: impl Fn([f32; 3]) -> bool,
) -> f32 {
    let flow = &result.found.flow;
    let mut errors = Vec::new();
    for i in 0..flow.grid().len() {
        let place = flow.grid().position(i).map(|v| v as f32);
        if counts(place) {
            let (own, truth) = (flow.vector_vox(i), motion(place));
            errors.push((0..3).map(|a| (own[a] - truth[a]).powi(2)).sum::<f32>().sqrt());
        }
    }
    errors.iter().sum::<f32>() / errors.len() as f32
}

/// Six voxels from the border.
fn is_inside([x, y, z]: [f32; 3]) -> bool {
    (6.0..34.0).contains(&x) && (6.0..30.0).contains(&y) && (6.0..26.0).contains(&z)
}

#[test]
fn gains_offsets_and_gammas_are_no_motion() {
    let (fixed, moving) = (fixed(), volume(texture));
    let plain = found(&fixed, &moving);
    let without = error_vox(&plain, motion, is_inside);
    let said = |result: &PairResult| {
        result.account.warnings.iter().any(|warning| warning.message.contains("brings their ranks together"))
    };
    assert!(without < 0.05 && !said(&plain), "{without} voxel between equal tones");
    type Change = (&'static str, fn(f32) -> f32);
    let changes: [Change; 8] = [
        ("gain 0.5", |v| 0.5 * v),
        ("gain 2", |v| 2.0 * v),
        ("gain 1.25", |v| 1.25 * v),
        ("offset + 127", |v| v + 127.0),
        ("offset − 127", |v| v - 127.0),
        ("gamma 0.7", |v| 255.0 * (v / 255.0).powf(0.7)),
        ("gamma 1.4", |v| 255.0 * (v / 255.0).powf(1.4)),
        ("negative", |v| 255.0 - v),
    ];
    for (name, change) in changes {
        let changed = moving.map(|v| change(*v));
        let result = found(&fixed, &changed);
        let error = error_vox(&result, motion, is_inside);
        println!("{name}: {error:.4} voxel, {without:.4} between equal tones");
        assert!(said(&result), "{name} should be told");
        assert!(error < 0.12, "{name}: {error} voxel, {without} between equal tones");
        // The warped image has the moving image's own tones.
        let warped = result.warped.as_ref().unwrap();
        let middle = warped.grid().index([20, 18, 16]);
        let expected = change(fixed.data()[middle]);
        assert!(
            (warped.data()[middle] - expected).abs() < 6.0,
            "{name}: {} for {expected}",
            warped.data()[middle]
        );
    }
}

#[test]
fn a_field_of_light_is_no_motion() {
    let volume = |of: &dyn Fn([f32; 3]) -> f32| {
        Volume::from_fn(Grid::volume(72, 64, 32).unwrap(), |p| of(p.map(|v| v as f32)))
    };
    // Details well below an eighth of the image.
    let fine = |p: [f32; 3]| texture(p.map(|v| 1.6 * v));
    let moved = |p: [f32; 3]| {
        let d = motion(p);
        fine([0, 1, 2].map(|a| p[a] + d[a]))
    };
    // Brighter in the middle, and towards the first slices.
    let light = |[x, y, z]: [f32; 3]| {
        let [x, y, z] = [x / 36.0 - 1.0, y / 32.0 - 1.0, z / 16.0 - 1.0];
        1.3 - 0.35 * (x * x + 0.6 * y * y) - 0.15 * z
    };
    let (fixed, moving, lit) = (volume(&moved), volume(&fine), volume(&|p| fine(p) * light(p)));
    let (plain, result) = (found(&fixed, &moving), found(&fixed, &lit));
    let [without, error] = [&plain, &result].map(|result| error_vox(result, motion, is_inside));
    println!("light of 30 %: {error:.3} voxel, {without:.3} in one light");
    assert!(error < 0.3 && without < 0.05, "{error} voxel, {without} in one light");
    let said = |result: &PairResult| {
        result.account.warnings.iter().any(|warning| warning.message.contains("smooth field"))
    };
    assert!(said(&result) && !said(&plain));
}

#[test]
fn padding_around_tissue_is_left_out() {
    // Soft tissue of 0 to 100 HU in a ball, which moves by 3 voxels in the middle and not at its rim.
    let middle = [19.5, 17.5, 15.5];
    let distance = |p: [f32; 3]| (0..3).map(|a| (p[a] - middle[a]).powi(2)).sum::<f32>().sqrt();
    let bump = |p: [f32; 3]| {
        let share = 1.0 - (distance(p) / 13.0).powi(2);
        let length = if share > 0.0 { 3.0 * share * share } else { 0.0 };
        [0.8 * length, 0.5 * length, -0.33 * length]
    };
    let tissue = |p: [f32; 3]| 0.55 * (texture(p) - 40.0);
    for padding in [-1024.0, -3024.0, -32768.0] {
        let in_ball = |p: [f32; 3], v: f32| if distance(p) < 13.0 { v } else { padding };
        let fixed = volume(|p| {
            let d = bump(p);
            in_ball(p, tissue([0, 1, 2].map(|a| p[a] + d[a])))
        });
        let moving = volume(|p| in_ball(p, tissue(p)));
        let result = found(&fixed, &moving);
        let error = error_vox(&result, bump, |p| distance(p) < 13.0);
        println!("padding {padding}: {error:.3} voxel");
        assert!(error < 0.3, "padding {padding}: {error} voxel");
        assert!(result.account.warnings.iter().any(|warning| warning.message.contains("padding")));
        let corner = result.found.confidence.data()[0];
        assert!(corner == 0.0, "there are no data in the corner, confidence {corner}");
    }
}
