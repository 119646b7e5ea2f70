//! What a job comes to.

use super::Role;
use std::path::PathBuf;

/// The report of a run, and the files written.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRun<R> {
    /// As in `report.json`.
    pub report: R,
    /// Role and path of every file or folder, in the order of the command's outputs.
    pub written: Vec<(Role, PathBuf)>,
}
