//! `veloxel bench`: figures beside the bars that they are held against.

use crate::output::{print, print_json, table};
use crate::run_arguments::DeviceArguments;
use crate::{Outcome, Run, wrong_usage};
use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::Command;
use veloxel::Device;
use veloxel::io::{IoError, write_text};
use veloxel::report::number::{counted, text};
use veloxel_bench::{
    Bar, Bench, BenchError, Event, ExperimentTable, Figure, PaperA, Plan, VolumeCost, paper_a, volume_cost,
};

/// Measure speed, memory and accuracy, beside the bars that they must reach.
///
/// middlebury and nirep, the mouse ventricle of volume-preservation, and phase's scenes need the data folder that
/// VELOXEL_DATA names.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// What to measure; nothing: everything that needs no data, but not gpu, paper-a and phase
    #[arg(value_name = "NAME", value_enum)]
    names: Vec<Name>,

    /// As JSON, for scripts
    #[arg(long)]
    json: bool,

    /// paper-a's sizes up to 100³ only
    #[arg(long)]
    quick: bool,

    /// paper-a's tables and plots as a page, in one file
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

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

impl Run for BenchArguments {
    fn run(&self) -> Outcome {
        let (device, report) = self.device.options().open()?;
        if let Some(size) = self.volume {
            return print_json(&volume_cost(size, &device)?);
        }
        let names = || self.names.iter().map(|name| name.0);
        if (self.quick || self.html.is_some()) && !names().any(|bench| bench == Bench::PaperA) {
            let text = "--quick and --html belong to the bench paper-a";
            wrong_usage("bench", ErrorKind::MissingRequiredArgument, text);
        }
        let by_default = |bench: &Bench| {
            !matches!(
                bench,
                Bench::Gpu
                    | Bench::Agreement
                    | Bench::PaperA
                    | Bench::Phase
                    | Bench::Middlebury
                    | Bench::Nirep
            )
        };
        let benches: Vec<Bench> = if self.names.is_empty() {
            Bench::ALL.into_iter().filter(by_default).collect()
        } else {
            names().collect()
        };
        let in_fresh_process = |size: usize| fresh_process(size, self);
        let mut results = serde_json::Map::new();
        for bench in benches {
            let (figures, text) = match bench {
                Bench::PaperA => {
                    let result = measure_paper_a(&device, self)?;
                    let text = experiment_text(&result);
                    (result.figures(), text)
                }
                _ => {
                    let figures = bench.run(&device, &in_fresh_process)?;
                    let text = figures_text(&figures);
                    (figures, text)
                }
            };
            if self.json {
                let value = serde_json::to_value(&figures)?;
                results.insert(bench.name().to_owned(), value);
            } else {
                let threads = counted(report.threads, "thread");
                print(&format!("{} · {}, {threads}\n{}\n", bench.name(), report.name, text))?;
            }
        }
        if self.json { print_json(&results) } else { Ok(()) }
    }
}

fn measure_paper_a(device: &Device, arguments: &BenchArguments) -> Result<PaperA, BenchError> {
    // Minutes of measuring should not end at a folder that is not there.
    let folder = arguments.html.as_deref().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
    if let Some(missing) = folder.filter(|folder| !folder.is_dir()) {
        let source = std::io::ErrorKind::NotFound.into();
        return Err(IoError::Open { path: missing.to_owned(), source }.into());
    }
    let plan = if arguments.quick { Plan::quick() } else { Plan::full() };
    paper_a(device, plan, &mut |event| match event {
        Event::Next(what) => {
            eprintln!("paper-a: {what}");
            Ok(())
        }
        // Whoever stops it keeps what was measured.
        Event::Measured { figures, so_far } => {
            if let Some(path) = &arguments.html {
                write_text(path, &so_far.html()?)?;
            }
            let lines: String =
                figures.iter().map(|f| format!("{}: {} {}\n", f.what, text(f.value), f.unit)).collect();
            if arguments.json {
                eprint!("{lines}");
                return Ok(());
            }
            Ok(print(&lines)?)
        }
    })
}

/// Tables, then the figures that have a bar, then what is to be known of them.
fn experiment_text(result: &PaperA) -> String {
    let table_text = |experiment: &ExperimentTable| {
        let head: Vec<&str> = experiment.head.iter().map(String::as_str).collect();
        let rows = table(&head, experiment.rows.iter().cloned());
        format!("{}\n{}\n\n{rows}\n", experiment.title, experiment.note)
    };
    let mut text: String = result.tables().iter().map(table_text).collect();
    let held: Vec<Figure> = result.figures().into_iter().filter(|figure| figure.bar.is_some()).collect();
    if !held.is_empty() {
        text.push_str(&figures_text(&held));
        text.push('\n');
    }
    result.notes().iter().for_each(|note| text.push_str(&format!("{note}\n")));
    text
}

fn figures_text(figures: &[Figure]) -> String {
    let row = |figure: &Figure| {
        let bar = match figure.bar {
            Some(Bar::AtMost(limit)) => format!("≤ {}", text(limit)),
            Some(Bar::AtLeast(limit)) => format!("≥ {}", text(limit)),
            Some(Bar::Between(low, high)) => format!("{} to {}", text(low), text(high)),
            None => String::new(),
        };
        let verdict = match figure.reached {
            Some(true) => "reached",
            Some(false) => "missed",
            None => "",
        };
        let value = format!("{} {}", text(figure.value), figure.unit);
        vec![figure.what.clone(), value.trim().to_owned(), bar, verdict.to_owned()]
    };
    table(&["figure", "measured", "bar", ""], figures.iter().map(row))
}

/// This very program again, so that its peak memory is that of one pair.
fn fresh_process(size: usize, arguments: &BenchArguments) -> Result<VolumeCost, BenchError> {
    let fail = |reason: String| BenchError::Process { reason };
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
