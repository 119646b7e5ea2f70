//! The `veloxel` command: parses, calls one job of the library, prints its report.
//!
//! Exit codes: 0 done; 1 failed, with one clear line on standard error; 2 wrong usage; stopped by a signal: 128 and its
//! number.

#![allow(clippy::print_stderr, reason = "a command prints")]

mod arguments;
#[cfg(feature = "bench")]
mod bench;
mod demo;
mod devices;
mod engine;
mod evaluate;
mod features;
mod flow;
mod info;
mod interrupt;
mod output;
mod parameter_help;
mod progress;
mod run_arguments;
mod stereo;
mod table;
mod warp;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;
use veloxel::Warnings;

/// What a command comes to: done, or one line that says what is wrong.
type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    quiet_drivers();
    interrupt::stop_cleanly();
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Flow(arguments) => flow::run(arguments),
        Command::Stereo(arguments) => stereo::run(arguments),
        Command::Features(arguments) => features::run(arguments),
        Command::Engine(arguments) => engine::run(arguments),
        Command::Warp(arguments) => warp::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Devices(arguments) => devices::run(arguments),
        Command::Demo(arguments) => demo::run(arguments),
        #[cfg(feature = "bench")]
        Command::Bench(arguments) => bench::run(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, whatever a library put into its message.
            let line = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            eprintln!("error: {line}");
            ExitCode::FAILURE
        }
    }
}

/// Says what a user should know.
fn warn(warnings: &Warnings) {
    for warning in warnings.iter() {
        eprintln!("warning: {}", warning.message);
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
