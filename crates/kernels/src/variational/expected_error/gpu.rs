//! Launch of `expected_error.wgsl`.

use super::ExpectedError;
use crate::kernel::Launcher;
use crate::shared::NAN;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("expected error", &[NAN, include_str!("expected_error.wgsl")]);

pub(super) fn expected_error(gpu: &Launcher<'_>, args: &ExpectedError<'_>) -> Result<(), ComputeError> {
    let (shape, [nx, ny, nz]) = (args.shape, args.shape.size);
    let (d, entries) = (shape.components(), shape.tensor_entries());
    let factors = [args.gain(), args.determinacy, args.share(), args.per_pooled()];
    gpu.launch(&SOURCE, "expected_error")
        .constant("COMPONENTS", d)
        .uniform(
            Uniform::new()
                .u4(shape.size)
                .u4(args.steps())
                .f4(factors)
                .f(args.outside_edges * args.outside_edges),
        )
        .output(args.warped_to_error)
        .inputs(args.displacement, 3)
        .input(&args.tensor[entries + d])
        .inputs(&args.tensor[..entries], 6)
        .run([cover(nx, 64), cover(ny, 4), nz as u32])
}
