//! What is taken from a DICOM header: shape, place, time, and how samples become values; nothing of a person.

use super::opened::Opened;
use crate::context::Context;
use crate::error::IoError;
use dicom_core::PrimitiveValue;
use dicom_object::{InMemDicomObject, Tag};
use std::path::{Path, PathBuf};
use veloxel_core::WarningKind;

/// One plane of samples: a file, or a frame of a file with several.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlaneHeader {
    pub path: PathBuf,
    /// The frame of its file, from 0 on, and how many that has.
    pub frame: u32,
    pub frames: u32,
    pub series_uid: String,
    pub series_number: Option<i64>,
    pub modality: String,
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
    /// Of a file with several frames: whether they follow each other in time, and how far apart.
    pub cine_ms: Option<f64>,
    pub slope: f64,
    pub intercept: f64,
    /// Whether small samples are bright.
    pub is_inverted: bool,
}

const SERIES_UID: Tag = Tag(0x0020, 0x000E);
const SERIES_NUMBER: Tag = Tag(0x0020, 0x0011);
const MODALITY: Tag = Tag(0x0008, 0x0060);
const ROWS: Tag = Tag(0x0028, 0x0010);
const COLUMNS: Tag = Tag(0x0028, 0x0011);
const FRAMES: Tag = Tag(0x0028, 0x0008);
const PHOTOMETRIC: Tag = Tag(0x0028, 0x0004);
const SPACING: Tag = Tag(0x0028, 0x0030);
const IMAGER_SPACING: Tag = Tag(0x0018, 0x1164);
const THICKNESS: Tag = Tag(0x0018, 0x0050);
const BETWEEN: Tag = Tag(0x0018, 0x0088);
const ORIENTATION: Tag = Tag(0x0020, 0x0037);
const POSITION: Tag = Tag(0x0020, 0x0032);
const LOCATION: Tag = Tag(0x0020, 0x1041);
const TRIGGER: Tag = Tag(0x0018, 0x1060);
const TRIGGER_DELAY: Tag = Tag(0x0020, 0x9153);
const TEMPORAL: Tag = Tag(0x0020, 0x0100);
const TEMPORAL_INDEX: Tag = Tag(0x0020, 0x9128);
const INSTANCE: Tag = Tag(0x0020, 0x0013);
const ACQUISITION_TIME: Tag = Tag(0x0008, 0x0032);
const FRAME_TIME: Tag = Tag(0x0018, 0x1063);
const FRAME_TIMES: Tag = Tag(0x0018, 0x1065);
const FRAME_POINTER: Tag = Tag(0x0028, 0x0009);
const SLOPE: Tag = Tag(0x0028, 0x1053);
const INTERCEPT: Tag = Tag(0x0028, 0x1052);
const SHARED: Tag = Tag(0x5200, 0x9229);
const PER_FRAME: Tag = Tag(0x5200, 0x9230);
const PIXEL_DATA: Tag = Tag(0x7FE0, 0x0010);
/// The sequences of functional groups that hold what is looked for.
const GROUPS: [Tag; 6] = [
    Tag(0x0020, 0x9113),
    Tag(0x0020, 0x9116),
    Tag(0x0028, 0x9110),
    Tag(0x0020, 0x9111),
    Tag(0x0018, 0x9118),
    Tag(0x0028, 0x9145),
];
/// Frames of one file.
const MOST_FRAMES: u32 = 1 << 16;
/// Of an element that is looked at.
const MOST_VALUES: usize = 16;
const MOST_CHARACTERS: usize = 64;

/// The planes of all files; files that are broken or hold no image are left out and said.
pub(super) fn read_all(paths: &[PathBuf], context: &mut Context) -> Result<Vec<PlaneHeader>, IoError> {
    let (mut planes, mut failed, mut longer) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let opened = match Opened::file(path, Some(PIXEL_DATA), context) {
            Err(error @ IoError::Memory { .. }) => return Err(error),
            opened => opened.map_err(|error| format!("it is no DICOM file, or a broken one ({error})")),
        };
        if opened.as_ref().is_ok_and(|opened| opened.behind > 0) {
            longer.push(path);
        }
        match opened.and_then(|opened| planes_of(&opened, path)) {
            Ok(of_file) => planes.extend(of_file),
            Err(reason) => failed.push((path, reason)),
        }
    }
    if planes.is_empty() {
        return Err(match failed.first() {
            Some((path, reason)) => IoError::malformed(path, "DICOM", "an image", reason),
            None => context.malformed("DICOM", "an image at least", "none"),
        });
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (path, reason) in failed {
        context.note(WarningKind::Header, format!("{} was left out: {reason}", name(path)));
    }
    if let Some(path) = longer.first() {
        let (count, name) = (longer.len(), name(path));
        context.note(
            WarningKind::Header,
            format!("bytes behind the pixels of {count} files were ignored, {name} among them"),
        );
    }
    Ok(planes)
}

/// The planes of a file, or why it has none.
pub(super) fn planes_of(opened: &Opened, path: &Path) -> Result<Vec<PlaneHeader>, String> {
    let object: &InMemDicomObject = &opened.object;
    let (Some(rows), Some(columns)) = (number(object, ROWS), number(object, COLUMNS)) else {
        return Err("it holds no image".to_owned());
    };
    let frames = number(object, FRAMES).unwrap_or(1.0).max(1.0) as u32;
    if frames > MOST_FRAMES || u64::from(frames) > opened.length {
        return Err(format!("it says that it has {frames} frames, in {} bytes", opened.length));
    }
    let of_frame =
        |frame: u32| Fields::new(object, frame).plane(path, frame, frames, [columns as usize, rows as usize]);
    Ok((0..frames).map(of_frame).collect())
}

/// The objects in which a value of a frame may stand, the most particular first.
struct Fields<'a>(Vec<&'a InMemDicomObject>);

impl<'a> Fields<'a> {
    fn new(object: &'a InMemDicomObject, frame: u32) -> Self {
        let mut places = Vec::new();
        for (group, nth) in [(PER_FRAME, frame as usize), (SHARED, 0)] {
            let item = object.get(group).and_then(|element| element.items()).and_then(|items| items.get(nth));
            let Some(item) = item else { continue };
            places.push(item);
            let inner = GROUPS.iter().filter_map(|&tag| item.get(tag)?.items()?.first());
            places.extend(inner);
        }
        places.push(object);
        Self(places)
    }

    /// The first `count` values; whatever follows them is not looked at, for as many frames as there may be.
    fn numbers(&self, tag: Tag, count: usize) -> Option<Vec<f64>> {
        let first = |place: &&InMemDicomObject| {
            let value = place.get(tag)?.value().primitive()?;
            match value {
                PrimitiveValue::Strs(texts) => {
                    texts.get(..count)?.iter().map(|text| trimmed(text).parse().ok()).collect()
                }
                PrimitiveValue::Str(text) => Some(vec![trimmed(text).parse().ok()?]),
                other if other.multiplicity() as usize <= MOST_VALUES => other.to_multi_float64().ok(),
                _ => None,
            }
        };
        let found: Vec<f64> = self.0.iter().find_map(first)?;
        (found.len() >= count && found.iter().all(|v| v.is_finite())).then_some(found)
    }

    fn number(&self, tag: Tag) -> Option<f64> {
        self.numbers(tag, 1).map(|values| values[0])
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

    fn plane(&self, path: &Path, frame: u32, frames: u32, size: [usize; 2]) -> PlaneHeader {
        let whole = |tag: Tag| self.number(tag).map(|v| v as i64);
        let above_zero = |v: &f64| *v > 0.0;
        let spacing = self.numbers(SPACING, 2).or_else(|| self.numbers(IMAGER_SPACING, 2));
        let orientation = self.numbers(ORIENTATION, 6).map(|v| [[v[0], v[1], v[2]], [v[3], v[4], v[5]]]);
        PlaneHeader {
            path: path.to_owned(),
            frame,
            frames,
            series_uid: self.text(SERIES_UID),
            series_number: whole(SERIES_NUMBER),
            modality: self.text(MODALITY),
            size,
            // Rows first in the file.
            spacing_mm: spacing.map(|v| [v[1], v[0]]).filter(|v| v.iter().all(above_zero)),
            thickness_mm: self.number(THICKNESS).filter(above_zero),
            between_mm: self.number(BETWEEN).filter(above_zero),
            orientation: orientation
                .filter(|_| self.numbers(ORIENTATION, 6).is_some_and(|v| v.iter().any(|c| *c != 0.0))),
            position_mm: self.numbers(POSITION, 3).map(|v| [v[0], v[1], v[2]]),
            location_mm: self.number(LOCATION),
            trigger_ms: self.number(TRIGGER).or_else(|| self.number(TRIGGER_DELAY)),
            temporal_index: whole(TEMPORAL_INDEX).or_else(|| whole(TEMPORAL)),
            instance: whole(INSTANCE),
            acquired_s: seconds(&self.text(ACQUISITION_TIME)),
            cine_ms: if frames > 1 { self.cine_ms() } else { None },
            slope: self.number(SLOPE).filter(|v| *v != 0.0).unwrap_or(1.0),
            intercept: self.number(INTERCEPT).unwrap_or(0.0),
            is_inverted: self.text(PHOTOMETRIC) == "MONOCHROME1",
        }
    }

    /// The time between frames, where the file says that time is what its frames differ in.
    fn cine_ms(&self) -> Option<f64> {
        let pointer = self.text(FRAME_POINTER).to_uppercase();
        let is_time = pointer.is_empty() || ["1063", "1065"].iter().any(|tag| pointer.contains(tag));
        let vector = || self.numbers(FRAME_TIMES, 2).map(|v| v[1]);
        self.number(FRAME_TIME).or_else(vector).filter(|ms| *ms > 0.0 && is_time)
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
