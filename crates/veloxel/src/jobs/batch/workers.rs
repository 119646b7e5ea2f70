//! The sessions of a run: one a GPU, or processors whose threads are parted.

use crate::{DeviceOptions, Result, Session};
use veloxel_gpu::Device;
use veloxel_io::PendingFiles;

/// The devices of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchDevices {
    /// The device; of `auto` all GPUs of the fastest kind. Threads of the processor are those of all rows together.
    pub device: DeviceOptions,
    /// Rows that run at once on one device; 0: one. On a processor they part its threads.
    pub at_once: usize,
    /// Memory that each row may take, bytes; none: what there is.
    pub max_memory_bytes: Option<u64>,
}

impl BatchDevices {
    /// Opens a session for each row that runs at once; unfinished files of all are in one list.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if a device is not there, with what to do.
    pub fn open(&self, pending: &PendingFiles) -> Result<Vec<Session>> {
        let at_once = self.at_once.max(1);
        let opened = |options: &DeviceOptions| {
            let session = Session::open(options)?.with_max_memory(self.max_memory_bytes);
            Ok::<_, crate::VeloxelError>(session.listed_in(pending.clone()))
        };
        let is_cpu = self.device.name.as_deref() == Some("cpu");
        // A processor is opened once its threads are parted.
        let first = if is_cpu && at_once > 1 { None } else { Some(opened(&self.device)?) };
        let is_gpu = first.as_ref().map(Session::device).transpose()?.is_some_and(Device::is_gpu);
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
        let mut on_devices: Vec<Session> = first.into_iter().collect();
        for options in self.others(&on_devices)? {
            on_devices.push(opened(&options)?);
        }
        let mut all = Vec::new();
        for session in on_devices {
            let more = (1..at_once).map(|_| session.beside()).collect::<Result<Vec<_>>>()?;
            all.push(session);
            all.extend(more);
        }
        Ok(all)
    }

    /// The other GPUs of the kind that was chosen, where none was named.
    fn others(&self, opened: &[Session]) -> Result<Vec<DeviceOptions>> {
        let is_chosen = self.device.name.as_deref().is_none_or(|name| name == "auto");
        let Some(first) = opened.first().filter(|_| is_chosen) else { return Ok(Vec::new()) };
        let name = first.device()?.info().name;
        // Adapters of other interfaces may be a processor in disguise, or the same GPU once more.
        if name != "cuda" {
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
            let sessions = devices.open(&PendingFiles::default()).unwrap();
            assert!(sessions.iter().all(|session| session.max_memory_bytes() == Some(1 << 30)));
            sessions.iter().map(|session| session.device_report().unwrap().threads).collect::<Vec<_>>()
        };
        assert_eq!(threads(0, 3), [3]);
        assert_eq!(threads(1, 3), [3]);
        assert_eq!(threads(2, 3), [2, 1]);
        assert_eq!(threads(3, 2), [1, 1, 1]);
    }
}
