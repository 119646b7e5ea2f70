//! What lets a method of windows run in parts of its pictures: every vector depends on the next coarser level, and on what lies
//! within a few pixels of it and of where it points at each frame's time.

use crate::error::Result;

/// A method of windows of pictures whose vectors have the same bits in any part that holds what they depend on and begins at
/// a multiple of the coarsest pixels worked on.
///
/// [`Tiling::Halves`](crate::Tiling) says how far that is, motion aside. Frames are samples in rows, in the order of time;
/// estimates are in pixels of their level a frame, NaN where unknown.
pub trait LocalWindow: Send {
    /// Frames between the centre and the one farthest from it.
    fn farthest_frame(&self) -> usize;
    /// A picture `below` levels further up.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    fn shrunk(&self, samples: Vec<f32>, size: [usize; 2], below: usize) -> Result<Vec<f32>>;
    /// The estimates of level `below` from pictures of that level, by all coarser ones: two planes a direction.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    fn coarse(&self, frames: Vec<Vec<f32>>, below: usize) -> Result<Vec<Vec<f32>>>;
    /// The finest level of a part of the pictures, by so many levels from the estimates of the next coarser one on.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    fn finest(&self, part: WindowPart) -> Result<PartFlow>;
}

/// A part of a window of frames.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowPart {
    /// Pixels.
    pub size: [usize; 2],
    /// Its samples in every frame.
    pub frames: Vec<Vec<f32>>,
    /// Levels to work through.
    pub levels: usize,
    /// The estimates of the next coarser level there, as [`LocalWindow::coarse`] gives them.
    pub starts: Vec<Vec<f32>>,
}

/// What is found in a part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartFlow {
    /// Flow in pixels a frame, NaN where unknown: all samples along x, then all along y.
    pub planar_px: Vec<f32>,
    /// 0 to 1.
    pub confidence: Vec<f32>,
    /// The estimates that positions were displaced by: those of every level but the finest, finer ones first, two planes a
    /// direction, in pixels of their level; the starts are not among them.
    pub on_the_way: Vec<Vec<Vec<f32>>>,
}
