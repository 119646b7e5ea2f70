//! Millimetres between the pixels of a plane, and what they are measured by.
//!
//! *Specification*: DICOM PS3.3, sections 10.7 (pixel spacing, and its calibration), C.8.7.10 and C.8.6 (at the imager), C.8.5.5
//! (regions of ultrasound), C.7.6.3 (aspect ratio of pixels, where no length is known).

use super::fields::Fields;
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::tags;
use dicom_object::{InMemDicomObject, Tag};

/// Centimetres, as a unit of a region.
const CENTIMETRES: f64 = 3.0;
/// Pictures of tissue over two axes, among the formats of a region.
const PICTURE: f64 = 1.0;
/// Spacings that differ by less than this share are one.
const SAME: f64 = 1e-3;

/// Where a pixel spacing comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measured {
    /// In the patient.
    There,
    /// At the detector, where nothing says how much larger the patient is seen there.
    AtImager,
    /// At the detector, divided by the magnification.
    Demagnified(f64),
    /// In the regions of an ultrasound picture.
    InRegions,
    /// Regions of an ultrasound picture do not agree.
    RegionsDiffer,
    /// On a film that was scanned.
    OnFilm,
    /// By no length: pixels are taken 1 mm wide, and as high as their aspect ratio makes them.
    ByAspect,
}

/// Millimetres between columns and between rows.
pub(super) fn of(fields: &Fields, object: &InMemDicomObject) -> (Option<[f64; 2]>, Measured) {
    let pair = |tag: Tag| {
        // Rows first in the file.
        let found: Option<[f64; 2]> = fields.numbers(tag);
        found.map(|[y, x]| [x, y]).filter(|v| v.iter().all(|h| *h > 0.0))
    };
    let at_imager = pair(tags::IMAGER_PIXEL_SPACING);
    // A pixel spacing equal to the detector's was not corrected, unless the file says by what.
    let is_corrected = !fields.text(tags::PIXEL_SPACING_CALIBRATION_TYPE).is_empty();
    if let Some(spacing) = pair(tags::PIXEL_SPACING).filter(|own| is_corrected || Some(*own) != at_imager) {
        return (Some(spacing), Measured::There);
    }
    if let Some(spacing) = at_imager {
        let ratio = || {
            let detector = fields.size(tags::DISTANCE_SOURCE_TO_DETECTOR)?;
            Some(detector / fields.size(tags::DISTANCE_SOURCE_TO_PATIENT)?)
        };
        let factor = fields.size(tags::ESTIMATED_RADIOGRAPHIC_MAGNIFICATION_FACTOR).or_else(ratio);
        return match factor {
            Some(factor) => (Some(spacing.map(|h| h / factor)), Measured::Demagnified(factor)),
            None => (Some(spacing), Measured::AtImager),
        };
    }
    if let Some(spacing) = pair(tags::NOMINAL_SCANNED_PIXEL_SPACING) {
        return (Some(spacing), Measured::OnFilm);
    }
    let mut regions = regions(object);
    let Some(first) = regions.next() else { return by_aspect(fields) };
    let agree = |other: [f64; 2]| (0..2).all(|a| (other[a] - first[a]).abs() < SAME * first[a]);
    if regions.all(agree) { (Some(first), Measured::InRegions) } else { (None, Measured::RegionsDiffer) }
}

/// Pixels 1 mm wide, where their aspect ratio says that they are not square.
fn by_aspect(fields: &Fields) -> (Option<[f64; 2]>, Measured) {
    // The height first.
    let ratio: Option<[f64; 2]> = fields.numbers(tags::PIXEL_ASPECT_RATIO);
    let height = ratio.map(|[y, x]| y / x).filter(|height| *height > 0.0 && height.is_finite());
    match height.filter(|height| (height - 1.0).abs() > SAME) {
        Some(height) => (Some([1.0, height]), Measured::ByAspect),
        None => (None, Measured::There),
    }
}

/// The spacings of the regions that are pictures of tissue, mm.
fn regions(object: &InMemDicomObject) -> impl Iterator<Item = [f64; 2]> {
    let items = object.get(tags::SEQUENCE_OF_ULTRASOUND_REGIONS).and_then(|element| element.items());
    items.unwrap_or_default().iter().filter_map(|item| {
        let number = |tag: Tag| match item.get(tag)?.value().primitive()? {
            PrimitiveValue::U16(values) => values.first().map(|v| f64::from(*v)),
            PrimitiveValue::F64(values) => values.first().copied(),
            _ => None,
        };
        let is_picture = number(tags::REGION_SPATIAL_FORMAT).is_none_or(|format| format == PICTURE);
        let units = [tags::PHYSICAL_UNITS_X_DIRECTION, tags::PHYSICAL_UNITS_Y_DIRECTION].map(number);
        let [x, y] = [tags::PHYSICAL_DELTA_X, tags::PHYSICAL_DELTA_Y].map(number);
        let spacing = [10.0 * x?.abs(), 10.0 * y?.abs()];
        let is_length = units == [Some(CENTIMETRES); 2] && spacing.iter().all(|h| *h > 0.0 && h.is_finite());
        (is_picture && is_length).then_some(spacing)
    })
}
