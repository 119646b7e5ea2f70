//! The confidence of what [`Clg`](crate::Clg) finds on its finest level.

use super::level::Level;
use super::weights::{Weights, window};
use crate::image_pyramids::LevelImages;
use veloxel_gpu::{Buffer, ComputeError};
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::expected_error::ExpectedError;
use veloxel_kernels::variational::field_confidence::FieldConfidence;
use veloxel_kernels::variational::motion_tensor::MotionTensor;

/// Below this, J's eigenvalues are interpolation: the smoothness weight of a voxel's springs.
const DETERMINACY_PER_ALPHA: f32 = 0.1;
/// The confidence falls for lack of contrast alone below this share of that, where eight bits end.
const CONTRAST_PER_DETERMINACY: f32 = 1e-4;
/// Distance of the samples that tell whether the field is rough, edges: less, and errors of neighbours are alike; more, and
/// bends of the motion count as errors.
const ROUGHNESS_STEP_EDGES: f32 = 4.0;
/// Voxels along an axis whose data the smoothness pools.
const POOLED_ALONG_AXIS: i32 = 6;
/// Error expected of a vector that leads out of the image, edges.
const OUTSIDE_ERROR_EDGES: f32 = 1.0;
/// Standard deviation of the window that expected errors are averaged over, voxels.
const CONFIDENCE_WINDOW_VOX: f64 = 1.0;
/// Expected error at which the confidence is halved, edges.
const HALF_CONFIDENCE_EDGES: f32 = 0.5;

impl Level<'_> {
    /// The confidence at the displacement last warped to; the level's memory serves for it. The images' memory is free before
    /// more is taken.
    pub fn confidence(self, images: LevelImages, displacement: &[Buffer]) -> Result<Buffer, ComputeError> {
        let (device, memory, shape) = (self.device, self.memory, self.geometry.shape);
        let weights = Weights::fixed(self.params);
        let brightness = [(&images.fixed, &memory.warped)];
        let term = self.params.data_term(self.geometry, weights.zeta, &brightness, images.mask.as_ref());
        // The tensor needs one entry more than the system has.
        let difference = memory.increment.pop().expect("a displacement should have components");
        memory.system.push(difference);
        MotionTensor { term, taps: &weights.taps, out: &mut memory.system }.run(device)?;
        drop(images);
        let (tensor, determinacy) = (&memory.system, DETERMINACY_PER_ALPHA * self.params.alpha);
        let errors = ExpectedError {
            shape,
            spacing_edges: self.geometry.spacing_edges,
            step_edges: ROUGHNESS_STEP_EDGES,
            determinacy,
            pooled: POOLED_ALONG_AXIS.pow(shape.components() as u32) as f32,
            displacement,
            tensor,
            outside_edges: OUTSIDE_ERROR_EDGES,
            warped_to_error: &mut memory.warped,
        };
        let mut out = device.scratch(shape.len())?;
        let kernel = FieldConfidence {
            errors,
            taps: &window(CONFIDENCE_WINDOW_VOX),
            contrast: CONTRAST_PER_DETERMINACY * determinacy,
            half_edges: HALF_CONFIDENCE_EDGES,
            half_eigenvalue: None,
            out: &mut out,
        };
        kernel.run(device)?;
        memory.increment.extend(memory.system.pop());
        Ok(out)
    }
}
