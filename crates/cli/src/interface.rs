//! The command line as a whole.

use crate::commands::COMMANDS;
use clap::Command;

/// The command line as clap sees it.
pub fn interface() -> Command {
    Command::new("veloxel")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Dense motion and correspondence, fast, with a confidence for every vector")
        .after_help("Exit codes: 0 done; 1 failed, with one line on standard error; 2 wrong usage.")
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(COMMANDS.iter().map(|entry| (entry.with_arguments)(Command::new(entry.name))))
}
