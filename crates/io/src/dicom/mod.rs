//! DICOM: a file, several, or a folder with whatever lies in it; one series becomes an image or a cine.
//!
//! *Order*: slices by their position along the normal of the image planes, frames of a slice by trigger time, else by the index
//! of their temporal position, else by instance number; whatever stands in for the first is said.
//! *Left out*, with a line each: files that are no DICOM image, that are broken, slices with fewer frames than the others.
//! *Refused*, by name: several series or several shapes of images where none is chosen.
//! *Several inputs* are one series, or where they hold several, one after the other over time.
//! *Private*: no name, number, date or description of a patient or a study is read into anything; the description of a series is
//! shown where series are listed, and goes into no file.
//! *Specification*: DICOM PS3.3, sections C.7.6 and C.8.13; PS3.5 for transfer syntaxes.

mod bytes;
mod files;
mod groups;
mod header;
mod opened;
mod parts;
mod pixels;
mod series;
mod stack;
mod structure;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod compressed_tests;
#[cfg(test)]
mod structure_tests;
#[cfg(test)]
mod tests;

use crate::content::{Content, Decoded};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::input::Input;
use crate::read::input::series_info::SeriesInfo;
use crate::read::reading::SeriesChoice;
use crate::read::source::Source;
use crate::tables::cine_place::CineImage;
pub(crate) use files::{files_below, holds_dicom};
use opened::Opened;
use std::collections::HashSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use veloxel_core::Volume;

/// One series.
pub(crate) struct DicomSeries {
    pub frames: Vec<Volume<f32>>,
    pub frame_interval_ms: Option<f64>,
    /// The files that are one slice at one time each, then those that were left out.
    pub images: Vec<CineImage>,
    pub sample_type: String,
}

impl DicomSeries {
    pub fn decoded(self, context: &Context) -> Result<Decoded> {
        let content = Content::of_frames(self.frames, self.frame_interval_ms, context)?;
        Ok(Decoded { content, sample_type: self.sample_type })
    }
}

/// Opens a file with its pixels.
pub(crate) type Open<'a> = &'a dyn Fn(&Path, &Context) -> Result<Opened>;

/// Reads the series of files and folders: one, or where each input is a series of its own, or some frames of one, the frames of each
/// after those of the one before. The context's path stands for all of them in messages.
///
/// # Errors
/// As [`read_cine`](crate::read_cine).
pub(crate) fn read_series(inputs: &[Input], context: &mut Context) -> Result<DicomSeries> {
    let are_parts =
        inputs.iter().any(|input| input.series.is_some() || input.part.is_some() || input.frames.is_some());
    let mut paths: Vec<PathBuf> = inputs.iter().map(|input| input.path.clone()).collect();
    if are_parts {
        // One folder may hold the series of several inputs.
        paths.sort();
        paths.dedup();
    }
    let found = files::find(&paths, context)?;
    let images = header::read_all(&found, context)?;
    let choice = context.reading.options.series;
    let mut series = if are_parts || inputs.len() > 1 && series::are_several(&images, choice) {
        parts::joined(inputs, &images, context)?
    } else {
        assembled(images, choice, &from_disk, context)?
    };
    if !series.images.is_empty() {
        let own: HashSet<String> = series.images.iter().map(|image| image.stem.clone()).collect();
        let others = found.iter().map(|path| pixels::stem(path)).filter(|stem| !own.contains(stem));
        series.images.extend(others.map(|stem| CineImage { stem, instance: None, spot: None }));
    }
    Ok(series)
}

/// The series that files and folders hold, in the order of their numbers.
///
/// # Errors
/// As [`read_series`], but for several series.
pub(crate) fn list_series(path: &Path, context: &mut Context) -> Result<Vec<SeriesInfo>> {
    let found = files::find(&[path.to_owned()], context)?;
    Ok(series::listing(&header::read_all(&found, context)?))
}

fn from_disk(path: &Path, context: &Context) -> Result<Opened> {
    Opened::file(path, None, context)
}

fn assembled(
    mut images: Vec<header::PlaneHeader>,
    choice: Option<SeriesChoice>,
    open: Open<'_>,
    context: &mut Context,
) -> Result<DicomSeries> {
    series::choose(&mut images, choice, context)?;
    let part = groups::choose(&mut images, context)?;
    let stack = stack::Stack::of(images, part, open, context)?;
    pixels::decode(&stack, open, context)
}

/// A file by itself.
pub(crate) fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    let path = context.path.to_owned();
    let open = |path: &Path, context: &Context| {
        Opened::new(Cursor::new(&bytes[..]), bytes.len() as u64, None, path, context)
    };
    let opened = open(&path, context)?;
    let images =
        header::planes_of(&opened, &path).map_err(|reason| context.malformed("DICOM", "an image", reason))?;
    context.trailing(Some(opened.behind));
    drop(opened);
    let choice = context.reading.options.series;
    assembled(images, choice, &open, context)?.decoded(context)
}
