//! How a method of pairs is opened, and what tells whether an opened one serves again.

use super::{DenseError, MethodChoice, StartKind};
use crate::Result;
use crate::session::MethodKey;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_motion::OpenedMethod;

/// A method, and what its runs start from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub method: &'a MethodChoice,
    pub start: StartKind,
}

impl Opening<'_> {
    /// What an opened method must have been opened for.
    pub fn key(&self, grid: &Grid, white: f32) -> MethodKey {
        let mut key = self.method.key(grid, white, 2);
        key.decorations.extend((self.start == StartKind::Matches).then_some("matches"));
        key
    }

    /// Opens the method for a fixed grid and what white is there.
    ///
    /// # Errors
    /// As [`MethodChoice::open`].
    pub fn open(&self, grid: &Grid, white: f32, device: &Device) -> Result<OpenedMethod> {
        let OpenedMethod { method, parameters } = self.method.open(grid, white, 2, device)?;
        let method = if self.start == StartKind::Matches { method.matched() } else { method };
        Ok(OpenedMethod { method, parameters })
    }

    /// The refusal of a method that takes no pairs.
    pub fn takes_windows(&self) -> DenseError {
        let (takes, given) = ("a window of frames", "pair of images");
        DenseError::Takes { method: self.method.draft.method_name(), takes, given }
    }
}
