//! [`LucasKanade`](crate::LucasKanade) in parts of the grid.

use super::LucasKanade;
use super::level::Level;
use crate::MotionError;
use crate::clg::parameters::Intensity;
use crate::image_pyramids::{LevelImages, Preparation};
use crate::intensity::IntensityMap;
use crate::local_method::LocalMethod;
use crate::pyramid::LevelGeometry;
use veloxel_gpu::{Buffer, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_kernels::variational::total_displacement::ToVoxels;

impl LocalMethod for LucasKanade {
    fn levels(&self) -> &[LevelGeometry] {
        &self.levels
    }
    fn preparation(&self) -> Preparation {
        self.params.preparation()
    }
    fn maps(&self, [fixed, _]: [IntensityMap; 2]) -> [IntensityMap; 2] {
        [if self.params.intensity == Intensity::Raw { IntensityMap::IDENTITY } else { fixed }; 2]
    }
    fn drift_edges(&self, nth: usize) -> f32 {
        self.params.iterations_of(nth) as f32 * self.params.increment_limit
    }
    fn run_level(
        &mut self,
        nth: usize,
        part: &LevelGeometry,
        images: &LevelImages,
        displacement: &mut Field,
    ) -> Result<Option<Buffer>, MotionError> {
        let Self { device, params, memory, .. } = self;
        let mut level = Level::new(device, params, part, memory)?;
        level.run(images, displacement, params.iterations_of(nth))?;
        if nth > 0 {
            return Ok(None);
        }
        level.compare(images, displacement)?;
        let confidence = level.confidence(images, displacement)?;
        let LevelGeometry { shape, spacing_edges, .. } = *part;
        ToVoxels { shape, spacing_edges, map: VoxelAffine::IDENTITY, field: displacement }.run(device)?;
        Ok(Some(confidence))
    }
}
