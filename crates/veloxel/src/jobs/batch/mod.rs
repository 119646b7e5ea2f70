//! Many rows, each one job of another command: checked together before the first, run on all devices, and gone on with where an
//! ended run was.
//!
//! Nothing here computes: a row becomes one of the jobs beside this module, with one [`Session`](crate::Session) a device that stays
//! open from row to row, while another thread reads the files of the next one. What became of a row is a line of the ledger in the
//! batch's folder, which the disk has before the next row ends: a program that is killed loses the rows that were under way, and no
//! others. A row is known by its text; so rows may be added, moved and mended between two runs.

mod at_once;
mod bids;
mod check;
mod error;
mod files;
mod ledger;
mod row_job;
mod rows;
mod run;
mod shared;
mod summary;
mod work;
mod workers;

pub use bids::bids_records;
pub use check::{BatchPlan, RowState, check_batch};
pub use error::{BatchError, Refusal};
pub use row_job::RowJob;
pub use rows::{BatchJob, FailedRows, JobRow, JobsSource, Shard, read_jobs};
pub use run::BatchRun;
pub use shared::{BatchFace, BatchProgress};
pub use workers::BatchDevices;
