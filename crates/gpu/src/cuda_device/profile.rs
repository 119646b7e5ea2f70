//! Profiles of a run. `VELOXEL_PROFILE=host` prints the times of the host at the end; `VELOXEL_PROFILE=1` also prints
//! the time of every kernel, measured by events around each launch, which cost a few microseconds each.

use cudarc::driver::{CudaEvent, CudaStream, DriverError, sys};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Each launch's name, with the events before and after it.
#[derive(Default)]
pub(super) struct Profile {
    launches: Vec<(String, CudaEvent, CudaEvent)>,
}

impl Profile {
    /// An empty profile if `VELOXEL_PROFILE` asks for the times of kernels.
    pub(crate) fn asked_for() -> Option<Self> {
        std::env::var_os("VELOXEL_PROFILE").filter(|asked| asked != "host").map(|_| Self::default())
    }

    /// Calls `launch` and records an event before and after it.
    pub fn time(
        &mut self,
        name: String,
        stream: &CudaStream,
        launch: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let event = || stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let (start, end) = (event()?, event()?);
        start.record(stream)?;
        launch()?;
        end.record(stream)?;
        self.launches.push((name, start, end));
        Ok(())
    }
}

/// Prints the count and total milliseconds of each name, longest first.
#[allow(clippy::print_stderr, reason = "asked for, to tune a run")]
fn print(totals: BTreeMap<&str, (usize, f64)>, what: &str) {
    eprintln!("-- {what}");
    let mut totals: Vec<_> = totals.into_iter().collect();
    totals.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    for (name, (count, ms)) in totals {
        eprintln!("{ms:9.3} ms  {count:6} {what}  {:8.2} us each  {name}", 1e3 * ms / count as f64);
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        let mut totals: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
        for (name, start, end) in &self.launches {
            if end.synchronize().is_ok()
                && let Ok(ms) = start.elapsed_ms(end)
            {
                let total = totals.entry(name).or_default();
                *total = (total.0 + 1, total.1 + f64::from(ms));
            }
        }
        print(totals, "launches");
    }
}

/// Count and total time of each activity of the host; `None` if they are not asked for.
pub(super) struct HostTimes(Option<Mutex<BTreeMap<&'static str, (usize, Duration)>>>);

impl HostTimes {
    /// Empty times; they are measured if `VELOXEL_PROFILE` is set.
    pub(crate) fn asked_for() -> Self {
        Self(std::env::var_os("VELOXEL_PROFILE").map(|_| Mutex::default()))
    }

    /// Calls `work` and adds its time to the activity `what`.
    pub fn time<R>(&self, what: &'static str, work: impl FnOnce() -> R) -> R {
        let Some(totals) = &self.0 else { return work() };
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
        let total = totals.entry(what).or_default();
        *total = (total.0 + 1, total.1 + took);
        result
    }
}

impl Drop for HostTimes {
    fn drop(&mut self) {
        let Some(totals) = &self.0 else { return };
        let totals = std::mem::take(&mut *totals.lock().unwrap_or_else(PoisonError::into_inner));
        let in_ms = |(what, (count, time)): (_, (usize, Duration))| (what, (count, time.as_secs_f64() * 1e3));
        print(totals.into_iter().map(in_ms).collect(), "times on the host");
    }
}
