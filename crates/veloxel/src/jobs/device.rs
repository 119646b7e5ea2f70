//! Which device runs, and the sentence that says why.

use super::run_log::{RunLog, Stages};
use crate::Result;
use serde::Serialize;
use veloxel_core::{SystemMemory, Warnings};
use veloxel_gpu::{Device, Listing};
use veloxel_report::DeviceReport;

/// Which device to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceOptions {
    /// `auto`, `cpu`, or the name of another device.
    pub name: Option<String>,
    /// Threads of the processor; 0: as many as the machine has.
    pub threads: usize,
}

impl DeviceOptions {
    /// Opens the device.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute) if it is not there, with what to do.
    pub fn open(&self) -> Result<(Device, DeviceReport)> {
        let (device, chosen_because) = match self.name.as_deref() {
            None | Some("auto") => {
                let (device, because) = Device::auto_because(self.threads)?;
                (device, format!("auto: {because}"))
            }
            Some(name) => (Device::named(name, self.threads)?, "asked for".to_owned()),
        };
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            asked => asked,
        };
        let info = device.info();
        // What a processor is begins with its threads, which have a field of their own.
        let what = match device.is_gpu() {
            true => info.description.as_str(),
            false => info.description.rsplit(", ").next().unwrap_or_default(),
        };
        let report = DeviceReport { name: format!("{}, {what}", info.name), chosen_because, threads };
        Ok((device, report))
    }

    /// Opens the device for a run, and begins the run's log.
    pub(super) fn start(&self) -> Result<(Device, RunLog)> {
        let (device, report) = self.open()?;
        Ok((device, RunLog { device: report, stages: Stages::default(), warnings: Warnings::new() }))
    }

    /// The same while files are loaded: a GPU takes as long to open as large files to read.
    pub(super) fn start_and_load<T>(
        &self,
        load: impl FnOnce(&mut Stages, &mut Warnings) -> Result<T>,
    ) -> Result<(Device, RunLog, T)> {
        let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
        let (opened, loaded) = std::thread::scope(|scope| {
            let opening = scope.spawn(|| self.open());
            let loaded = load(&mut stages, &mut warnings);
            (opening.join().expect("opening a device should not panic"), loaded)
        });
        let (device, report) = opened?;
        Ok((device, RunLog { device: report, stages, warnings }, loaded?))
    }
}

/// A device, present or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceListing {
    /// As `--device` takes it.
    pub name: String,
    /// Threads and instruction set, or the adapter and its driver.
    pub description: Option<String>,
    /// Memory of the device, bytes, where its driver (of the processor: the system) says.
    pub memory_bytes: Option<u64>,
    /// What can still be had of it, bytes: of the processor, where the system says.
    pub available_bytes: Option<u64>,
    /// Why it cannot be used; none if it can.
    pub reason_absent: Option<String>,
}

/// Every kind of device, and why the absent ones are.
pub fn devices() -> Vec<DeviceListing> {
    let listing = |listing: Listing| {
        let (name, info, reason_absent) = match listing {
            Listing::Present(info) => (info.name.clone(), Some(info), None),
            Listing::Absent { name, reason } => (name, None, Some(reason)),
        };
        let system = SystemMemory::now().filter(|_| info.is_some() && name == "cpu");
        DeviceListing {
            name,
            memory_bytes: info.as_ref().and_then(|info| info.memory_bytes),
            available_bytes: system.map(|memory| memory.available_bytes),
            description: info.map(|info| info.description),
            reason_absent,
        }
    };
    Device::list().into_iter().map(listing).collect()
}
