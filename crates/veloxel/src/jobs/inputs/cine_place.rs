//! The cine that outlines are of: from the files that describe it, or from an image of it.

use crate::Result;
use std::path::{Path, PathBuf};
use veloxel_core::{Diagnosis, Hint, Warnings};
use veloxel_io::{self as io, CinePlace, CineSeries, ContourFile, ContourReading, Reading};

/// The cine, from the first of the files of outlines that describes it; none if no file does.
///
/// # Errors
/// As [`io::read_contours`], but for outlines that need the cine.
pub fn told_place(files: &[&PathBuf], options: &ContourReading) -> Result<Option<CinePlace>> {
    // Each file is read again with the place, and is warned of then.
    let mut unsaid = Warnings::new();
    for path in files {
        match io::read_contours(path, None, options, &mut unsaid) {
            Ok(ContourFile { place: Some(place), .. }) => return Ok(Some(place)),
            Ok(ContourFile { place: None, .. }) => {}
            // These outlines need the place: the other file may have it.
            Err(error) if error.hint() == Some(Hint::Cine) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Grid and frames of a file with a time axis, or of one frame.
///
/// # Errors
/// As for every file.
pub fn place_of(path: &Path, reading: &Reading, warnings: &mut Warnings) -> Result<CinePlace> {
    if let Some(CineSeries { sequence, images }) = io::read_cine(&[path.to_owned()], reading, warnings)? {
        let (grid, frames) = (sequence.grid().clone(), sequence.frames().len());
        return Ok(CinePlace { grid, frames, frame_interval_ms: sequence.frame_interval_ms(), images });
    }
    let (info, grid) = (io::inspect(path, reading)?, io::read_grid(path, reading, warnings)?);
    let (frames, frame_interval_ms) = (info.frames, info.frame_interval_ms);
    Ok(CinePlace { grid, frames, frame_interval_ms, images: Vec::new() })
}
