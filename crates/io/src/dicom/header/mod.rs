//! What is taken from a DICOM header: shape, place, time, and how samples become values; nothing of a person.

mod concatenation;
pub(super) mod fields;
pub(super) mod frames;
pub(super) mod kind;
pub(super) mod mosaic;
pub(super) mod spacing;
pub(super) mod time;
mod untyped;
mod vendors;

use super::opened::Opened;
use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::read::context::Context;
use concatenation::Concatenations;
use dicom_dictionary_std::{tags, uids};
use dicom_object::{InMemDicomObject, Tag};
use fields::{Fields, MOST_CHARACTERS};
use kind::Kind;
use mosaic::Tile;
use spacing::Measured;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::Film;
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
    /// Seconds of the day; where the date is known, since some day.
    pub acquired_s: Option<f64>,
    /// The frames of a file, if it has several that follow each other in time.
    pub film: Option<Film>,
    /// What images at one place and time differ in.
    pub kind: Arc<Kind>,
    /// The UID of the image, which no two have; empty where it is not there.
    pub image_uid: Arc<str>,
    /// Where it is cut out of a mosaic.
    pub tile: Option<Tile>,
    /// Where its spacing comes from.
    pub measured: Measured,
    /// Whether nothing but the order of a file's frames says where it lies.
    pub is_guessed: bool,
    /// Stored samples from the first to the second of these are no data.
    pub padding: Option<[i64; 2]>,
    pub slope: f64,
    pub intercept: f64,
    /// Whether small samples are bright.
    pub is_inverted: bool,
    /// Whether it is a dose whose unit is not said.
    pub lacks_dose_scale: bool,
}

/// Frames of one file.
const MOST_FRAMES: u32 = 1 << 16;
/// Planes of all files together.
const MOST_PLANES: usize = 1 << 18;
/// Bytes that a plane's header takes with its texts.
const PLANE_BYTES: u64 = size_of::<PlaneHeader>() as u64 + 5 * MOST_CHARACTERS as u64;
/// Files that are left out and told one by one; of the others their number is told.
const MOST_SAID: usize = 32;
/// Transfer syntaxes whose pixels lie in the file as they are, a byte each at least.
const RAW: [&str; 3] =
    [uids::IMPLICIT_VR_LITTLE_ENDIAN, uids::EXPLICIT_VR_LITTLE_ENDIAN, "1.2.840.10008.1.2.2"];

/// The planes of all files; files that are broken or hold no image are left out and said.
pub(super) fn read_all(paths: &[PathBuf], context: &mut Context) -> Result<Vec<PlaneHeader>> {
    let (mut planes, mut failed, mut longer) = (Vec::new(), Vec::new(), Vec::new());
    let mut concatenations = Concatenations::default();
    for path in paths {
        context.check()?;
        let opened = match Opened::file(path, Some(tags::FLOAT_PIXEL_DATA), context) {
            Err(error @ (IoError::Memory { .. } | IoError::ReplacesInput { .. })) => return Err(error),
            opened => opened.map_err(|error| format!("it is no DICOM file, or a broken one ({error})")),
        };
        if opened.as_ref().is_ok_and(|opened| opened.behind > 0) {
            longer.push(path);
        }
        if let Ok(opened) = &opened {
            concatenations.add(&Fields::of_file(&opened.object));
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
    concatenations.tell(context);
    if let Some(plane) = planes.iter().find(|plane| plane.lacks_dose_scale) {
        let text = format!(
            "{} does not say what its numbers are in doses (DoseGridScaling)",
            file_name(&plane.path)
        );
        context.assume(format!("{text}: they are taken as they are stored"))?;
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
    let whole = [tags::TOTAL_PIXEL_MATRIX_COLUMNS, tags::TOTAL_PIXEL_MATRIX_ROWS];
    if let [Some(w), Some(h)] = whole.map(|tag| number(object, tag))
        && (w > columns || h > rows)
    {
        return Err(format!(
            "its frames are tiles of one picture of {w} × {h} (a whole slide), which are not put together: export a region as TIFF or PNG"
        ));
    }
    let is_raw = RAW.contains(&opened.object.meta().transfer_syntax());
    let pixels = (size[0] as u64).saturating_mul(size[1] as u64);
    let frame_bytes = if number(object, tags::BITS_ALLOCATED) == Some(1.0) { pixels / 8 } else { pixels };
    if is_raw && frames > 1 && frame_bytes.saturating_mul(frames.into()) > opened.length {
        let [w, h] = size;
        return Err(format!("it says that it has {frames} frames of {w} × {h}, in {} bytes", opened.length));
    }
    let of_file = Fields::of_file(object);
    frames::fault_of_offsets(&of_file, frames)?;
    let (image_uid, order) =
        (of_file.text(tags::SOP_INSTANCE_UID).into(), frames::in_order(&of_file, frames));
    let file = File { path: path.into(), image_uid, frames, order };
    let mut planes: Vec<PlaneHeader> = Vec::new();
    for frame in 0..frames {
        let fields = Fields::new(object, frame);
        let mut plane = plane(&fields, &file, frame, size);
        (plane.spacing_mm, plane.measured) = spacing::of(&fields, object);
        let kind = Kind::of(&fields, frame);
        // Most frames of a file are of one kind.
        plane.kind = match planes.last() {
            Some(last) if *last.kind == kind => last.kind.clone(),
            _ => Arc::new(kind),
        };
        if frames == 1 && mosaic::is_mosaic(&fields, object) {
            return mosaic::tiles(&plane, &fields, object);
        }
        planes.push(plane);
    }
    Ok(planes)
}

/// What all frames of a file have in common.
struct File {
    path: Arc<Path>,
    image_uid: Arc<str>,
    frames: u32,
    /// The place of each frame, where nothing but their order says it.
    order: Vec<u32>,
}

fn plane(fields: &Fields, file: &File, frame: u32, size: [usize; 2]) -> PlaneHeader {
    let frames = file.frames;
    let film = Film::of(fields, frames);
    let placed = match frames {
        1 => frames::Place {
            orientation: frames::orientation(fields),
            position_mm: fields.numbers(tags::IMAGE_POSITION_PATIENT),
            location_mm: fields.number(tags::SLICE_LOCATION),
            temporal_index: fields
                .whole(tags::TEMPORAL_POSITION_INDEX)
                .or_else(|| fields.whole(tags::TEMPORAL_POSITION_IDENTIFIER)),
            is_guessed: false,
        },
        _ => frames::place(fields, frame, file.order[frame as usize], film.is_some()),
    };
    let is_dose = fields.text(tags::MODALITY) == "RTDOSE";
    let dose = fields.size(tags::DOSE_GRID_SCALING).filter(|_| is_dose);
    let [slope, intercept] = dose.map_or_else(|| rescale(fields), |scale| [scale, 0.0]);
    PlaneHeader {
        path: file.path.clone(),
        frame,
        frames,
        series_uid: fields.text(tags::SERIES_INSTANCE_UID),
        series_number: fields.whole(tags::SERIES_NUMBER),
        modality: fields.text(tags::MODALITY),
        description: fields.text(tags::SERIES_DESCRIPTION),
        size,
        spacing_mm: None,
        thickness_mm: fields.size(tags::SLICE_THICKNESS),
        between_mm: fields.number(tags::SPACING_BETWEEN_SLICES).map(f64::abs).filter(|h| *h > 0.0),
        orientation: placed.orientation,
        position_mm: placed.position_mm,
        location_mm: placed.location_mm,
        trigger_ms: fields
            .number(tags::TRIGGER_TIME)
            .or_else(|| fields.number(tags::NOMINAL_CARDIAC_TRIGGER_DELAY_TIME))
            .or_else(|| fields.number(tags::TEMPORAL_POSITION_TIME_OFFSET).map(|s| 1e3 * s)),
        temporal_index: placed.temporal_index,
        instance: fields.whole(tags::INSTANCE_NUMBER),
        acquired_s: time::acquired_s(fields),
        film,
        kind: Arc::default(),
        image_uid: file.image_uid.clone(),
        tile: None,
        measured: Measured::There,
        is_guessed: placed.is_guessed,
        padding: padding(fields),
        slope,
        intercept,
        is_inverted: fields.text(tags::PHOTOMETRIC_INTERPRETATION) == "MONOCHROME1",
        lacks_dose_scale: is_dose && dose.is_none(),
    }
}

/// What stored samples are multiplied by, and what is added then: as the modality rescales them, else as the frame maps them to values
/// of the real world.
fn rescale(fields: &Fields) -> [f64; 2] {
    let factor = |tag: Tag| fields.number(tag).filter(|v| *v != 0.0);
    let (slope, intercept) = (factor(tags::RESCALE_SLOPE), fields.number(tags::RESCALE_INTERCEPT));
    if slope.is_some() || intercept.is_some() {
        return [slope.unwrap_or(1.0), intercept.unwrap_or(0.0)];
    }
    let Some(slope) = factor(tags::REAL_WORLD_VALUE_SLOPE) else { return [1.0, 0.0] };
    [slope, fields.number(tags::REAL_WORLD_VALUE_INTERCEPT).unwrap_or(0.0)]
}

/// The range of stored samples that are no data. In a segmentation it is the label of what lies around.
fn padding(fields: &Fields) -> Option<[i64; 2]> {
    if !fields.text(tags::SEGMENTATION_TYPE).is_empty() {
        return None;
    }
    let value = fields.whole(tags::PIXEL_PADDING_VALUE)?;
    let limit = fields.whole(tags::PIXEL_PADDING_RANGE_LIMIT).unwrap_or(value);
    Some([value.min(limit), value.max(limit)])
}

fn number(object: &InMemDicomObject, tag: Tag) -> Option<f64> {
    object.get(tag)?.to_float64().ok().filter(|v| v.is_finite() && *v >= 1.0)
}
