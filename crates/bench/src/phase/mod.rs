//! The second paper's tables and speeds: results of the phase engine, beside the paper's CPU column.
//!
//! *Paper*: K. Pauwels et al., "A comparison of FPGA and GPU for real-time phase-based optical flow, stereo, and local image
//! features", IEEE Transactions on Computers 61(7), 2012, doi 10.1109/TC.2011.120. Rows whose data are missing are left out,
//! and the session notes that.

mod contrast;
mod features;
mod flow;
mod speed;
mod stereo;
mod twin;
mod yosemite;

use crate::{BenchError, Figure, Session};
use veloxel_core::{Dimension, Flow, Mask, Volume};
use veloxel_motion::{PhaseParameters, PhasePreset};

/// Frames with a true field.
struct Scene {
    name: &'static str,
    frames: Vec<Volume<f32>>,
    truth: Flow,
    mask: Option<Mask>,
}

/// The bench `phase`: Tables 1, 4, 5 and 6, changes of light, and speed.
pub(super) fn phase(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = flow::table_6(session)?;
    figures.extend(stereo::table_5(session)?);
    figures.extend(twin::table_1(session)?);
    figures.extend(features::table_4(session.device)?);
    figures.extend(contrast::contrast(session)?);
    if !session.is_quick {
        figures.extend(speed::speed(session.device)?);
    }
    Ok(figures)
}

/// The presets with their names; bars apply to the first.
fn presets() -> [(&'static str, PhaseParameters); 2] {
    [
        ("accurate", PhaseParameters::preset(PhasePreset::Accurate, Dimension::Two)),
        ("paper", PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)),
    ]
}
