//! The result of a job.

use super::OutputRole;
use std::path::PathBuf;

/// The report of a run, and the files written.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRun<R> {
    /// The report that `report.json` holds.
    pub report: R,
    /// Role and path of every file or folder, in the order of the command's outputs.
    pub written: Vec<(OutputRole, PathBuf)>,
}
