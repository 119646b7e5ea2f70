//! Table 1: the cost of each simplification of the paper's FPGA, on Yosemite and without medians.

use super::yosemite::yosemite;
use crate::{BenchError, Figure, Session};
use veloxel_core::{Control, Dimension, Volume};
use veloxel_measure::flow_error;
use veloxel_motion::phase::parameters::{FeatureSums, FrameCount, PhaseArithmetic, PhaseMedian, WarpedData};
use veloxel_motion::{PhaseParameters, PhasePreset, phase_flow};

/// A row: its name, the paper's angular error (degrees) and density, and the simplification.
type Row = (&'static str, f64, f64, fn(&mut PhaseParameters));

const ROWS: [Row; 5] = [
    ("original", 2.10, 0.82, |_| ()),
    ("image warping", 3.50, 0.69, |p| p.warping = WarpedData::Images),
    ("three frames", 5.16, 0.96, |p| p.frames = FrameCount::Three),
    ("fixed point", 2.13, 0.79, |p| p.arithmetic = PhaseArithmetic::Fixed),
    ("all simplifications", 8.73, 0.85, |p| {
        p.warping = WarpedData::Images;
        p.frames = FrameCount::Three;
        p.arithmetic = PhaseArithmetic::Fixed;
        p.feature_sums = FeatureSums::Plain;
    }),
];
/// The threshold τ_l, which the paper does not give; with this value the original's density is the paper's.
const TAU_L: f32 = 0.05;
/// Greatest difference between a row and the paper's.
const TOLERANCE: f64 = 0.3;

pub(super) fn table_1(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(scene) = yosemite(session)? else { return Ok(Vec::new()) };
    let mut figures = Vec::new();
    for (name, angle_deg, density, simplify) in ROWS {
        let mut parameters = PhaseParameters {
            tau_l: TAU_L,
            median: PhaseMedian::Off,
            coarse_median: PhaseMedian::Off,
            ..PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)
        };
        simplify(&mut parameters);
        let (centre, half) = (2, parameters.frames.count() / 2);
        let each: Vec<&Volume<f32>> = scene.frames[centre - half..=centre + half].iter().collect();
        let found = phase_flow(&each, &parameters, session.device)?;
        let error = flow_error(&found.flow, &scene.truth, scene.mask.as_ref(), &Control::default())?;
        let near = |value: f64| ((1.0 - TOLERANCE) * value, (1.0 + TOLERANCE) * value);
        let (low, high) = near(angle_deg);
        let what = format!("Table 1, {name}");
        figures.push(
            Figure::new(format!("{what}: angular error"), error.angular_deg.mean, "°").between(low, high),
        );
        let (low, high) = near(100.0 * density);
        let share = 100.0 * error.density;
        figures.push(Figure::new(format!("{what}: density"), share, "%").between(low, high.min(100.0)));
    }
    Ok(figures)
}
