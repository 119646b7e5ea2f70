//! `veloxel stereo`: two images to a disparity.

use crate::{MethodArguments, Outcome, Run, Summary, followed, presets};
use clap::Args;
use std::path::PathBuf;
use veloxel::jobs::{MaskFile, StereoJob, stereo};
use veloxel::report::number::{percent, text};

/// Estimate how far to the left every pixel of LEFT lies in RIGHT.
///
/// Rectified pictures of one size: left (x, y) is found at right (x − d, y), by phase (Pauwels et al. 2012).
/// The disparity d is written in pixels as .pfm (unknown: infinity), float .tif or .npy (NaN), or as KITTI's 16-bit .png.
#[derive(Debug, Args)]
#[command(after_long_help = crate::commands::parameters::long_help("phase"))]
#[command(mut_arg("preset", |preset| preset.value_parser(presets(&["phase"]))))]
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
    method: MethodArguments,
}

impl Run for StereoArguments {
    fn run(self) -> Outcome {
        let Self { left, right, truth, truth_scale, mask, confidence, report, html, method, .. } = self;
        let (options, disparity) = (method.phase_options("stereo")?, self.output);
        let job =
            StereoJob { left, right, truth, truth_scale, mask, options, disparity, confidence, report, html };
        let run = followed(&method.session(), method.bar(), |session| stereo(&job, session))?;
        let report = &run.report;
        let (range, found) = match report.disparity_px {
            None => ("none found".to_owned(), "no disparity".to_owned()),
            Some(r) => {
                let [median, least, most] = [r.p50, r.p1, r.p99].map(text);
                let range = format!("median {median} px, 98 % from {least} to {most}");
                (range, format!("median disparity {median} px"))
            }
        };
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
        let line = format!("{found}, {} matched", percent(report.valid_share));
        method.show(&run, &report.header, Summary { lines, line })
    }
}
