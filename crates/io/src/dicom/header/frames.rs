//! Where the frames of a file lie that do not say it themselves: offsets of a dose grid, vectors of nuclear medicine, or one slice
//! behind the other.
//!
//! *Specification*: DICOM PS3.3, sections C.8.8.3 (RT dose), C.8.4.8 and C.8.4.15 (NM frames and reconstructions).

use super::fields::Fields;
use crate::read::geometry::{length, normal};
use dicom_dictionary_std::tags;
use dicom_object::Tag;
use std::collections::HashMap;

/// Coordinates that differ by less are one, mm.
const SAME_MM: f64 = 0.01;

/// Where a frame lies, and its place in time.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub orientation: Option<[[f64; 3]; 2]>,
    pub position_mm: Option<[f64; 3]>,
    /// Along the normal, where no position is given.
    pub location_mm: Option<f64>,
    pub temporal_index: Option<i64>,
    /// Whether nothing but the order of the frames says where this one lies.
    pub is_guessed: bool,
}

/// Vectors that count frames over time.
const TIMES: [Tag; 4] =
    [tags::TIME_SLOT_VECTOR, tags::TIME_SLICE_VECTOR, tags::PHASE_VECTOR, tags::RR_INTERVAL_VECTOR];

/// Vectors that count frames of one place which are no slices: windows of energy, detectors, rotations and views.
const KINDS: [Tag; 4] =
    [tags::ENERGY_WINDOW_VECTOR, tags::DETECTOR_VECTOR, tags::ROTATION_VECTOR, tags::ANGULAR_VIEW_VECTOR];

/// The place of each frame of a file among those that its vectors count alike: frames that differ in time, window or view lie at one
/// place, and those that differ in nothing one behind the other.
pub(super) fn in_order(fields: &Fields, frames: u32) -> Vec<u32> {
    let mut alike: HashMap<[Option<u64>; TIMES.len() + KINDS.len()], u32> = HashMap::new();
    let place = |frame: u32| {
        let mut counted = [None; TIMES.len() + KINDS.len()];
        for (value, tag) in counted.iter_mut().zip(TIMES.into_iter().chain(KINDS)) {
            *value = fields.nth(tag, frame as usize).map(f64::to_bits);
        }
        let next = alike.entry(counted).or_default();
        *next += 1;
        *next - 1
    };
    (0..frames).map(place).collect()
}

/// Why the offsets of a dose's planes cannot be those of so many frames; nothing if they can, or there are none.
pub(super) fn fault_of_offsets(fields: &Fields, frames: u32) -> Result<(), String> {
    let has = |nth: u32| fields.nth(tags::GRID_FRAME_OFFSET_VECTOR, nth as usize).is_some();
    if !has(0) || has(frames - 1) {
        return Ok(());
    }
    let count = (0..frames).take_while(|nth| has(*nth)).count();
    Err(format!("it says where {count} planes lie (GridFrameOffsetVector), and has {frames}"))
}

/// Places one frame of many, which lies behind so many others of its file (`order`) where nothing else says where.
pub(super) fn place(fields: &Fields, frame: u32, order: u32, is_film: bool) -> Place {
    let own = fields.of_groups();
    let orientation = orientation(fields);
    let detector = fields.within(tags::DETECTOR_INFORMATION_SEQUENCE);
    let orientation = orientation.or_else(|| self::orientation(&detector));
    let temporal_index = fields
        .whole(tags::TEMPORAL_POSITION_INDEX)
        .or_else(|| fields.whole(tags::TEMPORAL_POSITION_IDENTIFIER))
        .or_else(|| TIMES.iter().find_map(|&tag| fields.nth(tag, frame as usize)).map(|v| v as i64));
    let placed = Place { orientation, temporal_index, ..Place::default() };
    if let Some(position) = position(&own) {
        return Place { position_mm: Some(position), ..placed };
    }
    let first = fields.numbers(tags::IMAGE_POSITION_PATIENT);
    let first: Option<[f64; 3]> = first.or_else(|| detector.numbers(tags::IMAGE_POSITION_PATIENT));
    let between = fields.number(tags::SPACING_BETWEEN_SLICES).filter(|h| *h != 0.0);
    let (along, is_guessed) = if let Some(offset) = dose_offset(fields, first, orientation, frame) {
        (offset, false)
    } else if is_film {
        return Place { position_mm: first, ..placed };
    } else {
        let nth = in_stack(fields, frame);
        let distance = between.or_else(|| fields.size(tags::SLICE_THICKNESS));
        let nth_of_file = nth.unwrap_or(f64::from(order));
        (nth_of_file * distance.unwrap_or(1.0), nth_of_file > 0.0 && (between.is_none() || nth.is_none()))
    };
    match (first, orientation) {
        (Some(first), Some([rows, columns])) => {
            let normal = normal(rows, columns);
            let position = [0, 1, 2].map(|k| first[k] + along * normal[k]);
            Place { position_mm: Some(position), is_guessed, ..placed }
        }
        _ => Place { location_mm: Some(along), is_guessed, ..placed },
    }
}

/// Where a frame's first pixel lies in the patient, or in the volume of an ultrasound, mm.
pub(super) fn position(fields: &Fields) -> Option<[f64; 3]> {
    let in_patient = fields.numbers(tags::IMAGE_POSITION_PATIENT);
    in_patient.or_else(|| fields.numbers(tags::IMAGE_POSITION_VOLUME))
}

/// Directions of rows and columns, each of length 1, in the patient or in the volume of an ultrasound.
pub(super) fn orientation(fields: &Fields) -> Option<[[f64; 3]; 2]> {
    let in_patient: Option<[f64; 6]> = fields.numbers(tags::IMAGE_ORIENTATION_PATIENT);
    let six: Option<[f64; 6]> = in_patient.or_else(|| fields.numbers(tags::IMAGE_ORIENTATION_VOLUME));
    let [a, b, c, d, e, f] = six?;
    let [rows, columns] = [[a, b, c], [d, e, f]].map(|v| (v, length(v)));
    let unit = |(v, length): ([f64; 3], f64)| v.map(|v| v / length);
    (rows.1 > 0.0 && columns.1 > 0.0).then(|| [unit(rows), unit(columns)])
}

/// The place of a frame among the slices of its file, from 0 on, where that is said.
fn in_stack(fields: &Fields, frame: u32) -> Option<f64> {
    let slice = fields.nth(tags::SLICE_VECTOR, frame as usize);
    slice.or_else(|| fields.of_groups().number(tags::IN_STACK_POSITION_NUMBER)).map(|nth| nth - 1.0)
}

/// How far a plane of a dose lies along the normal from the first position. Offsets that begin with 0 count from there; others are
/// coordinates along the world's z axis.
fn dose_offset(
    fields: &Fields,
    first: Option<[f64; 3]>,
    orientation: Option<[[f64; 3]; 2]>,
    frame: u32,
) -> Option<f64> {
    let begin = fields.nth(tags::GRID_FRAME_OFFSET_VECTOR, 0)?;
    let offset = fields.nth(tags::GRID_FRAME_OFFSET_VECTOR, frame as usize)?;
    let is_coordinate = begin.abs() > SAME_MM && first.is_some_and(|p| (p[2] - begin).abs() < SAME_MM);
    let along_z = orientation.map_or(1.0, |[rows, columns]| normal(rows, columns)[2]);
    Some(if is_coordinate { (offset - begin) * along_z.signum() } else { offset - begin })
}
