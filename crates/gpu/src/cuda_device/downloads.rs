//! Readback to the host through page-locked memory, on streams of its own: the results of one run are copied while the
//! next run computes.
//!
//! Large transfers (volumes) pass through a ring of page-locked pieces. While some pieces are on the bus, several
//! threads copy another one to its destination. The destination's pages are touched while the device still computes.
//! Small transfers (numbers) share one piece and one wait, however many there are: their copies are asked for before the memory is
//! ready, and wait for it on the device.

use super::pinned::{Copyists, Pinned};
use super::profile::HostTimes;
use crate::error::ComputeError;
use crate::gpu::HostSide;
use crate::memory::element::{Word, parts_of};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};
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

/// What a transfer fails with: the driver's error, or a stop that was asked for.
enum Failed {
    Driver(DriverError),
    Stopped(ComputeError),
}

impl From<DriverError> for Failed {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

/// Time between two questions whether to go on, while the host waits for the device.
const ASK_EVERY: Duration = Duration::from_millis(5);
/// Time between two looks at an event: it is over as soon as it was with a wait of the driver's, which spins as well.
const LOOK_EVERY: Duration = Duration::from_micros(2);

/// Waits for an event, or until the run is to stop.
fn wait(event: &CudaEvent, host: HostSide<'_>) -> Result<(), Failed> {
    let mut asked = Instant::now();
    while !event.try_is_complete()? {
        let looked = Instant::now();
        if looked.duration_since(asked) >= ASK_EVERY {
            host.control.check().map_err(|stopped| Failed::Stopped(stopped.into()))?;
            asked = looked;
        }
        while looked.elapsed() < LOOK_EVERY {
            std::hint::spin_loop();
        }
    }
    Ok(())
}

/// A stream for readback and its page-locked pieces, which are allocated on first use.
struct Readback {
    stream: Arc<CudaStream>,
    pieces: Vec<Pinned>,
}

/// The streams for readback; a number need not wait for a volume, nor for numbers that another thread asked for.
pub(super) struct Downloads {
    context: Arc<CudaContext>,
    copyists: Arc<Copyists>,
    times: Arc<HostTimes>,
    volumes: Mutex<Readback>,
    /// Streams that no thread uses now, each with one piece.
    numbers: Mutex<Vec<Readback>>,
}

/// A part of a stretch that fits a piece: the number of the room that it is appended to, and where it lies.
type Share = (usize, Stretch);

impl Downloads {
    pub fn new(stream: Arc<CudaStream>, copyists: Arc<Copyists>, times: Arc<HostTimes>) -> Self {
        let context = stream.context().clone();
        let volumes = Mutex::new(Readback { stream, pieces: Vec::new() });
        Self { context, copyists, times, volumes, numbers: Mutex::default() }
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
        let failed = |error| match error {
            Failed::Driver(error) => failed(error),
            Failed::Stopped(error) => error,
        };
        if lengths.iter().sum::<usize>() <= MOST_NUMBERS {
            return self.fetch_numbers(wanted, lengths, ready).map_err(failed);
        }
        let rooms = lengths.into_iter().map(|length| ready.host.results.room(length));
        let mut rooms = rooms.collect::<Result<Vec<_>, _>>()?;
        self.times.time("download: find pages", || {
            let new = rooms.iter_mut().filter(|room| room.is_new);
            self.copyists.touch(new.map(|room| &mut room.words));
        });
        let mut rooms: Vec<_> = rooms.into_iter().map(|room| room.words).collect();
        self.times.time("download: wait for the device", || wait(ready.event, ready.host)).map_err(failed)?;
        self.fetch_volumes(wanted, &mut rooms).map_err(|error| failed(error.into()))?;
        Ok(rooms)
    }

    fn fetch_numbers(
        &self,
        wanted: &[Vec<Stretch>],
        lengths: Vec<usize>,
        ready: Ready<'_>,
    ) -> Result<Vec<Vec<Word>>, Failed> {
        let numbers = || self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = numbers().pop();
        let mut readback = kept.map_or_else(|| self.readback_of_numbers(), Ok)?;
        let Readback { stream, pieces } = &mut readback;
        let piece = &mut pieces[0];
        let asked = self.times.time("numbers: ask", || {
            stream.context().bind_to_thread()?;
            // A run that was stopped did not wait for its numbers.
            piece.done.synchronize()?;
            stream.wait(ready.event)?;
            let mut end = 0;
            for &(from, len) in wanted.iter().flatten().filter(|(_, len)| *len > 0) {
                let pinned = &mut piece.words(end + len)[end..];
                // SAFETY: the device memory holds `len` words at `from`, and the piece is read only after its event.
                unsafe { result::memcpy_dtoh_async(pinned, from, stream.cu_stream())? };
                end += len;
            }
            piece.done.record(stream)
        });
        // The piece is freed with the error: copies that were asked for before it must have ended.
        asked.inspect_err(|_: &DriverError| {
            let _ = stream.synchronize();
        })?;
        let came = self.times.time("numbers: wait for the device", || wait(&piece.done, ready.host));
        let found = came.map(|()| parts_of(piece.words(lengths.iter().sum()), lengths.into_iter()));
        numbers().push(readback);
        found
    }

    fn readback_of_numbers(&self) -> Result<Readback, DriverError> {
        let stream = self.context.new_stream()?;
        Ok(Readback { stream, pieces: vec![Pinned::new(&self.context, MOST_NUMBERS)?] })
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
