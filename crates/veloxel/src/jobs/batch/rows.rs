//! The rows of a batch: where they come from, and which of them a run does.

use super::bids::bids_records;
use super::error::BatchError;
use super::row_job::RowJob;
use crate::jobs::name;
use crate::{Result, Session};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use veloxel_io::{self as io, ReadOptions, Record};

/// A row: a job with its number.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its number among the rows, from 1.
    pub row: usize,
    /// The line of the file that it begins in; none where it came from no file.
    pub line: Option<usize>,
    /// The command with its options as the row says them, outputs named from the batch's folder: what the ledger knows it by.
    pub text: String,
    /// What is to be done.
    pub job: RowJob,
}

impl JobRow {
    /// Which row it is, for people: `row 3 (line 4)`.
    pub fn place(&self) -> String {
        place(self.row, self.line)
    }
}

/// A row for people: `row 3 (line 4)`.
pub(super) fn place(row: usize, line: Option<usize>) -> String {
    line.map_or_else(|| format!("row {row}"), |line| format!("row {row} (line {line})"))
}

/// Rows and the folder that they write into.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchJob {
    /// Where the rows came from, for people.
    pub jobs: String,
    /// What they came from.
    pub source: JobsSource,
    /// All rows, those of other shards as well.
    pub rows: Vec<JobRow>,
    /// The folder that gets the ledger and the summary, made if it is not there; outputs of rows may lie anywhere.
    pub folder: PathBuf,
    /// Which rows this run does.
    pub shard: Shard,
    /// What becomes of rows that failed in an earlier run.
    pub failed: FailedRows,
}

/// What rows came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JobsSource {
    /// A table, JSON lines, or values in memory.
    #[default]
    Rows,
    /// A folder as the Brain Imaging Data Structure lays it out: results are its derivatives, and say so.
    Bids,
}

/// What becomes of rows that failed in an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailedRows {
    /// They stay failed.
    #[default]
    Kept,
    /// They are run again.
    Again,
}

/// One of several equal parts of the rows: every n-th of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    number: usize,
    of: usize,
}

impl Default for Shard {
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl Shard {
    /// Whether a row of this number, from 1, is one of this part.
    pub(super) fn holds(self, row: usize) -> bool {
        row % self.of == self.number % self.of
    }

    /// Whether two different parts have no row together.
    pub(super) fn is_apart(self, other: Self) -> bool {
        self.of == other.of && self.number != other.number
    }

    /// The name of its ledger.
    pub(super) fn ledger_name(self) -> String {
        match self.of {
            1 => "ledger.jsonl".to_owned(),
            of => format!("ledger_{}_of_{of}.jsonl", self.number),
        }
    }
}

impl FromStr for Shard {
    type Err = BatchError;

    fn from_str(text: &str) -> Result<Self, BatchError> {
        let parts = text.split_once('/').and_then(|(n, of)| Some((n.parse().ok()?, of.parse().ok()?)));
        let shard = parts.map(|(number, of)| Self { number, of });
        let is_one = |shard: &Self| (1..=shard.of).contains(&shard.number);
        shard.filter(is_one).ok_or_else(|| BatchError::Shard { got: text.to_owned() })
    }
}

/// Shows a shard as users write it: `2/8`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// Reads rows: of a table or JSON lines ([`io::read_records`]), or of a BIDS folder ([`bids_records`]).
///
/// # Errors
/// As these; [`BatchError::NoRows`].
pub fn read_jobs(path: &Path, session: &Session) -> Result<(Vec<Record>, JobsSource)> {
    if path.is_dir() {
        return Ok((bids_records(path)?, JobsSource::Bids));
    }
    let records = io::read_records(path, session.reading(ReadOptions::default()))?;
    if records.is_empty() {
        return Err(BatchError::NoRows { jobs: name(path) }.into());
    }
    Ok((records, JobsSource::Rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_part_the_rows() {
        let shards: Vec<Shard> = (1..=3).map(|n| format!("{n}/3").parse().unwrap()).collect();
        for row in 1..=20 {
            assert_eq!(shards.iter().filter(|shard| shard.holds(row)).count(), 1, "row {row}");
            assert!(Shard::default().holds(row));
        }
        assert!(shards[0].holds(1) && shards[1].holds(2) && shards[2].holds(3));
        assert!(shards[0].is_apart(shards[1]) && !shards[0].is_apart(shards[0]));
        assert!(!shards[0].is_apart("2/4".parse().unwrap()));
        for wrong in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
