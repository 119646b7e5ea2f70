//! `veloxel compare`: every flow method on one pair.

use crate::{
    Bar, ComputeArguments, Outcome, Run, bytes, command_line, followed, print, table, warn, written,
};
use clap::Args;
use std::path::PathBuf;
use veloxel::Dimension;
use veloxel::jobs::{CompareJob, DenseMethodOptions, MaskFile, compare};
use veloxel::report::comparison_table;

/// Run every flow method on one pair, and show their fields side by side.
///
/// The page shows both images, then each method's field, confidence and (with --truth) error on common scales, and a table of
/// errors and times.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The image that the fields live on
    #[arg(value_name = "FIXED")]
    fixed: PathBuf,

    /// The image that they point into
    #[arg(value_name = "MOVING")]
    moving: PathBuf,

    /// Where the page goes, one file
    #[arg(short, long, value_name = "OUT.html")]
    output: PathBuf,

    /// The true field, on FIXED's grid
    #[arg(long, value_name = "FLOW")]
    truth: Option<PathBuf>,

    /// A method to run, with its preset: clg, clg:fast, …; again for more. Without it every method with its first preset
    #[arg(long, value_name = "METHOD[:PRESET]", value_parser = method)]
    method: Vec<DenseMethodOptions>,

    /// Mask on FIXED's grid: voxels that are not 0 (of labels.nii.gz=2,3 those with such a label) are used and measured
    #[arg(long, value_name = "M[=LABELS]", value_parser = MaskFile::parse)]
    mask: Option<MaskFile>,

    /// Everything measured, as JSON
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,

    #[command(flatten)]
    compute: ComputeArguments,

    /// Memory that the run may take, such as 500M or 2GiB: methods that take more on the processor are refused before the first one runs
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Memory")]
    max_memory: Option<u64>,

    /// No progress, no table
    #[arg(short, long)]
    quiet: bool,
}

impl Run for CompareArguments {
    fn run(self) -> Outcome {
        let Self {
            fixed,
            moving,
            output: html,
            truth,
            method: methods,
            mask,
            report,
            compute,
            max_memory,
            quiet,
        } = self;
        let (reading, command_line) = (compute.reading()?, command_line());
        let job = CompareJob { fixed, moving, truth, mask, methods, reading, command_line, html, report };
        let bar = if quiet { Bar::Hidden } else { Bar::Shown };
        let session = compute.session().with_max_memory(max_memory);
        let run = followed(&session, bar, |session| compare(&job, session))?;
        warn(&run.report.header.warnings);
        if quiet {
            return Ok(());
        }
        let two = run.report.header.inputs.first().is_some_and(|input| input.dimension == Dimension::Two);
        let (head, rows) = comparison_table(&run.report, if two { "px" } else { "voxels" });
        let mut text = table(&head, rows);
        for out in &run.report.left_out {
            text.push_str(&format!("left out: {}: {}\n", out.method, out.reason));
        }
        text.extend(written(&run).map(|(role, path)| format!("{role}: {path}\n")));
        Ok(print(&text)?)
    }
}

/// `clg` or `clg:fast`.
pub fn method(text: &str) -> Result<DenseMethodOptions, String> {
    let (method, preset) = text.split_once(':').map_or((text, None), |(method, own)| (method, Some(own)));
    let options = DenseMethodOptions::named(method);
    let options = options.and_then(|options| preset.map_or(Ok(options.clone()), |own| options.preset(own)));
    options.map_err(|error| error.to_string())
}
