//! The codecs of chunks, all of them in Rust: bytes as they are stored to bytes of samples.

mod blosc;
mod blosc_lz;
mod checksum;
mod shuffle;
mod zstandard;

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::io::Read;

pub(crate) use blosc::EncoderMemory;
pub(crate) use checksum::{CHECKSUM_BYTES, crc32c};

/// How a chunk is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Codecs {
    /// The axes in the order in which samples are stored, the slowest first; none: that of the array.
    pub transposed: Option<Vec<usize>>,
    pub order: ByteOrder,
    /// Where a chunk is a shard of smaller ones.
    pub sharding: Option<Box<Sharding>>,
    /// What is done with its bytes, in the order of writing.
    pub stages: Vec<Stage>,
}

/// A shard: chunks one after the other, and an index of where they are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sharding {
    /// Samples of an inner chunk along each axis.
    pub chunk: Vec<usize>,
    /// How inner chunks are stored.
    pub codecs: Codecs,
    pub index_order: ByteOrder,
    /// Checksums behind the index.
    pub index_checksums: usize,
    pub is_at_start: bool,
}

/// A codec of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Gzip,
    Zlib,
    Zstandard,
    Blosc,
    /// CRC-32C behind the bytes.
    Checksum,
    /// Bytes of samples of this size by their place in the sample.
    Shuffle(usize),
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
            Self::Zstandard => "Zstandard",
            Self::Blosc => "Blosc",
            Self::Checksum => "CRC-32C",
            Self::Shuffle(_) => "shuffled",
        }
    }

    /// Undoes it in the memory of `plain`; no more than `most` bytes come out.
    fn undo(self, bytes: &[u8], most: usize, plain: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Gzip => *plain = expanded(MultiGzDecoder::new(bytes), most)?,
            Self::Zlib => *plain = expanded(ZlibDecoder::new(bytes), most)?,
            Self::Zstandard => *plain = zstandard::decode(bytes, most)?,
            Self::Blosc => blosc::decode(bytes, most, plain)?,
            Self::Checksum => *plain = checksum::checked(bytes)?.to_vec(),
            Self::Shuffle(size) => {
                plain.clear();
                plain.resize(bytes.len(), 0);
                shuffle::unshuffle(bytes, size.max(1), plain);
            }
        }
        Ok(())
    }
}

/// Samples of `size` bytes as chunks are written: Blosc with LZ4, in memory that is used again.
pub(crate) fn compressed<'m>(samples: &[u8], size: usize, memory: &'m mut EncoderMemory) -> &'m [u8] {
    blosc::encode(samples, size, memory)
}

/// All that a decoder gives, up to one byte more than `most`.
fn expanded(decoder: impl Read, most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    decoder.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > most { Err(TOO_LONG.to_owned()) } else { Ok(bytes) }
}

/// What is said of a chunk that expands to more than its samples.
const TOO_LONG: &str = "more bytes than the chunk has";

/// Undoes the codecs of bytes of one chunk, whose samples have `expected` bytes, which were claimed; in these bytes' own memory and in
/// that of `spare`.
///
/// # Errors
/// [`IoError::Malformed`](crate::IoError::Malformed) with the key of the chunk.
pub(crate) fn undo(
    stages: &[Stage],
    [bytes, spare]: [&mut Vec<u8>; 2],
    expected: usize,
    key: &str,
    context: &Context,
) -> Result<()> {
    // What compressors add to what cannot be compressed, and checksums.
    let most = expected.saturating_add(expected / 8).saturating_add(4096);
    for (nth, stage) in stages.iter().enumerate().rev() {
        context.check()?;
        let most = if nth == 0 { expected } else { most };
        stage.undo(bytes, most, spare).map_err(|error| {
            context.malformed(format!("chunk {key}"), format!("intact {} bytes", stage.name()), error)
        })?;
        std::mem::swap(bytes, spare);
    }
    let got = format!("{} bytes", bytes.len());
    context.require(
        bytes.len() == expected,
        format!("chunk {key}"),
        format!("{expected} bytes of samples"),
        got,
    )
}
