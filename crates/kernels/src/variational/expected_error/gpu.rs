//! Launch of `expected_error.wgsl`, for every voxel by itself.

use super::ExpectedError;
use crate::kernel::{Launcher, PreparedLaunch};
use crate::shared::NAN;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover};

/// The error of a voxel; needs [`NAN`].
pub(crate) const EXPECTED_ERROR: &str = include_str!("expected_error.wgsl");
static SOURCE: ShaderSource =
    ShaderSource::wgsl("expected error", &[NAN, EXPECTED_ERROR, include_str!("each_voxel.wgsl")]);

pub(super) fn expected_error(gpu: &Launcher<'_>, args: &ExpectedError<'_>) -> Result<(), ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let launch = gpu.launch(&SOURCE, "expected_error").uniform(block(args));
    with_arguments(launch, args).run([cover(nx, 64), cover(ny, 4), nz as u32])
}

/// The uniform block.
pub(crate) fn block(args: &ExpectedError<'_>) -> Uniform {
    let factors = [args.gain(), args.determinacy, args.share(), args.per_pooled()];
    Uniform::new().u4(args.shape.size).u4(args.steps()).f4(factors).f(args.outside_edges * args.outside_edges)
}

/// Adds the constants and the buffers of [`EXPECTED_ERROR`] to a launch.
pub(crate) fn with_arguments<'a>(
    launch: PreparedLaunch<'a>,
    args: &'a ExpectedError<'_>,
) -> PreparedLaunch<'a> {
    let (d, entries) = (args.shape.components(), args.shape.tensor_entries());
    launch
        .constant("COMPONENTS", d)
        .output(args.warped_to_error)
        .inputs(args.displacement, 3)
        .input(&args.tensor[entries + d])
        .inputs(&args.tensor[..entries], 6)
}
