//! Where time goes, for whoever tunes a run: `VELOXEL_PROFILE=host` prints at the end what the host did, `VELOXEL_PROFILE=1` also
//! what every kernel took, by events around every launch (which cost a few microseconds each).

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Launches and their events.
#[derive(Default)]
pub(super) struct Profile {
    launches: Vec<(String, CudaEvent, CudaEvent)>,
}

impl Profile {
    /// A profile, if it is asked for.
    pub fn asked_for() -> Option<Self> {
        std::env::var_os("VELOXEL_PROFILE").filter(|asked| asked != "host").map(|_| Self::default())
    }

    /// Runs `launch` between two events.
    pub fn time(
        &mut self,
        name: String,
        (context, stream): (&Arc<CudaContext>, &CudaStream),
        launch: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let event = || context.new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let (start, end) = (event()?, event()?);
        start.record(stream)?;
        launch()?;
        end.record(stream)?;
        self.launches.push((name, start, end));
        Ok(())
    }
}

/// Count and milliseconds of each thing, longest first.
#[allow(clippy::print_stderr, reason = "asked for, by whoever tunes a run")]
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

/// What the host spent its time with.
pub(super) struct HostTimes(Option<Mutex<BTreeMap<&'static str, (usize, Duration)>>>);

impl HostTimes {
    /// Empty, if they are asked for.
    pub fn asked_for() -> Self {
        Self(std::env::var_os("VELOXEL_PROFILE").map(|_| Mutex::default()))
    }

    /// Does `work`, and counts its time as `what`.
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
