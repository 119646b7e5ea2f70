//! Stereo by semi-global matching: edges, matches that leave the picture, and what cannot be known.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use super::scene::{picture, processor, texture};
use veloxel_core::{Dimension, Volume};
use veloxel_gpu::Device;
use veloxel_motion::phase::parameters::StereoSmoothing;
use veloxel_motion::{PhaseParameters, PhasePreset, PhaseStereo, phase_stereo};
use veloxel_testkit::on_every_device;

const SIZE: [usize; 2] = [200, 96];
/// A square before a wall: where it is in the left picture, and disparities, pixels.
const SQUARE: [std::ops::Range<f32>; 2] = [90.0..140.0, 30.0..70.0];
const NEAR_PX: f32 = 21.0;
const FAR_PX: f32 = 5.0;

fn stereo(left: &Volume<f32>, right: &Volume<f32>, device: &Device) -> PhaseStereo {
    phase_stereo(left, right, &PhaseParameters::preset(PhasePreset::Accurate, Dimension::Two), device)
        .unwrap()
}

fn in_square(x: f32, y: f32) -> bool {
    SQUARE[0].contains(&x) && SQUARE[1].contains(&y)
}

/// Both views of the square before the wall; each has a texture of its own.
fn scene() -> [Volume<f32>; 2] {
    let near = |x: f32, y: f32| texture(1.3 * y + 31.0, 1.1 * x);
    let left = picture(SIZE, |x, y| if in_square(x, y) { near(x, y) } else { texture(x, y) });
    let right =
        picture(
            SIZE,
            |x, y| {
                if in_square(x + NEAR_PX, y) { near(x + NEAR_PX, y) } else { texture(x + FAR_PX, y) }
            },
        );
    [left, right]
}

#[test]
fn edges_are_kept_and_hidden_walls_filled() {
    let [left, right] = scene();
    let found = stereo(&left, &right, &processor(2));
    let (mut wrong, mut hidden_wrong, mut hidden, mut count) = (0, 0, 0, 0);
    let mut at_border = Vec::new();
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let d = found.disparity_px.data()[y * SIZE[0] + x];
            let truth = if in_square(x as f32, y as f32) { NEAR_PX } else { FAR_PX };
            if (x as f32) < truth {
                at_border.push(d);
                continue;
            }
            let is_wrong = i32::from(d.is_nan() || (d - truth).abs() > 1.0);
            let sees_right = truth == NEAR_PX || !in_square(x as f32 - FAR_PX + NEAR_PX, y as f32);
            (hidden, hidden_wrong) =
                if sees_right { (hidden, hidden_wrong) } else { (hidden + 1, hidden_wrong + is_wrong) };
            (count, wrong) = (count + 1, wrong + is_wrong);
        }
    }
    assert!(hidden > 500 && hidden_wrong * 5 < hidden, "{hidden_wrong} of {hidden} hidden pixels");
    assert!(wrong * 50 < count, "{wrong} of {count} pixels");
    // The wall's first columns are not in the right view: a disparity there does not lead out of it.
    assert!(at_border.iter().enumerate().all(|(i, d)| d.is_nan() || *d <= (i as f32 % FAR_PX) + 0.5));
}

#[test]
fn disparities_reach_half_of_the_width_on_either_side() {
    for disparity in [-90.0f32, -40.3, 64.0, 96.0] {
        let left = picture(SIZE, texture);
        let right = picture(SIZE, |x, y| texture(x + disparity, y));
        let found = stereo(&left, &right, &processor(2));
        let (mut there, mut known) = (0usize, 0usize);
        for (i, &d) in found.disparity_px.data().iter().enumerate().filter(|(_, d)| !d.is_nan()) {
            let at = (i % SIZE[0]) as f32 - d;
            assert!(
                (-0.5..=SIZE[0] as f32 - 0.5).contains(&at),
                "no match lies outside of the right picture"
            );
            (there, known) = (there + usize::from((d - disparity).abs() < 0.5), known + 1);
        }
        let seen = (SIZE[0] as f32 - disparity.abs()) * SIZE[1] as f32;
        assert!(there as f32 > 0.95 * seen, "{disparity}: {there} of {seen}");
        // What the right view does not have may look like something else in it, the more the shift is.
        let is_moderate = disparity.abs() < 65.0;
        assert!(!is_moderate || (known - there) * 10 < known, "{disparity}: {there} of {known}");
    }
}

#[test]
fn what_has_no_texture_has_no_disparity() {
    let flat = picture(SIZE, |_, _| 90.0);
    assert!(stereo(&flat, &flat, &processor(1)).disparity_px.data().iter().all(|d| d.is_nan()));
    for size in [[1, 1], [3, 40], [40, 5], [300, 9]] {
        let thin = picture(size, texture);
        let found = stereo(&thin, &thin, &processor(1)).disparity_px;
        assert!(found.data().iter().all(|d| d.is_nan() || d.abs() < 0.1), "{size:?}");
    }
}

#[test]
fn confidence_says_what_is_wrong() {
    let [left, right] = scene();
    // Half of the right view is another picture: there is nothing to match.
    let right = Volume::from_fn(right.grid().clone(), |[x, y, z]| {
        if y < 20 { texture(400.0 - 3.0 * x as f32, 7.0 * y as f32) } else { *right.at([x, y, z]) }
    });
    let found = stereo(&left, &right, &processor(2));
    let mean = |rows: std::ops::Range<usize>| {
        let row = rows.start * SIZE[0]..rows.end * SIZE[0];
        found.confidence.data()[row.clone()].iter().sum::<f32>() / row.len() as f32
    };
    assert!(mean(0..18) < 0.5 * mean(24..90), "{} against {}", mean(0..18), mean(24..90));
    let all = found.confidence.data().iter().zip(found.disparity_px.data());
    assert!(all.into_iter().all(|(c, d)| (0.0..=1.0).contains(c) && (!d.is_nan() || *c == 0.0)));
}

on_every_device! {
    fn every_device_finds_the_same(device: &Device) {
        let [left, right] = scene();
        let [own, expected] = [device, &processor(1)].map(|device| stereo(&left, &right, device));
        let bits = |volume: &Volume<f32>| volume.data().iter().map(|v| if v.is_nan() { 1 } else { v.to_bits() }).collect::<Vec<_>>();
        assert!(bits(&own.disparity_px) == bits(&expected.disparity_px) && bits(&own.confidence) == bits(&expected.confidence));
    }
}

#[test]
fn rows_that_do_not_fit_are_told() {
    let left = picture(SIZE, texture);
    for (lower, disparity) in [(0.0f32, 9.0f32), (1.0, 9.0), (-3.0, 20.0), (7.0, -4.0)] {
        let right = picture(SIZE, |x, y| texture(x + disparity, y - lower));
        let rows = stereo(&left, &right, &processor(2)).rows.unwrap();
        assert!(rows.patches > 50 && rows.lower_px == lower as i32, "{lower}: {rows:?}");
        assert_eq!(rows.is_off(), lower != 0.0, "{lower}: {rows:?}");
    }
    let off = PhaseParameters { stereo_smoothing: StereoSmoothing::Off, ..PhaseParameters::default() };
    assert!(phase_stereo(&left, &left, &off, &processor(1)).unwrap().rows.is_none());
}
