//! The cine that outlines and series belong to.

use std::path::PathBuf;
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
    /// The files of single images, where the cine has them, DICOM or not, and those beside them that were left out; else empty.
    pub images: Vec<CineImage>,
}

/// A file that is one slice at one time, or that lies beside those that are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CineImage {
    /// The file's name without its extension.
    pub stem: String,
    /// Its number in its series.
    pub instance: Option<i64>,
    /// Where it lies in the cine; none for a file that was left out.
    pub spot: Option<CineSpot>,
}

impl CineImage {
    /// The images of frames of one slice that are a file each.
    pub fn of_frames(paths: &[PathBuf]) -> Vec<Self> {
        let image = |(frame, path): (usize, &PathBuf)| Self {
            stem: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            instance: None,
            spot: Some(CineSpot { slice: 0, frame }),
        };
        paths.iter().enumerate().map(image).collect()
    }
}

/// A slice at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CineSpot {
    /// The slice, from 0 on.
    pub slice: usize,
    /// The frame, from 0 on.
    pub frame: usize,
}
