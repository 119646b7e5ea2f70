//! Memory of a GPU with one owner, given back when dropped.

use crate::ComputeError;
use std::any::Any;
use std::fmt::Debug;

/// A piece of device memory, of whichever kind of GPU; given back when dropped.
#[derive(Debug)]
pub struct GpuMemory(Box<dyn Piece>);

/// What a kind of GPU calls a piece of its memory.
pub(crate) trait Piece: Any + Debug + Send + Sync {}

impl GpuMemory {
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have memory of their own"))]
    pub(crate) fn new(piece: impl Piece) -> Self {
        Self(Box::new(piece))
    }
    /// The piece, if it is of this kind.
    ///
    /// # Errors
    /// [`ComputeError::WrongDevice`] if it is of another.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have memory of their own"))]
    pub(crate) fn piece<P: Piece>(&self) -> Result<&P, ComputeError> {
        let piece: &dyn Any = &*self.0;
        piece.downcast_ref().ok_or(ComputeError::WrongDevice)
    }
}
