//! The files of an input that is a folder of frames or a pattern.

use crate::error::Result;
use crate::formats::lookup::is_store;
use crate::read::frames;
use crate::read::input::Input;
use crate::read::reading::Reading;
use crate::read::series::is_dicom;
use std::path::{Path, PathBuf};

impl Input {
    /// Its files, where it is a folder of frames or a pattern: those that are asked for.
    ///
    /// # Errors
    /// [`IoError::NoFrames`](crate::IoError::NoFrames); [`IoError::Open`](crate::IoError::Open);
    /// [`IoError::NoSuchFrame`](crate::IoError::NoSuchFrame); [`IoError::Stopped`](crate::IoError::Stopped).
    pub fn files(&self, reading: &Reading) -> Result<Option<Vec<PathBuf>>> {
        let files = if is_store(&self.path) {
            return Ok(None);
        } else if self.path.is_dir() {
            if is_dicom(&self.path, reading.files.control())? {
                return Ok(None);
            }
            frames::in_folder(&self.path)?
        } else if frames::is_pattern(&self.path) {
            frames::matching(&self.path)?
        } else {
            return Ok(None);
        };
        Ok(Some(self.taken(files)?))
    }

    /// The files that a name asks frames of; none where it asks for no frames, or is a file or a series.
    ///
    /// # Errors
    /// As [`files`](Self::files).
    pub fn asked_files(&self, reading: &Reading) -> Result<Option<Vec<PathBuf>>> {
        if self.frames.is_some() { self.files(reading) } else { Ok(None) }
    }
}

/// The files of an input that is a folder of frames or a pattern, in natural order of their names: those that its name asks for.
/// None for a file, and for folders of DICOM files.
///
/// # Errors
/// [`IoError::NoFrames`](crate::IoError::NoFrames); [`IoError::Open`](crate::IoError::Open);
/// [`IoError::NoSuchFrame`](crate::IoError::NoSuchFrame); [`IoError::Stopped`](crate::IoError::Stopped).
pub fn frame_files(name: &Path, reading: impl Into<Reading>) -> Result<Option<Vec<PathBuf>>> {
    Input::of(name).files(&reading.into())
}
