//! Files of outlines.

use super::TrackJob;
use crate::Result;
use crate::pipelines::heart::{Cine, ClearerFit, HeartError, clearer_fit};
use std::path::{Path, PathBuf};
use veloxel_core::{Contour, ContourSet, Hint, WarningKind, Warnings};
use veloxel_io::{
    CinePlace, ContourReading, CurvePoints, IoError, PlainNames, Reading, TextOrder, read_contours,
};

/// A file of outlines, and the frame of those that say none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContourInput {
    /// The file, or a folder of plain texts.
    pub path: PathBuf,
    /// The frame; none: the first that tracking starts from.
    pub frame: Option<usize>,
}

/// The cine that outlines are read for.
#[derive(Clone, Copy)]
pub(super) struct ReadCine<'a> {
    pub cine: &'a Cine,
    pub place: &'a CinePlace,
}

/// Reads outlines of the cine; files beside each other are one set.
pub(super) fn read(
    job: &TrackJob,
    files: &[ContourInput],
    read: ReadCine<'_>,
    reading: &Reading,
    warnings: &mut Warnings,
) -> Result<ContourSet> {
    let mut all: Vec<Contour> = Vec::new();
    for file in files {
        let frame = file.frame.or(job.frames.first().copied()).unwrap_or(0);
        let reading = reading.clone();
        let curves = CurvePoints::Smooth;
        let reading = ContourReading { frame, labels: job.labels, names: job.names, curves, reading };
        all.extend(read_one(&file.path, reading, read, warnings)?);
    }
    ContourSet::new(all).map_err(|twice| {
        let Contour { structure, frame, slice, .. } = twice;
        HeartError::TwoOutlines { structure, frame, slice }.into()
    })
}

/// What one reader drew.
pub(super) struct ReaderFiles {
    /// The first of the files.
    pub name: String,
    pub contours: ContourSet,
}

/// Reads outlines of readers. A file that outlines what another one of a reader outlines is of the next reader; other files add to
/// the first reader whose files they do not repeat.
pub(super) fn read_readers(
    job: &TrackJob,
    cine: ReadCine<'_>,
    reading: &Reading,
    warnings: &mut Warnings,
) -> Result<Vec<ReaderFiles>> {
    let mut readers: Vec<ReaderFiles> = Vec::new();
    for file in &job.truth {
        let own = read(job, std::slice::from_ref(file), cine, reading, warnings)?;
        let repeats = |reader: &ReaderFiles| {
            own.contours().iter().any(|c| reader.contours.get(c.structure, c.slice, c.frame).is_some())
        };
        match readers.iter_mut().find(|reader| !repeats(reader)) {
            Some(reader) => {
                let all = [reader.contours.contours(), own.contours()].concat();
                reader.contours = ContourSet::new(all).unwrap_or_default();
            }
            None => readers.push(ReaderFiles { name: file.path.display().to_string(), contours: own }),
        }
    }
    Ok(readers)
}

fn read_one(
    path: &Path,
    reading: ContourReading,
    ReadCine { cine, place }: ReadCine<'_>,
    warnings: &mut Warnings,
) -> Result<ContourSet> {
    let mut said = Warnings::new();
    let given = read_contours(path, Some(place), &reading, &mut said);
    let slices = place.grid.size()[2];
    let is_ambiguous = reading.names.order.is_none() && slices > 1 && path.is_dir();
    let refusal = match given {
        Err(error @ IoError::Unsupported { .. }) if is_ambiguous => error,
        other => {
            warnings.extend(said);
            return Ok(other?.contours);
        }
    };
    // Numbers alone do not say at which end they begin: the images do, where the outlines fit one way only.
    let with = |order: TextOrder| -> Result<_, IoError> {
        let (names, mut own) = (PlainNames { order: Some(order), ..reading.names }, Warnings::new());
        let file = read_contours(path, Some(place), &ContourReading { names, ..reading.clone() }, &mut own)?;
        Ok((file.contours, own))
    };
    let (up, down) = (with(TextOrder::Ascending)?, with(TextOrder::Descending)?);
    let ((contours, own), word) = match clearer_fit(&up.0, &down.0, cine) {
        ClearerFit::First => (up, "ascending: the first numbers are slice 0"),
        ClearerFit::Second => (down, "descending: the first numbers are the last slice"),
        ClearerFit::Neither => return Err(refusal.into()),
    };
    let text = format!("{}: the images say that the numbers of the texts are {word}", path.display());
    warnings.push_with_hint(WarningKind::Header, Hint::TextOrder, text);
    warnings.extend(own);
    Ok(contours)
}
