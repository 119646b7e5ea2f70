//! `veloxel register`.

use super::FlowArguments;
use crate::{Fallible, Outcome, RowArguments, Run};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use veloxel::jobs::RowJob;

/// The options of `flow` with what medical images need as defaults.
pub struct RegisterArguments(FlowArguments);

const ABOUT: &str =
    "Register two medical images: an affine start, then a field and its inverse that do not fold";
const LONG_ABOUT: &str = "\
Register two medical images: an affine start, then a field and its inverse that do not fold.

The options are those of `veloxel flow`, with --method symmetric and --init affine as defaults.
The field lives on FIXED and points into MOVING: fixed(x) ≈ moving(x + d(x)).";
const USAGE: &str = "veloxel register [OPTIONS] <FIXED> <MOVING> -o <FLOW>
       veloxel register [OPTIONS] -f <FIXED> -m <MOVING> -o <FLOW>";

fn with_defaults(command: Command) -> Command {
    command
        .mut_arg("method", |method| method.default_value("symmetric"))
        .mut_arg("init", |init| init.default_value("affine"))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .override_usage(USAGE)
        .after_long_help(crate::commands::parameters::long_help("symmetric"))
}

impl Args for RegisterArguments {
    fn augment_args(command: Command) -> Command {
        with_defaults(FlowArguments::augment_args(command))
    }
    fn augment_args_for_update(command: Command) -> Command {
        with_defaults(FlowArguments::augment_args_for_update(command))
    }
}

impl FromArgMatches for RegisterArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(FlowArguments::from_arg_matches(matches)?.named("register")))
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Run for RegisterArguments {
    fn run(self) -> Outcome {
        self.0.run()
    }
}

impl RowArguments for RegisterArguments {
    fn row_job(self) -> Fallible<RowJob> {
        self.0.row_job()
    }
}
