//! Mosaics of Siemens scanners: the slices of a volume as tiles of one picture.
//!
//! *Order*: tiles row by row; as many in a row as in a column, the last ones empty.
//! *Place*: the header gives the corner of a slice as large as the mosaic around the same middle.
//! *Source*: the tags that the vendor's own headers list: NumberOfImagesInMosaic, SliceNormalVector.

use super::PlaneHeader;
use super::fields::Fields;
use crate::read::geometry::cross;
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::tags;
use dicom_object::{InMemDicomObject, Tag};

const COUNT: Tag = Tag(0x0019, 0x100A);
/// Named values, of which some are numbers.
const CSA: [Tag; 2] = [Tag(0x0029, 0x1010), Tag(0x0029, 0x1110)];
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
}

/// Whether a plane is a mosaic.
pub(super) fn is_mosaic(fields: &Fields) -> bool {
    fields.texts(tags::IMAGE_TYPE).split('\\').any(|word| word.eq_ignore_ascii_case("MOSAIC"))
}

/// The slices of a mosaic, or why it cannot be taken apart.
pub(super) fn tiles(
    whole: &PlaneHeader,
    fields: &Fields,
    object: &InMemDicomObject,
) -> Result<Vec<PlaneHeader>, String> {
    let csa = CSA.iter().find_map(|&tag| bytes(object, tag));
    let count = match object.get(COUNT).map(|element| element.value().primitive()) {
        Some(Some(PrimitiveValue::U16(words))) => words.first().map(|count| f64::from(*count)),
        Some(Some(PrimitiveValue::U8(two))) if two.len() == 2 => {
            Some(f64::from(u16::from_le_bytes([two[0], two[1]])))
        }
        _ => fields.number(COUNT),
    };
    let count =
        count.or_else(|| csa.and_then(|csa| csa_numbers::<1>(csa, "NumberOfImagesInMosaic")).map(|[n]| n));
    let Some(count) = count.filter(|n| (1.0..=4096.0).contains(n)).map(|n| n as usize) else {
        let way_out = "convert it with dcm2niix first";
        return Err(format!("it is a mosaic of slices that does not say how many there are: {way_out}"));
    };
    let side = (1..=64).find(|side| side * side >= count).unwrap_or(64);
    let [columns, rows] = whole.size;
    if columns % side != 0 || rows % side != 0 {
        return Err(format!("{columns} × {rows} pixels are no mosaic of {count} slices"));
    }
    let size = [columns / side, rows / side];
    let Some(spacing) = whole.spacing_mm else {
        return Err("it is a mosaic without a pixel spacing".to_owned());
    };
    let (Some([along_rows, along_columns]), Some(corner)) = (whole.orientation, whole.position_mm) else {
        return Err("it is a mosaic without a place".to_owned());
    };
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
        let tile = Some(Tile { at, of: whole.size });
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
