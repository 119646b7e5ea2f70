//! Outlines of structures in a cine: Veloxel's own JSON, tables (`.csv`), plain texts of `x y` lines and folders of them, label
//! images, and 3D Slicer's closed curves (`.mrk.json`). docs/formats/contours.md describes them for users.
//!
//! *Units*: pixels in memory, with the centre of the first pixel at (0, 0); files that say millimetres are LPS (or RAS) positions.
//! *Refused*: open lines, edges that cross, points outside of the image, two outlines of one structure in one place.

mod collection;
mod json;
mod labels;
mod markups;
mod plain;
mod spot;
mod table;
mod told;

use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::format::Format;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::take_text;
use crate::tables::cine_place::CinePlace;
use crate::write::target::Target;
use collection::Collection;
pub use labels::{LabelMeaning, LabelOutlines, label_outlines};
pub use plain::{InnerContour, PlainNames, TextOrder};
use std::path::Path;
use veloxel_core::{ContourSet, Warnings};

/// Larger files of outlines are refused (bytes).
const MOST_BYTES: u64 = 1 << 28;

/// What files of outlines do not say themselves.
#[derive(Debug, Clone, Default)]
pub struct ContourReading {
    /// The frame of outlines that come without one.
    pub frame: usize,
    /// What the labels of a label image are.
    pub labels: LabelMeaning,
    /// What the names of plain texts mean.
    pub names: PlainNames,
    /// What is taken of 3D Slicer's curves.
    pub curves: CurvePoints,
    /// How files are read.
    pub reading: Reading,
}

/// What is taken of a curve that is told by control points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CurvePoints {
    /// The smooth curve through them, as 3D Slicer draws it.
    #[default]
    Smooth,
    /// The control points themselves, of lists of points as well: clicks that an outline is laid through.
    Clicked,
}

/// Outlines, and what their file says of the cine.
#[derive(Debug, Clone, PartialEq)]
pub struct ContourFile {
    /// The outlines.
    pub contours: ContourSet,
    /// The cine, where the file describes it.
    pub place: Option<CinePlace>,
}

/// Reads outlines, of the cine `place` if that is known; without it only files that describe their cine can be read, and those
/// in pixels whose numbers of frames and slices stand in them.
///
/// # Errors
/// [`IoError::Open`]; [`IoError::Malformed`] for what is no outline, with the outline's place; [`IoError::Unsupported`] where
/// the cine must be known and is not.
pub fn read_contours(
    path: &Path,
    place: Option<&CinePlace>,
    options: &ContourReading,
    warnings: &mut Warnings,
) -> Result<ContourFile> {
    let context = Context::new(path, options.reading.clone(), warnings);
    let mut into = Collection::new(context, place.cloned());
    let name = file_name(path).to_lowercase();
    if path.is_dir() {
        plain::read_folder(path, options, &mut into)?;
    } else if name.ends_with(".txt") {
        plain::read_file(path, options, &mut into)?;
    } else if name.ends_with(".csv") {
        table::read(&take_text(MOST_BYTES, &into.context)?, options, &mut into)?;
    } else if name.ends_with(".json") {
        let text = take_text(MOST_BYTES, &into.context)?;
        let document = crate::text::json::parse(text.as_bytes(), "the outlines", "JSON", &into.context)?;
        match document.get("markups") {
            Some(_) => markups::read(&document, options, &mut into)?,
            None => json::read(document, &mut into)?,
        }
    } else if Format::from_path(path).is_some() {
        labels::read_outlines(path, options, &mut into)?;
    } else {
        let hint = "give .json, .csv, .txt, .mrk.json, a label image, or a folder of .txt";
        return Err(IoError::unsupported(path, "this kind of outlines", hint));
    }
    into.finish()
}

/// Writes outlines as `.json`, which describes the cine as well, or `.csv`.
///
/// # Errors
/// [`IoError::Unsupported`] for another extension; [`IoError::Write`].
pub fn write_contours(target: impl Into<Target>, contours: &ContourSet, place: &CinePlace) -> Result<()> {
    let target = target.into();
    let path = target.path();
    let text = match path.extension().and_then(|e| e.to_str()) {
        Some("json") => json::text(contours, place),
        Some("csv") => table::text(contours),
        _ => return Err(IoError::unsupported(path, "writing outlines there", "name a .json or a .csv")),
    };
    crate::write::whole_file::write_text(target, &text)
}

/// Refuses names that outlines cannot be written under.
///
/// # Errors
/// [`IoError::UnknownExtension`]; [`IoError::Write`] if the folder is not there.
pub fn check_contours_output(path: &Path) -> Result<()> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !["json", "csv"].contains(&extension) {
        let known = ".json, .csv".to_owned();
        return Err(IoError::UnknownExtension { path: path.to_owned(), what: "writing outlines", known });
    }
    crate::write::check_folder(path)
}

#[cfg(test)]
mod tests;
