//! Pages whose header calls small samples white although they are floats or single bits: their samples stay as they are.
//!
//! A decoder would turn them over, which for floats is 1 − v and loses digits, and for masks of one bit changes what is inside.

use crate::read::element::ByteOrder;

const PHOTOMETRIC: u64 = 262;
const BITS: u64 = 258;
const FORMAT: u64 = 339;
const FLOAT: u64 = 3;
/// Pages that are looked at.
const MOST_PAGES: usize = 1 << 16;

/// Marks such pages as black where they are 0; how many they are.
pub(super) fn keep_samples(file: &mut [u8]) -> usize {
    let order = if file.starts_with(b"II") { ByteOrder::Little } else { ByteOrder::Big };
    let number = |file: &[u8], at: u64, bytes: usize| {
        let at = usize::try_from(at).ok()?;
        file.get(at..at.checked_add(bytes)?).map(|bytes| order.number(bytes))
    };
    let Some(version) = number(file, 2, 2) else { return 0 };
    let is_big = version == 43;
    let (offset, entry, head) = if is_big { (8, 20, 8) } else { (4, 12, 2) };
    let mut next = number(file, if is_big { 8 } else { 4 }, offset);
    let mut marked = 0;
    for _ in 0..MOST_PAGES {
        let Some(directory) = next.filter(|at| *at != 0) else { break };
        let Some(count) = number(file, directory, head).filter(|count| *count < 1 << 16) else { break };
        let places: Vec<u64> =
            (0..count).filter_map(|nth| directory.checked_add(head as u64 + entry * nth)).collect();
        let value_at = |at: u64| at + if is_big { 12 } else { 8 };
        let find =
            |file: &[u8], tag: u64| places.iter().copied().find(|&at| number(file, at, 2) == Some(tag));
        // Several equal values of 16 bits may stand elsewhere; the first of one or two stands here.
        let word = |file: &[u8], tag: u64| find(file, tag).and_then(|at| number(file, value_at(at), 2));
        let is_white = word(file, PHOTOMETRIC) == Some(0);
        let bits = word(file, BITS).unwrap_or(1);
        if is_white && (bits == 1 || word(file, FORMAT) == Some(FLOAT)) {
            let at = find(file, PHOTOMETRIC).and_then(|at| usize::try_from(value_at(at)).ok());
            if let Some(value) = at.and_then(|at| file.get_mut(at..at + 2)) {
                value.copy_from_slice(&if order == ByteOrder::Little { [1, 0] } else { [0, 1] });
                marked += 1;
            }
        }
        next = directory.checked_add(head as u64 + entry * count).and_then(|at| number(file, at, offset));
    }
    marked
}
