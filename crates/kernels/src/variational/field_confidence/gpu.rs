//! Launches of `field_confidence.wgsl`, or of the kernels that it is made of.

use super::FieldConfidence;
use crate::image::convolve::{Convolve, is_small_picture, with_weights};
use crate::kernel::{Kernel, Launcher};
use crate::matching::least_eigenvalue::{LEAST_OF_PLANE, LeastEigenvalue};
use crate::shared::taps::Taps;
use crate::shared::{NAN, PLANE_TAPS};
use crate::variational::confidence::Confidence;
use crate::variational::expected_error::{EXPECTED_ERROR, ExpectedError, block, with_arguments};
use veloxel_gpu::{ComputeError, ShaderSource, cover};

static SOURCE: ShaderSource = ShaderSource::wgsl(
    "field confidence",
    &[NAN, PLANE_TAPS, EXPECTED_ERROR, LEAST_OF_PLANE, include_str!("field_confidence.wgsl")],
);
/// Width and height of a tile.
const TILE: [usize; 2] = [32, 16];

pub(super) fn field_confidence(gpu: &Launcher<'_>, args: FieldConfidence<'_>) -> Result<(), ComputeError> {
    let FieldConfidence { errors, taps, contrast, half_edges, half_eigenvalue, out } = args;
    let (shape, tensor, device) = (errors.shape, errors.tensor, gpu.device());
    let [x, y, _] = taps;
    if is_small_picture(shape, [x, y].map(Taps::radius)) {
        let [nx, ny, _] = shape.size;
        let per_half2 = 1.0 / (half_edges * half_edges);
        let uniform = block(&errors).f(contrast).f(per_half2).f(half_eigenvalue.unwrap_or(1.0));
        let uniform = with_weights(with_weights(uniform, x.weights(), 3), y.weights(), 3);
        let launch = gpu.launch(&SOURCE, "field_confidence").uniform(uniform);
        return with_arguments(launch, &errors)
            .constant("RADIUS_X", x.radius())
            .constant("RADIUS_Y", y.radius())
            .constant("DETERMINED", half_eigenvalue.is_some())
            .output(out)
            .run([cover(nx, TILE[0]), cover(ny, TILE[1]), 1]);
    }
    ExpectedError { warped_to_error: &mut *errors.warped_to_error, ..errors }.run(device)?;
    Convolve { shape, taps, input: errors.warped_to_error, output: out }.run(device)?;
    Confidence { shape, contrast, half_edges, tensor, error_to_confidence: out }.run(device)?;
    if let Some(half) = half_eigenvalue {
        LeastEigenvalue { shape, half, tensor, windows: None, confidence: out }.run(device)?;
    }
    Ok(())
}
