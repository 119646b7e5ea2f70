//! `veloxel stereo`: two images to a disparity.

use crate::{Fallible, MethodArguments, Outcome, RowArguments, Run, Summary, followed, length, presets};
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use veloxel::jobs::{MaskFile, RowJob, StereoCameras, StereoJob, stereo};
use veloxel::report::number::{percent, text};
use veloxel::report::{DisparityDrawing, PictureGround, PictureKey, StereoReport};

/// Estimate how far to the left every pixel of LEFT lies in RIGHT.
///
/// Rectified pictures of one size: left (x, y) is found at right (x − d, y), by semi-global matching
/// (Hirschmüller 2008) around what local phase finds (Pauwels et al. 2012); other presets take phase alone.
/// Where a match would lie outside of RIGHT there is none; what LEFT alone sees is filled in, with a confidence of 0.
/// The disparity d is written in pixels as .pfm (unknown: infinity), float .tif or .npy (NaN), or as KITTI's 16-bit .png.
/// With --calibration pictures are taken as the cameras took them: they are rectified first, and everything that is written lies on
/// the rectified left picture. Depths and points are metres in the rectified left camera's frame (x right, y down, z forward); the
/// report has Q, P1, P2, R1 and R2.
#[derive(Debug, Args)]
#[command(after_long_help = crate::commands::parameters::long_help("phase"))]
#[command(group(ArgGroup::new("cameras").args(["calibration", "focal"]).multiple(true)))]
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

    /// The cameras, of pictures as they were taken: OpenCV's M1 D1 M2 D2 R T (.yaml .yml .json; in two files, intrinsics and
    /// extrinsics, the option twice), Kalibr's camchain.yaml, or twice for ROS' camera infos, left and right
    #[arg(long, value_name = "K.yaml", help_heading = "Cameras", conflicts_with_all = ["focal", "centre"])]
    calibration: Vec<PathBuf>,

    /// Distance of the cameras in metres: of pictures that are rectified already, or of a calibration in another unit
    #[arg(long, value_name = "M", help_heading = "Cameras", requires = "cameras", value_parser = length)]
    baseline: Option<f64>,

    /// Focal length in pixels, of pictures that are rectified already
    #[arg(long, value_name = "PX", help_heading = "Cameras", requires = "baseline", value_parser = length)]
    focal: Option<f64>,

    /// Principal point in pixels, of pictures that are rectified already; without it their middle
    #[arg(long, value_name = "X,Y", help_heading = "Cameras", requires = "focal", value_parser = point)]
    centre: Option<Point>,

    /// Depth of every pixel: metres as float .tif, .pfm or .npy (unknown: NaN), millimetres as 16-bit .png (unknown: 0)
    #[arg(long, value_name = "OUT", help_heading = "Outputs")]
    depth: Option<PathBuf>,

    /// Points of all pixels with a depth, in metres, with the left picture's colours and their confidence
    #[arg(long, value_name = "OUT.ply", help_heading = "Outputs")]
    cloud: Option<PathBuf>,

    /// The left picture, rectified, as luminance
    #[arg(long, value_name = "OUT", help_heading = "Outputs", requires = "calibration")]
    rectified_left: Option<PathBuf>,

    /// The right picture, rectified, as luminance
    #[arg(long, value_name = "OUT", help_heading = "Outputs", requires = "calibration")]
    rectified_right: Option<PathBuf>,

    /// The disparity in colours, near is light: .png or .jpg
    #[arg(long, value_name = "OUT.png", help_heading = "Outputs")]
    picture: Option<PathBuf>,

    /// The disparity with the lightest colour in --picture, in pixels, and 0 with the darkest; without it the colours reach from 1 to
    /// 99 % of the disparities
    #[arg(long, value_name = "PX", help_heading = "Outputs", requires = "picture", value_parser = length)]
    scale: Option<f64>,

    /// Draw --picture over the left picture in grey
    #[arg(long, help_heading = "Outputs", requires = "picture")]
    overlay: bool,

    /// Add a strip with the scale below --picture
    #[arg(long, help_heading = "Outputs", requires = "picture")]
    key: bool,

    /// Confidence of every pixel, 0 to 1, as an image (0 to 255 in .png .pgm .bmp)
    #[arg(long, value_name = "OUT", help_heading = "Outputs")]
    confidence: Option<PathBuf>,

    /// Expected error of every disparity, in pixels, as an image; NaN where there is no disparity
    #[arg(long, value_name = "OUT", help_heading = "Outputs")]
    expected_error: Option<PathBuf>,

    /// Device, parameters, levels, shares, timings and warnings as JSON
    #[arg(long, value_name = "OUT.json", help_heading = "Outputs")]
    report: Option<PathBuf>,

    /// A page with pictures, in one file
    #[arg(long, value_name = "OUT.html", help_heading = "Outputs")]
    html: Option<PathBuf>,

    /// LEFT's true disparity, rectified: report and page then give the error
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

/// A place in a picture, pixels.
type Point = [f64; 2];

fn point(text: &str) -> Result<Point, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let point = numbers.and_then(|numbers| <Point>::try_from(numbers).ok());
    point.ok_or_else(|| "expected two numbers, X,Y".to_owned())
}

impl StereoArguments {
    fn job(self) -> Fallible<(StereoJob, MethodArguments)> {
        let cameras = self.cameras();
        let ground = if self.overlay { PictureGround::Image } else { PictureGround::White };
        let key = if self.key { PictureKey::Wheel } else { PictureKey::LeftOut };
        let drawing = DisparityDrawing { scale_px: self.scale, ground, key };
        let method = self.method;
        let job = StereoJob {
            left: self.left,
            right: self.right,
            cameras,
            truth: self.truth,
            truth_scale: self.truth_scale,
            mask: self.mask,
            options: method.phase_options("stereo")?,
            disparity: self.output,
            confidence: self.confidence,
            expected_error: self.expected_error,
            depth: self.depth,
            cloud: self.cloud,
            rectified_left: self.rectified_left,
            rectified_right: self.rectified_right,
            picture: self.picture,
            drawing,
            report: self.report,
            html: self.html,
        };
        Ok((job, method))
    }
}

impl RowArguments for StereoArguments {
    fn row_job(self) -> Fallible<RowJob> {
        Ok(RowJob::Stereo(Box::new(self.job()?.0)))
    }
}

impl Run for StereoArguments {
    fn run(self) -> Outcome {
        let (job, method) = self.job()?;
        let run = followed(&method.session(), method.bar(), |session| stereo(&job, session))?;
        method.show(&run, &run.report.header, summary(&run.report))
    }
}

impl StereoArguments {
    fn cameras(&self) -> StereoCameras {
        match self.focal.zip(self.baseline) {
            _ if !self.calibration.is_empty() => {
                StereoCameras::Calibrated { files: self.calibration.clone(), baseline_m: self.baseline }
            }
            Some((focal_px, baseline_m)) => {
                StereoCameras::Rectified { focal_px, baseline_m, centre_px: self.centre }
            }
            None => StereoCameras::Unknown,
        }
    }
}

fn summary(report: &StereoReport) -> Summary {
    let (range, found) = match report.disparity_px {
        None => ("none found".to_owned(), "no disparity".to_owned()),
        Some(r) => {
            let [median, least, most] = [r.p50, r.p1, r.p99].map(text);
            let range = format!("median {median} px, 98 % from {least} to {most}");
            (range, format!("median disparity {median} px"))
        }
    };
    let mut lines = vec![("disparity", range)];
    if let Some(depth) = report.cameras.as_ref().and_then(|cameras| cameras.depth_m) {
        let [median, least, most] = [depth.p50, depth.p1, depth.p99].map(text);
        lines.push(("depth", format!("median {median} m, 98 % from {least} to {most}")));
    }
    lines.push(("matched", percent(report.valid_share)));
    lines.push(("confidence", format!("mean {}", text(report.mean_confidence))));
    lines.extend(report.error.as_ref().map(|error| {
        let (mean, wrong) = (text(error.absolute_px.mean), percent(error.bad_measured.bad_1));
        let density = percent(error.density);
        ("error", format!("mean {mean} px at {density}, {wrong} wrong by more than 1 px"))
    }));
    let line = format!("{found}, {} matched", percent(report.valid_share));
    Summary { lines, line }
}
