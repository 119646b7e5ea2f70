//! Processor text of [`FieldConfidence`]: the kernels that it is made of.

use super::FieldConfidence;
use crate::image::convolve::Convolve;
use crate::kernel::Kernel;
use crate::matching::least_eigenvalue::LeastEigenvalue;
use crate::variational::confidence::Confidence;
use crate::variational::expected_error::ExpectedError;
use veloxel_gpu::Cpu;

pub(super) fn field_confidence(cpu: &Cpu, args: FieldConfidence<'_>) {
    let FieldConfidence { errors, taps, contrast, half_edges, half_eigenvalue, out } = args;
    let ExpectedError { shape, tensor, warped_to_error, .. } = errors;
    let errors = ExpectedError { warped_to_error, ..errors };
    ExpectedError { warped_to_error: &mut *errors.warped_to_error, ..errors }.on_cpu(cpu);
    Convolve { shape, taps, input: errors.warped_to_error, output: out }.on_cpu(cpu);
    Confidence { shape, contrast, half_edges, tensor, error_to_confidence: out }.on_cpu(cpu);
    if let Some(half) = half_eigenvalue {
        LeastEigenvalue { shape, half, tensor, windows: None, confidence: out }.on_cpu(cpu);
    }
}
