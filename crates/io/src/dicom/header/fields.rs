//! Values of a plane by their tags: in the functional groups of its frame, in those of all frames, or in the file itself.
//!
//! *Specification*: DICOM PS3.3, section C.7.6.16, for functional groups.

use super::untyped::{self, Stored};
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::tags;
use dicom_object::{InMemDicomObject, Tag};

/// The sequences of functional groups that hold what is looked for.
const GROUPS: [Tag; 25] = [
    tags::PLANE_POSITION_SEQUENCE,
    tags::PLANE_ORIENTATION_SEQUENCE,
    tags::PIXEL_MEASURES_SEQUENCE,
    tags::FRAME_CONTENT_SEQUENCE,
    tags::CARDIAC_SYNCHRONIZATION_SEQUENCE,
    tags::PIXEL_VALUE_TRANSFORMATION_SEQUENCE,
    tags::TEMPORAL_POSITION_SEQUENCE,
    tags::MR_IMAGE_FRAME_TYPE_SEQUENCE,
    tags::CT_IMAGE_FRAME_TYPE_SEQUENCE,
    tags::PET_FRAME_TYPE_SEQUENCE,
    tags::PARAMETRIC_MAP_FRAME_TYPE_SEQUENCE,
    tags::MR_ECHO_SEQUENCE,
    tags::MR_DIFFUSION_SEQUENCE,
    tags::MR_MODIFIER_SEQUENCE,
    tags::MR_TIMING_AND_RELATED_PARAMETERS_SEQUENCE,
    tags::MR_VELOCITY_ENCODING_SEQUENCE,
    tags::CT_RECONSTRUCTION_SEQUENCE,
    tags::SEGMENT_IDENTIFICATION_SEQUENCE,
    tags::PLANE_POSITION_VOLUME_SEQUENCE,
    tags::PLANE_ORIENTATION_VOLUME_SEQUENCE,
    tags::IMAGE_DATA_TYPE_SEQUENCE,
    tags::REAL_WORLD_VALUE_MAPPING_SEQUENCE,
    tags::MR_RECEIVE_COIL_SEQUENCE,
    tags::MR_IMAGING_MODIFIER_SEQUENCE,
    tags::CTX_RAY_DETAILS_SEQUENCE,
];
/// Most values of an element that is read.
const MOST_VALUES: usize = 16;
/// The number of characters that a UID may have.
pub(super) const MOST_CHARACTERS: usize = 64;

/// The objects in which a value of a frame may stand, the most particular first.
pub(in crate::dicom) struct Fields<'a>(Vec<&'a InMemDicomObject>);

impl<'a> Fields<'a> {
    pub fn new(object: &'a InMemDicomObject, frame: u32) -> Self {
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

    /// The file's own elements alone.
    pub fn of_file(object: &'a InMemDicomObject) -> Self {
        Self(vec![object])
    }

    /// What the functional groups say, and not the file itself.
    pub fn of_groups(&self) -> Self {
        Self(self.0[..self.0.len() - 1].to_vec())
    }

    /// The first item of a sequence.
    pub fn within(&self, sequence: Tag) -> Self {
        Self(self.0.iter().filter_map(|place| place.get(sequence)?.items()?.first()).collect())
    }

    /// The first `N` values; whatever follows them is not looked at, for as many frames as there may be.
    pub fn numbers<const N: usize>(&self, tag: Tag) -> Option<[f64; N]> {
        let first = |place: &&InMemDicomObject| {
            let value = place.get(tag)?.value().primitive()?;
            match value {
                PrimitiveValue::Strs(texts) => {
                    texts.get(..N)?.iter().map(|text| trimmed(text).parse().ok()).collect()
                }
                PrimitiveValue::Str(text) => Some(vec![trimmed(text).parse().ok()?]),
                // Bytes of a type that is not known may be text.
                PrimitiveValue::U8(bytes) if bytes.len() <= MOST_CHARACTERS => {
                    untyped::values::<N>(bytes, Stored::Text).map(Vec::from)
                }
                other if other.multiplicity() as usize <= MOST_VALUES => other.to_multi_float64().ok(),
                _ => None,
            }
        };
        let found: Vec<f64> = self.0.iter().find_map(first)?;
        found.iter().all(|v| v.is_finite()).then(|| found.first_chunk().copied())?
    }

    /// The first `N` values of a vendor's element, which may lie there as bytes.
    pub(super) fn stored<const N: usize>(&self, tag: Tag, stored: Stored) -> Option<[f64; N]> {
        let bytes = |place: &&InMemDicomObject| match place.get(tag)?.value().primitive()? {
            PrimitiveValue::U8(bytes) => untyped::values(bytes, stored),
            _ => None,
        };
        let found: Option<[f64; N]> = self.0.iter().find_map(bytes);
        found.filter(|values| values.iter().all(|v| v.is_finite())).or_else(|| self.numbers(tag))
    }

    pub fn number(&self, tag: Tag) -> Option<f64> {
        self.numbers(tag).map(|[value]| value)
    }

    /// A number above 0.
    pub fn size(&self, tag: Tag) -> Option<f64> {
        self.number(tag).filter(|v| *v > 0.0)
    }

    pub fn whole(&self, tag: Tag) -> Option<i64> {
        self.number(tag).map(|v| v as i64)
    }

    /// Value `nth` of a list as long as a file has frames.
    pub fn nth(&self, tag: Tag, nth: usize) -> Option<f64> {
        let value = |place: &&InMemDicomObject| match place.get(tag)?.value().primitive()? {
            PrimitiveValue::Strs(texts) => trimmed(texts.get(nth)?).parse().ok(),
            PrimitiveValue::Str(text) if nth == 0 => trimmed(text).parse().ok(),
            PrimitiveValue::U16(values) => values.get(nth).map(|v| f64::from(*v)),
            PrimitiveValue::F64(values) => values.get(nth).copied(),
            _ => None,
        };
        self.0.iter().find_map(value).filter(|v: &f64| v.is_finite())
    }

    /// The first value, of which so much counts as a UID may have.
    pub fn text(&self, tag: Tag) -> String {
        let first = |place: &&InMemDicomObject| {
            let text = match place.get(tag)?.value().primitive()? {
                PrimitiveValue::Strs(texts) => texts.first()?,
                PrimitiveValue::Str(text) => text,
                _ => return None,
            };
            Some(cut(text))
        };
        self.0.iter().find_map(first).unwrap_or_default()
    }

    /// All values of a short list, between backslashes; of tags their hexadecimal digits.
    pub fn texts(&self, tag: Tag) -> String {
        let all = |place: &&InMemDicomObject| match place.get(tag)?.value().primitive()? {
            PrimitiveValue::Strs(texts) => {
                let texts = texts.iter().take(MOST_VALUES).map(|text| cut(text));
                Some(texts.collect::<Vec<_>>().join("\\"))
            }
            PrimitiveValue::Str(text) => Some(cut(text)),
            PrimitiveValue::Tags(tags) => {
                Some(tags.iter().take(MOST_VALUES).map(hexadecimal).collect::<Vec<_>>().join("\\"))
            }
            _ => None,
        };
        self.0.iter().find_map(all).unwrap_or_default()
    }
}

fn hexadecimal(tag: &Tag) -> String {
    format!("{:04X}{:04X}", tag.group(), tag.element())
}

fn cut(text: &str) -> String {
    trimmed(&text.chars().take(MOST_CHARACTERS).collect::<String>()).to_owned()
}

/// Without the padding to an even length.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0')
}
