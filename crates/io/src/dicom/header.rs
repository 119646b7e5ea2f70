//! What is taken from a DICOM header: shape, place, time, and how samples become values; nothing of a person.

use super::opened::Opened;
use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::read::context::Context;
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::{tags, uids};
use dicom_object::{InMemDicomObject, Tag};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use veloxel_core::WarningKind;

/// One plane of samples: a file, or a frame of a file with several.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlaneHeader {
    pub path: Arc<Path>,
    /// The frame of its file, from 0 on, and how many that has.
    pub frame: u32,
    pub frames: u32,
    pub series_uid: String,
    pub series_number: Option<i64>,
    pub modality: String,
    /// Free text of the series, for lists of series alone: it may name people.
    pub description: String,
    /// Columns and rows.
    pub size: [usize; 2],
    /// Millimetres between columns, and between rows.
    pub spacing_mm: Option<[f64; 2]>,
    pub thickness_mm: Option<f64>,
    pub between_mm: Option<f64>,
    /// Directions of rows and columns.
    pub orientation: Option<[[f64; 3]; 2]>,
    pub position_mm: Option<[f64; 3]>,
    /// Along the normal, where no position is given.
    pub location_mm: Option<f64>,
    pub trigger_ms: Option<f64>,
    pub temporal_index: Option<i64>,
    pub instance: Option<i64>,
    /// Seconds of the day.
    pub acquired_s: Option<f64>,
    /// Milliseconds between the frames of a file, if it has several that follow each other in time.
    pub cine_ms: Option<f64>,
    pub slope: f64,
    pub intercept: f64,
    /// Whether small samples are bright.
    pub is_inverted: bool,
}

/// The sequences of functional groups that hold what is looked for.
const GROUPS: [Tag; 6] = [
    tags::PLANE_POSITION_SEQUENCE,
    tags::PLANE_ORIENTATION_SEQUENCE,
    tags::PIXEL_MEASURES_SEQUENCE,
    tags::FRAME_CONTENT_SEQUENCE,
    tags::CARDIAC_SYNCHRONIZATION_SEQUENCE,
    tags::PIXEL_VALUE_TRANSFORMATION_SEQUENCE,
];
/// Frames of one file.
const MOST_FRAMES: u32 = 1 << 16;
/// Planes of all files together.
const MOST_PLANES: usize = 1 << 18;
/// Bytes that a plane's header takes with its texts.
const PLANE_BYTES: u64 = size_of::<PlaneHeader>() as u64 + 3 * MOST_CHARACTERS as u64;
/// Files that are left out and told one by one; of the others their number is told.
const MOST_SAID: usize = 32;
/// Most values of an element that is read.
const MOST_VALUES: usize = 16;
/// Transfer syntaxes whose pixels lie in the file as they are, a byte each at least.
const RAW: [&str; 3] =
    [uids::IMPLICIT_VR_LITTLE_ENDIAN, uids::EXPLICIT_VR_LITTLE_ENDIAN, "1.2.840.10008.1.2.2"];
const MOST_CHARACTERS: usize = 64;

/// The planes of all files; files that are broken or hold no image are left out and said.
pub(super) fn read_all(paths: &[PathBuf], context: &mut Context) -> Result<Vec<PlaneHeader>> {
    let (mut planes, mut failed, mut longer) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        context.check()?;
        let opened = match Opened::file(path, Some(tags::PIXEL_DATA), context) {
            Err(error @ (IoError::Memory { .. } | IoError::ReplacesInput { .. })) => return Err(error),
            opened => opened.map_err(|error| format!("it is no DICOM file, or a broken one ({error})")),
        };
        if opened.as_ref().is_ok_and(|opened| opened.behind > 0) {
            longer.push(path);
        }
        match opened.and_then(|opened| planes_of(&opened, path)) {
            Ok(of_file) => {
                context.claim(PLANE_BYTES * of_file.len() as u64)?;
                planes.extend(of_file);
            }
            Err(reason) => failed.push((path, reason)),
        }
        let expected = format!("at most {MOST_PLANES} images and frames");
        context.require(planes.len() <= MOST_PLANES, "the files of a series", expected, "more")?;
    }
    context.check()?;
    if planes.is_empty() {
        return Err(match failed.first() {
            Some((path, reason)) => IoError::malformed(path, "DICOM", "an image", reason),
            None => context.malformed("DICOM", "an image at least", "none"),
        });
    }
    let unsaid = failed.len().saturating_sub(MOST_SAID);
    for (path, reason) in failed.into_iter().take(MOST_SAID) {
        context.note(WarningKind::Header, format!("{} was left out: {reason}", file_name(path)));
    }
    if unsaid > 0 {
        context.note(WarningKind::Header, format!("{unsaid} more files were left out"));
    }
    if let Some(path) = longer.first() {
        let (count, name) = (longer.len(), file_name(path));
        let text = format!("bytes behind the pixels of {count} files were ignored, {name} among them");
        context.note(WarningKind::Header, text);
    }
    Ok(planes)
}

/// The planes of a file, or why it has none.
pub(super) fn planes_of(opened: &Opened, path: &Path) -> Result<Vec<PlaneHeader>, String> {
    let object: &InMemDicomObject = &opened.object;
    let (Some(rows), Some(columns)) = (number(object, tags::ROWS), number(object, tags::COLUMNS)) else {
        return Err("it holds no image".to_owned());
    };
    let frames = number(object, tags::NUMBER_OF_FRAMES).unwrap_or(1.0).max(1.0) as u32;
    if frames > MOST_FRAMES || u64::from(frames) > opened.length {
        return Err(format!("it says that it has {frames} frames, in {} bytes", opened.length));
    }
    let size = [columns as usize, rows as usize];
    let is_raw = RAW.contains(&opened.object.meta().transfer_syntax());
    let frame_bytes = (size[0] as u64).saturating_mul(size[1] as u64);
    if is_raw && frames > 1 && frame_bytes.saturating_mul(frames.into()) > opened.length {
        let [w, h] = size;
        return Err(format!("it says that it has {frames} frames of {w} × {h}, in {} bytes", opened.length));
    }
    let path: Arc<Path> = path.into();
    let of_frame = |frame: u32| Fields::new(object, frame).plane(&path, frame, frames, size);
    Ok((0..frames).map(of_frame).collect())
}

/// The objects in which a value of a frame may stand, the most particular first.
struct Fields<'a>(Vec<&'a InMemDicomObject>);

impl<'a> Fields<'a> {
    fn new(object: &'a InMemDicomObject, frame: u32) -> Self {
        let mut places = Vec::new();
        for (group, nth) in [
            (tags::PER_FRAME_FUNCTIONAL_GROUPS_SEQUENCE, frame as usize),
            (tags::SHARED_FUNCTIONAL_GROUPS_SEQUENCE, 0),
        ] {
            let item = object.get(group).and_then(|element| element.items()).and_then(|items| items.get(nth));
            let Some(item) = item else { continue };
            places.push(item);
            let inner = GROUPS.iter().filter_map(|&tag| item.get(tag)?.items()?.first());
            places.extend(inner);
        }
        places.push(object);
        Self(places)
    }

    /// The first `N` values; whatever follows them is not looked at, for as many frames as there may be.
    fn numbers<const N: usize>(&self, tag: Tag) -> Option<[f64; N]> {
        let first = |place: &&InMemDicomObject| {
            let value = place.get(tag)?.value().primitive()?;
            match value {
                PrimitiveValue::Strs(texts) => {
                    texts.get(..N)?.iter().map(|text| trimmed(text).parse().ok()).collect()
                }
                PrimitiveValue::Str(text) => Some(vec![trimmed(text).parse().ok()?]),
                other if other.multiplicity() as usize <= MOST_VALUES => other.to_multi_float64().ok(),
                _ => None,
            }
        };
        let found: Vec<f64> = self.0.iter().find_map(first)?;
        found.iter().all(|v| v.is_finite()).then(|| found.first_chunk().copied())?
    }

    fn number(&self, tag: Tag) -> Option<f64> {
        self.numbers(tag).map(|[value]| value)
    }

    /// The first value, of which so much counts as a UID may have.
    fn text(&self, tag: Tag) -> String {
        let first = |place: &&InMemDicomObject| {
            let text = match place.get(tag)?.value().primitive()? {
                PrimitiveValue::Strs(texts) => texts.first()?,
                PrimitiveValue::Str(text) => text,
                _ => return None,
            };
            Some(trimmed(&text.chars().take(MOST_CHARACTERS).collect::<String>()).to_owned())
        };
        self.0.iter().find_map(first).unwrap_or_default()
    }

    fn plane(&self, path: &Arc<Path>, frame: u32, frames: u32, size: [usize; 2]) -> PlaneHeader {
        let whole = |tag: Tag| self.number(tag).map(|v| v as i64);
        let above_zero = |v: &f64| *v > 0.0;
        let spacing = self.numbers(tags::PIXEL_SPACING).or_else(|| self.numbers(tags::IMAGER_PIXEL_SPACING));
        let orientation: Option<[f64; 6]> = self.numbers(tags::IMAGE_ORIENTATION_PATIENT);
        PlaneHeader {
            path: path.clone(),
            frame,
            frames,
            series_uid: self.text(tags::SERIES_INSTANCE_UID),
            series_number: whole(tags::SERIES_NUMBER),
            modality: self.text(tags::MODALITY),
            description: self.text(tags::SERIES_DESCRIPTION),
            size,
            // Rows first in the file.
            spacing_mm: spacing.map(|[y, x]| [x, y]).filter(|v| v.iter().all(above_zero)),
            thickness_mm: self.number(tags::SLICE_THICKNESS).filter(above_zero),
            between_mm: self.number(tags::SPACING_BETWEEN_SLICES).filter(above_zero),
            orientation: orientation
                .filter(|v| *v != [0.0; 6])
                .map(|[a, b, c, d, e, f]| [[a, b, c], [d, e, f]]),
            position_mm: self.numbers(tags::IMAGE_POSITION_PATIENT),
            location_mm: self.number(tags::SLICE_LOCATION),
            trigger_ms: self
                .number(tags::TRIGGER_TIME)
                .or_else(|| self.number(tags::NOMINAL_CARDIAC_TRIGGER_DELAY_TIME)),
            temporal_index: whole(tags::TEMPORAL_POSITION_INDEX)
                .or_else(|| whole(tags::TEMPORAL_POSITION_IDENTIFIER)),
            instance: whole(tags::INSTANCE_NUMBER),
            acquired_s: seconds(&self.text(tags::ACQUISITION_TIME)),
            cine_ms: if frames > 1 { self.cine_ms() } else { None },
            slope: self.number(tags::RESCALE_SLOPE).filter(|v| *v != 0.0).unwrap_or(1.0),
            intercept: self.number(tags::RESCALE_INTERCEPT).unwrap_or(0.0),
            is_inverted: self.text(tags::PHOTOMETRIC_INTERPRETATION) == "MONOCHROME1",
        }
    }

    /// The time between frames, where the file says that time is what its frames differ in.
    fn cine_ms(&self) -> Option<f64> {
        let pointer = self.text(tags::FRAME_INCREMENT_POINTER).to_uppercase();
        let is_time = pointer.is_empty() || ["1063", "1065"].iter().any(|tag| pointer.contains(tag));
        let vector = || self.numbers(tags::FRAME_TIME_VECTOR).map(|[_, ms]| ms);
        self.number(tags::FRAME_TIME).or_else(vector).filter(|ms| *ms > 0.0 && is_time)
    }
}

/// Without the padding to an even length.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0')
}

fn number(object: &InMemDicomObject, tag: Tag) -> Option<f64> {
    object.get(tag)?.to_float64().ok().filter(|v| v.is_finite() && *v >= 1.0)
}

/// `HHMMSS.FFFFFF`.
fn seconds(text: &str) -> Option<f64> {
    let digits = text.get(0..6)?;
    let [h, m, s] = [0, 2, 4].map(|at| digits.get(at..at + 2)?.parse::<f64>().ok());
    let fraction = text.get(6..).and_then(|rest| format!("0{rest}").parse::<f64>().ok()).unwrap_or(0.0);
    Some(3600.0 * h? + 60.0 * m? + s? + fraction)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_that_are_none_have_no_seconds() {
        assert_eq!(seconds("010203.5"), Some(3723.5));
        for text in ["", "01020", "1é3456", "aabbcc"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
