//! Table 4: features on a circle whose kind changes from a step edge on one side to a line on the other.

use crate::{BenchError, Figure};
use std::f32::consts::{PI, TAU};
use veloxel_core::Volume;
use veloxel_gpu::Device;
use veloxel_motion::{FeatureMaps, PhaseParameters, phase_features};
use veloxel_phantoms::EdgeToLine;

const SIDE: usize = 256;
/// Number of points where features are measured, as in the paper.
const POINTS: usize = 500;
/// Distance from the circle within which the energy's maximum is searched, pixels, and the steps of the search.
const REACH: f32 = 2.0;
const STEP: f32 = 0.1;

/// Errors on the circle, one for each point; signed: outwards, and with the angle.
pub(crate) struct CircleErrors {
    pub place_px: Vec<f32>,
    pub orientation_deg: Vec<f32>,
    pub phase_deg: Vec<f32>,
}

/// The test image of Table 4, and Figure 5.
pub(crate) fn circle() -> Result<EdgeToLine, BenchError> {
    Ok(EdgeToLine::new([SIDE, SIDE])?)
}

/// Measures the features of the finest level around the circle.
pub(crate) fn circle_errors(
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<CircleErrors, BenchError> {
    let circle = circle()?;
    let found = phase_features(&circle.image(), parameters, device)?;
    let maps = &found.levels[0];
    let mut errors = CircleErrors { place_px: vec![], orientation_deg: vec![], phase_deg: vec![] };
    for point in 0..POINTS {
        let direction = TAU * (point as f32 + 0.5) / POINTS as f32;
        let at = |r: f32| circle.place(direction, r);
        errors.place_px.push(strongest(maps, |offset| at(circle.radius_px() + offset)));
        let [x, y] = at(circle.radius_px()).map(|c| c.round() as usize);
        let i = y * SIDE + x;
        // The pixel's own direction and phase: it lies beside the circle by up to half a pixel.
        let own = circle.features([x as f32, y as f32]);
        let orientation = difference(maps.orientation_rad.data()[i], own.orientation_rad, PI);
        errors.orientation_deg.push(orientation.to_degrees());
        errors.phase_deg.push(difference(maps.phase_rad.data()[i], own.phase_rad, TAU).to_degrees());
    }
    Ok(errors)
}

pub(super) fn table_4(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let errors = circle_errors(&PhaseParameters::default(), device)?;
    let mean = |values: &[f32]| values.iter().map(|v| f64::from(v.abs())).sum::<f64>() / values.len() as f64;
    let figure = |what: &str, values: &[f32], unit| {
        Figure::new(format!("circle from edge to line: {what}"), mean(values), unit)
    };
    Ok(vec![
        figure("localisation", &errors.place_px, "px").at_most(0.07),
        figure("orientation", &errors.orientation_deg, "°").at_most(0.28),
        figure("phase", &errors.phase_deg, "°").at_most(6.55),
    ])
}

/// Distance from the circle at which the energy along a ray is largest, pixels; `at` is the place at a distance.
fn strongest(maps: &FeatureMaps, at: impl Fn(f32) -> [f32; 2]) -> f32 {
    let steps = (REACH / STEP) as i32;
    (-steps..=steps)
        .map(|k| k as f32 * STEP)
        .map(|offset| (offset, between(&maps.energy, at(offset))))
        .fold((0.0, f32::MIN), |best, next| if next.1 > best.1 { next } else { best })
        .0
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

/// The difference of two angles on a circle of a period: at most half of it, either way.
fn difference(a: f32, b: f32, period: f32) -> f32 {
    let d = (a - b).rem_euclid(period);
    if d > period - d { d - period } else { d }
}
