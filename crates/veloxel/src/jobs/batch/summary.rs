//! The files of a batch beside its ledger: `summary.json` and `summary.html`, of all rows that any run has ended.

use super::ledger::Records;
use super::rows::BatchJob;
use crate::{Result, Session};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::path::Path;
use veloxel_io::{self as io, Files};
use veloxel_report::{BatchReport, BatchRow, RowStatus, batch_html, to_json};

/// The names that the batch takes in its folder.
pub(super) const SUMMARY: &str = "summary.json";
pub(super) const PAGE: &str = "summary.html";
pub(super) const LOCK: &str = ".summary.lock";
/// What tells programs that a folder holds derivatives.
const DESCRIPTION: &str = "dataset_description.json";
/// The version of the Brain Imaging Data Structure whose names are used.
const BIDS_VERSION: &str = "1.10.0";

/// Writes the summary of what the ledgers say now, and gives it.
///
/// # Errors
/// As for every ledger and every file.
pub(super) fn write_summary(job: &BatchJob, lead: &Session) -> Result<BatchReport> {
    // Runs of several shards end in any order: the last one that writes has read all.
    let _lock = locked(&job.folder);
    let records = Records::read(&job.folder, job.shard)?;
    let of_row = |row: &super::JobRow| {
        let own = records.of(&row.text);
        let done = own.iter().rfind(|record| record.status == RowStatus::Done);
        done.or(own.last()).map(|record| BatchRow { row: row.row, ..record.clone() })
    };
    let found: Vec<BatchRow> = job.rows.iter().filter_map(of_row).collect();
    let mut report = BatchReport::new(job.jobs.clone(), job.rows.len(), found);
    let page = batch_html(&report)?;
    report.records.iter_mut().for_each(|record| record.picture = None);
    let files = files_beside(lead);
    io::write_text(files.target(job.folder.join(SUMMARY)), &to_json(&report)?)?;
    io::write_text(files.target(job.folder.join(PAGE)), &page)?;
    Ok(report)
}

/// Says that the folder holds derivatives of a data set; a description that is there stays.
///
/// # Errors
/// As for every file.
pub(super) fn write_description(folder: &Path, lead: &Session) -> Result<()> {
    let path = folder.join(DESCRIPTION);
    if path.exists() {
        return Ok(());
    }
    let description = json!({
        "Name": "Displacement fields by Veloxel",
        "BIDSVersion": BIDS_VERSION,
        "DatasetType": "derivative",
        "GeneratedBy": [{ "Name": "Veloxel", "Version": env!("CARGO_PKG_VERSION") }],
    });
    Ok(io::write_text(files_beside(lead).target(path), &to_json(&description)?)?)
}

/// Files that are written after a stop as well.
fn files_beside(lead: &Session) -> Files {
    lead.files().beside()
}

/// Waits until no other run writes the summary; none where the file system has no locks.
fn locked(folder: &Path) -> Option<File> {
    let file = OpenOptions::new().create(true).append(true).open(folder.join(LOCK)).ok()?;
    file.lock().ok()?;
    Some(file)
}
