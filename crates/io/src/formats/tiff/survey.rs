//! A look at all pages before one is decoded: what they declare, and whether each has bytes of its own.

use super::directories::{Directory, Layout};
use super::{PageDecoder, failure, fill_order};
use crate::error::Result;
use crate::read::context::Context;
use std::ops::Range;
use tiff::tags::Tag;

/// Strips and tiles of all pages together; their places are held in memory meanwhile.
const MAX_CHUNKS: usize = 1 << 22;

/// Looks at the directories before they are decoded, and gives them: none shares bytes with another, and no entry of the first one
/// has more values than the file has bytes, nor any text of another one.
///
/// tiff 0.11 reads the first directory before it can be told any limits, and makes room for 32 times so many bytes; of texts beyond its
/// limits it prints a line of its own to standard error.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed).
pub(super) fn check_directories(file: &[u8], context: &Context) -> Result<Vec<Directory>> {
    let layout = Layout::of(file);
    let directories = layout.directories(file, context)?;
    let mut longest = 0;
    for (nth, directory) in directories.iter().enumerate() {
        let looked_at = layout.entries(file, *directory).filter(|entry| nth == 0 || entry.is_text());
        longest = looked_at.map(|entry| entry.count).fold(longest, u64::max);
    }
    let expected = format!("at most {} values, as many as the file has bytes", file.len());
    context.require(longest <= file.len() as u64, "TIFF directory entry", expected, longest)?;
    Ok(directories)
}

/// What all pages declare.
pub(super) struct Survey {
    pub declared_bytes: u64,
    pub pages: usize,
    /// Whether some page is a picture of its own.
    pub has_frames: bool,
}

/// The bytes that all pages take as frames of 32-bit floats. The decoder is left at the first page, and bytes that hold their first bit
/// lowest are turned round.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) for pages that share bytes: a small file of them becomes a very large sequence.
pub(super) fn declared_bytes(
    decoder: &mut PageDecoder,
    file_bytes: u64,
    context: &Context,
) -> Result<Survey> {
    let fail = |e| failure(e, file_bytes, context);
    let (mut declared_bytes, mut pages, mut has_frames) = (0u64, 0usize, false);
    let mut places: Vec<(Range<u64>, usize)> = Vec::new();
    let mut reversed: Vec<Range<u64>> = Vec::new();
    loop {
        let (nx, ny) = decoder.dimensions().map_err(fail)?;
        declared_bytes = declared_bytes.saturating_add((u64::from(nx) * u64::from(ny)).saturating_mul(4));
        for [offsets, counts] in
            [[Tag::StripOffsets, Tag::StripByteCounts], [Tag::TileOffsets, Tag::TileByteCounts]]
        {
            let mut numbers = |tag| decoder.find_tag_unsigned_vec::<u64>(tag).map_err(fail);
            let (offsets, counts) =
                (numbers(offsets)?.unwrap_or_default(), numbers(counts)?.unwrap_or_default());
            let own = offsets.iter().zip(counts).filter(|(_, count)| *count > 0);
            places.extend(own.map(|(&at, count)| (at..at.saturating_add(count), pages)));
        }
        let expected = format!("at most {MAX_CHUNKS} strips");
        context.require(places.len() <= MAX_CHUNKS, "TIFF pages", expected, places.len())?;
        if fill_order::is_reversed(decoder) {
            let own = places.iter().rev().take_while(|(_, page)| *page == pages);
            reversed.extend(own.map(|(place, _)| place.clone()));
        }
        has_frames |= super::pages::is_frame(decoder);
        pages += 1;
        if !decoder.more_images() {
            break;
        }
        decoder.next_image().map_err(fail)?;
    }
    places.sort_unstable_by_key(|(place, _)| place.start);
    let mut end = (0, 0);
    for (place, page) in places {
        if place.start < end.0 && page != end.1 {
            let (first, second) = (page.min(end.1), page.max(end.1));
            let got = format!("pages {first} and {second} that share them");
            return Err(context.malformed("TIFF pages", "each with bytes of its own", got));
        }
        if place.end > end.0 {
            end = (place.end, page);
        }
    }
    fill_order::reverse(decoder.inner().get_mut(), reversed);
    if pages > 1 {
        decoder.seek_to_image(0).map_err(fail)?;
    }
    Ok(Survey { declared_bytes, pages, has_frames })
}
