//! The machines of an experiment: one thread, all threads, and a GPU where there is one.

use crate::BenchError;
use veloxel_gpu::Device;

/// The machine that a run is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MachineRole {
    /// The papers' sequential version.
    OneThread,
    /// The papers' multicore version.
    AllThreads,
    /// The papers' GPU version.
    Gpu,
}

impl MachineRole {
    pub const ALL: [Self; 3] = [Self::OneThread, Self::AllThreads, Self::Gpu];
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneThread => "1 thread",
            Self::AllThreads => "all threads",
            Self::Gpu => "GPU",
        }
    }
    /// The role's name at the begin of a title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::OneThread => "One thread",
            Self::AllThreads => "All threads",
            Self::Gpu => "GPU",
        }
    }
}

/// A device in its role.
#[derive(Debug)]
pub(crate) struct Machine {
    pub role: MachineRole,
    pub device: Device,
    /// Description of the machine, for people.
    pub name: String,
}

/// One thread, all threads, and the device if it is a GPU.
pub(crate) fn machines(device: &Device) -> Result<Vec<Machine>, BenchError> {
    let all = if device.is_gpu() { Device::cpu(0)? } else { device.clone() };
    let devices = [(MachineRole::OneThread, Device::cpu(1)?), (MachineRole::AllThreads, all)];
    let gpu = device.is_gpu().then(|| (MachineRole::Gpu, device.clone()));
    let machine = |(role, device): (MachineRole, Device)| {
        let description = device.info().description;
        // What a processor is begins with its threads, which a single one need not say.
        let name = match role {
            MachineRole::OneThread => description.rsplit(", ").next().unwrap_or_default().to_owned(),
            _ => description,
        };
        Machine { role, device, name }
    };
    Ok(devices.into_iter().chain(gpu).map(machine).collect())
}

/// The median of an odd number of times.
pub(crate) fn middle(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
