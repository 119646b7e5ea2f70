//! A series of DICOM files, where the paths are one; without the feature none is.

use crate::content::Decoded;
use crate::error::Result;
use crate::read::context::Context;
#[cfg(feature = "dicom")]
use crate::read::input::Input;
use crate::read::input::named_file;
use crate::read::input::series_info::SeriesInfo;
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

/// Whether the path of an input is a DICOM file by its magic, or a folder that has one in it, or in a folder of it.
///
/// # Errors
/// [`Stopped`].
pub fn holds_dicom(name: &Path, control: &Control) -> Result<bool, Stopped> {
    is_dicom(&named_file(name), control)
}

/// The series that DICOM files in a folder belong to, by their numbers; none where it holds no DICOM files. What the headers give to
/// know is not said here: reading a series says it.
///
/// # Errors
/// As [`read_cine`], but for several series.
#[cfg(feature = "dicom")]
pub fn list_series(path: &Path, reading: impl Into<Reading>) -> Result<Vec<SeriesInfo>> {
    let (reading, mut unsaid) = (reading.into(), Warnings::new());
    if !is_dicom(path, reading.files.control())? {
        return Ok(Vec::new());
    }
    let mut context = Context::new(path, reading, &mut unsaid);
    let listed = crate::dicom::list_series(path, &mut context);
    context.settled(listed)
}

/// The series of DICOM files: none, without the feature.
///
/// # Errors
/// None.
#[cfg(not(feature = "dicom"))]
pub fn list_series(_: &Path, _: impl Into<Reading>) -> Result<Vec<SeriesInfo>> {
    Ok(Vec::new())
}

/// Whether a path is a DICOM file by its magic, or a folder that has one in it, or in a folder of it.
#[cfg(feature = "dicom")]
pub(crate) fn is_dicom(path: &Path, control: &Control) -> Result<bool, Stopped> {
    if crate::formats::lookup::is_store(path) {
        return Ok(false);
    }
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

/// Reads DICOM files and folders as one series, or as several that follow each other in time: where each of several inputs holds one,
/// or where their names choose series or frames (`export@series:3`). None if one of them is something else.
///
/// # Errors
/// [`IoError::Ambiguous`](crate::IoError::Ambiguous) with the series that there are; [`IoError::NoSuchFrame`](crate::IoError::NoSuchFrame); [`IoError::Core`](crate::IoError::Core) for series on several grids; [`IoError::Malformed`](crate::IoError::Malformed) for what cannot be read.
#[cfg(feature = "dicom")]
pub fn read_cine(
    paths: &[PathBuf],
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<Option<CineSeries>> {
    let reading = reading.into();
    let inputs: Vec<Input> = paths.iter().map(|path| Input::of(path)).collect();
    for input in &inputs {
        if !is_dicom(&input.path, reading.files.control())? {
            return Ok(None);
        }
    }
    let Some(first) = inputs.first() else { return Ok(None) };
    let mut context = Context::new(&first.path, reading, warnings);
    let series = crate::dicom::read_series(&inputs, &mut context);
    let series = context.settled(series)?;
    let sequence =
        Sequence::new(series.frames, series.frame_interval_ms).map_err(|error| context.core(error))?;
    Ok(Some(CineSeries { sequence, images: series.images }))
}

/// What a folder of DICOM files holds, or a file without an extension; none for anything else.
#[cfg(feature = "dicom")]
pub(crate) fn decode_series(path: &Path, context: &mut Context) -> Result<Option<Decoded>> {
    let is_named = crate::format::Format::from_path(path).is_some();
    if (is_named && !path.is_dir()) || !is_dicom(path, context.control())? {
        return Ok(None);
    }
    let input = Input { path: path.to_owned(), series: None, part: None, frames: None };
    let decoded = crate::dicom::read_series(&[input], context);
    let decoded = decoded.and_then(|series| series.decoded(context));
    context.settled(decoded).map(Some)
}

/// Whether a path is DICOM: never, without the feature.
#[cfg(not(feature = "dicom"))]
pub(crate) fn is_dicom(_: &Path, _: &Control) -> Result<bool, Stopped> {
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
