//! `veloxel devices`: where Veloxel can compute here.

use crate::print_json;
use clap::Args;
use veloxel::VeloxelError;
use veloxel::pipelines::devices;

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
    for device in devices {
        let state = match device.reason_absent {
            None => "available".to_owned(),
            Some(reason) => format!("not available: {reason}"),
        };
        println!(
            "{:<8}{state}{}",
            device.name,
            device.description.map_or(String::new(), |d| format!(", {d}"))
        );
    }
    Ok(())
}
