//! Where an outline belongs: a structure, a frame and a slice.

use veloxel_core::Structure;

/// Where an outline belongs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub structure: Structure,
    pub frame: usize,
    pub slice: usize,
}

impl Spot {
    /// `endo on frame 3 of slice 7`.
    pub fn text(self) -> String {
        format!("{} on frame {} of slice {}", self.structure, self.frame, self.slice)
    }
}
