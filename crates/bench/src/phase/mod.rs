//! The second paper's tables and speeds: results of the phase engine, beside the paper's CPU column.
//!
//! *Paper*: K. Pauwels et al., "A comparison of FPGA and GPU for real-time phase-based optical flow, stereo, and local image
//! features", IEEE Transactions on Computers 61(7), 2012, doi 10.1109/TC.2011.120. Rows whose data are missing are left out,
//! and the session notes that.

mod contrast;
pub(crate) mod features;
pub(crate) mod flow;
pub(crate) mod speed;
pub(crate) mod stereo;
pub(crate) mod twin;
pub(crate) mod yosemite;

use crate::{BenchError, Figure, Session};
use veloxel_core::{Control, Dimension, Flow, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_measure::{FlowError, flow_error};
use veloxel_motion::{DenseFlow, PhaseParameters, PhasePreset, phase_flow};

/// Five frames with the true field of the third.
pub(crate) struct Scene {
    pub name: &'static str,
    pub frames: Vec<Volume<f32>>,
    pub truth: Flow,
    pub mask: Option<Mask>,
}

impl Scene {
    /// The flow of the centre frame, of as many frames around it as the parameters say.
    pub fn flow(&self, parameters: &PhaseParameters, device: &Device) -> Result<DenseFlow, BenchError> {
        let begin = self.frames.len() / 2 - parameters.frames.centre();
        let frames: Vec<&Volume<f32>> =
            self.frames[begin..begin + parameters.frames.count()].iter().collect();
        Ok(phase_flow(&frames, parameters, device)?)
    }

    /// The error of a field of the centre frame.
    pub fn error(&self, flow: &Flow) -> Result<FlowError, BenchError> {
        Ok(flow_error(flow, &self.truth, self.mask.as_ref(), &Control::default())?)
    }
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
