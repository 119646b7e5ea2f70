//! Memory of a GPU with one owner, freed or returned to its pool when dropped.

use crate::error::ComputeError;
use std::any::Any;
use std::fmt;

/// A piece of device memory of any kind of GPU; returned to its pool when dropped.
pub struct GpuMemory(Box<dyn Piece>);

/// A piece of memory of one kind of GPU, implemented by each back end.
pub(crate) trait Piece: Any + Send + Sync {}

impl fmt::Debug for GpuMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GpuMemory(..)")
    }
}

impl GpuMemory {
    pub(crate) fn new(piece: impl Piece) -> Self {
        Self(Box::new(piece))
    }
    /// The piece as the back end's own type `P`.
    ///
    /// # Errors
    /// [`ComputeError::WrongDevice`] if the memory belongs to another kind of device.
    pub(crate) fn piece<P: Piece>(&self) -> Result<&P, ComputeError> {
        let piece: &dyn Any = &*self.0;
        piece.downcast_ref().ok_or(ComputeError::WrongDevice)
    }
}
