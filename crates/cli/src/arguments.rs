//! The command line as clap sees it.

#[cfg(feature = "bench")]
use crate::bench;
use crate::{demo, devices, engine, evaluate, features, flow, info, stereo, warp};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

/// Dense motion and correspondence, fast, with a confidence for every vector.
#[derive(Debug, Parser)]
#[command(name = "veloxel", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done; 1 failed, with one line on standard error; 2 wrong usage.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Flow(Box<flow::FlowArguments>),
    Stereo(stereo::StereoArguments),
    Features(features::FeaturesArguments),
    Engine(engine::EngineArguments),
    Warp(warp::WarpArguments),
    Evaluate(evaluate::EvaluateArguments),
    Info(info::InfoArguments),
    Devices(devices::DevicesArguments),
    Demo(demo::DemoArguments),
    #[cfg(feature = "bench")]
    Bench(bench::BenchArguments),
}

/// Ends the program over a mistake that clap cannot see by itself, as clap does: exit code 2, with the command's usage.
pub fn wrong_usage(command: &str, kind: ErrorKind, message: &str) -> ! {
    let mut all = Arguments::command();
    all.build();
    let mut own = all.find_subcommand(command).cloned().unwrap_or(all);
    own.error(kind, message).exit()
}
