//! The cine that outlines and series belong to.

use veloxel_core::Grid;

/// The cine that outlines belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct CinePlace {
    /// The grid of every frame.
    pub grid: Grid,
    /// Frames.
    pub frames: usize,
    /// Milliseconds between frames, where that is known.
    pub frame_interval_ms: Option<f64>,
    /// The files of single images, where the cine has them; else empty.
    pub images: Vec<CineImage>,
}

/// A file that is one slice at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CineImage {
    /// The file's name without its extension.
    pub stem: String,
    /// Its number in its series.
    pub instance: Option<i64>,
    /// The slice, from 0 on.
    pub slice: usize,
    /// The frame, from 0 on.
    pub frame: usize,
}
