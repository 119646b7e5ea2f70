//! Blosc 1 containers: blocks that are shuffled, and compressed by BloscLZ, LZ4, zlib or Zstandard.
//!
//! *Specification*: c-blosc, `README_CHUNK_FORMAT.rst`, and `blosc.c` for what it leaves open: where blocks are split.
//! *Compatible implementations*: c-blosc 1.21 through numcodecs (compared in `tests/peers.py`).
//! *Limits*: no Snappy, which c-blosc is rarely built with.

use super::{TOO_LONG, blosc_lz, expanded, shuffle, zstandard};
use flate2::read::ZlibDecoder;

const HEADER_BYTES: usize = 16;
const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const BITS_SHUFFLED: u8 = 4;
const NOT_SPLIT: u8 = 16;
/// Larger samples are not split.
const MOST_SPLITS: usize = 16;
/// Parts of a block that are shorter are not made.
const LEAST_PART_BYTES: usize = 128;

/// The version of the container, and of LZ4 in it.
const VERSIONS: [u8; 2] = [2, 1];
const LZ4: u8 = 1 << 5;
/// Bytes of a block that is written: it stays in the cache.
const BLOCK_BYTES: usize = 1 << 18;

/// Memory of the encoder, which is used again.
#[derive(Debug, Default)]
pub(crate) struct EncoderMemory {
    /// The container.
    out: Vec<u8>,
    /// A block, shuffled.
    turned: Vec<u8>,
    /// It compressed.
    packed: Vec<u8>,
}

/// Samples of `size` bytes as a container: shuffled where they have several bytes, and compressed by LZ4.
pub(super) fn encode<'m>(plain: &[u8], size: usize, memory: &'m mut EncoderMemory) -> &'m [u8] {
    let shuffled = if size > 1 { SHUFFLED } else { 0 };
    let blocks = plain.len().div_ceil(BLOCK_BYTES);
    let EncoderMemory { out, turned, packed } = memory;
    out.clear();
    out.extend(header(shuffled | NOT_SPLIT | LZ4, size, plain.len()));
    let mut starts = out.len();
    out.resize(starts + 4 * blocks, 0);
    turned.resize(plain.len().min(BLOCK_BYTES), 0);
    packed.resize(lz4_flex::block::get_maximum_output_size(turned.len()), 0);
    for block in plain.chunks(BLOCK_BYTES) {
        let begin = (out.len() as u32).to_le_bytes();
        out[starts..starts + 4].copy_from_slice(&begin);
        starts += 4;
        let turned = &mut turned[..block.len()];
        if size > 1 {
            shuffle::shuffle(block, size, turned)
        } else {
            turned.copy_from_slice(block)
        }
        // What does not become shorter stands as it is.
        let length = lz4_flex::block::compress_into(turned, packed).unwrap_or(usize::MAX);
        let stored = if length < turned.len() { &packed[..length] } else { turned };
        out.extend((stored.len() as u32).to_le_bytes());
        out.extend(stored);
    }
    if out.len() >= HEADER_BYTES + plain.len() {
        out.clear();
        out.extend(header(COPIED | LZ4, size, plain.len()));
        out.extend(plain);
    }
    let length = (out.len() as u32).to_le_bytes();
    out[12..16].copy_from_slice(&length);
    out
}

/// The header of a container, its own length left open.
fn header(flags: u8, size: usize, length: usize) -> Vec<u8> {
    let [version, version_lz4] = VERSIONS;
    let mut header = vec![version, version_lz4, flags, size as u8];
    for number in [length, length.clamp(1, BLOCK_BYTES), 0] {
        header.extend((number as u32).to_le_bytes());
    }
    header
}

/// The bytes of a container, in the memory of `out`.
pub(super) fn decode(container: &[u8], most: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let header = container.get(..HEADER_BYTES).ok_or("fewer than 16")?;
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i])) as usize;
    let (flags, size) = (header[2], usize::from(header[3].max(1)));
    let (length, block_bytes, stored) = (word(4), word(8), word(12));
    if length > most {
        return Err(TOO_LONG.to_owned());
    }
    out.clear();
    let container = container.get(..stored).ok_or("fewer than its header says")?;
    if flags & COPIED != 0 {
        let copy = container.get(HEADER_BYTES..HEADER_BYTES + length).ok_or("fewer than its header says")?;
        out.extend_from_slice(copy);
        return Ok(());
    }
    if length == 0 {
        return Ok(());
    }
    if block_bytes == 0 {
        return Err("blocks of 0".to_owned());
    }
    let blocks = Blocks { container, flags, size };
    out.resize(length, 0);
    let mut plain = vec![0; length.min(block_bytes)];
    for (nth, out) in out.chunks_mut(block_bytes).enumerate() {
        let is_whole = out.len() == block_bytes;
        let plain = &mut plain[..out.len()];
        blocks.decode(nth, is_whole, plain, out)?;
    }
    Ok(())
}

struct Blocks<'a> {
    container: &'a [u8],
    flags: u8,
    /// Bytes of a sample.
    size: usize,
}

impl Blocks<'_> {
    /// Decodes a block by way of `plain`, which is as long.
    fn decode(&self, nth: usize, is_whole: bool, plain: &mut [u8], out: &mut [u8]) -> Result<(), String> {
        let mut at = self.number(HEADER_BYTES + 4 * nth)?;
        let is_split = is_whole
            && self.flags & NOT_SPLIT == 0
            && self.size <= MOST_SPLITS
            && out.len() / self.size >= LEAST_PART_BYTES;
        let parts = if is_split { self.size } else { 1 };
        let part_bytes = out.len() / parts;
        if part_bytes * parts != out.len() {
            return Err("a block that is no whole samples".to_owned());
        }
        for part in plain.chunks_mut(part_bytes) {
            let stored = self.number(at)?;
            let bytes = self.container.get(at + 4..).and_then(|rest| rest.get(..stored));
            let bytes = bytes.ok_or("a block beyond the end")?;
            self.part(bytes, part)?;
            at += 4 + stored;
        }
        if self.flags & SHUFFLED != 0 && self.size > 1 {
            shuffle::unshuffle(plain, self.size, out);
        } else if self.flags & BITS_SHUFFLED != 0 {
            shuffle::unshuffle_bits(plain, self.size, out);
        } else {
            out.copy_from_slice(plain);
        }
        Ok(())
    }

    fn part(&self, bytes: &[u8], out: &mut [u8]) -> Result<(), String> {
        if bytes.len() == out.len() {
            out.copy_from_slice(bytes);
            return Ok(());
        }
        let whole = match self.flags >> 5 {
            0 => return blosc_lz::decode(bytes, out),
            1 => {
                let count =
                    lz4_flex::block::decompress_into(bytes, out).map_err(|error| error.to_string())?;
                return if count == out.len() { Ok(()) } else { Err("a block that is too short".to_owned()) };
            }
            2 => return Err("Snappy, which is not read: write it with lz4, zlib or zstd".to_owned()),
            3 => expanded(ZlibDecoder::new(bytes), out.len())?,
            4 => zstandard::decode(bytes, out.len())?,
            other => return Err(format!("the unknown compressor {other}")),
        };
        if whole.len() != out.len() {
            return Err("a block that is too short".to_owned());
        }
        out.copy_from_slice(&whole);
        Ok(())
    }

    fn number(&self, at: usize) -> Result<usize, String> {
        let bytes = self.container.get(at..).and_then(|rest| rest.first_chunk::<4>());
        Ok(u32::from_le_bytes(*bytes.ok_or("a block beyond the end")?) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let mut noise = 1u32;
        let random = (0..300_001).map(|_| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        });
        let random: Vec<u8> = random.collect();
        let smooth: Vec<u8> = (0..200_000).flat_map(|n| (n as f32).to_le_bytes()).collect();
        let (mut memory, mut plain) = (EncoderMemory::default(), vec![9; 7]);
        for (bytes, most) in [(&random, 1.001), (&smooth, 0.5), (&Vec::new(), 1.0), (&vec![7; 600_000], 0.01)]
        {
            for size in [1, 2, 4] {
                let container = encode(bytes, size, &mut memory);
                assert_eq!(decode(container, bytes.len(), &mut plain), Ok(()));
                assert!(plain == *bytes);
                let is_short = container.len() <= (most * bytes.len() as f64) as usize + 16;
                assert!(is_short || size == 1, "{} of {}", container.len(), bytes.len());
            }
        }
    }

    #[test]
    fn containers_that_are_cut_are_refused() {
        let mut container = vec![2, 1, 0x22, 2];
        for number in [4u32, 4, 20] {
            container.extend(number.to_le_bytes());
        }
        container.extend([1, 2, 3, 4]);
        let mut plain = Vec::new();
        assert_eq!(decode(&container, 4, &mut plain), Ok(()));
        assert_eq!(plain, [1, 2, 3, 4]);
        assert!(decode(&container, 3, &mut plain).is_err());
        assert!((0..container.len()).all(|length| decode(&container[..length], 4, &mut plain).is_err()));
    }
}
