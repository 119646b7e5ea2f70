//! What pages and films show of outlines that were followed.

use veloxel_core::{ContourSet, Volume};

/// What is shown of one method's run.
#[derive(Debug, Clone, Copy)]
pub struct TrackView<'a> {
    /// The frames of the cine.
    pub frames: &'a [Volume<f32>],
    /// Outlines on every frame.
    pub contours: &'a ContourSet,
    /// The true ones, where they are known.
    pub truth: Option<&'a ContourSet>,
    /// The first pixel of what is shown.
    pub region_from_px: [usize; 2],
    /// Its size.
    pub region_size_px: [usize; 2],
}
