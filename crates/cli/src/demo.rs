//! `veloxel demo`: a heart whose motion is known.

use crate::output::print;
use crate::progress::Progress;
use crate::run_arguments::{DeviceArguments, command_line};
use crate::table::{Table, count, number, seconds};
use crate::{Outcome, warn};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{DemoJob, demo};
use veloxel::report::PairReport;

/// Make a beating, twisting heart, estimate its motion, compare with the truth.
///
/// Writes the 4-D sequence, its fields, report.json and report.html; needs no data.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// The folder for everything
    #[arg(short, long, value_name = "DIR", default_value = "veloxel-demo")]
    output: PathBuf,

    #[command(flatten)]
    device: DeviceArguments,

    /// No progress
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(arguments: &DemoArguments) -> Outcome {
    let job = DemoJob {
        folder: arguments.output.clone(),
        device: arguments.device.choice(),
        command_line: command_line(),
    };
    let progress = Progress::new(arguments.quiet);
    let run = demo(&job, &progress)?;
    progress.finish();
    warn(&run.report.warnings);
    let mut table = Table::new(&[
        "in the muscle",
        "motion, voxels",
        "error, voxels",
        "95 %",
        "|det − 1|",
        "time to solve",
    ]);
    for pair in &run.report.pairs {
        table.row(row(pair));
    }
    let mut text = table.text();
    if let Some(drift) = run.report.cycle_closure_vox {
        text.push_str(&format!("drift once around the beat: {} voxels\n", number(drift)));
    }
    let total: f64 = run.report.stage_times.iter().map(|s| s.time_ms).sum();
    let (device, threads) = (&run.report.device.name, run.report.device.threads);
    text.push_str(&format!("{} in all, {device}, {}\n", seconds(total), count(threads, "thread", "threads")));
    text.push_str(&format!("open {}\n", arguments.output.join("report.html").display()));
    Ok(print(&text)?)
}

fn row(pair: &PairReport) -> Vec<String> {
    let error = pair.error.as_ref().map(|e| e.end_point_vox);
    let solve_ms: f64 = pair.statistics.levels.iter().map(|l| l.time_ms).sum();
    vec![
        pair.title.clone(),
        format!("{:.2}", pair.motion.mean_vox),
        error.map_or_else(String::new, |e| format!("{:.3}", e.mean)),
        error.map_or_else(String::new, |e| format!("{:.3}", e.a95)),
        format!("{:.4}", pair.statistics.jacobian.mean_abs_minus_one),
        seconds(solve_ms),
    ]
}
