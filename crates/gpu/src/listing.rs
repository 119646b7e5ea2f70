//! The list of devices of this machine.

/// Information on a device: shown by `veloxel devices`, and part of every report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name that `--device` takes.
    pub name: String,
    /// On the processor, threads and instruction set; on a GPU, the adapter's name and driver.
    pub description: String,
    /// Memory available for buffers, bytes; `None` if the driver does not report it.
    pub memory_bytes: Option<u64>,
}

/// A kind of device, present or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedDevice {
    /// It can be used.
    Present(DeviceInfo),
    /// It cannot be used.
    Absent {
        /// The name that `--device` would take.
        name: String,
        /// The reason.
        reason: String,
    },
}
