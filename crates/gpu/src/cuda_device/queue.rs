//! The queue of the stream on which kernels run, and the work that is not yet submitted to the stream.
//!
//! Launches are collected until there are enough of them or their results are needed. They are then submitted together:
//! as one CUDA graph if the same run of kernels was seen before ([`super::recording`]). Everything runs in the order of
//! submission.

use super::graphs::{Begins, Gpus, NotLaunched};
use super::kernel_call::Call;
use super::launch_dependencies::{self, Access};
use super::profile::{HostTimes, Profile};
use super::recording::Recordings;
use super::said;
use super::several::{DividedCall, Several, SinceDivided};
use super::task::{Alone, Task};
use cudarc::driver::{CudaEvent, CudaStream, DriverError, result, sys};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximal number of launches collected before they are submitted: enough to be worth a recording, few enough that an
/// idle device starts soon.
const MOST_WAITING: usize = launch_dependencies::MOST;
/// After the host waited for the device, which is then idle, so many launches are submitted each at once, and so many more together.
const FIRST_AT_ONCE: usize = 4;
const FIRST_WAITING: usize = 16;
/// The first driver version, 1000 · major + 10 · minor, for which recordings are used.
const FIRST_WITH_RECORDINGS: i32 = 12_000;
/// The first version whose recordings let kernels begin early.
const FIRST_THAT_BEGINS_EARLY: i32 = 12_030;

/// The stream, and the work collected for it.
pub(super) struct Queue {
    stream: Arc<CudaStream>,
    /// The GPUs of divided launches.
    several: Option<Arc<Several>>,
    times: Arc<HostTimes>,
    work: Mutex<Work>,
}

struct Work {
    waiting: Vec<Task>,
    launches: usize,
    /// Number of launches to come that are submitted each at once.
    at_once: usize,
    /// Number of launches that are submitted together.
    most: usize,
    /// `None` if the driver is too old or has refused a recording, if `VELOXEL_RECORDINGS=off` is set, or while a
    /// profile is taken.
    recordings: Option<Recordings>,
    /// Number of runs launched from a recording.
    replayed: usize,
    profile: Option<Profile>,
    since: SinceDivided,
    /// Why work was lost, after which nothing on the device is what it should be.
    failed: Option<Refusal>,
}

/// The operation that failed, and what the driver says of it.
pub(super) type Refusal = String;

pub(super) fn of_stream(error: DriverError) -> Refusal {
    format!("the stream of kernels: {}", said(error))
}

impl Queue {
    pub fn new(
        stream: Arc<CudaStream>,
        several: Option<Arc<Several>>,
        driver: i32,
        times: Arc<HostTimes>,
    ) -> Self {
        let profile = Profile::asked_for();
        let wanted = std::env::var_os("VELOXEL_RECORDINGS");
        let recordings =
            wanted.as_deref() != Some("off".as_ref()) && profile.is_none() && driver >= FIRST_WITH_RECORDINGS;
        let in_turn = wanted.as_deref() == Some("in-turn".as_ref()) || driver < FIRST_THAT_BEGINS_EARLY;
        let recordings =
            recordings.then(|| Recordings::new(if in_turn { Begins::InTurn } else { Begins::Early }));
        let work = Work {
            waiting: Vec::new(),
            launches: 0,
            at_once: FIRST_AT_ONCE,
            most: FIRST_WAITING,
            recordings,
            replayed: 0,
            profile,
            since: SinceDivided::Other,
            failed: None,
        };
        Self { stream, several, times, work: Mutex::new(work) }
    }

    pub fn launch(&self, call: Call) -> Result<(), Refusal> {
        self.ask(Task::Alone(Alone::Launch(call)))
    }

    /// A launch that is divided among the GPUs.
    pub fn launch_divided(&self, call: DividedCall) -> Result<(), Refusal> {
        self.ask(Task::Divided(call))
    }

    fn ask(&self, launch: Task) -> Result<(), Refusal> {
        let mut work = self.work();
        work.waiting.push(launch);
        work.launches += 1;
        if work.at_once > 0 {
            work.at_once -= 1;
            self.give(&mut work)
        } else if work.launches >= work.most || work.profile.is_some() {
            work.most = (2 * work.most).min(MOST_WAITING);
            self.give(&mut work)
        } else {
            Ok(())
        }
    }

    /// Sets `bytes` bytes from `address` on to 0.
    pub fn clear(&self, address: sys::CUdeviceptr, bytes: usize) {
        if bytes > 0 {
            self.work().waiting.push(Task::Alone(Alone::Clear(Access { address, writes: true }, bytes)));
        }
    }

    /// Submits all work, and after it a copy of `bytes` bytes of the device's memory.
    pub fn copy(&self, from: sys::CUdeviceptr, to: sys::CUdeviceptr, bytes: usize) -> Result<(), Refusal> {
        let mut work = self.work();
        self.give(&mut work)?;
        work.since = SinceDivided::Other;
        self.stream.context().bind_to_thread().map_err(of_stream)?;
        // SAFETY: the caller's ranges have as many bytes, and its memory lives until the copy has ended.
        unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) }.map_err(of_stream)
    }

    /// Records an event after all work so far; the event is collected with that work and not submitted at once.
    pub fn record(&self, event: Arc<CudaEvent>) {
        self.work().waiting.push(Task::Alone(Alone::Event(event)));
    }

    /// Submits all work and returns an event recorded after it.
    pub(crate) fn record_now(&self) -> Result<CudaEvent, Refusal> {
        self.flush()?;
        self.stream.record_event(None).map_err(of_stream)
    }

    /// Makes sure that an event is recorded on the stream: submits the collected work if the event is part of it.
    pub fn require(&self, event: &Arc<CudaEvent>) -> Result<(), Refusal> {
        let mut work = self.work();
        let waits = |w: &Task| matches!(w, Task::Alone(Alone::Event(other)) if Arc::ptr_eq(event, other));
        if work.waiting.iter().any(waits) { self.give(&mut work) } else { Ok(()) }
    }

    /// Makes all later work wait for an event.
    pub fn wait_for(&self, event: &CudaEvent) -> Result<(), Refusal> {
        let mut work = self.work();
        self.give(&mut work)?;
        work.since = SinceDivided::Other;
        self.stream.wait(event).map_err(of_stream)
    }

    /// Submits all collected work to the stream.
    pub fn flush(&self) -> Result<(), Refusal> {
        self.give(&mut self.work())
    }

    /// Submits all collected work, and gives the driver's handle of the stream that it went to.
    pub(crate) fn submitted_to(&self) -> Result<u64, Refusal> {
        self.flush()?;
        Ok(self.stream.cu_stream().expose_provenance() as u64)
    }

    /// Submits all work and blocks until it is done.
    pub fn synchronise(&self) -> Result<(), Refusal> {
        self.flush()?;
        self.host_waited();
        self.stream.synchronize().map_err(of_stream)
    }

    /// Notes that the host has waited for all work: the device is idle, and should start soon.
    pub fn host_waited(&self) {
        let mut work = self.work();
        (work.at_once, work.most) = (FIRST_AT_ONCE, FIRST_WAITING);
    }

    /// Whether a profile is taken.
    pub(crate) fn is_profiled(&self) -> bool {
        self.work().profile.is_some()
    }

    /// Number of runs launched from a recording.
    pub fn replayed(&self) -> usize {
        self.work().replayed
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, work: &mut Work) -> Result<(), Refusal> {
        if let Some(failed) = &work.failed {
            return Err(failed.clone());
        }
        if work.waiting.is_empty() {
            return Ok(());
        }
        let given = self.give_all(work);
        // Tasks are lost: whoever asks for anything later hears of it, also where this caller does not look.
        work.failed = given.clone().err();
        given
    }

    fn give_all(&self, work: &mut Work) -> Result<(), Refusal> {
        self.stream.context().bind_to_thread().map_err(of_stream)?;
        work.launches = 0;
        let mut left = std::mem::take(&mut work.waiting);
        while !left.is_empty() {
            let mut run: Vec<_> = left.drain(..left.len().min(launch_dependencies::MOST)).collect();
            self.run(work, &mut run)?;
        }
        Ok(())
    }

    /// Submits a run, from a recording or task by task, and empties it.
    fn run(&self, work: &mut Work, run: &mut Vec<Task>) -> Result<(), Refusal> {
        let gpus = Gpus { first: &self.stream, several: self.several.as_deref() };
        if let Some(recordings) = work.recordings.as_mut() {
            match self.times.time("launches: replay", || recordings.run(run, gpus, &self.times)) {
                Ok(true) => {
                    work.replayed += 1;
                    work.since = SinceDivided::Other;
                    return Ok(());
                }
                Ok(false) => {}
                // The launches are then made one by one; if one of them is at fault, its own error says so.
                Err(NotLaunched::Any) => {
                    self.stream.context().bind_to_thread().map_err(of_stream)?;
                    work.recordings = None;
                }
                Err(NotLaunched::Some(error)) => {
                    self.stream.context().bind_to_thread().map_err(of_stream)?;
                    return Err(of_stream(error));
                }
            }
        }
        self.times.time("launches: one by one", || {
            run.drain(..).try_for_each(|task| self.submit(work, &task).map_err(|e| refused(&task, e)))
        })
    }

    /// Submits one task, and takes its time if a profile is taken.
    fn submit(&self, work: &mut Work, task: &Task) -> Result<(), DriverError> {
        let now = if task.is_divided() { SinceDivided::Nothing } else { SinceDivided::Other };
        let since = std::mem::replace(&mut work.since, now);
        let go = || match (task, &self.several) {
            (Task::Alone(alone), _) => alone.submit(&self.stream),
            (Task::Divided(divided), Some(several)) => several.launch(&self.stream, since, divided),
            (Task::Divided(_), None) => Err(DriverError(sys::CUresult::CUDA_ERROR_INVALID_DEVICE)),
        };
        let submitted = match (task.call(), work.profile.as_mut()) {
            (Some(call), Some(profile)) => profile.time(call.profile_name(), &self.stream, go),
            _ => go(),
        };
        if submitted.is_err() {
            work.since = SinceDivided::Other;
        }
        submitted
    }
}

/// What the driver says of a task.
fn refused(task: &Task, error: DriverError) -> Refusal {
    match task.call() {
        Some(call) => format!("kernel `{}`, `{}`: {}", call.kernel.name.0, call.kernel.name.1, said(error)),
        None => of_stream(error),
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Work that is still collected is dropped: nothing can read its results any more. The context must be current
        // when the recordings are destroyed.
        let _ = self.stream.context().bind_to_thread();
        self.work.get_mut().unwrap_or_else(PoisonError::into_inner).recordings = None;
    }
}
