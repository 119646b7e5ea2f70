//! Which device runs, and the sentence that says why.

use crate::VeloxelError;
use crate::report::DeviceReport;
use serde::Serialize;
use veloxel_compute::{ComputeError, Device};

/// A wish for a device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceChoice {
    /// `auto`, `cpu`, or the name of another device.
    pub name: Option<String>,
    /// Threads of the processor; 0: as many as the machine has.
    pub threads: usize,
}

impl DeviceChoice {
    /// Opens the device.
    ///
    /// # Errors
    /// [`VeloxelError::Compute`] if it is not there, with what to do.
    pub fn open(&self) -> Result<(Device, DeviceReport), VeloxelError> {
        let chosen_because = match self.name.as_deref() {
            None | Some("auto") => "auto: the processor is the only device of this build",
            Some("cpu") => "asked for",
            Some(other) => {
                return Err(ComputeError::NoDevice {
                    name: other.to_owned(),
                    reason: "this build computes on processors only; use --device cpu or auto".to_owned(),
                }
                .into());
            }
        };
        let device = Device::cpu(self.threads)?;
        let info = device.info();
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            asked => asked,
        };
        // The description begins with the threads, which have a field of their own.
        let instructions = info.description.rsplit(", ").next().unwrap_or_default();
        let report = DeviceReport {
            name: format!("{}, {instructions}", info.name),
            chosen_because: chosen_because.to_owned(),
            threads,
        };
        Ok((device, report))
    }
}

/// A device, present or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceListing {
    /// As `--device` takes it.
    pub name: String,
    /// Threads and instruction set, or the adapter.
    pub description: Option<String>,
    /// Why it cannot be used; none if it can.
    pub reason_absent: Option<String>,
}

/// Every kind of device, and why the absent ones are.
pub fn devices() -> Vec<DeviceListing> {
    let present = Device::list().into_iter().map(|d| DeviceListing {
        name: d.name,
        description: Some(d.description),
        reason_absent: None,
    });
    let absent = ["cuda", "vulkan", "metal"].map(|name| DeviceListing {
        name: name.to_owned(),
        description: None,
        reason_absent: Some("this build computes on processors only".to_owned()),
    });
    present.chain(absent).collect()
}
