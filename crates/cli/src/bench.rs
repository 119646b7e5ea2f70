//! `veloxel bench`: figures beside the bars that they are held against.

use crate::flow::DeviceArguments;
use crate::output::{print, print_json};
use crate::table::{Table, count, number};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::process::Command;
use veloxel::VeloxelError;
use veloxel::bench::{Bar, Bench, Figure, VolumeCost, volume_cost};

/// Measure speed, memory and accuracy, beside the bars that they must reach.
///
/// middlebury and nirep, and the mouse ventricle of volume-preservation, need the data folder that VELOXEL_DATA names.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// What to measure; nothing: everything that needs no data
    #[arg(value_name = "NAME", value_enum)]
    names: Vec<Name>,

    /// As JSON, for scripts
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    device: DeviceArguments,

    /// Measures one pair of volumes, for this command's own use
    #[arg(long, hide = true, value_name = "SIZE")]
    volume: Option<usize>,
}

/// A bench by its name.
#[derive(Debug, Clone, Copy)]
struct Name(Bench);

/// In the order of [`Bench::ALL`].
const NAMES: [Name; Bench::ALL.len()] = {
    let mut names = [Name(Bench::Copy); Bench::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Name(Bench::ALL[i]);
        i += 1;
    }
    names
};

impl ValueEnum for Name {
    fn value_variants<'a>() -> &'a [Self] {
        &NAMES
    }
    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

pub fn run(arguments: &BenchArguments) -> Result<(), VeloxelError> {
    let (device, report) = arguments.device.choice().open()?;
    if let Some(size) = arguments.volume {
        return print_json(&volume_cost(size, &device)?);
    }
    let needs_no_data =
        |bench: &Bench| !matches!(bench, Bench::Gpu | Bench::Middlebury | Bench::Nirep);
    let benches: Vec<Bench> = if arguments.names.is_empty() {
        Bench::ALL.into_iter().filter(needs_no_data).collect()
    } else {
        arguments.names.iter().map(|n| n.0).collect()
    };
    let in_fresh_process = |size: usize| fresh_process(size, arguments);
    let mut results = serde_json::Map::new();
    for bench in benches {
        let figures = bench.run(&device, &in_fresh_process)?;
        if arguments.json {
            let value = serde_json::to_value(&figures).map_err(|source| VeloxelError::Json { source })?;
            results.insert(bench.name().to_owned(), value);
        } else {
            let threads = count(report.threads, "thread", "threads");
            print(&format!("{} · {}, {threads}\n{}\n", bench.name(), report.name, figures_text(&figures)))?;
        }
    }
    if arguments.json { print_json(&results) } else { Ok(()) }
}

fn figures_text(figures: &[Figure]) -> String {
    let mut table = Table::new(&["figure", "measured", "bar", ""]);
    for figure in figures {
        let bar = match figure.bar {
            Some(Bar::AtMost(limit)) => format!("≤ {}", number(limit)),
            Some(Bar::AtLeast(limit)) => format!("≥ {}", number(limit)),
            None => String::new(),
        };
        let verdict = match figure.reached {
            Some(true) => "reached",
            Some(false) => "missed",
            None => "",
        };
        let value = format!("{} {}", number(figure.value), figure.unit);
        table.row(vec![figure.what.clone(), value.trim().to_owned(), bar, verdict.to_owned()]);
    }
    table.text()
}

/// This very program again, so that its peak memory is that of one pair.
fn fresh_process(size: usize, arguments: &BenchArguments) -> Result<VolumeCost, VeloxelError> {
    let fail = |reason: String| VeloxelError::Process { reason };
    let program = std::env::current_exe().map_err(|e| fail(e.to_string()))?;
    let output = Command::new(program)
        .args(["bench", "--volume", &size.to_string()])
        .args(["--device", &arguments.device.device, "--threads", &arguments.device.threads.to_string()])
        .output()
        .map_err(|e| fail(e.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| fail(e.to_string()))
}
