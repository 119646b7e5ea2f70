//! Table 4: features on a circle whose kind changes from a step edge on one side to a line on the other.
//!
//! The picture is a sum of odd harmonics of the distance from a circle, `Σ sin(n·k·(r − R) + φ)/n`: all of them agree in
//! the phase φ on the circle, which goes from 0 (edge) to π/2 (line) and back as the direction goes around.

use crate::{BenchError, Figure};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use veloxel_core::{Grid, Volume};
use veloxel_gpu::Device;
use veloxel_motion::{FeatureMaps, PhaseParameters, phase_features};

const SIDE: usize = 256;
const RADIUS: f32 = 96.0;
/// Wavelength of the first harmonic, pixels; the last one is a little above two pixels.
const WAVELENGTH: f32 = 64.0;
const HARMONICS: usize = 29;
/// Number of points where features are measured, as in the paper.
const POINTS: usize = 500;
/// Distance from the circle within which the energy's maximum is searched, pixels, and the steps of the search.
const REACH: f32 = 2.0;
const STEP: f32 = 0.1;

pub(super) fn table_4(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let middle = 0.5 * (SIDE as f32 - 1.0);
    let image = Volume::from_fn(Grid::image(SIDE, SIDE)?, |[x, y, _]| {
        let (dx, dy) = (x as f32 - middle, y as f32 - middle);
        let (distance, phase) = (dx.hypot(dy) - RADIUS, kind(dy.atan2(dx)));
        let harmonic = |n: usize| (n as f32 * TAU / WAVELENGTH * distance + phase).sin() / n as f32;
        128.0 + 80.0 * (1..=HARMONICS).step_by(2).map(harmonic).sum::<f32>()
    });
    let found = phase_features(&image, &PhaseParameters::default(), device)?;
    let maps = &found.levels[0];
    let (mut place, mut orientation, mut phase) = (Vec::new(), Vec::new(), Vec::new());
    for point in 0..POINTS {
        let direction = TAU * (point as f32 + 0.5) / POINTS as f32;
        let (sin, cos) = direction.sin_cos();
        let at = |r: f32| [middle + r * cos, middle + r * sin];
        place.push(strongest(maps, at).abs());
        let [x, y] = at(RADIUS).map(|c| c.round() as usize);
        let i = y * SIDE + x;
        // The pixel's own direction and phase: it lies beside the circle by up to half a pixel.
        let (dx, dy) = (x as f32 - middle, y as f32 - middle);
        let own = dy.atan2(dx);
        orientation.push(apart(maps.orientation_rad.data()[i], own, PI).to_degrees());
        let moved = TAU / 4.0 * (dx.hypot(dy) - RADIUS);
        // The sum is of sines, phases are of cosines; seen from the other side a wave runs backwards.
        let expected = kind(own) - FRAC_PI_2 + moved;
        let seen = if own.rem_euclid(TAU) < PI { expected } else { -expected };
        phase.push(apart(maps.phase_rad.data()[i], seen, TAU).to_degrees());
    }
    let mean = |values: &[f32]| values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64;
    Ok(vec![
        Figure::new("circle from edge to line: localisation", mean(&place), "px").at_most(0.07),
        Figure::new("circle from edge to line: orientation", mean(&orientation), "°").at_most(0.28),
        Figure::new("circle from edge to line: phase", mean(&phase), "°").at_most(6.55),
    ])
}

/// Distance from the circle at which the energy along a ray is largest, pixels.
fn strongest(maps: &FeatureMaps, at: impl Fn(f32) -> [f32; 2]) -> f32 {
    let steps = (REACH / STEP) as i32;
    (-steps..=steps)
        .map(|k| k as f32 * STEP)
        .map(|offset| (offset, between(&maps.energy, at(RADIUS + offset))))
        .fold((0.0, f32::MIN), |best, next| if next.1 > best.1 { next } else { best })
        .0
}

/// The phase φ of the feature in a direction, radians.
fn kind(direction: f32) -> f32 {
    0.25 * PI * (1.0 - direction.cos())
}

/// A sample between pixels by Catmull and Rom's cubic: a linear one would put every maximum on a pixel.
fn between(map: &Volume<f32>, [x, y]: [f32; 2]) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (u, v) = (cubic(x - left), cubic(y - top));
    let row = |j: usize| -> f32 {
        let first = (top as usize + j - 1) * SIDE + left as usize - 1;
        (0..4).map(|i| u[i] * map.data()[first + i]).sum()
    };
    (0..4).map(|j| v[j] * row(j)).sum()
}

/// Weights of four neighbours at a share `t` between the middle two.
fn cubic(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (-t + 2.0 * t2 - t3),
        0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
        0.5 * (t + 4.0 * t2 - 3.0 * t3),
        0.5 * (t3 - t2),
    ]
}

/// Distance of two angles on a circle of a period.
fn apart(a: f32, b: f32, period: f32) -> f32 {
    let d = (a - b).rem_euclid(period);
    d.min(period - d)
}
