//! Features, stereo and flow from phase, against what is known exactly.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use super::scene::{picture, processor, shifted, texture};
use std::f32::consts::{FRAC_PI_2, PI};
use veloxel_core::CoreError;
use veloxel_motion::{MotionError, PhaseParameters, phase_features, phase_flow, phase_stereo};

/// Distance of two angles on a circle of a period.
fn apart(a: f32, b: f32, period: f32) -> f32 {
    let d = (a - b).rem_euclid(period);
    d.min(period - d)
}

#[test]
fn a_grating_has_its_amplitude_orientation_and_phase() {
    for q in 0..16 {
        let angle = q as f32 * PI / 16.0;
        let wave = |x: f32, y: f32| FRAC_PI_2 * (x * angle.cos() + y * angle.sin()) + 0.4;
        let image = picture([64, 48], |x, y| 90.0 + 20.0 * wave(x, y).cos());
        let features = phase_features(&image, &PhaseParameters::default(), &processor(1)).unwrap();
        let finest = &features.levels[0];
        for y in 12..36 {
            for x in 12..52 {
                let at = [x, y, 0];
                assert!(apart(*finest.orientation_rad.at(at), angle, PI) < 0.01, "{q} {x} {y}");
                let expected = wave(x as f32, y as f32);
                // Turned by half a turn, the wave runs the other way.
                let phase = *finest.phase_rad.at(at);
                let near = apart(phase, expected, 2.0 * PI).min(apart(phase, -expected, 2.0 * PI));
                assert!(near < 0.03, "{q} {x} {y}: {phase} where {expected} is expected");
                let energy = *finest.energy.at(at);
                assert!(energy > 400.0 && energy < 1200.0, "{energy}");
            }
        }
    }
}

#[test]
fn lines_and_edges_have_their_phases() {
    let line = |sign: f32| picture([48, 48], |x, _| 100.0 + sign * 80.0 * (-0.5 * (x - 24.0).powi(2)).exp());
    let step = |sign: f32| picture([48, 48], |x, _| 100.0 + sign * 50.0 * ((x - 24.0) * 0.8).tanh());
    for (image, expected) in
        [(line(1.0), 0.0), (line(-1.0), PI), (step(1.0), -FRAC_PI_2), (step(-1.0), FRAC_PI_2)]
    {
        let features = phase_features(&image, &PhaseParameters::default(), &processor(1)).unwrap();
        let phase = *features.levels[0].phase_rad.at([24, 24, 0]);
        assert!(apart(phase, expected, 2.0 * PI) < 0.02, "{phase} where {expected} is expected");
        assert!(apart(*features.levels[0].orientation_rad.at([24, 24, 0]), 0.0, PI) < 1e-3);
    }
}

/// Mean error of the orientation, degrees, in the middle of pictures that change along one direction, over all directions.
fn mean_turn(profile: impl Fn(f32) -> f32) -> f32 {
    const DIRECTIONS: usize = 45;
    let turns = (0..DIRECTIONS).map(|k| {
        let angle = (k as f32 + 0.3) * PI / DIRECTIONS as f32;
        let along = |x: f32, y: f32| (x - 20.0) * angle.cos() + (y - 20.0) * angle.sin();
        let image = picture([41, 41], |x, y| 128.0 + 60.0 * profile(along(x, y)));
        let parameters = PhaseParameters { max_levels: 1, ..PhaseParameters::default() };
        let features = phase_features(&image, &parameters, &processor(1)).unwrap();
        apart(*features.levels[0].orientation_rad.at([20, 20, 0]), angle, PI).to_degrees()
    });
    turns.sum::<f32>() / DIRECTIONS as f32
}

#[test]
fn edges_lines_and_gratings_do_not_seem_turned() {
    for phase in [0.0, 0.25 * PI, FRAC_PI_2] {
        // Edges (phase 0), lines (π/2) and what is between, sharp and blurred, on the pixel and beside it.
        for (blur_px, offset_px) in [(0.0, 0.0), (0.0, 0.4), (1.0, 0.0)] {
            let turn = mean_turn(|d| {
                let waves = (0..15).map(|k| {
                    let frequency = 2.0 * PI * (2 * k + 1) as f32 / 64.0;
                    let amplitude = (-0.5 * (frequency * blur_px).powi(2)).exp() / (2 * k + 1) as f32;
                    amplitude * (frequency * (d - offset_px) + phase).sin()
                });
                waves.sum()
            });
            assert!(turn < 0.3, "{phase} {blur_px} {offset_px}: {turn}");
        }
    }
    for frequency in [1.2, 1.4, 1.8, 2.0] {
        let turn = mean_turn(|d| (frequency * d + 0.6).cos());
        assert!(turn < 0.3, "{frequency}: {turn}");
    }
}

#[test]
fn a_constant_image_has_nothing() {
    let flat = picture([40, 40], |_, _| 128.0);
    let (parameters, device) = (PhaseParameters::default(), processor(1));
    let features = phase_features(&flat, &parameters, &device).unwrap();
    for maps in &features.levels {
        assert!(maps.phase_rad.data().iter().chain(maps.orientation_rad.data()).all(|v| v.is_nan()));
        assert!(maps.energy.data().iter().all(|&v| v < 1e-6));
    }
    let stereo = phase_stereo(&flat, &flat, &parameters, &device).unwrap();
    assert!(stereo.disparity_px.data().iter().all(|v| v.is_nan()));
    assert!(stereo.confidence.data().iter().all(|&v| v == 0.0));
    let flow = phase_flow(&[&flat; 5], &parameters, &device).unwrap();
    assert!(flow.flow.planar_vox().iter().all(|v| v.is_nan()));
    assert!(flow.flow.planar_vox().iter().all(|v| v.is_nan()));
}

#[test]
fn tiny_images_have_one_level() {
    for size in [[1, 1], [3, 2], [1, 30], [11, 9]] {
        let image = picture(size, texture);
        let (parameters, device) = (PhaseParameters::default(), processor(1));
        let features = phase_features(&image, &parameters, &device).unwrap();
        assert_eq!(features.report.levels, [size]);
        phase_stereo(&image, &image, &parameters, &device).unwrap();
        phase_flow(&[&image; 5], &parameters, &device).unwrap();
    }
}

#[test]
fn inputs_that_cannot_be_used_are_named() {
    let (parameters, device) = (PhaseParameters::default(), processor(1));
    let mut image = picture([20, 20], texture);
    let small = picture([20, 19], texture);
    assert!(matches!(phase_flow(&[&image, &image], &parameters, &device), Err(MotionError::Sequence { .. })));
    assert!(matches!(phase_stereo(&image, &small, &parameters, &device), Err(MotionError::Input(_))));
    let volume =
        veloxel_core::Volume::new(veloxel_core::Grid::volume(4, 4, 4).unwrap(), vec![0.0; 64]).unwrap();
    assert!(matches!(phase_features(&volume, &parameters, &device), Err(MotionError::NotAPicture { .. })));
    let wrong = PhaseParameters { tau_l: -1.0, ..parameters.clone() };
    let error = phase_features(&image, &wrong, &device).unwrap_err().to_string();
    assert!(error.contains("`tau_l` is -1.0, expected a number from 1e-6 to 10 radians²"), "{error}");
    image.data_mut()[43] = f32::NAN;
    for error in [
        phase_features(&image, &parameters, &device).unwrap_err(),
        phase_stereo(&image, &image, &parameters, &device).unwrap_err(),
        phase_flow(&[&image; 5], &parameters, &device).unwrap_err(),
    ] {
        assert!(
            matches!(error, MotionError::Input(CoreError::NotFinite { position: [3, 2, 0], .. })),
            "{error}"
        );
    }
}

#[test]
fn contrast_and_brightness_change_nothing_but_energy() {
    let image = picture([64, 48], texture);
    let bright = shifted(&image, |v| 0.5 * v + 30.0);
    let (parameters, device) = (PhaseParameters::default(), processor(1));
    let [a, b] = [&image, &bright].map(|i| phase_features(i, &parameters, &device).unwrap());
    for (a, b) in a.levels[0].phase_rad.data().iter().zip(b.levels[0].phase_rad.data()) {
        assert!(apart(*a, *b, 2.0 * PI) < 1e-2);
    }
}
