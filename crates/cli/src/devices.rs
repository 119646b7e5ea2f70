//! `veloxel devices`: where Veloxel can compute here.

use crate::output::{print_json, print_lines};
use clap::Args;
use veloxel::VeloxelError;
use veloxel::pipelines::{DeviceListing, devices};

/// List the devices that this machine offers.
#[derive(Debug, Args)]
pub struct DevicesArguments {
    /// As JSON, for scripts
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &DevicesArguments) -> Result<(), VeloxelError> {
    let devices = devices();
    if arguments.json {
        return print_json(&devices);
    }
    let line = |device: &DeviceListing| match (&device.reason_absent, &device.description) {
        (Some(reason), _) => format!("not available: {reason}"),
        (None, Some(description)) => match device.memory_bytes {
            Some(bytes) => format!("available, {description}, {:.1} GiB", bytes as f64 / f64::from(1 << 30)),
            None => format!("available, {description}"),
        },
        (None, None) => "available".to_owned(),
    };
    print_lines(&devices.iter().map(|d| (d.name.as_str(), line(d))).collect::<Vec<_>>())
}
