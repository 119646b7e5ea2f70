//! Table 5: errors of disparity at their densities.

use super::presets;
use crate::{BenchError, Figure, Session};
use veloxel_core::{Control, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{Strictness, read_disparity, read_image};
use veloxel_measure::{DisparityError, disparity_error};
use veloxel_motion::{PhaseParameters, PhaseStereo, phase_stereo};

/// The pairs: name, the scale of the truth, and the paper's results (its CPU column): greatest mean absolute error (pixels),
/// least density, and least share below half a pixel.
const PAIRS: [(&str, f32, f64, f64, f64); 4] = [
    ("venus", 8.0, 0.41, 0.98, 0.84),
    // The paper's 100 % are rounded to whole ones.
    ("tsukuba", 16.0, 0.67, 0.9995, 0.76),
    ("cones", 4.0, 1.19, 0.88, 0.69),
    ("teddy", 4.0, 1.99, 0.91, 0.62),
];

/// A rectified pair with the true disparity of the left image.
pub(crate) struct RectifiedPair {
    pub name: &'static str,
    pub left: Volume<f32>,
    pub right: Volume<f32>,
    pub truth_px: Volume<f32>,
}

/// The pairs that the data folder holds.
pub(crate) fn pairs(session: &Session<'_>) -> Result<Vec<RectifiedPair>, BenchError> {
    let mut pairs = Vec::new();
    for (name, scale, ..) in PAIRS {
        let Some(folder) = session.data(&format!("stereo/{name}")) else { continue };
        let mut warnings = Warnings::new();
        let mut image = |name: &str| read_image(&folder.join(name), Strictness::Lenient, &mut warnings);
        let (left, right) = (image("im2.png")?, image("im6.png")?);
        let truth = folder.join("disp2.png");
        let truth_px = read_disparity(&truth, Some(scale), Strictness::Lenient, &mut warnings)?;
        pairs.push(RectifiedPair { name, left, right, truth_px });
    }
    Ok(pairs)
}

impl RectifiedPair {
    /// The disparity.
    pub fn disparity(
        &self,
        parameters: &PhaseParameters,
        device: &Device,
    ) -> Result<PhaseStereo, BenchError> {
        Ok(phase_stereo(&self.left, &self.right, parameters, device)?)
    }

    /// The error of a disparity.
    pub fn error(&self, found: &PhaseStereo) -> Result<DisparityError, BenchError> {
        Ok(disparity_error(&found.disparity_px, &self.truth_px, None, &Control::default())?)
    }

    /// The disparity, and its error.
    pub fn measured(
        &self,
        parameters: &PhaseParameters,
        device: &Device,
    ) -> Result<(PhaseStereo, DisparityError), BenchError> {
        let found = self.disparity(parameters, device)?;
        let error = self.error(&found)?;
        Ok((found, error))
    }
}

pub(super) fn table_5(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for pair in pairs(session)? {
        let bars = PAIRS.into_iter().find(|bars| bars.0 == pair.name);
        let (pair_name, _, most_px, least_density, least_half) =
            bars.expect("every pair should have its bars");
        for (preset, parameters) in presets() {
            let (_, error) = pair.measured(&parameters, session.device)?;
            let figure =
                |what: &str, value, unit| Figure::new(format!("{pair_name}, {preset}: {what}"), value, unit);
            let mean = figure("mean absolute error", error.absolute_px.mean, "px");
            let spread = figure("its deviation", error.absolute_px.sd, "px");
            let density = figure("density", 100.0 * error.density, "%");
            let half =
                figure("below 0.5 px, of the matched", 100.0 * (1.0 - error.bad_measured.bad_0_5), "%");
            if preset == "accurate" {
                figures.extend([
                    mean.at_most(most_px),
                    spread,
                    density.at_least(100.0 * least_density),
                    half.at_least(100.0 * least_half),
                ]);
            } else {
                figures.extend([mean, spread, density, half]);
            }
        }
    }
    Ok(figures)
}
