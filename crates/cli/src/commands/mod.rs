//! The commands, one a file, and their table.

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

/// Every command, in the order of the help, with its names in other programs.
pub(crate) const COMMANDS: &[Entry] = &[
    Entry::of::<flow::FlowArguments>("flow", "optical-flow opticalflow optflow motion"),
    flow::REGISTER,
    Entry::of::<compare::CompareArguments>("compare", ""),
    Entry::of::<stereo::StereoArguments>("stereo", "disparity depth match"),
    Entry::of::<features::FeaturesArguments>("features", "gabor orientation phase"),
    Entry::of::<engine::EngineArguments>("engine", "stream video live camera"),
    Entry::of::<track::TrackArguments>("track", "cine strain cardiac heart feature-tracking"),
    Entry::of::<contours::ContoursArguments>("contours", "outline outlines guide-points clicks"),
    Entry::of::<track_points::TrackPointsArguments>("track-points", ""),
    Entry::of::<segment::SegmentArguments>("segment", "parts decompose partition cluster segmentation"),
    Entry::of::<warp::WarpArguments>("warp", "apply transform resample deform"),
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
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The arguments of a command, and its work.
pub(crate) trait Run: Args {
    /// Runs the command.
    fn run(self) -> Outcome;
}

/// A command of the list.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Names of the command in other programs.
    pub(crate) other_names: &'static str,
    pub(crate) with_arguments: fn(Command) -> Command,
    pub(crate) run: fn(&ArgMatches) -> Outcome,
}

impl Entry {
    const fn of<A: Run>(name: &'static str, other_names: &'static str) -> Self {
        let run = |given: &ArgMatches| A::from_arg_matches(given).unwrap_or_else(|e| e.exit()).run();
        Self { name, other_names, with_arguments: A::augment_args, run }
    }
}
