//! The kernels' stream, and what is waiting to be given to it.
//!
//! Launches wait until there are enough of them or somebody needs what they make, and go to the driver together: as one
//! recording where the same run of kernels has been seen before. Everything happens in the order it was asked for.

use super::kernel_call::Call;
use super::launch_dependencies;
use super::profile::{HostTimes, Profile};
use super::recording::Recordings;
use super::said;
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Launches that wait for each other at most: enough to be worth a recording, soon enough for a device that has nothing to do.
const MOST_WAITING: usize = launch_dependencies::MOST;
/// Drivers before this, 1000 · major + 10 · minor, are not asked for recordings.
const FIRST_WITH_RECORDINGS: i32 = 12_000;

/// The stream and what waits for it.
pub(super) struct Queue {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    times: Arc<HostTimes>,
    work: Mutex<Work>,
}

struct Work {
    waiting: Vec<Waiting>,
    launches: usize,
    /// None where the driver knows none, has refused one, or somebody asked for none.
    recordings: Option<Recordings>,
    /// Runs that were launched from a recording.
    replayed: usize,
    profile: Option<Profile>,
}

enum Waiting {
    Launch(Call),
    /// So many bytes become 0.
    Clear(sys::CUdeviceptr, usize),
    Event(Arc<CudaEvent>),
}

/// What could not be done, and what the driver says.
pub(super) type Refusal = (String, DriverError);

fn of_stream(error: DriverError) -> Refusal {
    ("the stream of kernels".to_owned(), error)
}

impl Queue {
    pub fn new((stream, driver): (Arc<CudaStream>, i32), times: Arc<HostTimes>) -> Self {
        let profile = Profile::asked_for();
        let wanted = std::env::var_os("VELOXEL_RECORDINGS").is_none_or(|asked| asked != "off");
        let recordings = wanted && profile.is_none() && driver >= FIRST_WITH_RECORDINGS;
        let recordings = recordings.then(Recordings::default);
        let work = Work { waiting: Vec::new(), launches: 0, recordings, replayed: 0, profile };
        Self { context: stream.context().clone(), stream, times, work: Mutex::new(work) }
    }

    pub fn launch(&self, call: Call) -> Result<(), Refusal> {
        let mut work = self.work();
        work.waiting.push(Waiting::Launch(call));
        work.launches += 1;
        if work.launches >= MOST_WAITING || work.profile.is_some() { self.give(&mut work) } else { Ok(()) }
    }

    /// Makes so many bytes 0.
    pub fn clear(&self, address: sys::CUdeviceptr, bytes: usize) {
        self.work().waiting.push(Waiting::Clear(address, bytes));
    }

    /// Records an event after everything asked for so far; it may wait with what comes before.
    pub fn record(&self, event: Arc<CudaEvent>) {
        self.work().waiting.push(Waiting::Event(event));
    }

    /// An event after everything asked for so far, recorded.
    pub fn record_now(&self) -> Result<CudaEvent, Refusal> {
        self.flush()?;
        self.stream.record_event(None).map_err(of_stream)
    }

    /// Sees to it that an event is recorded, without giving more to the stream than that takes.
    pub fn require(&self, event: &Arc<CudaEvent>) -> Result<(), Refusal> {
        let mut work = self.work();
        let waits = |w: &Waiting| matches!(w, Waiting::Event(other) if Arc::ptr_eq(event, other));
        if work.waiting.iter().any(waits) { self.give(&mut work) } else { Ok(()) }
    }

    /// Lets whatever is asked for from now on wait for an event.
    pub fn wait_for(&self, event: &CudaEvent) -> Result<(), Refusal> {
        self.flush()?;
        self.stream.wait(event).map_err(of_stream)
    }

    /// Gives everything to the stream.
    pub fn flush(&self) -> Result<(), Refusal> {
        self.give(&mut self.work())
    }

    /// Waits until everything asked for is done.
    pub fn synchronise(&self) -> Result<(), Refusal> {
        self.flush()?;
        self.stream.synchronize().map_err(of_stream)
    }

    /// Runs of launches that came from a recording.
    pub fn replayed(&self) -> usize {
        self.work().replayed
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, work: &mut Work) -> Result<(), Refusal> {
        if work.waiting.is_empty() {
            return Ok(());
        }
        self.context.bind_to_thread().map_err(of_stream)?;
        work.launches = 0;
        let mut run = Vec::new();
        for waiting in std::mem::take(&mut work.waiting) {
            match waiting {
                Waiting::Launch(call) => run.push(call),
                Waiting::Clear(address, bytes) => {
                    self.run(work, &mut run)?;
                    // SAFETY: the memory was taken with so many bytes, and whoever gets it next comes later.
                    unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) }
                        .map_err(of_stream)?;
                }
                Waiting::Event(event) => {
                    self.run(work, &mut run)?;
                    event.record(&self.stream).map_err(of_stream)?;
                }
            }
        }
        self.run(work, &mut run)
    }

    /// Launches what has come together, from a recording or one by one.
    fn run(&self, work: &mut Work, calls: &mut Vec<Call>) -> Result<(), Refusal> {
        if calls.is_empty() {
            return Ok(());
        }
        if let Some(recordings) = work.recordings.as_mut() {
            match self.times.time("launches: replay", || recordings.run(calls, &self.stream)) {
                Ok(true) => {
                    work.replayed += 1;
                    return Ok(());
                }
                Ok(false) => {}
                // Launches one by one say what is wrong, if anything but the recording is.
                Err(_) => work.recordings = None,
            }
        }
        self.times.time("launches: one by one", || {
            calls.drain(..).try_for_each(|call| {
                let (name, entry) = call.kernel.name;
                let go = || call.launch(&self.stream);
                match work.profile.as_mut() {
                    None => go(),
                    Some(profile) => {
                        let ([gx, gy, gz], [bx, by, bz]) = (call.groups, call.kernel.block);
                        let threads = u64::from(gx * bx) * u64::from(gy * by) * u64::from(gz * bz);
                        let name = format!("{name}, {entry}, 2^{}", threads.ilog2());
                        profile.time(name, (&self.context, &self.stream), go)
                    }
                }
                .map_err(|e| (format!("kernel `{name}`, `{entry}`"), e))
            })
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Whoever wanted what still waits is gone; recordings are destroyed where their context is.
        let _ = self.context.bind_to_thread();
    }
}

impl std::fmt::Display for Refused<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.0.0, said(self.0.1))
    }
}

/// A refusal, for people.
pub(super) struct Refused<'a>(pub &'a Refusal);
