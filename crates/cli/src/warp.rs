//! `veloxel warp`: a field applied to images, labels and points.

use crate::run_arguments::{DeviceArguments, ReadingArguments};
use crate::{Outcome, Run, warn};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use veloxel::jobs::{WarpJob, warp_flow, warp_labels, warp_points};
use veloxel::kernels::image::warp::Interpolation;

/// Apply a field to an image, to labels or to points.
#[derive(Debug, Args)]
pub struct WarpArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Pull an image back onto the field's grid: out(x) = INPUT(x + d(x)); NaN where that is unknown
    Image {
        #[command(flatten)]
        files: Files,
        /// Between voxels
        #[arg(long, value_enum, default_value_t = Between::Linear)]
        interpolation: Between,
        #[command(flatten)]
        device: DeviceArguments,
    },
    /// Pull labels back onto the field's grid, nearest neighbour; 0 where that is unknown
    Labels {
        #[command(flatten)]
        files: Files,
        #[command(flatten)]
        device: DeviceArguments,
    },
    /// Push points from the fixed image's space into the moving one's: p + d(p); NaN where that is unknown
    ///
    /// One point a line, x y or x y z, parted by commas, semicolons or blanks: pixels for 2-D fields, millimetres (LPS)
    /// for 3-D ones. Further columns, comments (#) and one head line are kept.
    Points(Files),
}

#[derive(Debug, Args)]
struct Files {
    /// The displacement field
    #[arg(value_name = "FLOW")]
    flow: PathBuf,
    /// What to apply it to
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Where the result goes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    reading: ReadingArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Between {
    /// Bi- or trilinear
    Linear,
    /// Cubic B-spline
    Cubic,
}

impl Files {
    fn job(self) -> WarpJob {
        let Self { flow, input, output, reading } = self;
        WarpJob { flow, input, output, reading: reading.reading() }
    }
}

impl Run for WarpArguments {
    fn run(self) -> Outcome {
        let warnings = match self.what {
            What::Image { files, interpolation, device } => {
                let interpolation = match interpolation {
                    Between::Linear => Interpolation::Linear,
                    Between::Cubic => Interpolation::CubicSpline,
                };
                warp_flow(&files.job(), &device.options().open()?.0, interpolation)?
            }
            What::Labels { files, device } => warp_labels(&files.job(), &device.options().open()?.0)?,
            What::Points(files) => warp_points(&files.job())?,
        };
        warn(&warnings);
        Ok(())
    }
}
