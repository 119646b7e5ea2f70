//! Accuracy of local features where the feature changes from an edge to a line around a circle (pauwels2012, Fig. 5, Table 4).

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]
#![allow(clippy::print_stdout, reason = "the figures of a passing test are worth reading")]

use super::scene::{picture, processor};
use std::f32::consts::{FRAC_PI_2, PI};
use veloxel_core::Volume;
use veloxel_motion::{PhaseParameters, phase_features};

const SIZE: usize = 320;
const CENTRE: f32 = 159.5;
const RADIUS: f32 = 110.0;
/// Distance of a feature from the next one like it, pixels.
const PERIOD: f32 = 96.0;

/// Sine waves up to the finest that pixels hold, whose phases agree on the circle: an edge there for 0, a line for π/2.
fn profile(distance: f32, phase: f32) -> f32 {
    let orders = (0..PERIOD as usize / 4).map(|k| (2 * k + 1) as f32);
    orders.map(|order| (2.0 * PI * order / PERIOD * distance + phase).sin() / order).sum()
}

/// An edge to the right, a line to the left, and everything in between.
fn kind_at(angle: f32) -> f32 {
    FRAC_PI_2 * angle.abs() / PI
}

/// Between pixels by cubics through the four nearest ones along each axis: lines would pull maxima towards pixels.
fn between(map: &Volume<f32>, x: f32, y: f32) -> f32 {
    let cubic = |v: [f32; 4], t: f32| {
        let (a, b) = (0.5 * (v[2] - v[0]), 0.5 * (v[3] - v[1]));
        let (c, d) = (3.0 * (v[2] - v[1]) - 2.0 * a - b, 2.0 * (v[1] - v[2]) + a + b);
        v[1] + t * (a + t * (c + t * d))
    };
    let (low_x, low_y) = (x as usize, y as usize);
    let rows = [0, 1, 2, 3]
        .map(|j| cubic([0, 1, 2, 3].map(|i| *map.at([low_x + i - 1, low_y + j - 1, 0])), x - low_x as f32));
    cubic(rows, y - low_y as f32)
}

#[test]
fn features_are_where_and_what_they_should_be() {
    let image = picture([SIZE, SIZE], |x, y| {
        let (dx, dy) = (x - CENTRE, y - CENTRE);
        128.0 + 60.0 * profile(dx.hypot(dy) - RADIUS, kind_at(dy.atan2(dx)))
    });
    let features = phase_features(&image, &PhaseParameters::default(), &processor(2)).unwrap();
    let finest = &features.levels[0];
    let mut errors: [Vec<f32>; 3] = Default::default();
    const POINTS: usize = 500;
    for k in 0..POINTS {
        let angle = 2.0 * PI * (k as f32 + 0.5) / POINTS as f32 - PI;
        let (c, s) = (angle.cos(), angle.sin());
        // Most energy along the normal, between tenths of a pixel.
        let energy = |r: f32| between(&finest.energy, CENTRE + r * c, CENTRE + r * s);
        let best =
            (-30..=30).map(|d| RADIUS + 0.1 * d as f32).max_by(|a, b| energy(*a).total_cmp(&energy(*b)));
        let best = best.unwrap();
        let [before, here, after] = [best - 0.5, best, best + 0.5].map(energy);
        let found = best + 0.25 * (after - before) / (2.0 * here - after - before);
        errors[0].push(found - RADIUS);
        // The nearest pixel: angles and phases cannot be averaged.
        let (x, y) = ((CENTRE + RADIUS * c).round(), (CENTRE + RADIUS * s).round());
        let (dx, dy) = (x - CENTRE, y - CENTRE);
        let at = [x as usize, y as usize, 0];
        let (orientation, phase) = (*finest.orientation_rad.at(at), *finest.phase_rad.at(at));
        let normal = dy.atan2(dx);
        let turn = (orientation - normal + FRAC_PI_2).rem_euclid(PI) - FRAC_PI_2;
        errors[1].push(turn.to_degrees());
        // The phase of what the pixel's place on the normal shows: the waves that the filters see run at ω₀.
        let outwards = orientation.cos() * dx + orientation.sin() * dy > 0.0;
        let expected = kind_at(normal) - FRAC_PI_2 + FRAC_PI_2 * (dx.hypot(dy) - RADIUS);
        let expected = if outwards { expected } else { -expected };
        let miss = (phase - expected + PI).rem_euclid(2.0 * PI) - PI;
        errors[2].push(if outwards { miss.to_degrees() } else { -miss.to_degrees() });
    }
    // The paper gives means and standard deviations; whether its means have signs it does not say.
    let paper = [
        ("localisation, px", 0.07, 0.20),
        ("orientation, degrees", 0.28, 3.56),
        ("phase, degrees", 6.55, 11.5),
    ];
    for (errors, (what, mean_there, deviation_there)) in errors.iter().zip(paper) {
        let mean_of = |of: &dyn Fn(f32) -> f32| errors.iter().map(|&e| of(e)).sum::<f32>() / POINTS as f32;
        let (mean, size) = (mean_of(&|e| e), mean_of(&f32::abs));
        let deviation = mean_of(&|e| (e - mean).powi(2)).sqrt();
        println!(
            "{what}: {mean:.3} ± {deviation:.3}, without signs {size:.3}; paper {mean_there} ± {deviation_there}"
        );
        // Theirs are printed with two digits after the point.
        assert!(
            size < mean_there + 0.005 && deviation <= deviation_there,
            "{what}: {size}, {mean} ± {deviation}"
        );
    }
}
