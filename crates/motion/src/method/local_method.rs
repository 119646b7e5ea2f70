//! What lets a method run level by level in parts of a grid: every vector depends on what lies within a few voxels of it, and on
//! the next coarser level.

use crate::error::Result;
use crate::steps::image_pyramids::{LevelImages, Preparation};
use crate::steps::intensity::IntensityMap;
use crate::steps::pyramid::LevelGeometry;
use veloxel_gpu::{Buffer, Field};

/// A method whose vectors have the same bits in any part of the grid that holds what they depend on.
///
/// [`Tiling::Local`](crate::Tiling) says how far that is.
pub trait LocalMethod: Send {
    /// The levels of the whole grid, finest first.
    fn levels(&self) -> &[LevelGeometry];
    /// What is done to both images before.
    fn preparation(&self) -> Preparation;
    /// What both images' intensities are mapped by, from the fixed image's map and the moving one's.
    fn maps(&self, of_images: [IntensityMap; 2]) -> [IntensityMap; 2];
    /// By how much a level changes a component of a vector at most, edges.
    fn drift_edges(&self, nth: usize) -> f32;
    /// Whether a weight image weighs the data of a voxel.
    fn weighs(&self) -> bool;
    /// Estimates on a part of level `nth`, of that part's geometry; `displacement` is in edges. On the finest level it becomes
    /// voxels, NaN where nothing is known, and the confidence is returned.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    fn run_level(
        &mut self,
        nth: usize,
        part: &LevelGeometry,
        images: &LevelImages,
        displacement: &mut Field,
    ) -> Result<Option<Buffer>>;
}
