//! What is refused before the first row is run, and which rows are to be run.

use super::error::{BatchError, Refusal};
use super::files::{is_there, reason_to_repeat};
use super::ledger::Records;
use super::rows::{BatchJob, FailedRows, JobRow};
use super::summary::{LOCK, PAGE, SUMMARY};
use crate::jobs::OutputPlan;
use crate::jobs::outputs::planned_files::{files, identities_read, is_stream};
use crate::{Result, Session, VeloxelError};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use veloxel_io::{FileIdentity, IoError};
use veloxel_report::{BatchRow, RowStatus};

/// Where a row stands before a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// It is to be run.
    ToDo,
    /// It was done once and is to be run again, because of this.
    Again(String),
    /// It is done.
    Done,
    /// It failed, and stays so.
    Failed,
    /// It belongs to another shard.
    Elsewhere,
}

impl RowState {
    /// Whether the row is to be run.
    pub fn is_to_run(&self) -> bool {
        matches!(self, Self::ToDo | Self::Again(_))
    }
}

/// Rows of which nothing is refused, with what is to be done.
#[derive(Debug)]
pub struct BatchPlan<'a> {
    pub(super) job: &'a BatchJob,
    states: Vec<RowState>,
    _made: MadeFolders,
}

/// Folders that were made for outputs, the outer ones first; those that hold nothing go with this.
#[derive(Debug, Default)]
struct MadeFolders(Vec<PathBuf>);

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that holds something stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

impl BatchPlan<'_> {
    /// Where each row stands, in the order of the rows.
    pub fn states(&self) -> &[RowState] {
        &self.states
    }

    /// The places of the rows that are to be run, from 0.
    pub(super) fn to_run(&self) -> Vec<usize> {
        (0..self.states.len()).filter(|&nth| self.states[nth].is_to_run()).collect()
    }
}

/// Checks all rows before the first is run, and tells where each stands. Nothing is written but the folders of outputs, of which
/// those that hold nothing go again with the plan.
///
/// `reason` makes an error's sentence.
///
/// # Errors
/// [`BatchError`]: with every row that is refused, or what is wrong with the folder's ledgers.
pub fn check_batch<'a>(
    job: &'a BatchJob,
    session: &Session,
    reason: &dyn Fn(&JobRow, &VeloxelError) -> String,
) -> Result<BatchPlan<'a>> {
    if job.rows.is_empty() {
        return Err(BatchError::NoRows { jobs: job.jobs.clone() }.into());
    }
    let records = Records::read(&job.folder, job.shard)?;
    require_own(job, &records)?;
    let state = |row: &JobRow| match job.shard.holds(row.row) {
        true => state(row, records.of(&row.text), job),
        false => RowState::Elsewhere,
    };
    let states: Vec<RowState> = job.rows.iter().map(state).collect();
    let mut check = Check { job, refusals: Vec::new(), written: HashMap::new() };
    let plans = check.plans(session, reason);
    // Links and `..` lead somewhere once the folders are there.
    let made = check.make_folders(&plans, &states, reason);
    check.require_apart(&plans);
    check.require_inputs(&plans, &states);
    if check.refusals.is_empty() {
        check.require_writable(&plans, &states, reason);
    }
    if !check.refusals.is_empty() {
        return Err(BatchError::Refused { refusals: check.refusals }.into());
    }
    Ok(BatchPlan { job, states, _made: made })
}

/// Refuses ledgers with rows that are done and that the jobs do not have.
fn require_own(job: &BatchJob, records: &Records) -> Result<(), BatchError> {
    let own: std::collections::HashSet<&str> = job.rows.iter().map(|row| row.text.as_str()).collect();
    let is_other = |(_, record): &(&Path, &BatchRow)| {
        record.status == RowStatus::Done && !own.contains(record.job.as_str())
    };
    let others: Vec<_> = records.all().filter(is_other).collect();
    let Some((path, first)) = others.iter().min_by_key(|(_, record)| record.row) else { return Ok(()) };
    Err(BatchError::OtherJobs {
        path: path.to_path_buf(),
        jobs: job.jobs.clone(),
        count: others.len(),
        row: first.row,
        job: first.job.clone(),
    })
}

/// Where a row stands by its records.
fn state(row: &JobRow, records: &[BatchRow], job: &BatchJob) -> RowState {
    debug_assert!(records.iter().all(|record| record.job == row.text));
    let repeat = |record: &BatchRow| reason_to_repeat(&record.inputs, &record.outputs, &job.folder);
    let done: Vec<Option<String>> =
        records.iter().filter(|record| record.status == RowStatus::Done).map(repeat).collect();
    if done.iter().any(Option::is_none) {
        return RowState::Done;
    }
    if let Some(reason) = done.into_iter().flatten().next() {
        return RowState::Again(reason);
    }
    let is_kept = !records.is_empty() && job.failed == FailedRows::Kept;
    if is_kept { RowState::Failed } else { RowState::ToDo }
}

/// The check of all rows.
struct Check<'a> {
    job: &'a BatchJob,
    refusals: Vec<Refusal>,
    /// The row that writes a path.
    written: HashMap<PathBuf, usize>,
}

/// The plans of all rows; none of those that are refused.
type Plans = Vec<Option<OutputPlan>>;

impl Check<'_> {
    fn plans(&mut self, session: &Session, reason: &dyn Fn(&JobRow, &VeloxelError) -> String) -> Plans {
        let job = self.job;
        let plan = |row: &JobRow| match row.job.plan(session) {
            Ok(plan) => Some(plan),
            Err(error) => {
                self.refuse(row, reason(row, &error));
                None
            }
        };
        job.rows.iter().map(plan).collect()
    }

    /// Makes the folders in which the outputs of rows to be run lie.
    fn make_folders(
        &mut self,
        plans: &Plans,
        states: &[RowState],
        reason: &dyn Fn(&JobRow, &VeloxelError) -> String,
    ) -> MadeFolders {
        let job = self.job;
        let mut made = MadeFolders::default();
        for (row, plan) in rows_with(&job.rows, plans).filter(|(row, _)| states[row.row - 1].is_to_run()) {
            for parent in plan.outputs().filter_map(|(_, path)| path.parent()) {
                if let Err(error) = make_folder(parent, &mut made.0) {
                    self.refuse(row, reason(row, &error.into()));
                }
            }
        }
        made
    }

    /// Refuses outputs that two rows write, or that another row reads, and names that the batch itself takes.
    fn require_apart(&mut self, plans: &Plans) {
        let job = self.job;
        let taken = [SUMMARY, PAGE, LOCK].map(|name| FileIdentity::of(&job.folder.join(name)).path);
        let ledger = FileIdentity::of(&job.folder.join(job.shard.ledger_name())).path;
        for (row, plan) in rows_with(&job.rows, plans) {
            for path in plan
                .outputs()
                .flat_map(|(_, path)| files(path).into_iter().chain([path.clone()]))
                .collect::<BTreeSet<_>>()
            {
                if is_stream(&path) {
                    self.refuse(row, "an output of a row is a file, not standard output".to_owned());
                    continue;
                }
                let own = FileIdentity::of(&path).path;
                if own == ledger || taken.contains(&own) {
                    self.refuse(row, format!("{} is a name that the batch takes itself", path.display()));
                }
                let earlier = self.written.get(&own).copied().filter(|&earlier| earlier != row.row);
                if let Some(earlier) = earlier {
                    let earlier = job.rows[earlier - 1].place();
                    self.refuse(row, format!("{} is written by {earlier} as well", path.display()));
                } else {
                    self.written.insert(own, row.row);
                }
            }
        }
        for (row, plan) in rows_with(&job.rows, plans) {
            for path in plan.read_paths().filter(|path| !is_stream(path)) {
                let read = identities_read(path);
                let writer = read.iter().find_map(|file| self.written.get(&file.path)).copied();
                if let Some(writer) = writer.filter(|&writer| writer != row.row) {
                    let writer = job.rows[writer - 1].place();
                    let reason = format!(
                        "{} is written by {writer}, and rows have no order: name another file, or make two batches",
                        path.display()
                    );
                    self.refuse(row, reason);
                }
            }
        }
    }

    /// Refuses rows to be run whose inputs are not there.
    fn require_inputs(&mut self, plans: &Plans, states: &[RowState]) {
        let job = self.job;
        for (row, plan) in rows_with(&job.rows, plans).filter(|(row, _)| states[row.row - 1].is_to_run()) {
            for path in plan.read_paths() {
                if is_stream(path) {
                    self.refuse(row, "an input of a row is a file, not standard input".to_owned());
                } else if !is_there(path) {
                    self.refuse(row, format!("{} is not there", path.display()));
                }
            }
        }
    }

    /// Refuses outputs that could not be written.
    fn require_writable(
        &mut self,
        plans: &Plans,
        states: &[RowState],
        reason: &dyn Fn(&JobRow, &VeloxelError) -> String,
    ) {
        let job = self.job;
        for (row, plan) in rows_with(&job.rows, plans).filter(|(row, _)| states[row.row - 1].is_to_run()) {
            if let Err(error) = plan.check() {
                self.refuse(row, reason(row, &error));
            }
        }
    }

    fn refuse(&mut self, row: &JobRow, reason: String) {
        let refusal = Refusal { place: row.place(), reason };
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }
}

fn rows_with<'a>(rows: &'a [JobRow], plans: &'a Plans) -> impl Iterator<Item = (&'a JobRow, &'a OutputPlan)> {
    rows.iter().zip(plans).filter_map(|(row, plan)| Some((row, plan.as_ref()?)))
}

/// Makes a folder with those around it, and adds what was not there.
fn make_folder(folder: &Path, made: &mut Vec<PathBuf>) -> Result<(), IoError> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
    for folder in missing.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        match std::fs::create_dir(folder) {
            Ok(()) => made.push(folder.to_owned()),
            // `new/..` is there once `new` is.
            Err(_) if folder.is_dir() => {}
            Err(source) => return Err(IoError::Write { path: folder.to_owned(), source }),
        }
    }
    Ok(())
}
