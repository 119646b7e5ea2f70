//! `veloxel features`: an image to its energy, orientation and phase.

use crate::{Fallible, MethodArguments, Outcome, RowArguments, Run, Summary, followed, presets};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{FeaturesJob, RowJob, features};
use veloxel::report::number::{counted, percent};

/// Find energy, orientation and phase of a picture at every scale.
///
/// The folder gets energy_0.pfm, orientation_0.pfm (radians, 0 to π, across the edge or line) and phase_0.pfm (radians,
/// −π to π) at full resolution, the same as _1 at half, and so on; orientation.png and phase.png as pictures; and
/// report.json.
#[derive(Debug, Args)]
#[command(after_long_help = crate::commands::parameters::long_help("phase"))]
#[command(mut_arg("preset", |preset| preset.value_parser(presets(&["phase"]))))]
pub struct FeaturesArguments {
    /// The picture
    #[arg(value_name = "IMAGE")]
    image: PathBuf,

    /// The folder for all maps
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// A copy of the report
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// A page with pictures, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    #[command(flatten)]
    method: MethodArguments,
}

impl FeaturesArguments {
    fn job(self) -> Fallible<(FeaturesJob, MethodArguments)> {
        let Self { image, output: folder, report, html, method } = self;
        let options = method.phase_options("features")?;
        Ok((FeaturesJob { image, options, folder, report, html }, method))
    }
}

impl RowArguments for FeaturesArguments {
    fn row_job(self) -> Fallible<RowJob> {
        Ok(RowJob::Features(Box::new(self.job()?.0)))
    }
}

impl Run for FeaturesArguments {
    fn run(self) -> Outcome {
        let (job, method) = self.job()?;
        let run = followed(&method.session(), method.bar(), |session| features(&job, session))?;
        let scales = &run.report.scales;
        let with_phase = scales.first().map(|finest| percent(finest.valid_share));
        let more = with_phase.as_ref().map_or(String::new(), |share| format!(", {share} with a phase"));
        let line = format!("{}{more}", counted(scales.len(), "scale"));
        let mut lines = vec![("scales", scales.len().to_string())];
        lines.extend(with_phase.map(|share| ("with a phase", share)));
        method.show(&run, &run.report.header, Summary { lines, line })
    }
}
