//! Readback to the host through page-locked memory, on streams of its own: the results of one run are copied while the
//! next run computes.
//!
//! Large transfers (volumes) pass through a ring of page-locked pieces. While some pieces are on the bus, several
//! threads copy another one to its destination. The destination's pages are touched while the device still computes.
//! Small transfers (numbers) share one piece and one wait, however many there are.

use super::pinned::{Copyists, Pinned};
use super::profile::HostTimes;
use crate::error::ComputeError;
use crate::gpu::HostSide;
use crate::memory::element::{Word, parts_of};
use cudarc::driver::{CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Words of a piece of the ring, and number of pieces.
const PIECE: usize = 2 << 20;
const PIECES: usize = 4;
/// A download of at most this many words in total takes the path for numbers.
const MOST_NUMBERS: usize = 1 << 18;

/// A stretch of words in device memory: its address and its number of words.
pub(super) type Stretch = (sys::CUdeviceptr, usize);

/// When memory may be read, and what the host has for it.
#[derive(Clone, Copy)]
pub(super) struct Ready<'a> {
    pub event: &'a CudaEvent,
    pub host: HostSide<'a>,
}

/// Time between two questions whether to go on, while the host waits for the device.
const ASK_EVERY: Duration = Duration::from_millis(5);
/// Time between two looks at an event: it is over as soon as it was with a wait of the driver's, which spins as well.
const LOOK_EVERY: Duration = Duration::from_micros(2);

impl Ready<'_> {
    /// Waits for the event, or until the run is to stop.
    fn wait(self, failed: &impl Fn(DriverError) -> ComputeError) -> Result<(), ComputeError> {
        let mut asked = Instant::now();
        while !self.event.try_is_complete().map_err(failed)? {
            let looked = Instant::now();
            if looked.duration_since(asked) >= ASK_EVERY {
                self.host.control.check()?;
                asked = looked;
            }
            while looked.elapsed() < LOOK_EVERY {
                std::hint::spin_loop();
            }
        }
        Ok(())
    }
}

/// A stream for readback and its page-locked pieces, which are allocated on first use.
struct Readback {
    stream: Arc<CudaStream>,
    pieces: Vec<Pinned>,
}

/// The two streams for readback; a number need not wait for a volume.
pub(super) struct Downloads {
    copyists: Arc<Copyists>,
    times: Arc<HostTimes>,
    volumes: Mutex<Readback>,
    numbers: Mutex<Readback>,
}

/// A part of a stretch that fits a piece: the number of the room that it is appended to, and where it lies.
type Share = (usize, Stretch);

impl Downloads {
    pub fn new(
        volumes: Arc<CudaStream>,
        numbers: Arc<CudaStream>,
        copyists: Arc<Copyists>,
        times: Arc<HostTimes>,
    ) -> Self {
        let readback = |stream| Mutex::new(Readback { stream, pieces: Vec::new() });
        Self { copyists, times, volumes: readback(volumes), numbers: readback(numbers) }
    }

    /// Reads stretches back, once they are ready: one vector for each entry of `wanted`, which holds the entry's
    /// stretches one after the other. `failed` turns an error of the driver into one of ours.
    pub fn fetch(
        &self,
        wanted: &[Vec<Stretch>],
        ready: Ready<'_>,
        failed: impl Fn(DriverError) -> ComputeError,
    ) -> Result<Vec<Vec<Word>>, ComputeError> {
        let lengths: Vec<usize> = wanted.iter().map(|own| own.iter().map(|(_, len)| len).sum()).collect();
        if lengths.iter().sum::<usize>() <= MOST_NUMBERS {
            self.times.time("numbers: wait for the device", || ready.wait(&failed))?;
            return self.times.time("numbers: fetch", || self.fetch_numbers(wanted, lengths)).map_err(failed);
        }
        let rooms = lengths.into_iter().map(|length| ready.host.results.room(length));
        let mut rooms = rooms.collect::<Result<Vec<_>, _>>()?;
        self.times.time("download: find pages", || {
            let new = rooms.iter_mut().filter(|room| room.is_new);
            self.copyists.touch(new.map(|room| &mut room.words));
        });
        let mut rooms: Vec<_> = rooms.into_iter().map(|room| room.words).collect();
        self.times.time("download: wait for the device", || ready.wait(&failed))?;
        self.fetch_volumes(wanted, &mut rooms).map_err(failed)?;
        Ok(rooms)
    }

    fn fetch_numbers(
        &self,
        wanted: &[Vec<Stretch>],
        lengths: Vec<usize>,
    ) -> Result<Vec<Vec<Word>>, DriverError> {
        let mut readback = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let Readback { stream, pieces } = &mut *readback;
        if pieces.is_empty() {
            pieces.push(Pinned::new(stream.context(), MOST_NUMBERS)?);
        }
        let piece = &mut pieces[0];
        stream.context().bind_to_thread()?;
        let mut end = 0;
        for &(from, len) in wanted.iter().flatten().filter(|(_, len)| *len > 0) {
            let pinned = &mut piece.words(end + len)[end..];
            // SAFETY: the device memory holds `len` words at `from`, and the piece is read only after its event.
            unsafe { result::memcpy_dtoh_async(pinned, from, stream.cu_stream())? };
            end += len;
        }
        piece.done.record(stream)?;
        piece.done.synchronize()?;
        Ok(parts_of(piece.words(end), lengths.into_iter()))
    }

    /// Fills `rooms`, one empty vector for each entry of `wanted`, whose capacity must suffice.
    fn fetch_volumes(&self, wanted: &[Vec<Stretch>], rooms: &mut [Vec<Word>]) -> Result<(), DriverError> {
        let mut readback = self.volumes.lock().unwrap_or_else(PoisonError::into_inner);
        let Readback { stream, pieces } = &mut *readback;
        while pieces.len() < PIECES {
            pieces.push(Pinned::new(stream.context(), PIECE)?);
        }
        stream.context().bind_to_thread()?;
        let numbered = wanted.iter().enumerate();
        let stretches = numbered.flat_map(|(room, own)| own.iter().map(move |&stretch| (room, stretch)));
        let shares: Vec<Share> = stretches
            .flat_map(|(room, (address, len))| {
                let at = move |start: usize| address + (start * size_of::<Word>()) as u64;
                (0..len).step_by(PIECE).map(move |start| (room, (at(start), PIECE.min(len - start))))
            })
            .collect();
        let start = |piece: &mut Pinned, (_, (address, len)): Share| {
            // SAFETY: the range lies in the device memory, and the piece is not accessed before its event.
            unsafe { result::memcpy_dtoh_async(piece.words(len), address, stream.cu_stream())? };
            piece.done.record(stream)
        };
        for (piece, &share) in pieces.iter_mut().zip(&shares) {
            start(piece, share)?;
        }
        for (nth, &(room, (_, len))) in shares.iter().enumerate() {
            let piece = &mut pieces[nth % PIECES];
            self.times.time("download: wait for the bus", || piece.done.synchronize())?;
            let room = &mut rooms[room];
            let begin = room.len();
            assert!(begin + len <= room.capacity(), "a room should hold its stretches");
            self.times.time("download: empty a pinned piece", || {
                // SAFETY: the capacity was checked above, and only this thread has access to the room.
                unsafe { self.copyists.copy_to(piece.words(len), room.as_mut_ptr().add(begin)) };
            });
            // SAFETY: these words were written, right after those that the room had.
            unsafe { room.set_len(begin + len) };
            if let Some(&share) = shares.get(nth + PIECES) {
                start(piece, share)?;
            }
        }
        Ok(())
    }
}
