//! The sessions of a run: one a GPU, or processors whose threads are parted.

use super::check::BatchPlan;
use crate::{DeviceOptions, Result, Session};
use veloxel_gpu::Device;
use veloxel_io::PendingFiles;

/// The devices of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchDevices {
    /// The device; of `auto` all GPUs of the fastest kind. Threads of the processor are those of all rows together.
    pub device: DeviceOptions,
    /// Rows that run at once on one device. On a processor they part its threads; on a GPU each has a queue of its own. 0: one on a
    /// processor, and on a GPU as many as its free memory holds, four at most.
    pub at_once: usize,
    /// Memory that each row may take, bytes; none: what there is.
    pub max_memory_bytes: Option<u64>,
}

impl BatchDevices {
    /// Opens a session for each row of a plan that runs at once; unfinished files of all are in one list.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if a device is not there, with what to do.
    pub fn open(&self, plan: &BatchPlan<'_>, pending: &PendingFiles) -> Result<Vec<Session>> {
        self.open_for(|first| plan.rows_at_once(first), pending)
    }

    /// Opens a session for each row that runs at once, which `fitting` counts for a GPU.
    fn open_for(
        &self,
        fitting: impl FnOnce(&Session) -> Result<usize>,
        pending: &PendingFiles,
    ) -> Result<Vec<Session>> {
        let opened = |options: &DeviceOptions| {
            let session = Session::open(options)?.with_max_memory(self.max_memory_bytes);
            Ok::<_, crate::VeloxelError>(session.listed_in(pending.clone()))
        };
        let is_cpu = self.device.name.as_deref() == Some("cpu");
        // A processor is opened once its threads are parted.
        let first = if is_cpu && self.at_once > 1 { None } else { Some(opened(&self.device)?) };
        let is_gpu = first.as_ref().map(Session::device).transpose()?.is_some_and(Device::is_gpu);
        let at_once = match (&first, self.at_once) {
            (Some(first), 0) if is_gpu => fitting(first)?,
            (_, at_once) => at_once.max(1),
        };
        if !is_gpu {
            if let Some(only) = first.filter(|_| at_once == 1) {
                return Ok(vec![only]);
            }
            let all = match self.device.threads {
                0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
                threads => threads,
            };
            // The first ones get what does not divide.
            let threads = (0..at_once).map(|nth| (all / at_once + usize::from(nth < all % at_once)).max(1));
            let of = |threads| opened(&DeviceOptions { name: Some("cpu".to_owned()), threads });
            return threads.map(of).collect();
        }
        let named = first.as_ref().map(|session| self.of_first(session)).transpose()?;
        let others = first.as_ref().map(|session| self.others(session)).transpose()?.unwrap_or_default();
        let mut all: Vec<Session> = first.into_iter().collect();
        for (nth, options) in named.into_iter().chain(others).enumerate() {
            // Each row that runs at once has a queue of its own, as a device opened by itself has: on one queue the rows' kernels
            // and waits would stand in line.
            let more = if nth == 0 { at_once - 1 } else { at_once };
            for _ in 0..more {
                all.push(opened(&options)?);
            }
        }
        Ok(all)
    }

    /// What opens the first device once more.
    fn of_first(&self, first: &Session) -> Result<DeviceOptions> {
        let name = match &self.device.name {
            Some(name) if name != "auto" => name.clone(),
            _ => first.device()?.info().name,
        };
        Ok(DeviceOptions { name: Some(name), threads: self.device.threads })
    }

    /// The other GPUs of the kind that was chosen, where none was named.
    fn others(&self, first: &Session) -> Result<Vec<DeviceOptions>> {
        let is_chosen = self.device.name.as_deref().is_none_or(|name| name == "auto");
        // Adapters of other interfaces may be a processor in disguise, or the same GPU once more.
        if !is_chosen || first.device()?.info().name != "cuda" {
            return Ok(Vec::new());
        }
        let is_other = |listing: &crate::session::DeviceListing| {
            listing.reason_absent.is_none() && listing.name.starts_with("cuda:")
        };
        let others = crate::session::devices().into_iter().filter(is_other);
        let threads = self.device.threads;
        Ok(others.map(|listing| DeviceOptions { name: Some(listing.name), threads }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_once_part_the_threads_of_a_processor() {
        let threads = |at_once: usize, threads: usize| {
            let device = DeviceOptions { name: Some("cpu".to_owned()), threads };
            let devices = BatchDevices { device, at_once, max_memory_bytes: Some(1 << 30) };
            let sessions = devices.open_for(|_| Ok(9), &PendingFiles::default()).unwrap();
            assert!(sessions.iter().all(|session| session.max_memory_bytes() == Some(1 << 30)));
            sessions.iter().map(|session| session.device_report().unwrap().threads).collect::<Vec<_>>()
        };
        assert_eq!(threads(0, 3), [3]);
        assert_eq!(threads(1, 3), [3]);
        assert_eq!(threads(2, 3), [2, 1]);
        assert_eq!(threads(3, 2), [1, 1, 1]);
    }

    /// Whether a buffer of each session's device is counted by that device alone.
    fn have_a_device_each(name: &str) {
        let device = DeviceOptions { name: Some(name.to_owned()), ..DeviceOptions::default() };
        let devices = BatchDevices { device, at_once: 0, max_memory_bytes: None };
        let opened = devices.open_for(|_| Ok(2), &PendingFiles::default());
        let sessions = veloxel_testkit::every_device::here(name, opened);
        let [first, second] = &sessions[..] else { panic!("two sessions should be open") };
        let allocations = |session: &Session| session.device().unwrap().memory_stats().allocations;
        let before = allocations(second);
        let buffer = first.device().unwrap().upload(vec![1.0f32; 1 << 16]).unwrap();
        assert!(allocations(first) > 0);
        assert_eq!(allocations(second), before);
        drop(buffer);
    }

    mod rows_at_once_on_one_gpu {
        use super::*;

        #[test]
        fn wgpu() {
            have_a_device_each("wgpu");
        }

        #[test]
        fn cuda() {
            have_a_device_each("cuda");
        }
    }
}
