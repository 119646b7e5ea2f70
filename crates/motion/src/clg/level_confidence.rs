//! The confidence of what [`Clg`](crate::Clg) finds on its finest level.

use super::level::Level;
use super::weights::Weights;
use crate::image_pyramids::LevelImages;
use crate::level_steps::ConfidenceScales;
use veloxel_gpu::{Buffer, ComputeError};
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::motion_tensor::MotionTensor;

/// Below this, J's eigenvalues are interpolation: the smoothness weight of a voxel's springs.
const DETERMINACY_PER_ALPHA: f32 = 0.1;
/// The confidence falls for lack of contrast alone below this share of that, where eight bits end.
const CONTRAST_PER_DETERMINACY: f32 = 1e-4;
/// Voxels along an axis whose data the smoothness pools.
const POOLED_ALONG_AXIS: i32 = 6;

impl Level<'_> {
    /// The confidence at the displacement last warped to; the level's memory serves for it. The images' memory is free before
    /// more is taken.
    pub fn confidence(self, images: LevelImages, displacement: &[Buffer]) -> Result<Buffer, ComputeError> {
        let (device, memory, geometry) = (self.device, self.memory, self.geometry);
        let weights = Weights::fixed(self.params);
        let brightness = [(&images.fixed, &memory.warped[0])];
        let term = self.params.data_term(geometry, weights.zeta, &brightness, images.mask.as_ref());
        // The tensor needs one entry more than the system has.
        let difference = memory.increment.pop().expect("a displacement should have components");
        memory.system.push(difference);
        MotionTensor { term, taps: &weights.taps, out: &mut memory.system }.run(device)?;
        drop(images);
        let determinacy = DETERMINACY_PER_ALPHA * self.params.alpha;
        let scales = ConfidenceScales {
            determinacy,
            pooled: POOLED_ALONG_AXIS.pow(geometry.shape.components() as u32) as f32,
            contrast: CONTRAST_PER_DETERMINACY * determinacy,
            half_eigenvalue: None,
        };
        let out = geometry.confidence(device, displacement, &memory.system, &mut memory.warped[0], scales)?;
        memory.increment.extend(memory.system.pop());
        Ok(out)
    }
}
