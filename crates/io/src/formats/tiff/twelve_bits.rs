//! Pages of 12 bits a sample, which the decoder refuses: their headers are made to say bytes, three for two samples, and the samples
//! are taken out of the bytes afterwards.
//!
//! *Limits*: one sample a pixel, without a predictor; others keep their headers, and are refused.

use super::directories::{Directory, Entry, Layout};

const BITS: u64 = 258;
const SAMPLES: u64 = 277;
const PREDICTOR: u64 = 317;
/// The width of a page, and of its tiles.
const WIDTHS: [u64; 2] = [256, 322];

/// Makes such pages ones of bytes; the widths in pixels that they had, by the number of the directory.
pub(super) fn as_bytes(file: &mut [u8], directories: &[Directory]) -> Vec<(usize, u32)> {
    let layout = Layout::of(file);
    let changed = directories.iter().enumerate().filter_map(|(nth, directory)| {
        let entries: Vec<Entry> = layout.entries(file, *directory).collect();
        let of = |tag: u64| entries.iter().find(|entry| entry.tag == tag);
        let number = |tag: u64| layout.value(file, of(tag)?);
        let is_one = number(BITS) == Some(12) && number(SAMPLES).unwrap_or(1) == 1;
        if !is_one || number(PREDICTOR).unwrap_or(1) != 1 {
            return None;
        }
        let width = number(WIDTHS[0])?;
        let mut changes: Vec<(Entry, u32)> = of(BITS).map(|bits| (*bits, 8)).into_iter().collect();
        for tag in WIDTHS {
            if let (Some(entry), Some(pixels)) = (of(tag), number(tag)) {
                changes.push((*entry, u32::try_from((12 * u64::from(pixels)).div_ceil(8)).ok()?));
            }
        }
        changes.iter().try_for_each(|(entry, value)| layout.put_value(file, entry, *value))?;
        Some((nth, width))
    });
    changed.collect()
}
