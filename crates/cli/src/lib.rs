//! The `veloxel` command: parses, calls one job of the library, prints its report.
//!
//! The program `veloxel` is one call of [`run`], and so is the command of Python's package, inside of its extension module.
//!
//! Exit codes: 0 done; 1 failed, with one clear line on standard error; 2 wrong usage; stopped by a signal: 128 and its
//! number.

#![allow(clippy::print_stderr, reason = "a command prints")]

mod allocator;
mod chosen_inputs;
mod commands;
mod drawing_arguments;
mod following;
mod hints;
mod interface;
mod interrupt;
mod out_of_memory;
mod output;
mod run_arguments;
mod shortcuts;
mod suggestions;
mod terminal;

use clap::{ArgMatches, Command};
use commands::parameters::presets;
use commands::{COMMANDS, Fallible, Outcome, RowArguments, Run};
use drawing_arguments::{DrawingArguments, length};
use following::{Bar, Ending, followed, followed_until};
use interface::interface;
use output::{print, print_json, print_lines, print_measured, table, two_columns};
use run_arguments::{
    BoxesArguments, ComputeArguments, DeviceArguments, MemoryArguments, MethodArguments, ReadingArguments,
    Summary, bytes, command_line, device_text, host_session, setting, total_time, words, written,
};
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use terminal::say;
use veloxel::io::{FieldValue, Record};
use veloxel::jobs::{BatchError, JobRow};
use veloxel::{VeloxelError, WarningKind, Warnings};

/// The words of the command line, the program's name first.
static LINE: OnceLock<Vec<OsString>> = OnceLock::new();

/// The words of the command line, the program's name first.
fn line() -> &'static [OsString] {
    LINE.get().map_or(&[], Vec::as_slice)
}

/// The jobs of records, each of which is parsed as its command parses its own line. Options that a record does not say are taken from
/// `options`; relative outputs lie in `folder`.
///
/// # Errors
/// [`BatchError::Refused`] with every record that is no line of a command.
pub fn read_rows(
    records: &[Record],
    options: &[(String, FieldValue)],
    folder: &Path,
    max_memory: Option<u64>,
) -> Result<Vec<JobRow>, BatchError> {
    commands::batch::rows::read_rows(records, options, folder, max_memory)
}

/// Runs a command line, the program's name first, and gives the exit code. It takes the process: signals and a lack of memory end it,
/// and so does wrong usage; a process calls it once, before it has other threads.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    LINE.get_or_init(|| words.into_iter().collect());
    quiet_drivers();
    out_of_memory::prepare();
    interrupt::stop_cleanly();
    let matches = interface().try_get_matches_from(line());
    let matches = matches.unwrap_or_else(|error| suggestions::with_suggestion(error).exit());
    let (name, given) = matches.subcommand().expect("clap should refuse a line without a command");
    let entry = COMMANDS.iter().find(|entry| entry.name == name);
    let entry = entry.expect("clap should know the commands of the list alone");
    hints::of_command(running(interface(), &matches));
    let outcome = (entry.run)(given);
    interrupt::exit_if_stopped(&outcome);
    for resolved in interrupt::pending().take_resolved() {
        say(&format!("warning: {resolved}"));
    }
    match outcome {
        Ok(()) => 0,
        Err(error) if error.is::<clap::Error>() => {
            error.downcast::<clap::Error>().expect("the error should be what it is").exit()
        }
        Err(error) => {
            let text = format!("error: {}", hints::error_text(&*error));
            out_of_memory::says_why();
            say(&text);
            let failed = error.downcast_ref::<VeloxelError>();
            for path in failed.map_or(&[][..], VeloxelError::left_behind) {
                say(&format!("warning: {} could not be taken back", path.display()));
            }
            1
        }
    }
}

/// The command that runs, with its options.
fn running(interface: Command, matches: &ArgMatches) -> Command {
    let next = matches.subcommand().and_then(|(name, given)| {
        interface.find_subcommand(name).map(|command| running(command.clone(), given))
    });
    next.unwrap_or(interface)
}

/// A mistake that clap cannot find: it ends the program as clap does, with exit code 2 and the command's usage.
fn wrong_usage(command: &str, kind: clap::error::ErrorKind, message: &str) -> clap::Error {
    let mut all = interface();
    all.build();
    let mut own = all.find_subcommand(command).cloned().unwrap_or(all);
    own.error(kind, message)
}

/// Prints warnings that a user may have to act on; the report holds notes.
fn warn(warnings: &Warnings) {
    for warning in warnings.urgent() {
        say(&format!("warning: {}", hints::warning_text(warning)));
    }
}

/// Prints all warnings and notes, for a command without a report.
fn warn_and_note(warnings: &Warnings) {
    warn(warnings);
    for note in warnings.iter().filter(|warning| warning.kind == WarningKind::Note) {
        say(&format!("note: {}", hints::warning_text(note)));
    }
}

/// Keeps Mesa's layer that chooses devices for windows from printing complaints where there is no desktop.
fn quiet_drivers() {
    // SAFETY: the first thing the program does; no other thread runs yet.
    #[cfg(target_os = "linux")]
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}
