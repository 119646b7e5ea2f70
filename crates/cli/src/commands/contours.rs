//! `veloxel contours`: outlines from a few clicked points.

use crate::commands::track::NameArguments;
use crate::{Bar, Outcome, ReadingArguments, Run, followed, host_session, print_lines, warn_and_note};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use veloxel::jobs::{ContoursFitJob, contours_fit};
use veloxel::pipelines::GuidePointFit;
use veloxel::report::number::counted;

/// Make outlines that `veloxel track` starts from.
#[derive(Debug, Args)]
pub struct ContoursArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lay smooth closed outlines through a few clicked points each
    ///
    /// CLICKS holds some points of each outline, in order around it: .csv (structure,frame,slice,x,y), .json, texts of `x y`
    /// lines, or 3D Slicer's .mrk.json with closed curves or lists of points that are named endo, epi, rv, rv-epi or region.
    /// Four clicks are enough where an outline is nearly an ellipse; click more densely where it bends.
    Fit(FitArguments),
}

#[derive(Debug, Args)]
struct FitArguments {
    /// A few points of each outline
    #[arg(value_name = "CLICKS")]
    clicks: PathBuf,

    /// The outlines: .json or .csv
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// An image of the cine, where CLICKS does not describe it
    #[arg(long, value_name = "IMAGE")]
    cine: Option<PathBuf>,

    /// The frame of clicks that say none
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: usize,

    /// Elements around an outline, 4 to 64. Few: round outlines; many: every click counts for itself
    #[arg(long, value_name = "N", default_value_t = GuidePointFit::default().elements)]
    elements: usize,

    /// Weight of what is no ellipse, 1e-9 to 1000. Small: through every click; large: an ellipse
    #[arg(long, value_name = "W", default_value_t = GuidePointFit::default().smoothness)]
    smoothness: f64,

    #[command(flatten)]
    names: NameArguments,

    #[command(flatten)]
    reading: ReadingArguments,
}

impl Run for ContoursArguments {
    fn run(self) -> Outcome {
        let What::Fit(given) = self.what;
        let job = ContoursFitJob {
            clicks: given.clicks,
            cine: given.cine,
            frame: given.frame,
            names: given.names.names(),
            fit: GuidePointFit { elements: given.elements, smoothness: given.smoothness },
            output: given.output,
            reading: given.reading.reading()?,
        };
        let run = followed(&host_session(), Bar::Shown, |session| contours_fit(&job, session))?;
        warn_and_note(&run.warnings);
        let outlines = counted(run.outlines.contours().len(), "outline");
        print_lines(&[
            ("outlines", format!("{outlines}, through {}", counted(run.clicks, "click"))),
            ("written", job.output.display().to_string()),
        ])
    }
}
