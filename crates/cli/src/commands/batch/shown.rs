//! What a batch shows: a bar on a terminal, lines of JSON for machines, and where the rows stand.

use crate::output::{print, print_json, print_lines, table};
use crate::{Outcome, say};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::Write;
use veloxel::Session;
use veloxel::jobs::{BatchJob, BatchProgress, BatchRun, JobRow, RowState};
use veloxel::report::number::{counted, duration};
use veloxel::report::{BatchRow, RowStatus};

/// How a batch is shown.
pub(super) struct Shown {
    bar: ProgressBar,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    ForPeople,
    Json,
    Quiet,
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    Begin {
        rows: usize,
        to_run: usize,
        devices: Vec<String>,
    },
    Row {
        #[serde(flatten)]
        record: &'a BatchRow,
        ended: usize,
        of: usize,
        left_ms: f64,
    },
    End {
        ended: usize,
        done: usize,
        failed: usize,
        left: usize,
        is_stopped: bool,
    },
}

/// Where a row stands, as JSON.
#[derive(Serialize)]
struct Standing<'a> {
    row: usize,
    state: &'static str,
    /// Why it is done again.
    reason: Option<&'a str>,
    job: &'a str,
}

impl Shown {
    pub fn new(json: bool, quiet: bool) -> Self {
        let form = match (json, quiet) {
            (true, _) => Form::Json,
            (false, true) => Form::Quiet,
            (false, false) => Form::ForPeople,
        };
        let target =
            if form == Form::ForPeople { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len}  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸─");
        Self { bar: ProgressBar::with_draw_target(Some(0), target).with_style(style), form }
    }

    /// Tells where every row stands.
    pub fn dry_run(&self, job: &BatchJob, states: &[RowState]) -> Outcome {
        let rows = job.rows.iter().zip(states);
        let standings: Vec<Standing<'_>> = rows.map(|(row, state)| Standing::of(row, state)).collect();
        if self.form == Form::Json {
            return print_json(&standings);
        }
        let cells = |own: &Standing<'_>| {
            let state =
                own.reason.map_or_else(|| own.state.to_owned(), |why| format!("{}: {why}", own.state));
            vec![own.job.to_owned(), state, own.row.to_string()]
        };
        print(&table(&["job", "state", "row"], standings.iter().map(cells)))?;
        let to_run = states.iter().filter(|state| state.is_to_run()).count();
        print_lines(&[("rows", job.rows.len().to_string()), ("to run", to_run.to_string())])
    }

    pub fn begin(&self, job: &BatchJob, states: &[RowState], workers: &[Session]) {
        let to_run = states.iter().filter(|state| state.is_to_run()).count();
        self.bar.set_length(to_run as u64);
        for (row, state) in job.rows.iter().zip(states) {
            if let RowState::Again(reason) = state
                && self.form != Form::Quiet
            {
                say(&format!("note: {} is done again: {reason}", row.place()));
            }
        }
        let device =
            |session: &Session| session.device_report().map(|own| own.name.clone()).unwrap_or_default();
        let devices = workers.iter().map(device).collect();
        self.event(&Event::Begin { rows: job.rows.len(), to_run, devices });
    }

    /// Tells a row that ended.
    pub fn row_ended(&self, progress: &BatchProgress<'_>) {
        let &BatchProgress { record, ended, failed, of, left_ms } = progress;
        if record.status == RowStatus::Failed && self.form != Form::Quiet {
            let reason = record.reason.as_deref().unwrap_or_default();
            self.bar.suspend(|| say(&format!("error: row {}: {reason}", record.row)));
        }
        let failed = if failed > 0 { format!("{failed} failed  ") } else { String::new() };
        self.bar.set_position(ended as u64);
        self.bar.set_message(format!("{failed}{} left", duration(left_ms)));
        if self.form == Form::Json {
            let short = BatchRow { picture: None, ..record.clone() };
            self.event(&Event::Row { record: &short, ended, of, left_ms });
        }
    }

    /// Tells what came of the run.
    pub fn end(&self, job: &BatchJob, run: &BatchRun) -> Outcome {
        self.bar.finish_and_clear();
        let report = &run.report;
        let (done, failed, left) = (report.done, report.failed, report.left);
        self.event(&Event::End { ended: run.ended, done, failed, left, is_stopped: run.is_stopped });
        if self.form != Form::ForPeople {
            return Ok(());
        }
        let mut text = format!("{}: {done} done", counted(report.rows, "row"));
        for (count, word) in [(failed, "failed"), (left, "left"), (report.outliers.len(), "outliers")] {
            if count > 0 {
                text += &format!(", {count} {word}");
            }
        }
        Ok(print(&format!("{text}: {}\n", job.folder.join("summary.html").display()))?)
    }

    /// Tells machines. One that has left does not end the run.
    fn event(&self, event: &Event<'_>) {
        if self.form == Form::Json
            && let Ok(line) = serde_json::to_string(event)
        {
            let _ = writeln!(std::io::stdout(), "{}", crate::terminal::json(&line));
        }
    }
}

impl<'a> Standing<'a> {
    fn of(row: &'a JobRow, state: &'a RowState) -> Self {
        let (state, reason) = match state {
            RowState::ToDo => ("to run", None),
            RowState::Again(reason) => ("to run again", Some(reason.as_str())),
            RowState::Done => ("done", None),
            RowState::Failed => ("failed", None),
            RowState::Elsewhere => ("of another shard", None),
        };
        Self { row: row.row, state, reason, job: &row.text }
    }
}
