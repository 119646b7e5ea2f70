//! `veloxel features`: an image to its energy, orientation and phase.

use crate::run_arguments::{PhaseArguments, Summary};
use crate::{Outcome, Run};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{FeaturesJob, features};
use veloxel::report::number::{counted, percent};

/// Find energy, orientation and phase of a picture at every scale.
///
/// The folder gets energy_0.pfm, orientation_0.pfm (radians, 0 to π, across the edge or line) and phase_0.pfm (radians,
/// −π to π) at full resolution, the same as _1 at half, and so on; orientation.png and phase.png as pictures; and
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
    fn run(self) -> Outcome {
        let Self { image, output: folder, report, html, phase } = self;
        let run = features(&FeaturesJob { image, options: phase.options()?, folder, report, html })?;
        let mut lines = vec![("scales", run.report.scales.len().to_string())];
        lines.extend(run.report.scales.first().map(|s| ("with a phase", percent(s.valid_share))));
        let finest = run.report.scales.first();
        let with_phase =
            finest.map_or(String::new(), |s| format!(", {} with a phase", percent(s.valid_share)));
        let line = format!("{}{with_phase}", counted(run.report.scales.len(), "scale"));
        phase.method.show(&run, &run.report.header, Summary { lines, line })
    }
}
