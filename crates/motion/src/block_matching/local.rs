//! [`BlockMatching`](crate::BlockMatching) in parts of the grid.

use super::BlockMatching;
use super::level::Level;
use super::parameters::MatchMeasure;
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

impl LocalMethod for BlockMatching {
    fn levels(&self) -> &[LevelGeometry] {
        &self.levels
    }
    fn preparation(&self) -> Preparation {
        self.params.preparation()
    }
    fn maps(&self, [fixed, moving]: [IntensityMap; 2]) -> [IntensityMap; 2] {
        let maps = match (self.params.intensity, self.params.measure) {
            (Intensity::Raw, _) => [IntensityMap::IDENTITY; 2],
            // As for the whole grid.
            (Intensity::Percentiles, MatchMeasure::Ncc) => [fixed, moving],
            _ => [fixed; 2],
        };
        maps.map(IntensityMap::centred)
    }
    fn drift_edges(&self, _: usize) -> f32 {
        let (params, spacing) = (&self.params, self.levels[0].spacing_edges);
        // A peak may lie half a voxel beyond the last candidate.
        let reach = params.reach + (params.searches - 1) * params.later_reach;
        let widest = spacing.into_iter().fold(1.0, f32::max);
        widest * (reach as f32 + 0.5 * params.searches as f32)
    }
    fn run_level(
        &mut self,
        nth: usize,
        part: &LevelGeometry,
        images: &LevelImages,
        displacement: &mut Field,
    ) -> Result<Option<Buffer>, MotionError> {
        let mut level = Level::new(&self.device, &self.params, [part, part], images)?;
        level.run(displacement)?;
        if nth > 0 {
            return Ok(None);
        }
        let (field, confidence) = level.conclude(std::mem::take(displacement))?;
        *displacement = field;
        let LevelGeometry { shape, spacing_edges, .. } = *part;
        ToVoxels { shape, spacing_edges, map: VoxelAffine::IDENTITY, field: displacement }
            .run(&self.device)?;
        Ok(Some(confidence))
    }
}
