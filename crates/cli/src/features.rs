//! `veloxel features`: an image to its energy, orientation and phase.

use crate::output::print_lines;
use crate::run_arguments::PhaseArguments;
use crate::{Outcome, Run, warn};
use clap::Args;
use std::io::IsTerminal;
use std::path::PathBuf;
use veloxel::jobs::{FeaturesJob, features};
use veloxel::report::number::{duration, percent};

/// Find energy, orientation and phase of a picture at every scale.
///
/// The folder gets energy_0.pfm, orientation_0.pfm (radians, 0 to π, across the edge or line) and phase_0.pfm (radians,
/// −π to π) at full resolution, the same as _1 at half, and so on; orientation.png and phase.png for the eye; and
/// report.json.
#[derive(Debug, Args)]
#[command(after_long_help = crate::parameters::long_help("phase"))]
pub struct FeaturesArguments {
    /// The picture
    #[arg(value_name = "IMAGE")]
    image: PathBuf,

    /// The folder for all maps
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// The report once more, elsewhere
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// A page with pictures, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    #[command(flatten)]
    phase: PhaseArguments,
}

impl Run for FeaturesArguments {
    fn run(&self) -> Outcome {
        let run = features(&FeaturesJob {
            image: self.image.clone(),
            options: self.phase.options()?,
            folder: self.output.clone(),
            report: self.report.clone(),
            html: self.html.clone(),
        })?;
        let header = &run.report.header;
        warn(&header.warnings);
        if self.phase.is_quiet() || !std::io::stdout().is_terminal() {
            return Ok(());
        }
        let total: f64 = header.stage_times.iter().map(|s| s.time_ms).sum();
        let mut lines = vec![("scales", run.report.scales.len().to_string())];
        lines.extend(run.report.scales.first().map(|s| ("with a phase", percent(s.valid_share))));
        lines.push(("time", format!("{}, {}", duration(total), header.device.name)));
        lines.extend(run.written.iter().map(|(role, path)| (*role, path.display().to_string())));
        print_lines(&lines)
    }
}
