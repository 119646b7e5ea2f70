//! Which device runs, and the sentence that says why.

use serde::Serialize;
use veloxel_core::SystemMemory;
use veloxel_gpu::{ComputeError, Device, DeviceKind, ListedDevice};
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
    /// [`ComputeError`] if it is not there, with what to do.
    pub(super) fn open(&self) -> Result<OpenDevice, ComputeError> {
        let (device, chosen_because) = match self.name.as_deref() {
            None | Some("auto") => {
                let (device, because) = Device::auto_because(self.threads)?;
                (device, format!("auto: {because}"))
            }
            Some(name) => (Device::named(name, self.threads)?, "asked for".to_owned()),
        };
        Ok(OpenDevice::new(device, chosen_because, self.threads))
    }
}

/// A device and the sentence that says why it was chosen.
#[derive(Debug, Clone)]
pub(super) struct OpenDevice {
    pub device: Device,
    pub report: DeviceReport,
}

impl OpenDevice {
    /// A device that was asked for with so many threads of the processor; 0: as many as the machine has.
    pub fn new(device: Device, chosen_because: String, threads: usize) -> Self {
        let threads = match (threads, device.kind()) {
            (_, DeviceKind::Cpu(cpu)) => cpu.threads(),
            (0, _) => std::thread::available_parallelism().map_or(1, |n| n.get()),
            (asked, _) => asked,
        };
        let info = device.info();
        // What a processor is begins with its threads, which have a field of their own.
        let what = match device.is_gpu() {
            true => info.description.as_str(),
            false => info.description.rsplit(", ").next().unwrap_or_default(),
        };
        let report = DeviceReport { name: format!("{}, {what}", info.name), chosen_because, threads };
        Self { device: device.with_host_threads(threads), report }
    }
}

/// A device, present or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceListing {
    /// The name that [`DeviceOptions::name`] takes.
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
    let listing = |listing: ListedDevice| {
        let (name, info, reason_absent) = match listing {
            ListedDevice::Present(info) => (info.name.clone(), Some(info), None),
            ListedDevice::Absent { name, reason } => (name, None, Some(reason)),
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
