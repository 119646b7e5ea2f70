//! Uploads to the device, through pinned memory: the driver copies ordinary memory several times slower.
//!
//! They have a stream of their own, so that the next frame comes while the device is at work: kernels that are asked for
//! later wait for it on the device, nobody on the host.

use super::pinned::{Copyists, Pinned};
use super::profile::HostTimes;
use crate::element::Word;
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a piece: large enough for the bus, small enough to start early.
const PIECE: usize = 16 << 20;
/// While one piece is on the bus, threads fill the other.
const PIECES: usize = 2;

/// The stream and the pieces, which are taken when first needed.
pub(super) struct Uploads {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    copyists: Arc<Copyists>,
    times: Arc<HostTimes>,
    pieces: Mutex<Vec<Pinned>>,
}

impl Uploads {
    pub fn new(stream: Arc<CudaStream>, (copyists, times): (Arc<Copyists>, Arc<HostTimes>)) -> Self {
        Self { context: stream.context().clone(), stream, copyists, times, pieces: Mutex::default() }
    }

    /// Copies bytes to device memory once `free` has happened; returns when they have left ordinary memory, with the moment
    /// when they are there.
    pub fn send(
        &self,
        bytes: &[u8],
        (to, free): (sys::CUdeviceptr, Option<CudaEvent>),
    ) -> Result<CudaEvent, DriverError> {
        if let Some(free) = free {
            self.stream.wait(&free)?;
        }
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        for (nth, part) in bytes.chunks(PIECE).enumerate() {
            let nth_piece = nth % PIECES;
            if pieces.len() <= nth_piece {
                pieces.push(Pinned::new(&self.context, PIECE / size_of::<Word>())?);
            }
            let piece = &mut pieces[nth_piece];
            self.times.time("upload: wait for a pinned piece", || piece.done.synchronize())?;
            let pinned = piece.bytes(part.len());
            self.times.time("upload: fill a pinned piece", || self.copyists.copy(part, pinned));
            let address = to + (nth * PIECE) as u64;
            // SAFETY: the device memory holds all of them, and the piece is not touched before its event.
            unsafe { result::memcpy_htod_async(address, pinned, self.stream.cu_stream())? };
            piece.done.record(&self.stream)?;
        }
        self.stream.record_event(None)
    }
}
