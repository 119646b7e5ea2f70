//! Transfers through pinned memory: the driver copies ordinary memory several times slower (downloads ten times).
//!
//! Samples pass through two pinned pieces in turn: while one is on the bus, several threads fill or empty the other.

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};
use std::ffi::c_void;
use std::sync::Arc;

/// Samples of a piece: large enough for the bus, small enough to start early.
const PIECE: usize = 4 << 20;
/// Threads that copy between pinned and ordinary memory: more do not help.
const MOST_THREADS: usize = 8;
/// Below this many samples a piece is copied by one thread.
const SAMPLES_PER_THREAD: usize = 1 << 18;

/// Two pinned pieces and threads, taken when first needed.
pub(super) struct Staging {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    pieces: Vec<Piece>,
    threads: Option<rayon::ThreadPool>,
}

struct Piece {
    memory: Pinned,
    /// Done when the bus has finished with the piece.
    done: CudaEvent,
}

/// Page-locked memory of `PIECE` samples.
struct Pinned {
    start: *mut f32,
}

// SAFETY: plain memory, used by one thread at a time.
unsafe impl Send for Pinned {}

impl Pinned {
    fn new() -> Result<Self, DriverError> {
        // SAFETY: the context is current.
        let start = unsafe { result::malloc_host(PIECE * size_of::<f32>(), 0)? };
        Ok(Self { start: start.cast() })
    }
    fn samples(&mut self, count: usize) -> &mut [f32] {
        assert!(count <= PIECE, "a piece should hold its share");
        // SAFETY: so many samples were allocated, and every bit pattern is one.
        unsafe { std::slice::from_raw_parts_mut(self.start, count) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: allocated by `malloc_host`; transfers are over before a staging area is dropped.
        let _ = unsafe { result::free_host(self.start.cast::<c_void>()) };
    }
}

impl Staging {
    pub fn new(context: Arc<CudaContext>, stream: Arc<CudaStream>) -> Self {
        Self { context, stream, pieces: Vec::new(), threads: None }
    }

    fn prepare(&mut self) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        while self.pieces.len() < 2 {
            let memory = Pinned::new()?;
            let done = self.context.new_event(None)?;
            self.pieces.push(Piece { memory, done });
        }
        if self.threads.is_none() {
            let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(MOST_THREADS);
            // Without threads of its own the copying thread does it alone.
            self.threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        }
        Ok(())
    }

    /// Copies samples to the device; returns when they have left ordinary memory.
    pub fn upload(&mut self, samples: &[f32], to: sys::CUdeviceptr) -> Result<(), DriverError> {
        self.prepare()?;
        for (nth, part) in samples.chunks(PIECE).enumerate() {
            let piece = &mut self.pieces[nth % 2];
            piece.done.synchronize()?;
            let pinned = piece.memory.samples(part.len());
            copy(part, pinned, self.threads.as_ref());
            let address = to + (nth * PIECE * size_of::<f32>()) as u64;
            // SAFETY: the device memory holds all samples, and the piece is not touched before its event.
            unsafe { result::memcpy_htod_async(address, pinned, self.stream.cu_stream())? };
            piece.done.record(&self.stream)?;
        }
        Ok(())
    }

    /// Copies samples from the device, after everything asked for before.
    pub fn download(&mut self, from: sys::CUdeviceptr, samples: &mut [f32]) -> Result<(), DriverError> {
        self.prepare()?;
        let count = samples.len().div_ceil(PIECE);
        let share = |nth: usize| nth * PIECE..((nth + 1) * PIECE).min(samples.len());
        let shares: Vec<_> = (0..count).map(share).collect();
        let start = |staging: &mut Self, nth: usize| -> Result<(), DriverError> {
            let piece = &mut staging.pieces[nth % 2];
            let address = from + (shares[nth].start * size_of::<f32>()) as u64;
            let pinned = piece.memory.samples(shares[nth].len());
            // SAFETY: the device memory holds all samples, and the piece is not touched before its event.
            unsafe { result::memcpy_dtoh_async(pinned, address, staging.stream.cu_stream())? };
            piece.done.record(&staging.stream)
        };
        for nth in 0..count.min(2) {
            start(self, nth)?;
        }
        for nth in 0..count {
            let piece = &mut self.pieces[nth % 2];
            piece.done.synchronize()?;
            let from = piece.memory.samples(shares[nth].len());
            copy(from, &mut samples[shares[nth].clone()], self.threads.as_ref());
            if nth + 2 < count {
                start(self, nth + 2)?;
            }
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What is on the bus must be over before the pinned memory goes.
        let _ = self.stream.synchronize();
    }
}

/// Copies with several threads: one cannot keep up with the bus, least of all where pages are new.
fn copy(from: &[f32], to: &mut [f32], threads: Option<&rayon::ThreadPool>) {
    let count = threads.map_or(1, |pool| pool.current_num_threads());
    let count = (from.len() / SAMPLES_PER_THREAD).clamp(1, count);
    match threads {
        Some(pool) if count > 1 => {
            let share = from.len().div_ceil(count);
            pool.scope(|scope| {
                for (from, to) in from.chunks(share).zip(to.chunks_mut(share)) {
                    scope.spawn(move |_| to.copy_from_slice(from));
                }
            });
        }
        _ => to.copy_from_slice(from),
    }
}
