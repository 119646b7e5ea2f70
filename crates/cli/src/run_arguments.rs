//! What several commands are told in the same way: where to compute, single parameters, how strict to be.

use clap::Args;
use std::path::PathBuf;
use veloxel::PhasePreset;
use veloxel::io::Strictness;
use veloxel::jobs::{DeviceChoice, PhaseChoice};

/// Where to compute.
#[derive(Debug, Args)]
pub struct DeviceArguments {
    /// Where to compute: auto (the fastest there is), cpu, or a GPU: cuda, vulkan, metal, dx12 or wgpu (any of these
    /// three), with :1 for the second of its kind; `veloxel devices` lists them
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device, help_heading = "Device")]
    pub device: String,

    /// Threads of the processor; 0: as many as there are
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Device")]
    pub threads: usize,
}

impl DeviceArguments {
    pub fn choice(&self) -> DeviceChoice {
        DeviceChoice { name: Some(self.device.clone()), threads: self.threads }
    }
}

/// What every command of the phase engine is told.
#[derive(Debug, Args)]
pub struct PhaseArguments {
    /// What the parameters start from
    #[arg(long, value_enum, default_value_t = PhasePresetName::Accurate, help_heading = "Method")]
    preset: PhasePresetName,

    /// Change one parameter: the value is a number or a word
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting, help_heading = "Method")]
    set: Vec<(String, String)>,

    /// Parameters from a TOML file, before --set
    #[arg(long, value_name = "FILE.toml", help_heading = "Method")]
    params: Option<PathBuf>,

    /// Refuse headers that need an assumption, instead of warning
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    device: DeviceArguments,

    /// No summary
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum PhasePresetName {
    /// Wider medians on coarse levels and after checks, velocities weighed by their fit
    Accurate,
    /// Every choice as in Pauwels et al. 2012
    Paper,
    /// Its FPGA as a model: warped images, three frames, fixed point, plain sums
    Hardware,
}

impl PhaseArguments {
    pub fn choice(&self) -> PhaseChoice {
        PhaseChoice {
            preset: match self.preset {
                PhasePresetName::Accurate => PhasePreset::Accurate,
                PhasePresetName::Paper => PhasePreset::Paper,
                PhasePresetName::Hardware => PhasePreset::Hardware,
            },
            file: self.params.clone(),
            settings: self.set.clone(),
            device: self.device.choice(),
            strictness: strictness(self.strict),
            command_line: command_line(),
        }
    }
}

pub fn strictness(strict: bool) -> Strictness {
    if strict { Strictness::Strict } else { Strictness::Lenient }
}

pub fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("expected KEY=VALUE, such as alpha=0.1".to_owned()),
    }
}

/// Names that mean a device somewhere, so that asking for one that is not here fails clearly rather than as a typo.
fn device(text: &str) -> Result<String, String> {
    let (kind, index) = text.split_once(':').map_or((text, None), |(kind, index)| (kind, Some(index)));
    let gpu = matches!(kind, "cuda" | "vulkan" | "metal" | "dx12" | "wgpu");
    if matches!(text, "auto" | "cpu") || (gpu && index.is_none_or(|i| i.parse::<u32>().is_ok())) {
        Ok(text.to_owned())
    } else {
        Err("possible values: auto, cpu, cuda, vulkan, metal, dx12, wgpu; a GPU with :N for the N-th after the first".to_owned())
    }
}

/// The command as typed, quoted where a shell would need it.
pub fn command_line() -> String {
    let quoted = |argument: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    let arguments = std::env::args_os().skip(1).map(|a| quoted(a.to_string_lossy().into_owned()));
    std::iter::once("veloxel".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}
