//! End-point errors on the phantoms, in the interior, preset `accurate`.

use crate::{BenchError, Figure};
use veloxel_core::{Control, Dimension};
use veloxel_gpu::Device;
use veloxel_measure::flow_error;
use veloxel_motion::{Clg, ClgParams, ClgPreset, Pair, PairMethod};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{TextureKind, cases, isotropic_grid};

/// Mean end-point error (voxels) of smooth motion without noise: the promise of the product, which tests hold as well.
const SMOOTH_ERROR_VOX: f64 = 0.02;

/// `phantoms`: 96² and 64³; the bar holds for smooth motion without noise.
pub(crate) fn phantoms(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for (dimension, size) in [(Dimension::Two, 96), (Dimension::Three, 64)] {
        let grid = isotropic_grid(dimension, size)?;
        let dimensions = format!(" {}-D", dimension.count());
        for case in cases() {
            let phantom = case.build(&grid);
            let params = ClgParams::preset(ClgPreset::Accurate, dimension);
            let pair = Pair::new(&phantom.fixed, &phantom.moving);
            let output = Clg::new(&grid, params, device)?.run(&pair)?;
            let error =
                flow_error(&output.flow, &phantom.truth, Some(&phantom.interior), &Control::default())?;
            let what = case.name(dimension).replace(&dimensions, "");
            let figure = Figure::new(format!("{what}:{dimensions}"), error.end_point_vox.mean, "voxels");
            let held = case.noise == Noise::None && case.texture == TextureKind::Smooth;
            figures.push(if held { figure.at_most(SMOOTH_ERROR_VOX) } else { figure });
        }
    }
    Ok(figures)
}
