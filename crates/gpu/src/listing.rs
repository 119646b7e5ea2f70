//! The list of devices of this machine.

/// What `veloxel devices` shows, and what every report says about where it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// As `--device` takes it.
    pub name: String,
    /// What it is: instruction set and threads, or the adapter's name and driver.
    pub description: String,
    /// Memory that buffers can come from, bytes; none if the driver does not say.
    pub memory_bytes: Option<u64>,
}

/// A kind of device, present or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listing {
    /// It can be used.
    Present(DeviceInfo),
    /// It cannot.
    Absent {
        /// As `--device` would take it.
        name: String,
        /// Why not.
        reason: String,
    },
}
