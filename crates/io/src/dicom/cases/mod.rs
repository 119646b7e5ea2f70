//! Files as scanners, archives and other programs leave them: what is no time, no place and no sample.

mod enhanced;
mod groups;
mod kinds;
mod places;
mod samples;

use super::tests::{Image, PIXELS};
use dicom_core::value::DataSetSequence;
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_object::{InMemDicomObject, Tag};

pub(super) const TRIGGER: Tag = Tag(0x0018, 0x1060);
pub(super) const INSTANCE: Tag = Tag(0x0020, 0x0013);
pub(super) const POSITION: Tag = Tag(0x0020, 0x0032);
pub(super) const ORIENTATION: Tag = Tag(0x0020, 0x0037);
pub(super) const MODALITY: Tag = Tag(0x0008, 0x0060);
pub(super) const FRAMES: Tag = Tag(0x0028, 0x0008);

/// An image without times.
pub(super) fn still(slice: i32, frame: i32) -> Image {
    Image::new(slice, frame).with(TRIGGER, VR::DS, "")
}

/// A file of so many frames of 4 × 3; sample `i` is `i`.
pub(super) fn many(frames: usize, extra: &[(Tag, VR, &str)]) -> InMemDicomObject {
    let image = extra.iter().fold(still(0, 0), |image, (tag, vr, text)| image.with(*tag, *vr, text));
    let mut object = image.with(FRAMES, VR::IS, &frames.to_string()).object();
    let samples: Vec<u16> = (0..12 * frames as u16).collect();
    object.put(DataElement::new(PIXELS, VR::OW, PrimitiveValue::U16(samples.into())));
    object
}

pub(super) fn word(object: &mut InMemDicomObject, tag: Tag, value: u16) {
    object.put(DataElement::new(tag, VR::US, PrimitiveValue::from(value)));
}

pub(super) fn words(object: &mut InMemDicomObject, tag: Tag, values: &[u16]) {
    object.put(DataElement::new(tag, VR::US, PrimitiveValue::U16(values.iter().copied().collect())));
}

pub(super) fn sequence(object: &mut InMemDicomObject, tag: Tag, items: Vec<InMemDicomObject>) {
    object.put(DataElement::new(tag, VR::SQ, DataSetSequence::from(items)));
}
