//! What is wrong with the rows of a batch, or with the ledger in its folder.

use std::path::PathBuf;
use veloxel_core::{Diagnosis, ErrorKind, Hint};
use veloxel_report::number::counted;

/// A row that is refused before the first one is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which row it is: `row 3 (line 4)`.
    pub place: String,
    /// Why, in one line.
    pub reason: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// A batch that is not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Rows that cannot be run, or not together.
    #[error("{}", refused(refusals))]
    Refused {
        /// All of them, at least one.
        refusals: Vec<Refusal>,
    },
    /// No row.
    #[error("{jobs}: there is no row")]
    NoRows {
        /// Where they should be.
        jobs: String,
    },
    /// A folder that is no BIDS data set with pairs.
    #[error("{}: {reason}", path.display())]
    NoPairs {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        reason: &'static str,
    },
    /// A ledger that this program did not write.
    #[error("{}: line {line} is no record of a batch: move the ledger away, or name another folder", path.display())]
    Ledger {
        /// The ledger.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A ledger of other jobs.
    #[error(
        "{}: {jobs} has no row for {} that {}: the first is its row {row}, `{job}`; name another folder, or the jobs that it was begun with",
        path.display(),
        counted(*count, "row"),
        if *count == 1 { "is done" } else { "are done" }
    )]
    OtherJobs {
        /// The ledger.
        path: PathBuf,
        /// The jobs that were given.
        jobs: String,
        /// Rows that the ledger has and they have not.
        count: usize,
        /// The number of the first of them when it was run.
        row: usize,
        /// Its text.
        job: String,
    },
    /// A run of other shards of the same rows.
    #[error("{}: a run of shard {theirs} goes on, which shares rows with {own}: wait for its end", path.display())]
    OtherShards {
        /// The ledger of the other run.
        path: PathBuf,
        /// Its shard.
        theirs: String,
        /// The one that was asked for.
        own: String,
    },
    /// A number of a shard that there is not.
    #[error("expected a shard such as 2/8, from 1/8 to 8/8, got {got}")]
    Shard {
        /// What was given.
        got: String,
    },
}

fn refused(refusals: &[Refusal]) -> String {
    let count = counted(refusals.len(), "row");
    let first = refusals.first().map(ToString::to_string).unwrap_or_default();
    match refusals.len() {
        1 => format!("{first} (nothing was run)"),
        _ => format!("{count} cannot be run, and nothing was: {first}; and {} more", refusals.len() - 1),
    }
}

impl Diagnosis for BatchError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Ledger { .. } | Self::OtherJobs { .. } | Self::OtherShards { .. } => ErrorKind::Io,
            Self::Shard { .. } => ErrorKind::Parameter,
            Self::Refused { .. } | Self::NoRows { .. } | Self::NoPairs { .. } => ErrorKind::Input,
        }
    }

    fn hint(&self) -> Option<Hint> {
        None
    }
}
