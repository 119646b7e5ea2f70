//! Many rows, each a line of a command, as one call.

use crate::error::exception;
use crate::running::run;
use pyo3::prelude::*;
use serde_json::json;
use std::path::PathBuf;
use veloxel::io::{FieldValue, PendingFiles, Record};
use veloxel::jobs::{
    BatchDevices, BatchFace, BatchJob, BatchProgress, DeviceOptions, FailedRows, JobRow, JobsSource,
    RowState, Shard, check_batch, read_jobs,
};
use veloxel::report::to_json;
use veloxel::{Session, Stopped, VeloxelError};

/// A value of a row.
#[derive(FromPyObject)]
pub enum Value {
    Flag(bool),
    Text(String),
    List(Vec<String>),
}

/// The fields of a row in their order.
type Fields = Vec<(String, Value)>;

/// What is run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    /// A file or a folder with the rows; none: `rows`.
    path: Option<PathBuf>,
    rows: Vec<Fields>,
    folder: PathBuf,
    /// Options of every row that does not say them itself.
    options: Fields,
    shard: String,
    retry: bool,
    dry_run: bool,
}

/// Where it is run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Devices {
    device: String,
    threads: usize,
    at_once: usize,
    max_memory: Option<u64>,
}

/// Runs rows and gives the summary as JSON; of a dry run where each row stands.
#[pyfunction]
pub fn batch(
    py: Python<'_>,
    asked: Asked,
    devices: Devices,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let host = DeviceOptions { name: Some("cpu".to_owned()), threads: 1 };
    let lead = Session::open(&host).map_err(|error| exception(&error))?;
    run(py, &lead, progress, |lead| asked.run(&devices, lead))
}

fn fields(fields: Fields) -> Vec<(String, FieldValue)> {
    let value = |(name, value)| {
        let value = match value {
            Value::Flag(holds) => FieldValue::Flag(holds),
            Value::Text(text) => FieldValue::Text(text),
            Value::List(texts) => FieldValue::List(texts),
        };
        (name, value)
    };
    fields.into_iter().map(value).collect()
}

impl Asked {
    fn run(self, devices: &Devices, lead: &Session) -> Result<String, VeloxelError> {
        let is_dry = self.dry_run;
        let job = self.job(devices, lead)?;
        let reason = |_: &JobRow, error: &VeloxelError| error.to_string();
        let plan = check_batch(&job, lead, &reason)?;
        if is_dry {
            let states = job.rows.iter().zip(plan.states());
            let standing = |(row, state): (&JobRow, &RowState)| {
                let reason = match state {
                    RowState::Again(reason) => Some(reason),
                    _ => None,
                };
                json!({ "row": row.row, "state": word(state), "reason": reason, "job": row.text })
            };
            let to_run = plan.states().iter().filter(|state| state.is_to_run()).count();
            let standings: Vec<_> = states.map(standing).collect();
            return Ok(to_json(
                &json!({ "rows": job.rows.len(), "to_run": to_run, "standings": standings }),
            )?);
        }
        let &Devices { ref device, threads, at_once, max_memory: max_memory_bytes } = devices;
        let device = DeviceOptions { name: Some(device.clone()), threads };
        let workers =
            BatchDevices { device, at_once, max_memory_bytes }.open(&plan, &PendingFiles::default())?;
        // The observer of the lead is told how many rows have ended.
        let row_ended = |_: &BatchProgress<'_>| ();
        let done = plan.run(lead, &workers, BatchFace { reason: &reason, row_ended: &row_ended })?;
        if done.is_stopped { Err(Stopped.into()) } else { Ok(to_json(&done.report)?) }
    }

    fn job(self, devices: &Devices, lead: &Session) -> Result<BatchJob, VeloxelError> {
        let shard: Shard = self.shard.parse()?;
        let (records, source, jobs) = match self.path {
            Some(path) => {
                let (records, source) = read_jobs(&path, lead)?;
                (records, source, path.display().to_string())
            }
            None => {
                let record = |own| Record { line: 0, fields: fields(own) };
                let records = self.rows.into_iter().map(record).collect();
                (records, JobsSource::Rows, "rows in memory".to_owned())
            }
        };
        let options = fields(self.options);
        let rows = veloxel_cli::read_rows(&records, &options, &self.folder, devices.max_memory)?;
        let failed = if self.retry { FailedRows::Again } else { FailedRows::Kept };
        Ok(BatchJob { jobs, source, rows, folder: self.folder, shard, failed })
    }
}

/// Where a row stands, in one word.
fn word(state: &RowState) -> &'static str {
    match state {
        RowState::ToDo => "to run",
        RowState::Again(_) => "to run again",
        RowState::Done => "done",
        RowState::Failed => "failed",
        RowState::Elsewhere => "of another shard",
    }
}
