//! Samples in a store of chunks, a folder or an archive, of which any part is read without the rest.

pub(crate) mod partial;

use crate::error::Result;
use crate::read::context::Context;
use crate::read::layout::Layout;
use std::path::PathBuf;
use veloxel_core::GridBox;

/// Where a store lies.
#[cfg_attr(not(feature = "zarr"), expect(dead_code, reason = "no format reads one without it"))]
pub(crate) enum StorePlace<'a> {
    /// A folder, something within one, or an archive's file.
    Path(PathBuf),
    /// An archive in memory.
    Memory(&'a [u8]),
}

/// Opens a store.
pub(crate) type OpenStore = for<'a> fn(StorePlace<'a>, &mut Context) -> Result<Box<dyn StoredSamples + 'a>>;

/// An image, a sequence or a field in a store.
pub(crate) trait StoredSamples: Send {
    /// Its grid, what its samples mean, and how many frames there are; samples come as planar floats, x fastest.
    fn layout(&self) -> &Layout;

    /// The samples of some frames, one after the other; of a field all components.
    ///
    /// # Errors
    /// [`IoError::Memory`](crate::IoError::Memory), and what broken chunks cause.
    fn samples(&self, frames: &[usize], context: &mut Context) -> Result<Vec<f32>>;

    /// The samples of a box of one frame.
    ///
    /// # Errors
    /// As [`samples`](Self::samples).
    fn part(&self, frame: usize, part: GridBox, context: &mut Context) -> Result<Vec<f32>>;

    /// The vectors of a box of a field, one component after the other.
    ///
    /// # Errors
    /// As [`samples`](Self::samples).
    fn vectors(&self, part: GridBox, context: &mut Context) -> Result<Vec<f32>>;

    /// The whole numbers of one frame; none where samples are none.
    ///
    /// # Errors
    /// As [`samples`](Self::samples); [`IoError::Malformed`](crate::IoError::Malformed) for a label beyond ±2^31.
    fn labels(&self, context: &mut Context) -> Result<Option<Vec<i32>>>;
}
