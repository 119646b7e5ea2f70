//! The second paper's tables and speeds: what the phase engine reaches, beside the paper's CPU column.
//!
//! *Paper*: K. Pauwels et al., "A comparison of FPGA and GPU for real-time phase-based optical flow, stereo, and local
//! image features", IEEE Transactions on Computers 61(7), 2012, doi 10.1109/TC.2011.120.
//! Rows that need data are left out where the data folder does not hold them.

mod contrast;
mod features;
mod flow;
mod speed;
mod stereo;
mod twin;
mod yosemite;

use super::Figure;
use crate::BenchError;
use veloxel_core::Dimension;
use veloxel_gpu::Device;
use veloxel_motion::{PhaseParameters, PhasePreset};

/// `phase`: Tables 1, 4, 5 and 6, light that changes, and speed.
pub(super) fn phase(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = flow::table_6(device)?;
    figures.extend(stereo::table_5(device)?);
    figures.extend(twin::table_1(device)?);
    figures.extend(features::table_4(device)?);
    figures.extend(contrast::contrast(device)?);
    figures.extend(speed::speed(device)?);
    Ok(figures)
}

/// The presets with their names; bars are for the first.
fn presets() -> [(&'static str, PhaseParameters); 2] {
    [
        ("accurate", PhaseParameters::preset(PhasePreset::Accurate, Dimension::Two)),
        ("paper", PhaseParameters::preset(PhasePreset::Paper, Dimension::Two)),
    ]
}
