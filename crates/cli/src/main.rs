//! The `veloxel` command: parses, calls one job of the library, prints its report.
//!
//! Exit codes: 0 done; 1 failed, with one clear line on standard error; 2 wrong usage; stopped by a signal: 128 and its
//! number.

#![allow(clippy::print_stderr, reason = "a command prints")]

mod allocator;
#[cfg(feature = "bench")]
mod bench;
mod compare;
mod completions;
mod demo;
mod devices;
mod distances;
mod dry_run;
mod engine;
mod evaluate;
mod features;
mod flow;
mod info;
mod interrupt;
mod output;
mod parameters;
mod progress;
mod run_arguments;
mod segment;
mod stereo;
mod terminal;
mod track;
mod track_points;
mod warp;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args, Command};
use output::{print, print_json, print_lines, print_measured, table, two_columns};
use parameters::presets;
use progress::Progress;
use run_arguments::{
    ComputeArguments, DeviceArguments, MethodArguments, ReadingArguments, Summary, bytes, command_line,
    device_text, setting, total_time, words, written,
};
use std::process::ExitCode;
use terminal::say;
use veloxel::jobs::left_behind;
use veloxel::{WarningKind, Warnings};

/// Every command, in the order of the help, and what other programs call it.
const COMMANDS: &[Entry] = &[
    Entry::of::<flow::FlowArguments>(
        "flow",
        "register registration reg align optical-flow opticalflow optflow motion demons",
    ),
    Entry::of::<compare::CompareArguments>("compare", ""),
    Entry::of::<stereo::StereoArguments>("stereo", "disparity depth match"),
    Entry::of::<features::FeaturesArguments>("features", "gabor orientation phase"),
    Entry::of::<engine::EngineArguments>("engine", "stream video live camera"),
    Entry::of::<track::TrackArguments>("track", "cine strain cardiac heart feature-tracking"),
    Entry::of::<track_points::TrackPointsArguments>("track-points", ""),
    Entry::of::<segment::SegmentArguments>("segment", "parts decompose partition cluster segmentation"),
    Entry::of::<warp::WarpArguments>("warp", "apply transform resample deform"),
    Entry::of::<distances::DistancesArguments>("distances", ""),
    Entry::of::<evaluate::EvaluateArguments>("evaluate", "eval compare score dice epe"),
    Entry::of::<info::InfoArguments>("info", "header inspect show"),
    Entry::of::<parameters::ParametersArguments>("parameters", "params presets"),
    Entry::of::<devices::DevicesArguments>("devices", "gpu gpus"),
    Entry::of::<demo::DemoArguments>("demo", "example"),
    Entry::of::<completions::CompletionsArguments>("completions", ""),
    Entry::of::<completions::ManualArguments>("manual", ""),
    #[cfg(feature = "bench")]
    Entry::of::<bench::BenchArguments>("bench", "benchmark"),
];

/// What a command comes to: done, or one line that says what is wrong.
type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The arguments of a command, and what it does with them.
trait Run: Args {
    /// Does it.
    fn run(self) -> Outcome;
}

/// A command of the list.
struct Entry {
    name: &'static str,
    /// What other programs call it.
    other_names: &'static str,
    with_arguments: fn(Command) -> Command,
    run: fn(&ArgMatches) -> Outcome,
}

impl Entry {
    const fn of<A: Run>(name: &'static str, other_names: &'static str) -> Self {
        let run = |given: &ArgMatches| A::from_arg_matches(given).unwrap_or_else(|e| e.exit()).run();
        Self { name, other_names, with_arguments: A::augment_args, run }
    }
}

/// The command line as clap sees it.
fn interface() -> Command {
    Command::new("veloxel")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Dense motion and correspondence, fast, with a confidence for every vector")
        .after_help("Exit codes: 0 done; 1 failed, with one line on standard error; 2 wrong usage.")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(COMMANDS.iter().map(|entry| (entry.with_arguments)(Command::new(entry.name))))
}

fn main() -> ExitCode {
    quiet_drivers();
    interrupt::stop_cleanly();
    let matches = interface().try_get_matches().unwrap_or_else(|error| with_suggestion(error).exit());
    let (name, given) = matches.subcommand().expect("clap should refuse a line without a command");
    let entry = COMMANDS.iter().find(|entry| entry.name == name);
    let entry = entry.expect("clap should know the commands of the list alone");
    match (entry.run)(given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            for path in left_behind() {
                say(&format!("warning: {} could not be taken back", path.display()));
            }
            ExitCode::FAILURE
        }
    }
}

/// Suggests the command that another program's name means; clap knows similar spellings alone.
fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let given = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(given)) => given.to_lowercase().replace('_', "-"),
        _ => return error,
    };
    let means = |entry: &&Entry| entry.other_names.split_whitespace().any(|other| other == given);
    if let Some(entry) = COMMANDS.iter().find(means) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![entry.name.to_owned()]));
    }
    error
}

/// Ends the program over a mistake that clap cannot see by itself, as clap does: exit code 2, with the command's usage.
fn wrong_usage(command: &str, kind: clap::error::ErrorKind, message: &str) -> ! {
    let mut all = interface();
    all.build();
    let mut own = all.find_subcommand(command).cloned().unwrap_or(all);
    own.error(kind, message).exit()
}

/// Says what a user may have to act on; notes stand in the report.
fn warn(warnings: &Warnings) {
    for warning in warnings.urgent() {
        say(&format!("warning: {}", warning.message));
    }
}

/// Says everything, notes included: of a command without a report.
fn warn_and_note(warnings: &Warnings) {
    warn(warnings);
    for note in warnings.iter().filter(|warning| warning.kind == WarningKind::Note) {
        say(&format!("note: {}", note.message));
    }
}

/// Keeps Mesa's layer that chooses devices for windows from complaining where there is no desktop.
fn quiet_drivers() {
    // SAFETY: the first thing the program does; no other thread runs yet.
    #[cfg(target_os = "linux")]
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}
