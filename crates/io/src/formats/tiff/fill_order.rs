//! Strips and tiles whose bytes hold their first bit lowest (FillOrder 2): each byte is turned round before it is decoded.
//!
//! *Specification*: Adobe, "TIFF Revision 6.0", 1992, FillOrder. As libtiff does it, whatever the number of bits of a sample and the
//! compression, but for those that look at bits themselves.

use super::PageDecoder;
use std::io::Cursor;
use std::ops::Range;
use tiff::tags::Tag;

const LOWEST_FIRST: u16 = 2;
/// Faxes, JPEG and JBIG, whose decoders look at the order of bits themselves, or have one of their own.
const OF_THEIR_OWN: [u16; 7] = [2, 3, 4, 6, 7, 34661, 34892];

/// Whether the bytes of the decoder's page are to be turned round.
pub(super) fn is_reversed(decoder: &mut PageDecoder) -> bool {
    let mut number = |tag: Tag| decoder.find_tag_unsigned::<u16>(tag).ok().flatten();
    number(Tag::FillOrder) == Some(LOWEST_FIRST)
        && !OF_THEIR_OWN.contains(&number(Tag::Compression).unwrap_or(1))
}

/// Turns the bytes of these places round, each once where places overlap.
pub(super) fn reverse(file: &mut Cursor<Vec<u8>>, mut places: Vec<Range<u64>>) {
    let bytes = file.get_mut();
    places.sort_unstable_by_key(|place| place.start);
    let mut done = 0;
    for place in places {
        let [begin, end] = [place.start, place.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let end = end.min(bytes.len());
        if let Some(bytes) = bytes.get_mut(begin.max(done)..end) {
            bytes.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
            done = end;
        }
    }
}
