//! `veloxel devices`: where Veloxel can compute here.

use crate::{Outcome, Run, print_json, print_lines};
use clap::Args;
use veloxel::jobs::{DeviceListing, devices};

/// List the devices that this machine offers.
#[derive(Debug, Args)]
pub struct DevicesArguments {
    /// As JSON, for scripts
    #[arg(long)]
    json: bool,
}

impl Run for DevicesArguments {
    fn run(self) -> Outcome {
        let devices = devices();
        if self.json {
            return print_json(&devices);
        }
        let line = |device: &DeviceListing| match (&device.reason_absent, &device.description) {
            (Some(reason), _) => format!("not available: {reason}"),
            (None, Some(description)) => format!("available, {description}, {}", memory(device)),
            (None, None) => "available".to_owned(),
        };
        print_lines(&devices.iter().map(|d| (d.name.as_str(), line(d))).collect::<Vec<_>>())
    }
}

fn memory(device: &DeviceListing) -> String {
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    match (device.memory_bytes, device.available_bytes) {
        (Some(all), Some(free)) => format!("{}, {} of it free", gib(all), gib(free)),
        (Some(all), None) => gib(all),
        (None, _) if device.name == "cpu" => "memory unknown: this system is not asked".to_owned(),
        (None, _) => "memory unknown: its interface does not say".to_owned(),
    }
}
