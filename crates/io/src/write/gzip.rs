//! gzip streams that several threads compress, block by block. The bytes do not depend on how many there are.
//!
//! *Form* (RFC 1952): one member. Each block of [`BLOCK`] bytes is deflated by itself and ends at a byte (RFC 1951, an empty stored block); an
//! empty last block ends the stream.

use flate2::{Compress, Compression, Crc, FlushCompress};
use std::io::{Error, Result, Write};
use std::thread::{Builder, available_parallelism, scope};
use veloxel_core::fallible;

/// Bytes that are compressed by themselves: at the light compression of a file of samples a share of a thousandth is lost by it.
const BLOCK: usize = 1 << 19;
/// Threads at most: more write faster than disks take it.
const MOST_THREADS: usize = 16;
/// The member's head: deflated, no name, no time, unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
/// An empty block that is the last one, with fixed codes.
const LAST: [u8; 2] = [3, 0];

/// Compresses what is written, lightly: floating-point samples gain little from more.
pub(crate) struct Gzip<W: Write> {
    out: W,
    waiting: Vec<u8>,
    threads: usize,
    sum: Crc,
    has_begun: bool,
}

impl<W: Write> Gzip<W> {
    /// A stream of so many bytes, a guess, that goes to a writer.
    pub fn new(out: W, bytes: usize) -> Self {
        let threads = available_parallelism().map_or(1, std::num::NonZero::get);
        Self::by(threads.min(MOST_THREADS).min(bytes.div_ceil(BLOCK)), out)
    }

    fn by(threads: usize, out: W) -> Self {
        Self { out, waiting: Vec::new(), threads: threads.max(1), sum: Crc::new(), has_begun: false }
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> Result<()> {
        self.compress()?;
        self.begin()?;
        self.out.write_all(&LAST)?;
        self.out.write_all(&self.sum.sum().to_le_bytes())?;
        self.out.write_all(&self.sum.amount().to_le_bytes())
    }

    /// Writes the head, once.
    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) { Ok(()) } else { self.out.write_all(&HEAD) }
    }

    /// Compresses what is waiting.
    fn compress(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let blocks: Vec<&[u8]> = waiting.chunks(BLOCK).collect();
        for (deflated, sum) in side_by_side(&blocks)? {
            self.begin()?;
            self.out.write_all(&deflated)?;
            self.sum.combine(&sum);
        }
        self.waiting = waiting;
        self.waiting.clear();
        Ok(())
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let room = self.threads * BLOCK;
        if self.waiting.len() == room {
            self.compress()?;
        }
        let taken = bytes.len().min(room - self.waiting.len());
        self.waiting.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// What is waiting waits on: a block ends where it is full.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Blocks deflated, each by a thread of its own, as far as threads can be started.
fn side_by_side(blocks: &[&[u8]]) -> Result<Vec<(Vec<u8>, Crc)>> {
    let Some((own, others)) = blocks.split_first() else { return Ok(Vec::new()) };
    scope(|scope| {
        let mut started = Vec::with_capacity(others.len());
        for &block in others {
            let room = fallible::room_for_thread();
            started
                .push(room.and_then(|()| Builder::new().spawn_scoped(scope, move || deflated(block))).ok());
        }
        let mut found = vec![deflated(own)?];
        for (thread, block) in started.into_iter().zip(others) {
            let done =
                thread.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            found.push(done.unwrap_or_else(|| deflated(block))?);
        }
        Ok(found)
    })
}

/// A block that ends at a byte and is not the last one, and its checksum.
fn deflated(block: &[u8]) -> Result<(Vec<u8>, Crc)> {
    let mut deflate = Compress::new(Compression::fast(), false);
    let mut out = Vec::new();
    // Where the end of the block did not fit, it is asked for again.
    while out.len() == out.capacity() {
        out.reserve(block.len() + block.len() / 8 + 64);
        let read = deflate.total_in() as usize;
        deflate.compress_vec(&block[read..], &mut out, FlushCompress::Sync).map_err(Error::other)?;
    }
    let mut sum = Crc::new();
    sum.update(block);
    Ok((out, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::bufread::GzDecoder;
    use std::io::Read;

    fn written(bytes: &[u8], threads: usize, step: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut gzip = Gzip::by(threads, &mut out);
        bytes.chunks(step).for_each(|part| gzip.write_all(part).unwrap());
        gzip.finish().unwrap();
        out
    }

    #[test]
    fn what_is_written_is_read_and_threads_change_no_byte() {
        for len in [0, 1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 77] {
            let bytes: Vec<u8> = (0..len).map(|i| (i * i / 7 % 251) as u8 ^ (i >> 9) as u8).collect();
            let one = written(&bytes, 1, 4096);
            for (threads, step) in [(2, 1 << 20), (3, 333_333), (16, 100_000)] {
                assert!(one == written(&bytes, threads, step), "{len} bytes by {threads} threads");
            }
            let mut read = Vec::new();
            let mut decoder = GzDecoder::new(&one[..]);
            decoder.read_to_end(&mut read).unwrap();
            assert!(read == bytes && decoder.into_inner().is_empty(), "{len} bytes");
        }
    }
}
