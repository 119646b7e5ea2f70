//! The content of `summary.json` of a batch, and of the lines of its ledger: what became of every row.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use veloxel_measure::{Outlier, UsualSpread, outliers};

/// Beyond which a row is an outlier: in a normal distribution two of ten million are, and a quarter of the median is usual.
const USUAL: UsualSpread = UsualSpread { deviations: 5.0, least_of_median: 0.05, least: 0.0 };
/// The least standard deviation of a share: a hundredth is an outlier where the others are 0.
const LEAST_OF_SHARE: f64 = 0.002;

/// What became of the rows of a batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchReport {
    /// Version of Veloxel that wrote this.
    pub veloxel_version: String,
    /// Where the rows came from.
    pub jobs: String,
    /// Rows in all.
    pub rows: usize,
    /// Rows that are done.
    pub done: usize,
    /// Rows that failed.
    pub failed: usize,
    /// Rows that were not run yet.
    pub left: usize,
    /// Times of all rows together, milliseconds.
    pub time_ms: f64,
    /// Rows that were run, in the order of the jobs.
    pub records: Vec<BatchRow>,
    /// Rows whose figures lie far from those of the others, the farthest first.
    pub outliers: Vec<BatchOutlier>,
}

/// A row that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchRow {
    /// Its number among the rows, from 1.
    pub row: usize,
    /// The command with its options, as the row says them: what the row is known by.
    pub job: String,
    /// What became of it.
    pub status: RowStatus,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Wall-clock time from reading to the last output, milliseconds.
    pub time_ms: f64,
    /// The device that computed.
    pub device: String,
    /// Version of Veloxel that ran.
    pub veloxel_version: String,
    /// The result in numbers, by their names with units.
    #[serde(default)]
    pub figures: BTreeMap<String, f64>,
    /// What a user may have to act on.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Files that were read.
    #[serde(default)]
    pub inputs: Vec<RowFile>,
    /// Files and folders that were written; those in the batch's folder are named from there.
    #[serde(default)]
    pub outputs: Vec<RowFile>,
    /// The result as a small picture, a data URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStatus {
    /// All its outputs are there.
    Done,
    /// It has none.
    Failed,
}

/// A file of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFile {
    /// What it is to the row: `input`, `flow`, `confidence`, ….
    pub role: String,
    /// Its path.
    pub path: String,
    /// Bytes of all files that reading an input opens; of an output its own, and 0 of a folder.
    pub bytes: u64,
    /// When it was written last, nanoseconds since 1970; none where the system does not tell, and for outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_ns: Option<u64>,
}

/// A figure of a row that lies far from those of the other rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchOutlier {
    /// The row's number.
    pub row: usize,
    /// The figure.
    pub figure: String,
    /// Its value.
    pub value: f64,
    /// The median of all rows.
    pub median: f64,
    /// Robust standard deviations between the two.
    pub deviations: f64,
}

impl BatchReport {
    /// What became of so many rows, of which these were run.
    pub fn new(jobs: String, rows: usize, mut records: Vec<BatchRow>) -> Self {
        records.sort_by_key(|record| record.row);
        let count = |status| records.iter().filter(|record| record.status == status).count();
        let (done, failed) = (count(RowStatus::Done), count(RowStatus::Failed));
        Self {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            jobs,
            rows,
            done,
            failed,
            left: rows.saturating_sub(done + failed),
            time_ms: records.iter().map(|record| record.time_ms).sum(),
            outliers: found(&records),
            records,
        }
    }
}

/// The outliers of all figures.
fn found(records: &[BatchRow]) -> Vec<BatchOutlier> {
    let names: std::collections::BTreeSet<&String> =
        records.iter().flat_map(|row| row.figures.keys()).collect();
    let of_figure = |name: &String| {
        let value = |row: &BatchRow| row.figures.get(name).copied().unwrap_or(f64::NAN);
        let values: Vec<f64> = records.iter().map(value).collect();
        let outlier = |Outlier { nth, value, median, deviations }: Outlier| BatchOutlier {
            row: records[nth].row,
            figure: name.clone(),
            value,
            median,
            deviations,
        };
        let least = if name.ends_with("_share") { LEAST_OF_SHARE } else { 0.0 };
        outliers(&values, UsualSpread { least, ..USUAL }).into_iter().map(outlier).collect::<Vec<_>>()
    };
    let mut all: Vec<BatchOutlier> = names.into_iter().flat_map(of_figure).collect();
    all.sort_by(|a, b| b.deviations.total_cmp(&a.deviations));
    all
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row that was run.
    pub(crate) fn row(row: usize, status: RowStatus, mean_motion_vox: f64) -> BatchRow {
        let is_done = status == RowStatus::Done;
        BatchRow {
            row,
            job: format!("flow --fixed=a --moving=b --output={row}.nii"),
            status,
            reason: (!is_done).then(|| "the file is empty".to_owned()),
            time_ms: 10.0,
            device: "cpu".to_owned(),
            veloxel_version: "0.0.0".to_owned(),
            figures: is_done.then(|| ("mean_motion_vox".to_owned(), mean_motion_vox)).into_iter().collect(),
            warnings: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            picture: None,
        }
    }

    #[test]
    fn rows_are_counted_and_the_one_far_from_the_others_is_found() {
        let mut rows: Vec<BatchRow> =
            (1..=12).map(|n| row(n, RowStatus::Done, 1.0 + 0.01 * n as f64)).collect();
        rows[4] = row(5, RowStatus::Done, 9.0);
        rows[6] = row(7, RowStatus::Failed, 0.0);
        rows.reverse();
        let report = BatchReport::new("jobs.csv".to_owned(), 20, rows);
        assert_eq!((report.done, report.failed, report.left, report.time_ms), (11, 1, 8, 120.0));
        assert!(report.records.is_sorted_by_key(|record| record.row));
        let [outlier] = &report.outliers[..] else { panic!("{:?}", report.outliers) };
        assert_eq!((outlier.row, outlier.figure.as_str(), outlier.value), (5, "mean_motion_vox", 9.0));
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        for status in [RowStatus::Done, RowStatus::Failed] {
            let own = row(3, status, 0.1 + 0.2);
            let line = serde_json::to_string(&own).unwrap();
            assert_eq!(serde_json::from_str::<BatchRow>(&line).unwrap(), own, "{line}");
        }
    }
}
