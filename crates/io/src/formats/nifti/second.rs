//! The 540-byte header of a NIfTI-2 file, as that of a NIfTI-1 file with the same fields.
//!
//! *Specification*: `nifti2.h`, NIfTI Data Format Working Group, 2011. Places and scales have 64 bits there and 32 here.

use super::header::HEADER_BYTES;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::ByteOrder;

pub(super) const SECOND_BYTES: usize = 540;

/// Sixteen-bit numbers, and where they stand in the first header: type, and bits.
const WORDS: [[usize; 2]; 2] = [[12, 70], [14, 72]];
/// Thirty-two-bit numbers: kinds of the two places, intent.
const CODES: [[usize; 2]; 3] = [[344, 252], [348, 254], [504, 68]];
/// Numbers of 64 bits that become 32: parameters of the intent, spacings, scale, quaternion, offsets, the three rows of the sform.
const FLOATS: [[usize; 3]; 7] =
    [[80, 56, 3], [104, 76, 8], [176, 112, 2], [352, 256, 3], [376, 268, 3], [400, 280, 12], [216, 136, 1]];
const DIM: usize = 16;
const OFFSET: usize = 168;
const UNITS: usize = 500;
const INTENT_NAME: [usize; 2] = [508, 328];
const INTENT_NAME_BYTES: usize = 16;

/// Whether these are the first bytes of such a header, and in which order.
pub(super) fn order(first: &[u8]) -> Option<ByteOrder> {
    let is = |order: ByteOrder| order.number(&first[..4]) == SECOND_BYTES as u64;
    [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| is(*order))
}

/// The same fields, as the first header has them in this order of bytes; and where the samples begin.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) for another magic, or sizes that are none.
pub(super) fn as_first(bytes: &[u8], order: ByteOrder, context: &Context) -> Result<(Vec<u8>, u64)> {
    let magic = &bytes[4..8];
    let is_known = magic == b"n+2\0" || magic == b"ni2\0";
    context.require(is_known, "NIfTI magic", "\"n+2\" or \"ni2\"", format!("{magic:?}"))?;
    let number = |at: usize, count: usize| order.number(&bytes[at..at + count]);
    let mut first = vec![0; HEADER_BYTES];
    let mut put = |at: usize, value: u64, count: usize| {
        let little = value.to_le_bytes();
        let ordered: Vec<u8> = match order {
            ByteOrder::Little => little[..count].to_vec(),
            ByteOrder::Big => little[..count].iter().rev().copied().collect(),
        };
        first[at..at + count].copy_from_slice(&ordered);
    };
    put(0, HEADER_BYTES as u64, 4);
    for axis in 0..8 {
        let size = number(DIM + 8 * axis, 8) as i64;
        let small = i16::try_from(size).map_err(|_| {
            context.unsupported(
                format!("an axis of {size} in NIfTI-2"),
                "crop it to 32767, or convert it to .mha",
            )
        })?;
        put(40 + 2 * axis, u64::from(small as u16), 2);
    }
    WORDS.iter().for_each(|&[from, to]| put(to, number(from, 2), 2));
    CODES.iter().for_each(|&[from, to]| put(to, number(from, 4) & 0xffff, 2));
    for [from, to, count] in FLOATS {
        for nth in 0..count {
            let value = f64::from_bits(number(from + 8 * nth, 8)) as f32;
            put(to + 4 * nth, u64::from(value.to_bits()), 4);
        }
    }
    put(123, number(UNITS, 4) & 0xff, 1);
    let offset = number(OFFSET, 8);
    let [from, to] = INTENT_NAME;
    first[to..to + INTENT_NAME_BYTES].copy_from_slice(&bytes[from..from + INTENT_NAME_BYTES]);
    first[344..348].copy_from_slice(if magic == b"n+2\0" { b"n+1\0" } else { b"ni1\0" });
    Ok((first, offset))
}
