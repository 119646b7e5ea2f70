//! `veloxel evaluate`: a result against the truth.

use crate::commands::track::NameArguments;
use crate::{
    Bar, MemoryArguments, Outcome, ReadingArguments, Run, followed, host_session, print_measured, table,
    two_columns,
};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::PathBuf;
use veloxel::jobs::{
    CertaintyEvaluation, ClaimFiles, DisparityScales, EvaluateJob, EvaluateSegmentationJob, FlowEvaluation,
    MaskFile, SegmentationReport, evaluate_contours, evaluate_disparity, evaluate_flow, evaluate_labels,
    evaluate_segmentation,
};
use veloxel::metrics::{
    ContourDistances, ContourSummary, DisparityError, Distribution, LabelOverlap, LabelOverlapReport,
    Reliability, SegmentationError,
};
use veloxel::report::cells_text;
use veloxel::report::number::{self, counted, percent};
use veloxel::{Dimension, Result, Session, Warnings};

/// Measure a result against the truth.
#[derive(Debug, Args)]
pub struct EvaluateArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// End-point and angular error of a field, KITTI's Fl, and whether what its run said of the errors holds
    Flow {
        #[command(flatten)]
        files: Files,
        #[command(flatten)]
        claims: Claims,
        #[command(flatten)]
        memory: MemoryArguments,
    },
    /// Absolute error, bad pixels (KITTI's D1 too) and density of a disparity
    ///
    /// Disparities are .pfm, float .tif, .npy, KITTI's 16-bit .png, or pictures with the scale of their samples.
    Disparity {
        #[command(flatten)]
        files: Files,
        /// What TRUTH's samples were multiplied by; 0 is unknown then (Middlebury 2001 and 2003: 4, 8 or 16)
        #[arg(long, alias = "truth-scale", value_name = "S")]
        scale: Option<f32>,
        /// What RESULT's samples were multiplied by
        #[arg(long, value_name = "S")]
        result_scale: Option<f32>,
    },
    /// Dice, Jaccard and Hausdorff 95 of every label; outside of a mask is background in both
    Labels {
        #[command(flatten)]
        files: Files,
        #[command(flatten)]
        memory: MemoryArguments,
    },
    /// Rand index, Hamming distance and consistency of a mesh's parts, as the Princeton benchmark defines them
    ///
    /// Files are .seg: the number of its part for each face, a line each. 0 is best everywhere.
    Segmentation(SegmentationFiles),
    /// Modified Hausdorff, Hausdorff and mean distance of outlines, and the difference of areas
    ///
    /// Outlines are .json, .csv, .mrk.json, a label image, or a folder of texts of `x y` lines. The spacing of pixels is that of
    /// the file that describes its cine (.json, labels), or of --cine.
    Contours {
        /// The result to measure
        #[arg(value_name = "RESULT")]
        result: PathBuf,
        /// The truth
        #[arg(value_name = "TRUTH")]
        truth: PathBuf,
        /// An image of the cine that both outline
        #[arg(long, value_name = "IMAGE")]
        cine: Option<PathBuf>,
        /// As JSON, for scripts
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        names: NameArguments,
        #[command(flatten)]
        reading: ReadingArguments,
    },
}

#[derive(Debug, Args)]
struct Files {
    /// The result to measure
    #[arg(value_name = "RESULT")]
    result: PathBuf,
    /// The truth
    #[arg(value_name = "TRUTH")]
    truth: PathBuf,
    /// As JSON, for scripts
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Measure inside only: where M is not 0, or has one of the labels that follow its name (labels.nii.gz=2,3)
    #[arg(long, value_name = "M[=LABELS]", value_parser = MaskFile::parse)]
    mask: Option<MaskFile>,
}

/// What a run said of its errors.
#[derive(Debug, Args)]
struct Claims {
    /// The confidences of the run: adds how the error falls when the least confident vectors are left out (AUSE)
    #[arg(long, value_name = "IMAGE")]
    confidence: Option<PathBuf>,
    /// The expected errors of the run: adds how far they are from those found
    #[arg(long, value_name = "IMAGE")]
    expected_error: Option<PathBuf>,
    /// The probabilities of the run: adds the reliability diagram and the expected calibration error
    #[arg(long, value_name = "IMAGE")]
    probability: Option<PathBuf>,
    /// The error that the probabilities are about, pixels or voxels; without it 0.5
    #[arg(long, value_name = "VOXELS", requires = "probability")]
    within: Option<f32>,
    /// The covariances of the run: adds how many errors the ellipses of 50, 90 and 95 % hold
    #[arg(long, value_name = "FILE.npy")]
    covariance: Option<PathBuf>,
}

impl Claims {
    fn files(self) -> ClaimFiles {
        let Self { confidence, expected_error, probability, within: within_vox, covariance } = self;
        ClaimFiles { confidence, expected_error, probability, within_vox, covariance }
    }
}

impl Files {
    fn evaluate<R: Serialize>(
        self,
        measure: impl FnOnce(&EvaluateJob, &mut Warnings, &Session) -> Result<R>,
        text: fn(&R) -> String,
    ) -> Outcome {
        self.evaluate_with(&host_session(), measure, text)
    }

    fn evaluate_with<R: Serialize>(
        self,
        session: &Session,
        measure: impl FnOnce(&EvaluateJob, &mut Warnings, &Session) -> Result<R>,
        text: fn(&R) -> String,
    ) -> Outcome {
        let Self { result, truth, mask, reading, json } = self;
        let job = EvaluateJob { result, truth, mask, reading: reading.reading()? };
        let measure = |warnings: &mut Warnings| {
            followed(session, Bar::Shown, |session| measure(&job, warnings, session))
        };
        print_measured(json, measure, text)
    }
}

/// Files of a segmentation.
#[derive(Debug, Args)]
struct SegmentationFiles {
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

impl SegmentationFiles {
    fn evaluate(self) -> Outcome {
        let Self { result, truths, mesh, json, reading } = self;
        let job = EvaluateSegmentationJob { result, truths, mesh, reading: reading.reading()? };
        let measure = |warnings: &mut Warnings| {
            followed(&host_session(), Bar::Shown, |session| evaluate_segmentation(&job, warnings, session))
        };
        print_measured(json, measure, segmentation_text)
    }
}

impl Run for EvaluateArguments {
    fn run(self) -> Outcome {
        match self.what {
            What::Flow { files, claims, memory } => {
                let claims = claims.files();
                files.evaluate_with(
                    &memory.of(host_session()),
                    |job, warnings, session| evaluate_flow(job, &claims, warnings, session),
                    flow_text,
                )
            }
            What::Disparity { files, scale: truth, result_scale: result } => files.evaluate(
                |job, warnings, session| {
                    evaluate_disparity(job, DisparityScales { result, truth }, warnings, session)
                },
                disparity_text,
            ),
            What::Segmentation(files) => files.evaluate(),
            What::Labels { files, memory } => {
                files.evaluate_with(&memory.of(host_session()), evaluate_labels, labels_text)
            }
            What::Contours { result, truth, cine, json, names, reading } => {
                let files = Files { result, truth, json, reading, mask: None };
                let (cine, names) = (cine.as_deref(), names.names());
                let measure = |job: &EvaluateJob, warnings: &mut Warnings, session: &Session| {
                    evaluate_contours(job, cine, names, warnings, session)
                };
                files.evaluate(measure, contours_text)
            }
        }
    }
}

const ERROR_HEAD: [&str; 7] = ["error", "mean", "sd", "median", "75 %", "95 %", "largest"];

fn error_row(name: &str, d: &Distribution) -> Vec<String> {
    let values = [d.mean, d.sd, d.a50, d.a75, d.a95, d.max].map(number::text);
    std::iter::once(name.to_owned()).chain(values).collect()
}

fn flow_text(FlowEvaluation { error, cells, certainty }: &FlowEvaluation) -> String {
    let is_picture = error.dimension == Dimension::Two;
    let (px, voxel) = if is_picture { ("px", "pixel") } else { ("voxels", "voxel") };
    let mut rows = vec![error_row(&format!("end point, {px}"), &error.end_point_vox)];
    rows.extend(error.end_point_mm.as_ref().map(|mm| error_row("end point, mm", mm)));
    rows.push(error_row("angle, degrees", &error.angular_deg));
    let above = [(0.5, error.r0_5), (1.0, error.r1), (2.0, error.r2)];
    let above = above.map(|(limit, share)| (format!("above {limit} {px}"), percent(share)));
    let mut facts: Vec<_> = above.iter().map(|(name, share)| (name.as_str(), share.clone())).collect();
    facts.push(("angle below 5°", percent(error.angle_below_5_deg)));
    if is_picture {
        let (fl, all) = (percent(error.fl), percent(error.fl_all));
        facts.push(("Fl", format!("{fl}, with unknown pixels as wrong {all} (KITTI: above 3 px and 5 %)")));
    }
    facts.extend([
        ("density", format!("{} of {} {voxel}s", percent(error.density), error.truth_voxels)),
        ("a zero flow", format!("{} {px} mean error", number::text(error.mean_truth_vox))),
        ("folding", cells_text(cells.asked())),
    ]);
    format!("{}\n{}{}", table(&ERROR_HEAD, rows), two_columns(&facts), certainty_text(certainty, px))
}

/// Whether what a run said of its errors holds.
fn certainty_text(certainty: &CertaintyEvaluation, px: &str) -> String {
    let mut text = String::new();
    let ause = certainty.sparsification.as_ref().and_then(|curve| curve.ause.zip(curve.ause_uninformed));
    let mut facts = Vec::new();
    if let Some((ause, random)) = ause {
        let share = number::text(ause / random);
        facts.push(("AUSE", format!("{}, {share} of a random order's", number::text(ause))));
    }
    let off = |own: &Reliability| number::text(own.expected_calibration_error);
    facts.extend(
        certainty.expected_error.as_ref().map(|own| ("expected errors off by", format!("{} {px}", off(own)))),
    );
    if let Some(own) = &certainty.probability {
        facts.push(("probabilities off by", format!("{} (expected calibration error)", off(own))));
    }
    if !facts.is_empty() {
        text.push_str(&format!("\n{}", two_columns(&facts)));
    }
    if let Some(own) = &certainty.probability {
        let rows =
            own.points.iter().map(|point| [point.foretold, point.found, point.share].map(percent).to_vec());
        let within = format!("below {} {px}: foretold", number::text(own.within_vox.unwrap_or_default()));
        text.push_str(&format!("\n{}", table(&[within.as_str(), "found", "of the vectors"], rows)));
    }
    if let Some(ellipses) = &certainty.ellipses {
        let rows = ellipses.iter().map(|own| {
            let ratio = own.radius_over_error.map_or_else(|| "–".to_owned(), number::text);
            vec![percent(own.share), percent(own.covered), number::text(own.mean_radius_vox), ratio]
        });
        let radius = format!("mean radius, {px}");
        text.push_str(&format!(
            "\n{}",
            table(&["ellipse of", "holds", radius.as_str(), "over the mean error"], rows)
        ));
    }
    text
}

fn disparity_text(error: &DisparityError) -> String {
    let (measured, all) = (&error.bad_measured, &error.bad_all);
    let bad = [
        ("0.5 px", measured.bad_0_5, all.bad_0_5),
        ("1 px", measured.bad_1, all.bad_1),
        ("2 px", measured.bad_2, all.bad_2),
        ("3 px and 5 % (KITTI's D1)", measured.d1, all.d1),
    ]
    .map(|(name, measured, all)| vec![name.to_owned(), percent(measured), percent(all)]);
    let facts = [
        ("density", format!("{} of {} pixels", percent(error.density), error.truth_pixels)),
        ("mean difference", format!("{} px (estimate minus truth)", number::text(error.mean_signed_px))),
    ];
    format!(
        "{}\n{}\n{}",
        table(&ERROR_HEAD, [error_row("absolute, px", &error.absolute_px)]),
        table(&["wrong by more than", "of the measured", "of all true pixels"], bad),
        two_columns(&facts)
    )
}

fn labels_text(overlap: &LabelOverlapReport) -> String {
    let fixed = |v: f64| format!("{v:.4}");
    let distance = |d: Option<f64>| d.map_or_else(|| "–".to_owned(), |d| format!("{d:.2}"));
    let row = |label: &LabelOverlap| {
        vec![
            label.label.to_string(),
            fixed(label.dice),
            fixed(label.jaccard),
            distance(label.hausdorff95_mm),
            label.truth_voxels.to_string(),
            label.result_voxels.to_string(),
        ]
    };
    let mean = vec![
        "mean".to_owned(),
        fixed(overlap.mean_dice),
        fixed(overlap.mean_jaccard),
        distance(overlap.mean_hausdorff95_mm),
    ];
    let head = ["label", "Dice", "Jaccard", "HD95, mm", "truth, voxels", "result, voxels"];
    let mut text = table(&head, overlap.labels.iter().map(row).chain([mean]));
    if !overlap.labels_not_in_truth.is_empty() {
        text.push_str(&format!("not in the truth, and in no mean: {:?}\n", overlap.labels_not_in_truth));
    }
    text
}

fn contours_text(distances: &ContourDistances) -> String {
    let row = |s: &ContourSummary| {
        let millimetres = [s.modified_hausdorff_mm, s.worst_modified_hausdorff_mm, s.hausdorff_mm, s.mean_mm];
        let mut row = vec![s.structure.to_string(), s.count.to_string()];
        row.extend(millimetres.map(|mm| format!("{mm:.3}")));
        row.extend([s.area_difference_mm2, s.area_difference_abs_mm2].map(|area| format!("{area:.1}")));
        row
    };
    let head = [
        "structure",
        "outlines",
        "modified Hausdorff, mm",
        "worst",
        "Hausdorff",
        "mean distance",
        "area, mm²",
        "|area|",
    ];
    let mut text = table(&head, distances.structures.iter().map(row));
    for (count, what) in [
        (distances.missing, "of the truth are not in the result"),
        (distances.not_in_truth, "of the result are not in the truth"),
    ] {
        if count > 0 {
            text.push_str(&format!("{count} outlines {what}\n"));
        }
    }
    text
}

fn segmentation_text(report: &SegmentationReport) -> String {
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
