//! What applying, composing or inverting fields would do: memory, boxes, time and files, from the headers of its inputs alone.

use super::{OutputPlan, OutputRole, Result};
use crate::Session;
use crate::pipelines::{BoxesPlan, FieldWork, TimeEstimate, field_time};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Grid, Stage, Warnings};

/// What a run over fields would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoxesDryRun {
    /// Memory and boxes.
    pub memory: BoxesPlan,
    /// Time without files.
    pub time: TimeEstimate,
    /// Files that would be written, by their roles.
    pub writes: Vec<(OutputRole, PathBuf)>,
    /// What the headers give to know.
    pub warnings: Warnings,
}

impl BoxesDryRun {
    /// A run of a kind whose result lies on a grid.
    ///
    /// # Errors
    /// As [`field_time`].
    pub(super) fn of(
        work: FieldWork,
        memory: BoxesPlan,
        result: &Grid,
        plan: &OutputPlan,
        warnings: Warnings,
        session: &Session,
    ) -> Result<Self> {
        session.enter(Stage::Solve)?;
        let time = field_time(work, result, session)?;
        let writes = plan.outputs().map(|(role, path)| (role, path.clone())).collect();
        Ok(Self { memory, time, writes, warnings })
    }
}
