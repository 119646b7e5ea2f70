//! Uploads to the device through page-locked memory: from ordinary memory the driver copies several times slower.
//!
//! They run on a stream of their own, so that the next frame is transferred while the device computes. Later kernels
//! wait for the upload on the device; the host does not wait.

use super::pinned::{Copyists, Pinned};
use super::profile::HostTimes;
use crate::memory::element::Word;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a piece: large enough for the bus to be fast, small enough for the first transfer to start early.
const PIECE: usize = 16 << 20;
/// Number of pieces: while one is on the bus, threads fill the other.
const PIECES: usize = 2;

/// The stream, and its page-locked pieces, which are allocated on first use.
pub(super) struct Uploads {
    stream: Arc<CudaStream>,
    copyists: Arc<Copyists>,
    times: Arc<HostTimes>,
    pieces: Mutex<Vec<Pinned>>,
}

impl Uploads {
    pub fn new(stream: Arc<CudaStream>, copyists: Arc<Copyists>, times: Arc<HostTimes>) -> Self {
        Self { stream, copyists, times, pieces: Mutex::default() }
    }

    /// Copies `bytes` to the device memory `to`, once the event `free` has happened, and fills the last word with zeros.
    /// Returns when `bytes` has been read; the event returned happens when all of it is in device memory.
    pub fn send(
        &self,
        bytes: &[u8],
        to: sys::CUdeviceptr,
        free: Option<CudaEvent>,
    ) -> Result<CudaEvent, DriverError> {
        if let Some(free) = free {
            self.stream.wait(&free)?;
        }
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        for (nth, part) in bytes.chunks(PIECE).enumerate() {
            let nth_piece = nth % PIECES;
            if pieces.len() <= nth_piece {
                pieces.push(Pinned::new(self.stream.context(), PIECE / size_of::<Word>())?);
            }
            let piece = &mut pieces[nth_piece];
            self.times.time("upload: wait for a pinned piece", || piece.done.synchronize())?;
            let pinned = piece.bytes(part.len().next_multiple_of(size_of::<Word>()));
            let (filled, padding) = pinned.split_at_mut(part.len());
            self.times.time("upload: fill a pinned piece", || self.copyists.copy(part, filled));
            padding.fill(0);
            let address = to + (nth * PIECE) as u64;
            // SAFETY: the device memory holds all bytes, and the piece is not accessed before its event.
            unsafe { result::memcpy_htod_async(address, pinned, self.stream.cu_stream())? };
            piece.done.record(&self.stream)?;
        }
        self.stream.record_event(None)
    }
}
