//! The ledger: a line for every row that was run, by which a later run knows what is done.

use super::error::BatchError;
use super::rows::Shard;
use crate::Result;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use veloxel_io::{AppendLog, LogUse};
use veloxel_report::BatchRow;

/// The version of the ledger's lines.
const VERSION: u32 = 1;

/// The first line of a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    veloxel_batch: u32,
    jobs: String,
    shard: String,
}

/// The ledger that a run appends to.
#[derive(Debug)]
pub(super) struct Ledger {
    log: AppendLog,
}

impl Ledger {
    /// Opens the ledger of a shard in a folder, or begins one.
    ///
    /// # Errors
    /// As [`AppendLog::open`].
    pub fn open(folder: &Path, jobs: &str, shard: Shard) -> Result<Self> {
        let (mut log, lines) = AppendLog::open(&folder.join(shard.ledger_name()))?;
        if lines.is_empty() {
            let head = Head { veloxel_batch: VERSION, jobs: jobs.to_owned(), shard: shard.to_string() };
            log.append(&json(&head)?)?;
        }
        Ok(Self { log })
    }

    /// Adds what became of a row; the disk has it when this returns.
    ///
    /// # Errors
    /// As [`AppendLog::append`].
    pub fn append(&mut self, record: &BatchRow) -> Result<()> {
        Ok(self.log.append(&json(record)?)?)
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(value).map_err(veloxel_report::ReportError::from)?)
}

/// What the ledgers of a folder say, of all shards.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// The last record of every row in every ledger, by the row's text.
    by_text: HashMap<String, Vec<BatchRow>>,
    /// The ledger that a record of this text stands in.
    ledger_of: HashMap<String, PathBuf>,
}

impl Records {
    /// Reads all ledgers of a folder; without one, or without the folder, there is no record.
    ///
    /// # Errors
    /// [`BatchError::Ledger`] with the line that is no record; [`BatchError::OtherShards`] while a run goes on that shares rows with
    /// `own`.
    pub fn read(folder: &Path, own: Shard) -> Result<Self> {
        let mut records = Self::default();
        for path in ledgers_in(folder) {
            let (lines, used) = AppendLog::look_at(&path)?;
            let mut numbered = (1..).zip(&lines);
            let Some((_, first)) = numbered.next() else { continue };
            let head = serde_json::from_str::<Head>(first).ok().filter(|head| head.veloxel_batch == VERSION);
            let head = head.ok_or_else(|| BatchError::Ledger { path: path.clone(), line: 1 })?;
            let is_apart = head.shard.parse().is_ok_and(|theirs| own.is_apart(theirs));
            if used == LogUse::Open && head.shard != own.to_string() && !is_apart {
                return Err(BatchError::OtherShards { path, theirs: head.shard, own: own.to_string() }.into());
            }
            let mut of_ledger = HashMap::new();
            for (line, text) in numbered {
                let record: BatchRow = serde_json::from_str(text)
                    .map_err(|_| BatchError::Ledger { path: path.clone(), line })?;
                of_ledger.insert(record.job.clone(), record);
            }
            for (text, record) in of_ledger {
                records.ledger_of.insert(text.clone(), path.clone());
                records.by_text.entry(text).or_default().push(record);
            }
        }
        Ok(records)
    }

    /// The records of a row, one a ledger.
    pub fn of(&self, text: &str) -> &[BatchRow] {
        self.by_text.get(text).map_or(&[], Vec::as_slice)
    }

    /// All records, with the ledgers that they stand in.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &BatchRow)> {
        self.by_text
            .iter()
            .flat_map(|(text, records)| records.iter().map(|record| (self.ledger_of[text].as_path(), record)))
    }
}

/// The ledgers of a folder, in the order of their names.
fn ledgers_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_ledger =
        |name: &str| name == "ledger.jsonl" || (name.starts_with("ledger_") && name.ends_with(".jsonl"));
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_ledger))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use veloxel_report::RowStatus;

    fn record(row: usize, status: RowStatus) -> BatchRow {
        BatchRow {
            row,
            job: format!("flow --output={row}.nii"),
            status,
            reason: None,
            time_ms: 1.5,
            device: "cpu".to_owned(),
            veloxel_version: "0".to_owned(),
            figures: BTreeMap::from([("mean_motion_vox".to_owned(), 0.5)]),
            warnings: vec!["a \"quoted\"\nwarning".to_owned()],
            inputs: Vec::new(),
            outputs: Vec::new(),
            picture: None,
        }
    }

    #[test]
    fn a_ledger_that_was_cut_at_any_byte_has_the_rows_before_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (path, all) = (folder.path().join("ledger.jsonl"), Shard::default());
        let mut ledger = Ledger::open(folder.path(), "jobs.csv", all).unwrap();
        for row in 1..=5 {
            ledger.append(&record(row, RowStatus::Done)).unwrap();
        }
        drop(ledger);
        let whole = std::fs::read(&path).unwrap();
        for end in 0..=whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let lines = whole[..end].iter().filter(|&&byte| byte == b'\n').count();
            let known =
                |records: &Records, row: usize| !records.of(&record(row, RowStatus::Done).job).is_empty();
            let records = Records::read(folder.path(), all).unwrap();
            let before: Vec<usize> = (1..=5).filter(|&row| known(&records, row)).collect();
            assert_eq!(before, (1..lines.max(1)).collect::<Vec<_>>(), "cut at {end}");
            let mut ledger = Ledger::open(folder.path(), "jobs.csv", all).unwrap();
            for row in lines.max(1)..=5 {
                ledger.append(&record(row, RowStatus::Done)).unwrap();
            }
            drop(ledger);
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {end}");
        }
    }

    #[test]
    fn the_last_record_of_a_row_counts_and_shards_have_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second]: [Shard; 2] = ["1/2", "2/2"].map(|text| text.parse().unwrap());
        let mut ledger = Ledger::open(folder.path(), "jobs.csv", first).unwrap();
        ledger.append(&record(1, RowStatus::Failed)).unwrap();
        ledger.append(&record(1, RowStatus::Done)).unwrap();
        let mut other = Ledger::open(folder.path(), "jobs.csv", second).unwrap();
        other.append(&record(2, RowStatus::Failed)).unwrap();
        let status = |records: &Records, row: usize| {
            records.of(&record(row, RowStatus::Done).job).iter().map(|own| own.status).collect::<Vec<_>>()
        };
        let records = Records::read(folder.path(), first).unwrap();
        assert_eq!(status(&records, 1), [RowStatus::Done]);
        assert_eq!(status(&records, 2), [RowStatus::Failed]);
        for own in [Shard::default(), "1/3".parse().unwrap()] {
            let error = Records::read(folder.path(), own).unwrap_err().to_string();
            assert!(error.contains("goes on"), "{error}");
        }
        drop((ledger, other));
        assert_eq!(Records::read(folder.path(), Shard::default()).unwrap().all().count(), 2);
    }

    #[test]
    fn a_line_that_is_no_record_is_refused_with_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), "jobs.csv", Shard::default()).unwrap();
        ledger.append(&record(1, RowStatus::Done)).unwrap();
        drop(ledger);
        let path = folder.path().join("ledger.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        for (wrong, line) in [("{\"own\": 1}\n".to_owned(), 1), (text + "nonsense\n", 3)] {
            std::fs::write(&path, wrong).unwrap();
            let error = Records::read(folder.path(), Shard::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line}")), "{error}");
        }
    }
}
