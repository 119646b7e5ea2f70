//! Pages whose header calls small samples white although they are floats or single bits: their samples stay as they are.
//!
//! A decoder would turn them over, which for floats is 1 − v and loses digits, and for masks of one bit changes what is inside.

use super::directories::{Directory, Layout};
use crate::read::element::ByteOrder;

const PHOTOMETRIC: u64 = 262;
const BITS: u64 = 258;
const FORMAT: u64 = 339;
const FLOAT: u64 = 3;
/// Pages that are looked at.
const MOST_PAGES: usize = 1 << 16;

/// Marks such pages as black where they are 0; how many they are.
pub(super) fn keep_samples(file: &mut [u8], directories: &[Directory]) -> usize {
    let layout = Layout::of(file);
    let is_one = |directory: &Directory| white_samples(file, layout, *directory);
    let places: Vec<usize> = directories.iter().take(MOST_PAGES).filter_map(is_one).collect();
    let black = if layout.order == ByteOrder::Little { [1, 0] } else { [0, 1] };
    for &at in &places {
        file[at..at + 2].copy_from_slice(&black);
    }
    places.len()
}

/// Where a page says that small samples are white, if they are floats or single bits.
fn white_samples(file: &[u8], layout: Layout, directory: Directory) -> Option<usize> {
    let mut found = [None; 3];
    for entry in layout.entries(file, directory) {
        for (tag, place) in [PHOTOMETRIC, BITS, FORMAT].into_iter().zip(&mut found) {
            if entry.tag == tag {
                place.get_or_insert(entry.values_at);
            }
        }
    }
    // Several equal values of 16 bits may stand elsewhere; the first of one or two stands here.
    let [photometric, bits, format] = found;
    let word = |at: Option<u64>| layout.number(file, at?, 2);
    let is_white = word(photometric) == Some(0);
    let is_kept = word(bits).unwrap_or(1) == 1 || word(format) == Some(FLOAT);
    photometric.filter(|_| is_white && is_kept).and_then(|at| usize::try_from(at).ok())
}
