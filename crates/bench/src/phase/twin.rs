//! Table 1: the cost of each simplification of the paper's FPGA, on Yosemite and without medians.

use super::yosemite::yosemite;
use crate::{BenchError, Figure, Session};
use veloxel_core::Dimension;
use veloxel_motion::phase::parameters::{FeatureSums, FrameCount, PhaseArithmetic, PhaseMedian, WarpedData};
use veloxel_motion::{PhaseParameters, PhasePreset};

/// A simplification, and what the paper's Table 1 says of it.
pub(crate) struct Simplification {
    pub name: &'static str,
    pub published: TableOne,
    simplify: fn(&mut PhaseParameters),
}

/// A row of Table 1, degrees and percent.
pub(crate) struct TableOne {
    pub mean_deg: f64,
    pub sd_deg: f64,
    pub density: f64,
    pub below_5_deg: f64,
}

pub(crate) const SIMPLIFICATIONS: [Simplification; 5] = [
    Simplification { name: "original", published: row([2.10, 3.06, 82.0, 84.0]), simplify: |_| () },
    Simplification {
        name: "image warping",
        published: row([3.50, 3.91, 69.0, 58.0]),
        simplify: |p| p.warping = WarpedData::Images,
    },
    Simplification {
        name: "three frames",
        published: row([5.16, 7.89, 96.0, 68.0]),
        simplify: |p| p.frames = FrameCount::Three,
    },
    Simplification {
        name: "fixed point",
        published: row([2.13, 3.94, 79.0, 84.0]),
        simplify: |p| p.arithmetic = PhaseArithmetic::Fixed,
    },
    Simplification {
        name: "all simplifications",
        published: row([8.73, 12.83, 85.0, 40.0]),
        simplify: |p| {
            p.warping = WarpedData::Images;
            p.frames = FrameCount::Three;
            p.arithmetic = PhaseArithmetic::Fixed;
            p.feature_sums = FeatureSums::Plain;
        },
    },
];

const fn row([mean_deg, sd_deg, density, below_5_deg]: [f64; 4]) -> TableOne {
    TableOne { mean_deg, sd_deg, density, below_5_deg }
}

/// The threshold τ_l, which the paper does not give; with this value the original's density is the paper's.
pub(crate) const TAU_L: f32 = 0.05;
/// Greatest difference between a row and the paper's.
const TOLERANCE: f64 = 0.3;

impl Simplification {
    /// The preset `paper` with this simplification, without medians.
    pub fn parameters(&self, tau_l: f32) -> PhaseParameters {
        let mut parameters = PhaseParameters {
            tau_l,
            median: PhaseMedian::Off,
            coarse_median: PhaseMedian::Off,
            ..PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)
        };
        (self.simplify)(&mut parameters);
        parameters
    }
}

pub(super) fn table_1(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let Some(scene) = yosemite(session)? else { return Ok(Vec::new()) };
    let mut figures = Vec::new();
    for simplification in SIMPLIFICATIONS {
        let error = scene.error(&scene.flow(&simplification.parameters(TAU_L), session.device)?.flow)?;
        let near = |value: f64| ((1.0 - TOLERANCE) * value, (1.0 + TOLERANCE) * value);
        let (low, high) = near(simplification.published.mean_deg);
        let what = format!("Table 1, {}", simplification.name);
        figures.push(
            Figure::new(format!("{what}: angular error"), error.angular_deg.mean, "°").between(low, high),
        );
        let (low, high) = near(simplification.published.density);
        let share = 100.0 * error.density;
        figures.push(Figure::new(format!("{what}: density"), share, "%").between(low, high.min(100.0)));
    }
    Ok(figures)
}
