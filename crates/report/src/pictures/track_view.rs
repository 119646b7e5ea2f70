//! The data that pages and films show of outlines that were followed.

use veloxel_core::{ContourSet, Volume};

/// The result of one method, as pages and films show it.
#[derive(Debug, Clone, Copy)]
pub struct TrackView<'a> {
    /// The frames of the cine.
    pub frames: &'a [Volume<f32>],
    /// Outlines on every frame.
    pub contours: &'a ContourSet,
    /// The true outlines, if they are known.
    pub truth: Option<&'a ContourSet>,
    /// The first pixel of the region that is shown.
    pub region_from_px: [usize; 2],
    /// Size of that region, pixels.
    pub region_size_px: [usize; 2],
}
