//! The commands, one a file, and their table.

pub(crate) mod batch;
#[cfg(feature = "bench")]
mod bench;
mod compare;
mod completions;
mod contours;
mod demo;
mod devices;
mod distances;
mod dry_run;
mod engine;
mod evaluate;
mod features;
mod filter;
mod flow;
mod info;
mod maps;
mod measure;
pub(crate) mod parameters;
mod phantom;
mod segment;
mod stereo;
mod track;
mod track_points;
mod warp;

use clap::{ArgMatches, Args, Command};
use veloxel::jobs::RowJob;

/// Every command, in the order of the help, with its names in other programs.
pub(crate) const COMMANDS: &[Entry] = &[
    Entry::of_rows::<flow::FlowArguments>("flow", "optical-flow opticalflow optflow motion"),
    flow::REGISTER,
    Entry::of::<batch::BatchArguments>("batch", "many jobs table bids cohort parallel"),
    Entry::of::<compare::CompareArguments>("compare", ""),
    Entry::of_rows::<stereo::StereoArguments>("stereo", "disparity depth match"),
    Entry::of_rows::<features::FeaturesArguments>("features", "gabor orientation phase"),
    Entry::of::<engine::EngineArguments>("engine", "stream video live camera"),
    Entry::of_rows::<track::TrackArguments>("track", "cine strain cardiac heart feature-tracking"),
    Entry::of::<contours::ContoursArguments>("contours", "outline outlines guide-points clicks"),
    Entry::of::<track_points::TrackPointsArguments>("track-points", ""),
    Entry::of_rows::<segment::SegmentArguments>("segment", "parts decompose partition cluster segmentation"),
    Entry::of_rows::<warp::WarpArguments>("warp", "apply transform resample deform"),
    maps::COMPOSE,
    maps::INVERT,
    Entry::of::<filter::FilterArguments>("filter", "gaussian smooth blur convolve resize"),
    Entry::of::<distances::DistancesArguments>("distances", ""),
    Entry::of::<evaluate::EvaluateArguments>("evaluate", "eval compare score dice epe"),
    Entry::of::<measure::MeasureArguments>("measure", "jacobian strain deformation determinant"),
    Entry::of::<info::InfoArguments>("info", "header inspect show"),
    Entry::of::<parameters::ParametersArguments>("parameters", "params presets"),
    Entry::of::<devices::DevicesArguments>("devices", "gpu gpus"),
    Entry::of::<demo::DemoArguments>("demo", "example"),
    Entry::of::<phantom::PhantomArguments>("phantom", "synthetic generate testdata"),
    Entry::of::<completions::CompletionsArguments>("completions", ""),
    Entry::of::<completions::ManualArguments>("manual", ""),
    #[cfg(feature = "bench")]
    Entry::of::<bench::BenchArguments>("bench", "benchmark"),
];

/// The outcome of a command: done, or one line that says what is wrong.
pub(crate) type Outcome = Fallible<()>;

/// A value, or one line that says why there is none; wrong usage is an error of clap's.
pub(crate) type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// The arguments of a command, and its work.
pub(crate) trait Run: Args {
    /// Runs the command.
    fn run(self) -> Outcome;
}

/// The arguments of a command that a row of `veloxel batch` may name.
pub(crate) trait RowArguments: Run {
    /// What the arguments ask for, checked as far as it can be without a file.
    fn row_job(self) -> Fallible<RowJob>;
}

/// A command of the list.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Names of the command in other programs.
    pub(crate) other_names: &'static str,
    pub(crate) with_arguments: fn(Command) -> Command,
    pub(crate) run: fn(&ArgMatches) -> Outcome,
    /// What a row of `veloxel batch` asks for; none of commands that are for single lines.
    pub(crate) row_job: Option<fn(&ArgMatches) -> Fallible<RowJob>>,
}

impl Entry {
    const fn of<A: Run>(name: &'static str, other_names: &'static str) -> Self {
        let run = |given: &ArgMatches| A::from_arg_matches(given).unwrap_or_else(|e| e.exit()).run();
        Self { name, other_names, with_arguments: A::augment_args, run, row_job: None }
    }

    /// A command that rows may name.
    const fn of_rows<A: RowArguments>(name: &'static str, other_names: &'static str) -> Self {
        let row_job = |given: &ArgMatches| A::from_arg_matches(given)?.row_job();
        Self { row_job: Some(row_job), ..Self::of::<A>(name, other_names) }
    }
}
