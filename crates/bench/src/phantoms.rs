//! End-point errors on the phantoms, in the interior, preset `accurate`.

use super::Figure;
use crate::BenchError;
use veloxel_core::Dimension;
use veloxel_gpu::Device;
use veloxel_motion::{Clg, ClgParams, Pair, PairMethod, Preset, Silent, Start};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{TextureKind, cases, isotropic_grid};
use veloxel_report::metrics::flow_error;

/// Mean end-point error (voxels) of smooth motion without noise: the promise of the product, which tests hold as well.
const SMOOTH_ERROR_VOX: f64 = 0.02;

/// `phantoms`: 96² and 64³; the bar holds for smooth motion without noise.
pub(super) fn phantoms(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for (dimension, size) in [(Dimension::Two, 96), (Dimension::Three, 64)] {
        let grid = isotropic_grid(dimension, size)?;
        for case in cases() {
            let phantom = case.build(&grid);
            let params = ClgParams::preset(Preset::Accurate, dimension);
            let pair = Pair {
                fixed: &phantom.fixed,
                moving: &phantom.moving,
                mask: None,
                volume_mask: None,
                start: Start::Zero,
            };
            let output = Clg::new(&grid, params, device)?.run(&pair, &Silent)?;
            let error = flow_error(&output.flow, &phantom.truth, Some(&phantom.interior))?;
            let figure = Figure::new(case.name(dimension), error.end_point_vox.mean, "voxels");
            let held = case.noise == Noise::None && case.texture == TextureKind::Smooth;
            figures.push(if held { figure.at_most(SMOOTH_ERROR_VOX) } else { figure });
        }
    }
    Ok(figures)
}
