//! `veloxel evaluate segmentation`: the parts of a mesh against those that people made.

use crate::{Outcome, ReadingArguments, Run, print_measured, table};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{EvaluateSegmentationJob, SegmentationReport, evaluate_segmentation};
use veloxel::metrics::SegmentationError;
use veloxel::report::number::counted;

/// Files of a segmentation.
#[derive(Debug, Args)]
pub struct SegmentationArguments {
    /// The result to measure
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// The truth: one file, or several, by several people
    #[arg(value_name = "TRUTH", required = true)]
    truths: Vec<PathBuf>,
    /// The mesh: adds the cut discrepancy
    #[arg(long, value_name = "MESH")]
    mesh: Option<PathBuf>,
    /// As JSON, for scripts
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArguments,
}

impl Run for SegmentationArguments {
    fn run(self) -> Outcome {
        let Self { result, truths, mesh, json, reading } = self;
        let job = EvaluateSegmentationJob { result, truths, mesh, reading: reading.reading() };
        print_measured(json, |warnings| evaluate_segmentation(&job, warnings), text)
    }
}

fn text(report: &SegmentationReport) -> String {
    let row = |name: &str, error: &SegmentationError| {
        let numbers = [error.rand, error.hamming, error.global_consistency, error.local_consistency];
        let numbers = numbers.iter().map(|number| format!("{number:.4}"));
        let cuts = error.cut_discrepancy.map_or_else(|| "–".to_owned(), |cuts| format!("{cuts:.4}"));
        [name.to_owned(), error.truth_parts.to_string()].into_iter().chain(numbers).chain([cuts]).collect()
    };
    let head = ["truth", "parts", "Rand", "Hamming", "global", "local", "cuts"];
    let each = report.truths.iter().map(|truth| row(&truth.truth, &truth.error));
    let mut text = table(&head, each.chain([row("mean", &report.mean)]));
    text.push_str(&format!("{} in the result\n", counted(report.mean.result_parts, "part")));
    text
}
