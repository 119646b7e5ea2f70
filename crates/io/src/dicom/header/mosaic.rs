//! Mosaics of Siemens scanners: the slices of a volume as tiles of one picture. Those of United Imaging are known and refused by name.
//!
//! *Order*: tiles row by row; as many in a row as in a column, the last ones empty.
//! *Place*: the header gives the corner of a slice as large as the mosaic around the same middle.
//! *Source*: the tags that the vendor's own headers list: NumberOfImagesInMosaic, SliceNormalVector.

use super::PlaneHeader;
use super::fields::Fields;
use super::spacing::Measured;
use crate::read::geometry::cross;
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::tags;
use dicom_object::{InMemDicomObject, Tag};

const COUNT: Tag = Tag(0x0019, 0x100A);
/// Named values, of which some are numbers, lie in the element of this number of a private block.
const CSA_ELEMENT: u16 = 0x10;
/// Group and first and last number of private blocks.
const CSA_GROUP: u16 = 0x0029;
const BLOCKS: std::ops::RangeInclusive<u16> = 0x10..=0xFF;
/// The number of slices in a picture of United Imaging.
const UNITED_COUNT: Tag = Tag(0x0065, 0x1050);
/// What cannot be taken apart here.
const WAY_OUT: &str = "convert it with dcm2niix first";
/// Bytes of a name, and of all that stands before the first value's length.
const NAME_BYTES: usize = 64;
const ENTRY_BYTES: usize = 84;

/// A tile of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Its first column and row.
    pub at: [usize; 2],
    /// Columns and rows of the whole picture.
    pub of: [usize; 2],
    /// Whether the distance of the slices is said, or is their thickness for want of it.
    pub distance: TileDistance,
}

/// Where the distance of a mosaic's slices comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TileDistance {
    /// The header says it.
    Said,
    /// The header says how thick they are.
    Thickness,
}

/// Whether a plane is a mosaic: by a word of its type, or by the number of slices that it says to hold.
pub(super) fn is_mosaic(fields: &Fields, object: &InMemDicomObject) -> bool {
    let has_word =
        |known: &str| fields.texts(tags::IMAGE_TYPE).split('\\').any(|word| word.eq_ignore_ascii_case(known));
    let has_several = || count(fields, object, csa(object)).is_some_and(|count| count > 1.0);
    has_word("MOSAIC") || is_united(fields, has_word("VFRAME")) || has_several()
}

/// Whether a plane is a picture of several slices of United Imaging.
fn is_united(fields: &Fields, has_word: bool) -> bool {
    has_word || fields.number(UNITED_COUNT).is_some_and(|count| count > 1.0)
}

/// How many slices a mosaic of Siemens says to hold.
fn count(fields: &Fields, object: &InMemDicomObject, csa: Option<&[u8]>) -> Option<f64> {
    let said = match object.get(COUNT).map(|element| element.value().primitive()) {
        Some(Some(PrimitiveValue::U16(words))) => words.first().map(|count| f64::from(*count)),
        Some(Some(PrimitiveValue::U8(two))) if two.len() == 2 => {
            Some(f64::from(u16::from_le_bytes([two[0], two[1]])))
        }
        _ => fields.number(COUNT),
    };
    said.or_else(|| csa.and_then(|csa| csa_numbers::<1>(csa, "NumberOfImagesInMosaic")).map(|[n]| n))
}

/// The list of named values, in whichever private block it lies.
fn csa(object: &InMemDicomObject) -> Option<&[u8]> {
    let lists = BLOCKS.filter_map(|block| bytes(object, Tag(CSA_GROUP, block << 8 | CSA_ELEMENT)));
    lists.into_iter().find(|list| csa_numbers::<1>(list, "NumberOfImagesInMosaic").is_some())
}

/// The slices of a mosaic, or why it cannot be taken apart.
pub(super) fn tiles(
    whole: &PlaneHeader,
    fields: &Fields,
    object: &InMemDicomObject,
) -> Result<Vec<PlaneHeader>, String> {
    if is_united(fields, false) {
        return Err(format!(
            "it is a picture of several slices of United Imaging, which is not read: {WAY_OUT}"
        ));
    }
    let csa = csa(object);
    let count = count(fields, object, csa).filter(|n| (1.0..=4096.0).contains(n));
    let Some(count) = count.map(|n| n as usize) else {
        return Err(format!("it is a mosaic of slices that does not say how many there are: {WAY_OUT}"));
    };
    let side = (1..=64).find(|side| side * side >= count).unwrap_or(64);
    let [columns, rows] = whole.size;
    if columns % side != 0 || rows % side != 0 {
        return Err(format!("{columns} × {rows} pixels are no mosaic of {count} slices"));
    }
    let size = [columns / side, rows / side];
    let Some(spacing) = whole.spacing_mm.filter(|_| whole.measured != Measured::ByAspect) else {
        return Err("it is a mosaic without a pixel spacing".to_owned());
    };
    let (Some([along_rows, along_columns]), Some(corner)) = (whole.orientation, whole.position_mm) else {
        return Err("it is a mosaic without a place".to_owned());
    };
    let told_by = whole.between_mm.map_or(TileDistance::Thickness, |_| TileDistance::Said);
    let distance = whole.between_mm.or(whole.thickness_mm);
    let Some(distance) = distance else {
        return Err("it is a mosaic without a distance of slices".to_owned());
    };
    let normal = cross(along_rows, along_columns);
    let told = csa.and_then(|csa| csa_numbers::<3>(csa, "SliceNormalVector"));
    let is_turned = told.is_some_and(|told| (0..3).map(|k| told[k] * normal[k]).sum::<f64>() < 0.0);
    let step = if is_turned { -distance } else { distance };
    let shift = [0, 1].map(|a| (whole.size[a] - size[a]) as f64 / 2.0 * spacing[a]);
    let tile = |nth: usize| {
        let at = [nth % side * size[0], nth / side * size[1]];
        let along = step * nth as f64;
        let position = [0, 1, 2]
            .map(|k| corner[k] + shift[0] * along_rows[k] + shift[1] * along_columns[k] + along * normal[k]);
        let tile = Some(Tile { at, of: whole.size, distance: told_by });
        PlaneHeader { size, tile, position_mm: Some(position), between_mm: Some(distance), ..whole.clone() }
    };
    Ok((0..count).map(tile).collect())
}

fn bytes(object: &InMemDicomObject, tag: Tag) -> Option<&[u8]> {
    match object.get(tag)?.value().primitive()? {
        PrimitiveValue::U8(bytes) => Some(bytes),
        _ => None,
    }
}

/// The first values of a name in Siemens' list of values: a name of 64 bytes, 20 bytes of type, then for each value four numbers, of
/// which the first is its length, and its text.
fn csa_numbers<const N: usize>(csa: &[u8], name: &str) -> Option<[f64; N]> {
    let is_here = |at: usize| csa.get(at + name.len()) == Some(&0) && csa[at..].starts_with(name.as_bytes());
    let mut at = (0..csa.len().saturating_sub(NAME_BYTES)).find(|&at| is_here(at))? + ENTRY_BYTES;
    let mut values = Vec::new();
    while values.len() < N {
        let length = csa.get(at..at + 4)?;
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let begin = at.checked_add(16)?;
        let text = csa.get(begin..begin.checked_add(length)?)?;
        let text = std::str::from_utf8(text).ok()?;
        values.push(text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).parse().ok()?);
        at = begin + length.div_ceil(4) * 4;
    }
    values.first_chunk().copied()
}
