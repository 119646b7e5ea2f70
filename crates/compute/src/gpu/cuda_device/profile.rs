//! Where a GPU's time goes: with `VELOXEL_PROFILE` set, every launch is timed, and the totals are printed at the end.

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, sys};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Launches and their events.
#[derive(Default)]
pub(super) struct Profile {
    launches: Vec<(String, CudaEvent, CudaEvent)>,
}

impl Profile {
    /// A profile, if it is asked for.
    pub fn asked_for() -> Option<Self> {
        std::env::var_os("VELOXEL_PROFILE").map(|_| Self::default())
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
        let mut totals: Vec<_> = totals.into_iter().collect();
        totals.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
        #[allow(clippy::print_stderr, reason = "asked for, by whoever tunes a run")]
        for (name, (count, ms)) in totals {
            eprintln!("{ms:9.3} ms  {count:6} launches  {:8.2} us each  {name}", 1e3 * ms / count as f64);
        }
    }
}
