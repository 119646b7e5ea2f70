//! Memory of a GPU with one owner, freed or returned to its pool when dropped.

use crate::ComputeError;
use std::any::Any;
use std::fmt::Debug;

/// A piece of device memory of any kind of GPU; returned to its pool when dropped.
#[derive(Debug)]
pub struct GpuMemory(Box<dyn Piece>);

/// A piece of memory of one kind of GPU, implemented by each back end.
pub(crate) trait Piece: Any + Debug + Send + Sync {}

impl GpuMemory {
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have memory of their own"))]
    pub(crate) fn new(piece: impl Piece) -> Self {
        Self(Box::new(piece))
    }
    /// The piece as the back end's own type `P`.
    ///
    /// # Errors
    /// [`ComputeError::WrongDevice`] if the memory belongs to another kind of device.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have memory of their own"))]
    pub(crate) fn piece<P: Piece>(&self) -> Result<&P, ComputeError> {
        let piece: &dyn Any = &*self.0;
        piece.downcast_ref().ok_or(ComputeError::WrongDevice)
    }
}
