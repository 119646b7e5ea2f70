//! `veloxel stereo`: two images to a disparity.

use crate::run_arguments::{PhaseArguments, Summary};
use crate::{Outcome, Run};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{MaskFile, RunOptions, StereoJob, stereo};
use veloxel::report::number::{percent, text};

/// Estimate how far to the left every pixel of LEFT lies in RIGHT.
///
/// Rectified pictures of one size: left (x, y) is found at right (x − d, y), by phase (Pauwels et al. 2012).
/// The disparity d is written in pixels as .pfm (unknown: infinity) or float .tif (NaN), or as KITTI's 16-bit .png.
#[derive(Debug, Args)]
#[command(after_long_help = crate::parameters::long_help("phase"))]
pub struct StereoArguments {
    /// The image that the disparity lives on
    #[arg(value_name = "LEFT")]
    left: PathBuf,

    /// The other one
    #[arg(value_name = "RIGHT")]
    right: PathBuf,

    /// Where the disparity goes
    #[arg(short, long, value_name = "DISPARITY")]
    output: PathBuf,

    /// Confidence of every pixel, 0 to 1, as an image (0 to 255 in .png .pgm .bmp)
    #[arg(long, value_name = "OUT", help_heading = "Outputs")]
    confidence: Option<PathBuf>,

    /// Device, parameters, levels, shares, timings and warnings as JSON
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// A page with pictures, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    /// LEFT's true disparity: report and page then give the error
    #[arg(long, value_name = "DISPARITY")]
    truth: Option<PathBuf>,

    /// What the truth's samples were multiplied by
    #[arg(long, value_name = "S", requires = "truth")]
    truth_scale: Option<f32>,

    /// Mask on LEFT's grid: pixels that are not 0 (of labels.png=2,3 those with such a label) are used; there is no
    /// disparity outside
    #[arg(long, value_name = "M[=LABELS]", value_parser = MaskFile::parse)]
    mask: Option<MaskFile>,

    #[command(flatten)]
    phase: PhaseArguments,
}

impl Run for StereoArguments {
    fn run(self) -> Outcome {
        let Self {
            left,
            right,
            output: disparity,
            confidence,
            report,
            html,
            truth,
            truth_scale,
            mask,
            phase,
        } = self;
        let options = RunOptions { mask, ..phase.options()? };
        let run = stereo(&StereoJob {
            left,
            right,
            truth,
            truth_scale,
            options,
            disparity,
            confidence,
            report,
            html,
        })?;
        let report = &run.report;
        let range = report.disparity_px.map_or_else(
            || "none found".to_owned(),
            |r| format!("median {} px, 98 % from {} to {}", text(r.p50), text(r.p1), text(r.p99)),
        );
        let mut lines = vec![
            ("disparity", range),
            ("matched", percent(report.valid_share)),
            ("confidence", format!("mean {}", text(report.mean_confidence))),
        ];
        lines.extend(report.error.as_ref().map(|error| {
            let (mean, wrong) = (text(error.absolute_px.mean), percent(error.bad_measured.bad_1));
            let density = percent(error.density);
            ("error", format!("mean {mean} px at {density}, {wrong} wrong by more than 1 px"))
        }));
        let found = report
            .disparity_px
            .map_or_else(|| "no disparity".to_owned(), |r| format!("median disparity {} px", text(r.p50)));
        let line = format!("{found}, {} matched", percent(report.valid_share));
        phase.method.show(&run, &report.header, Summary { lines, line })
    }
}
