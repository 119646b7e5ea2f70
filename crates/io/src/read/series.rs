//! A series of DICOM files, where the paths are one; without the feature none is.

use crate::content::Decoded;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::tables::cine_place::CineImage;
use std::path::{Path, PathBuf};
use veloxel_core::{Control, Sequence, Stopped, Warnings};

/// Frames of a series, and where each image came from.
#[derive(Debug, Clone, PartialEq)]
pub struct CineSeries {
    /// The frames in order of time.
    pub sequence: Sequence,
    /// The files that are one slice at one time each, then those that were left out.
    pub images: Vec<CineImage>,
}

/// Whether a path is a DICOM file by its magic, or a folder that has one in it, or in a folder of it.
///
/// # Errors
/// [`Stopped`].
#[cfg(feature = "dicom")]
pub fn holds_dicom(path: &Path, control: &Control) -> Result<bool, Stopped> {
    crate::dicom::holds_dicom(path, &|file| crate::format::Format::from_path(file).is_some(), control)
}

/// All files in a folder and in those within it that a series may lie in.
///
/// # Errors
/// [`Stopped`].
#[cfg(feature = "dicom")]
pub(crate) fn files_below(folder: &Path, control: &Control) -> Result<Vec<PathBuf>, Stopped> {
    crate::dicom::files_below(folder, control)
}

/// Reads DICOM files and folders as one series; none if one of them is something else.
///
/// # Errors
/// [`IoError::Ambiguous`](crate::IoError::Ambiguous) with the series that there are; [`IoError::Malformed`](crate::IoError::Malformed) for what cannot be read.
#[cfg(feature = "dicom")]
pub fn read_cine(
    paths: &[PathBuf],
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<Option<CineSeries>> {
    let reading = reading.into();
    for path in paths {
        if !holds_dicom(path, reading.files.control())? {
            return Ok(None);
        }
    }
    let Some(first) = paths.first() else { return Ok(None) };
    let mut context = Context::new(first, reading, warnings);
    let series = crate::dicom::read_series(paths, &mut context);
    let series = context.settled(series)?;
    let sequence =
        Sequence::new(series.frames, series.frame_interval_ms).map_err(|error| context.core(error))?;
    Ok(Some(CineSeries { sequence, images: series.images }))
}

/// What a folder of DICOM files holds, or a file without an extension; none for anything else.
#[cfg(feature = "dicom")]
pub(crate) fn decode_series(path: &Path, context: &mut Context) -> Result<Option<Decoded>> {
    let is_named = crate::format::Format::from_path(path).is_some();
    if (is_named && !path.is_dir()) || !holds_dicom(path, context.control())? {
        return Ok(None);
    }
    let decoded = crate::dicom::read_series(&[path.to_owned()], context);
    let decoded = decoded.and_then(|series| series.decoded(context));
    context.settled(decoded).map(Some)
}

/// Whether a path is DICOM: never, without the feature.
///
/// # Errors
/// None.
#[cfg(not(feature = "dicom"))]
pub fn holds_dicom(_: &Path, _: &Control) -> Result<bool, Stopped> {
    Ok(false)
}

/// The files of a series: none, without the feature.
#[cfg(not(feature = "dicom"))]
pub(crate) fn files_below(_: &Path, _: &Control) -> Result<Vec<PathBuf>, Stopped> {
    Ok(Vec::new())
}

/// Reads DICOM files: none, without the feature.
///
/// # Errors
/// None.
#[cfg(not(feature = "dicom"))]
pub fn read_cine(_: &[PathBuf], _: impl Into<Reading>, _: &mut Warnings) -> Result<Option<CineSeries>> {
    Ok(None)
}

#[cfg(not(feature = "dicom"))]
pub(crate) fn decode_series(_: &Path, _: &mut Context) -> Result<Option<Decoded>> {
    Ok(None)
}
