//! `veloxel demo`: a heart whose motion is known.

use crate::{
    Bar, DeviceArguments, Outcome, Run, command_line, device_text, followed, print, table, total_time, warn,
};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{DemoJob, demo};
use veloxel::report::PairReport;
use veloxel::report::number::{self, duration};

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

impl Run for DemoArguments {
    fn run(self) -> Outcome {
        let job = DemoJob { folder: self.output, command_line: command_line() };
        let bar = if self.quiet { Bar::Hidden } else { Bar::Shown };
        let run = followed(&self.device.session(), bar, |session| demo(&job, session))?;
        warn(&run.report.header.warnings);
        let head = ["in the muscle", "motion, voxels", "error, voxels", "95 %", "|det − 1|", "time to solve"];
        let mut text = table(&head, run.report.pairs.iter().map(row));
        if let Some(drift) = run.report.cycle_closure_vox {
            text.push_str(&format!("drift once around the beat: {} voxels\n", number::text(drift)));
        }
        let header = &run.report.header;
        text.push_str(&format!("{} in all, {}\n", total_time(header), device_text(&header.device)));
        text.push_str(&format!("open {}\n", job.folder.join("report.html").display()));
        Ok(print(&text)?)
    }
}

fn row(pair: &PairReport) -> Vec<String> {
    let error = pair.error.as_ref().map(|e| e.end_point_vox);
    let solve_ms = pair.statistics.method.device_ms.unwrap_or_default();
    vec![
        pair.title.clone(),
        format!("{:.2}", pair.motion.mean_vox),
        error.map_or_else(String::new, |e| format!("{:.3}", e.mean)),
        error.map_or_else(String::new, |e| format!("{:.3}", e.a95)),
        format!("{:.4}", pair.statistics.jacobian.mean_abs_minus_one),
        duration(solve_ms),
    ]
}
