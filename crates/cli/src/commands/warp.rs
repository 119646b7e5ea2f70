//! `veloxel warp`: a field applied to images, labels and points.

use crate::commands::dry_run::show_boxes;
use crate::{
    Bar, BoxesArguments, DeviceArguments, Fallible, Outcome, ReadingArguments, RowArguments, Run, followed,
    host_session, say, warn_and_note, words,
};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use veloxel::Session;
use veloxel::jobs::{
    LabelChoice, OutsideFill, PointsRun, RowJob, WarpJob, WarpSampling, warp_dry_run, warp_image,
    warp_labels, warp_points,
};
use veloxel::pipelines::{FieldWork, FinerImage, Interpolation};

/// Apply a field to an image, to labels or to points.
#[derive(Debug, Args)]
pub struct WarpArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Pull an image back onto the field's grid: out(x) = INPUT(x + d(x))
    ///
    /// INPUT may lie on a grid of its own: it is sampled where it lies in the world.
    Image {
        #[command(flatten)]
        files: Files,
        /// How samples between voxels are found
        #[arg(long, value_parser = between(), default_value = "linear")]
        interpolation: Interpolation,
        /// Smooth INPUT to the field's voxel size first, where INPUT is finer; without it every sample is INPUT's own at one place
        #[arg(long)]
        smooth: bool,
        /// What OUT holds where INPUT has no sample (NaN is none) or the field is unknown: a value, nan, or edge (the nearest sample)
        #[arg(long, value_name = "VALUE|nan|edge", default_value = "0", allow_hyphen_values = true)]
        outside: OutsideFill,
        #[command(flatten)]
        boxes: BoxesArguments,
        #[command(flatten)]
        device: DeviceArguments,
    },
    /// Pull labels back onto the field's grid; 0 where that is unknown
    Labels {
        #[command(flatten)]
        files: Files,
        /// How a label between voxels is chosen
        #[arg(long, value_parser = among(), default_value = "linear")]
        interpolation: LabelChoice,
        #[command(flatten)]
        boxes: BoxesArguments,
        #[command(flatten)]
        device: DeviceArguments,
    },
    /// Push points from the fixed image's space into the moving one's: p + d(p); NaN where that is unknown
    ///
    /// A table with one point a line (.csv, .txt), columns named x, y and z by a head line or else the first numbers: pixels
    /// for 2-D fields, millimetres (LPS; columns r, a, s: RAS) for 3-D ones. 3D Slicer's .fcsv and .mrk.json, in the axes
    /// that they name, and elastix' point files. Everything else in the file is kept. NumPy's .npy has a row a point.
    Points(Files),
}

#[derive(Debug, Args)]
struct Files {
    /// The displacement field
    #[arg(value_name = "FLOW")]
    flow: PathBuf,
    /// What the field is applied to
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Where the result goes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    reading: ReadingArguments,
}

/// Values of --interpolation that say how samples between voxels are found.
fn between() -> impl TypedValueParser<Value = Interpolation> {
    words([
        (PossibleValue::new("nearest").help("The nearest voxel's sample"), Interpolation::Nearest),
        (PossibleValue::new("linear").help("Bi- or trilinear"), Interpolation::Linear),
        (
            PossibleValue::new("cubic-convolution").help("Bi- or tricubic (Keys)"),
            Interpolation::CubicConvolution,
        ),
        (PossibleValue::new("cubic").help("Cubic B-spline"), Interpolation::CubicSpline),
    ])
}

/// Values of --interpolation that say how a label between voxels is chosen.
fn among() -> impl TypedValueParser<Value = LabelChoice> {
    let nearest = "The label of the nearest voxel, as other programs do by default";
    let most = "That of the most bi- or trilinear weight among the voxels around: borders become smooth, no label is invented; \
                in parts of a label that are one voxel thin that of the nearest voxel, so that they are not lost";
    words([
        (PossibleValue::new("nearest").help(nearest), LabelChoice::Nearest),
        (PossibleValue::new("linear").help(most), LabelChoice::MostWeight),
    ])
}

impl Files {
    fn job(self) -> Fallible<WarpJob> {
        let Self { flow, input, output, reading } = self;
        Ok(WarpJob { flow, input, output, reading: reading.reading()? })
    }
}

/// Warns about points that the field does not reach: they are lost.
fn say_what_is_missing(run: &PointsRun) {
    let PointsRun { points, undefined, outside } = *run;
    for (count, what) in [
        (outside, "lie outside of the field or where it is unknown: written as NaN"),
        (undefined, "have no position in the file: kept without one"),
    ] {
        if count > 0 {
            say(&format!("warning: {count} of {points} points {what}"));
        }
    }
}

impl What {
    /// The device that computes, where one does, and what it may take.
    fn session(&self) -> Session {
        match self {
            Self::Image { device, boxes, .. } | Self::Labels { device, boxes, .. } => {
                boxes.memory.of(device.session())
            }
            Self::Points(_) => host_session(),
        }
    }

    /// Whether nothing but headers is read.
    fn is_dry(&self) -> bool {
        match self {
            Self::Image { boxes, .. } | Self::Labels { boxes, .. } => boxes.dry_run,
            Self::Points(_) => false,
        }
    }

    fn job(self) -> Fallible<RowJob> {
        Ok(match self {
            Self::Image { files, interpolation, smooth, outside, .. } => {
                let finer = if smooth { FinerImage::Smoothed } else { FinerImage::Sampled };
                RowJob::WarpImage(files.job()?, WarpSampling { interpolation, finer, outside })
            }
            Self::Labels { files, interpolation, .. } => RowJob::WarpLabels(files.job()?, interpolation),
            Self::Points(files) => RowJob::WarpPoints(files.job()?),
        })
    }
}

impl RowArguments for WarpArguments {
    fn row_job(self) -> Fallible<RowJob> {
        self.what.job()
    }
}

impl Run for WarpArguments {
    fn run(self) -> Outcome {
        let (session, is_dry) = (self.what.session(), self.what.is_dry());
        let job = self.what.job()?;
        let dry = match &job {
            RowJob::WarpImage(job, sampling) => Some((job, FieldWork::WarpImage(sampling.interpolation))),
            RowJob::WarpLabels(job, choice) => Some((job, FieldWork::WarpLabels(*choice))),
            _ => None,
        };
        if let Some((job, work)) = dry.filter(|_| is_dry) {
            return show_boxes(&followed(&session, Bar::Shown, |session| warp_dry_run(job, work, session))?);
        }
        let warnings = followed(&session, Bar::Shown, |session| match &job {
            RowJob::WarpImage(job, sampling) => warp_image(job, *sampling, session),
            RowJob::WarpLabels(job, choice) => warp_labels(job, *choice, session),
            RowJob::WarpPoints(job) => warp_points(job, session).map(|(run, warnings)| {
                say_what_is_missing(&run);
                warnings
            }),
            _ => unreachable!("a line of warp should ask for a warped image, labels or points"),
        })?;
        warn_and_note(&warnings);
        Ok(())
    }
}
