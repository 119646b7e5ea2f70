//! `veloxel evaluate`: a result against the truth.

use crate::output::{print, print_json};
use crate::run_arguments::strictness;
use crate::table::{Table, number, percent};
use crate::{Outcome, warn};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use veloxel::Warnings;
use veloxel::jobs::{DisparityFile, evaluate_disparity, evaluate_flow, evaluate_labels};
use veloxel::metrics::{DisparityError, Distribution, FlowError, LabelOverlapReport};

/// Measure a result against the truth.
#[derive(Debug, Args)]
pub struct EvaluateArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// End-point and angular error of a field
    Flow {
        #[command(flatten)]
        files: Files,
        /// Measure inside only: inside is not 0
        #[arg(long, value_name = "M")]
        mask: Option<PathBuf>,
    },
    /// Absolute error, bad pixels and density of a disparity
    ///
    /// Disparities are .pfm, float .tif, KITTI's 16-bit .png, or pictures with the scale of their samples.
    Disparity {
        #[command(flatten)]
        files: Files,
        /// What TRUTH's samples were multiplied by; 0 is unknown then (Middlebury 2001 and 2003: 4, 8 or 16)
        #[arg(long, value_name = "S")]
        scale: Option<f32>,
        /// What RESULT's samples were multiplied by
        #[arg(long, value_name = "S")]
        result_scale: Option<f32>,
        /// Measure inside only: inside is not 0
        #[arg(long, value_name = "M")]
        mask: Option<PathBuf>,
    },
    /// Dice, Jaccard and Hausdorff 95 of every label
    Labels {
        #[command(flatten)]
        files: Files,
        /// Measure inside only: inside is not 0; outside is background in both
        #[arg(long, value_name = "M")]
        mask: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
struct Files {
    /// What to measure
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// What is true
    #[arg(value_name = "TRUTH")]
    truth: PathBuf,
    /// As JSON, for scripts
    #[arg(long)]
    json: bool,
    /// Refuse headers that need an assumption, instead of warning
    #[arg(long)]
    strict: bool,
}

pub fn run(arguments: &EvaluateArguments) -> Outcome {
    let mut warnings = Warnings::new();
    match &arguments.what {
        What::Flow { files, mask } => {
            let paths = (files.result.as_path(), files.truth.as_path());
            let error = evaluate_flow(paths, mask.as_deref(), strictness(files.strict), &mut warnings)?;
            if files.json { print_json(&error)? } else { print(&flow_text(&error))? }
        }
        What::Disparity { files, scale, result_scale, mask } => {
            let result = DisparityFile { path: &files.result, scale: *result_scale };
            let truth = DisparityFile { path: &files.truth, scale: *scale };
            let strictness = strictness(files.strict);
            let error = evaluate_disparity((result, truth), mask.as_deref(), strictness, &mut warnings)?;
            if files.json { print_json(&error)? } else { print(&disparity_text(&error))? }
        }
        What::Labels { files, mask } => {
            let paths = (files.result.as_path(), files.truth.as_path());
            let overlap = evaluate_labels(paths, mask.as_deref(), strictness(files.strict), &mut warnings)?;
            if files.json { print_json(&overlap)? } else { print(&labels_text(&overlap))? }
        }
    }
    warn(&warnings);
    Ok(())
}

fn flow_text(error: &FlowError) -> String {
    let mut table = Table::new(&["error", "mean", "sd", "median", "75 %", "95 %", "largest"]);
    let mut row = |name: &str, d: &Distribution| {
        let values = [d.mean, d.sd, d.a50, d.a75, d.a95, d.max].map(number);
        table.row(std::iter::once(name.to_owned()).chain(values).collect());
    };
    row("end point, voxels", &error.end_point_vox);
    if let Some(mm) = &error.end_point_mm {
        row("end point, mm", mm);
    }
    row("angle, degrees", &error.angular_deg);
    let mut text = table.text();
    text.push('\n');
    for (name, value) in [
        ("above 0.5 voxel", percent(error.r0_5)),
        ("above 1 voxel", percent(error.r1)),
        ("above 2 voxels", percent(error.r2)),
        ("density", format!("{} of {} voxels", percent(error.density), error.truth_voxels)),
        ("no motion at all", format!("{} voxels mean error", number(error.mean_truth_vox))),
    ] {
        text.push_str(&format!("{name:<18}{value}\n"));
    }
    text
}

fn disparity_text(error: &DisparityError) -> String {
    let mut table = Table::new(&["error", "mean", "sd", "median", "75 %", "95 %", "largest"]);
    let d = &error.absolute_px;
    let values = [d.mean, d.sd, d.a50, d.a75, d.a95, d.max].map(number);
    table.row(std::iter::once("absolute, px".to_owned()).chain(values).collect());
    let mut bad = Table::new(&["wrong by more than", "of the measured", "of all true pixels"]);
    let (measured, all) = (&error.bad_measured, &error.bad_all);
    for (name, measured, all) in [
        ("0.5 px", measured.bad_0_5, all.bad_0_5),
        ("1 px", measured.bad_1, all.bad_1),
        ("2 px", measured.bad_2, all.bad_2),
    ] {
        bad.row(vec![name.to_owned(), percent(measured), percent(all)]);
    }
    let density = format!("{} of {} pixels", percent(error.density), error.truth_pixels);
    let signed = format!("{} px (estimate minus truth)", number(error.mean_signed_px));
    format!(
        "{}\n{}\n{:<18}{density}\n{:<18}{signed}\n",
        table.text(),
        bad.text(),
        "density",
        "mean difference"
    )
}

fn labels_text(overlap: &LabelOverlapReport) -> String {
    let mut table = Table::new(&["label", "Dice", "Jaccard", "HD95, mm", "truth, voxels", "result, voxels"]);
    let fixed = |v: f64| format!("{v:.4}");
    let distance = |d: Option<f64>| d.map_or_else(|| "–".to_owned(), |d| format!("{d:.2}"));
    for label in &overlap.labels {
        table.row(vec![
            label.label.to_string(),
            fixed(label.dice),
            fixed(label.jaccard),
            distance(label.hausdorff95_mm),
            label.truth_voxels.to_string(),
            label.result_voxels.to_string(),
        ]);
    }
    table.row(vec![
        "mean".to_owned(),
        fixed(overlap.mean_dice),
        fixed(overlap.mean_jaccard),
        distance(overlap.mean_hausdorff95_mm),
    ]);
    let mut text = table.text();
    if !overlap.labels_not_in_truth.is_empty() {
        text.push_str(&format!("not in the truth, and in no mean: {:?}\n", overlap.labels_not_in_truth));
    }
    text
}
