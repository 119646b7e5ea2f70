//! Tables that a file holds for its samples: what a stored sample stands for, and the colours of a palette.
//!
//! *Specification*: DICOM PS3.3, sections C.11.1 (modality LUT) and C.7.6.3.1.5 (palettes).

use crate::read::luminance::LUMA;
use dicom_core::PrimitiveValue;
use dicom_dictionary_std::tags;
use dicom_object::{InMemDicomObject, Tag};

/// Modalities whose table is for the screen alone.
const FOR_THE_SCREEN: [&str; 2] = ["XA", "RF"];

/// Values by stored sample; the first and the last stand for those beyond.
#[derive(Debug)]
pub(super) struct Table {
    first: i64,
    values: Vec<f64>,
    /// Its values are of so many bits.
    pub bits: u32,
}

impl Table {
    pub fn value(&self, stored: i64) -> f64 {
        let last = self.values.len() as i64 - 1;
        self.values[(stored - self.first).clamp(0, last) as usize]
    }

    /// The entries that a descriptor counts, of the data beside it.
    fn of(object: &InMemDicomObject, descriptor: Tag, data: Tag) -> Result<Self, String> {
        let descriptor = object.get(descriptor).and_then(|element| element.value().primitive());
        let Some([count, first, bits]) = descriptor.and_then(three) else {
            return Err("a table without a descriptor of three numbers".to_owned());
        };
        let count = match count & 0xffff {
            0 => 1 << 16,
            count => count as usize,
        };
        let is_bytes = bits <= 8;
        let values: Option<Vec<f64>> = match object.get(data).and_then(|element| element.value().primitive())
        {
            Some(PrimitiveValue::U16(words)) if is_bytes && words.len() < count => {
                Some(words.iter().flat_map(|word| word.to_le_bytes()).map(f64::from).collect())
            }
            Some(PrimitiveValue::U16(words)) => Some(words.iter().map(|word| f64::from(*word)).collect()),
            Some(PrimitiveValue::I16(words)) => {
                Some(words.iter().map(|word| f64::from(*word as u16)).collect())
            }
            Some(PrimitiveValue::U8(bytes)) if is_bytes && bytes.len() < 2 * count => {
                Some(bytes.iter().map(|byte| f64::from(*byte)).collect())
            }
            Some(PrimitiveValue::U8(bytes)) => {
                Some(bytes.as_chunks::<2>().0.iter().map(|two| f64::from(u16::from_le_bytes(*two))).collect())
            }
            _ => None,
        };
        let mut values = values.unwrap_or_default();
        if values.len() < count {
            return Err(format!("a table of {} values, whose descriptor counts {count}", values.len()));
        }
        values.truncate(count);
        Ok(Self { first, values, bits: bits.clamp(1, 16) as u32 })
    }
}

/// Three whole numbers; the second has a sign only where the samples have.
fn three(value: &PrimitiveValue) -> Option<[i64; 3]> {
    match value {
        PrimitiveValue::U16(words) => words.get(..3)?.iter().map(|word| i64::from(*word)).collect::<Vec<_>>(),
        PrimitiveValue::I16(words) => words.get(..3)?.iter().map(|word| i64::from(*word)).collect(),
        PrimitiveValue::U8(bytes) => {
            let words = bytes.get(..6)?.as_chunks::<2>().0;
            words.iter().map(|two| i64::from(u16::from_le_bytes(*two))).collect()
        }
        _ => return None,
    }
    .first_chunk()
    .copied()
}

/// What stored samples stand for, where a table says it.
pub(super) fn of_modality(object: &InMemDicomObject, modality: &str) -> Result<Option<Table>, String> {
    if FOR_THE_SCREEN.contains(&modality) {
        return Ok(None);
    }
    let items = object.get(tags::MODALITY_LUT_SEQUENCE).and_then(|element| element.items());
    let Some(item) = items.and_then(|items| items.first()) else { return Ok(None) };
    Table::of(item, tags::LUT_DESCRIPTOR, tags::LUT_DATA).map(Some)
}

/// The luminance of every entry of a palette.
pub(super) fn palette(object: &InMemDicomObject) -> Result<Table, String> {
    if object.get(tags::SEGMENTED_RED_PALETTE_COLOR_LOOKUP_TABLE_DATA).is_some() {
        return Err("a palette in segments, which is not read".to_owned());
    }
    let channels = [
        (tags::RED_PALETTE_COLOR_LOOKUP_TABLE_DESCRIPTOR, tags::RED_PALETTE_COLOR_LOOKUP_TABLE_DATA),
        (tags::GREEN_PALETTE_COLOR_LOOKUP_TABLE_DESCRIPTOR, tags::GREEN_PALETTE_COLOR_LOOKUP_TABLE_DATA),
        (tags::BLUE_PALETTE_COLOR_LOOKUP_TABLE_DESCRIPTOR, tags::BLUE_PALETTE_COLOR_LOOKUP_TABLE_DATA),
    ];
    let [red, green, blue] = channels.map(|(descriptor, data)| Table::of(object, descriptor, data));
    let (red, green, blue) = (red?, green?, blue?);
    let lengths = [red.values.len(), green.values.len(), blue.values.len()];
    if lengths != [lengths[0]; 3] || red.first != green.first || red.first != blue.first {
        return Err("a palette whose channels differ in length".to_owned());
    }
    let luminance = |nth: usize| {
        let rgb = [red.values[nth], green.values[nth], blue.values[nth]];
        // Equal channels are exactly their value.
        LUMA.iter().zip(rgb).map(|(weight, v)| weight * v).sum::<f64>()
    };
    Ok(Table { values: (0..lengths[0]).map(luminance).collect(), ..red })
}
