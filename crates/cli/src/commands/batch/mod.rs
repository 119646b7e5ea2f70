//! `veloxel batch`: many rows, each a line of another command.

pub(crate) mod rows;
mod shown;

use crate::{
    Bar, DeviceArguments, Outcome, Run, allocator, bytes, followed, hints, host_session, interrupt, say,
    setting,
};
use clap::Args;
use rows::{read_rows, row_command};
use shown::Shown;
use std::path::PathBuf;
use veloxel::io::FieldValue;
use veloxel::jobs::{
    BatchDevices, BatchError, BatchFace, BatchJob, BatchProgress, FailedRows, JobRow, Shard, check_batch,
    read_jobs,
};
use veloxel::report::number::counted;
use veloxel::{Session, VeloxelError};

/// Refused rows that are told one by one.
const MOST_TOLD: usize = 50;

/// Run a table of jobs on all devices, and go on where a run ended.
///
/// JOBS is a table (.csv .tsv) with the names of its columns in the first line, or JSON lines (.jsonl), an object a row: `command`
/// (flow without it, register, track, stereo, features, segment, warp image, warp labels or warp points), `fixed`, `moving`,
/// `output`, and options by their long names, a flag as true or false; several values of one option as a list, in a table parted by
/// semicolons. Inputs are found from the current folder, outputs from DIR. All rows are checked before the first is run.
///
/// JOBS may be a BIDS folder: later anatomical images of a subject are registered to the first of their kind, cines (…_cine)
/// get the fields from their first frame; results are named as derivatives, …_from-X_to-Y_mode-image_xfm.
///
/// DIR gets a ledger, in which a row stands once all its outputs are there, summary.json and summary.html. The same line again does
/// what is left, whatever ended the run before; rows whose inputs have changed, or whose outputs are gone, are done again. Without
/// --device all CUDA devices are used, or else the fastest device there is. Exit code 1: a row failed.
#[derive(Debug, Args)]
pub struct BatchArguments {
    /// A table, JSON lines, or a BIDS folder
    #[arg(value_name = "JOBS")]
    jobs: PathBuf,

    /// The folder for ledger, summary and outputs, made if it is not there
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// An option of every row that does not say it itself, by its long name, such as preset=fast; again for more
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    option: Vec<(String, String)>,

    /// Every N-th row, from the I-th: one part of a job array, which all write into one DIR
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,

    /// Run rows again that failed in an earlier run
    #[arg(long)]
    retry: bool,

    /// Check all rows and tell where each stands; nothing is run
    #[arg(long)]
    dry_run: bool,

    /// Tell every row that ended as a line of JSON on standard output
    #[arg(long)]
    json: bool,

    /// Rows that run at once on each device, each in its own memory; on a processor they part its threads, on a GPU each has a queue of
    /// its own; 0: one on a processor, on a GPU as many as its free memory holds, up to four
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Device")]
    at_once: usize,

    #[command(flatten)]
    device: DeviceArguments,

    /// Memory that each row may take, such as 500M or 2GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Memory")]
    max_memory: Option<u64>,

    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

impl Run for BatchArguments {
    fn run(self) -> Outcome {
        let lead = host_session();
        let job = self.job(&lead)?;
        let plan = check_batch(&job, &lead, &reason).map_err(told)?;
        let shown = Shown::new(self.json, self.quiet);
        if self.dry_run {
            return shown.dry_run(&job, plan.states());
        }
        if self.max_memory.is_some() {
            allocator::keep_little();
        }
        let workers = self.devices().open(&plan, interrupt::pending())?;
        shown.begin(&job, plan.states(), &workers);
        let ended = |progress: &BatchProgress<'_>| shown.row_ended(progress);
        let face = BatchFace { reason: &reason, row_ended: &ended };
        interrupt::goes_on();
        let run = followed(&lead, Bar::Hidden, |lead| plan.run(lead, &workers, face))?;
        shown.end(&job, &run)?;
        if run.is_stopped {
            interrupt::answer();
            let (ended, of) = (run.ended, counted(run.of, "row"));
            say(&format!("stopped after {ended} of {of}: the same line again does the rest"));
            return Ok(());
        }
        if run.failed > 0 {
            let page = job.folder.join("summary.html");
            let (failed, page) = (counted(run.failed, "row"), page.display());
            return Err(format!("{failed} failed: {page} has the reasons, --retry runs them again").into());
        }
        Ok(())
    }
}

impl BatchArguments {
    /// All rows, each parsed as its command's own line.
    fn job(&self, lead: &Session) -> Result<BatchJob, VeloxelError> {
        let (records, source) = read_jobs(&self.jobs, lead)?;
        let options: Vec<(String, FieldValue)> =
            self.option.iter().map(|(name, value)| (name.clone(), FieldValue::Text(value.clone()))).collect();
        let rows = read_rows(&records, &options, &self.output, self.max_memory).map_err(told)?;
        Ok(BatchJob {
            jobs: self.jobs.display().to_string(),
            source,
            rows,
            folder: self.output.clone(),
            shard: self.shard,
            failed: if self.retry { FailedRows::Again } else { FailedRows::Kept },
        })
    }

    fn devices(&self) -> BatchDevices {
        let device = self.device.options();
        BatchDevices { device, at_once: self.at_once, max_memory_bytes: self.max_memory }
    }
}

/// The sentence of an error of a row, with the options of the row's own command.
fn reason(row: &JobRow, error: &VeloxelError) -> String {
    hints::error_text_of(error, row_command(&row.text).as_ref())
}

/// Tells refused rows one by one, before the error that ends the command.
fn told<E: Into<VeloxelError>>(error: E) -> VeloxelError {
    let error = error.into();
    if let VeloxelError::Batch(BatchError::Refused { refusals }) = &error
        && refusals.len() > 1
    {
        for refusal in refusals.iter().take(MOST_TOLD) {
            say(&format!("error: {refusal}"));
        }
        if refusals.len() > MOST_TOLD {
            say(&format!("error: and {} more", counted(refusals.len() - MOST_TOLD, "refused row")));
        }
    }
    error
}
