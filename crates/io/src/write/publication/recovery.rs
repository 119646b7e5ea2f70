//! What ended runs left: decided moves are done to the end, everything else is removed.

use super::journal::Journal;
use super::moves;
use super::staging::{self, Staging};
use std::fmt;
use std::io::Result;
use std::path::{Path, PathBuf};
use veloxel_core::Control;

/// What was done with outputs of an earlier run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolved {
    /// The folder that they lie in.
    pub folder: PathBuf,
    /// Number of them.
    pub count: usize,
    /// What they are now.
    pub outcome: Outcome,
}

/// What became of outputs of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// They were whole and got their names.
    Published,
    /// They got their names, and the earlier files were put back since not all could.
    TakenBack,
    /// They were not whole and were removed.
    Removed,
    /// They are whole, have names that a run of this kind gives its outputs, and stay beside those of a run that has fewer.
    Stayed,
}

impl Resolved {
    /// Outputs of this number in a folder, and what became of them.
    pub fn new(folder: PathBuf, count: usize, outcome: Outcome) -> Self {
        Self { folder, count, outcome }
    }
}

impl fmt::Display for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, count, outcome } = self;
        let (outputs, folder) = (if *count == 1 { "output" } else { "outputs" }, folder.display());
        let became = match outcome {
            Outcome::Stayed => {
                let (have, they) =
                    if *count == 1 { ("has a name", "it stays") } else { ("have names", "they stay") };
                let files = if *count == 1 { "file" } else { "files" };
                return write!(
                    f,
                    "{folder}: {count} other {files} there {have} like those of this run; {they}, and may be of an earlier one"
                );
            }
            Outcome::Published => "was ended while they got their names: all have them now",
            Outcome::TakenBack => "was ended while they got their names: the earlier files are back",
            Outcome::Removed => "was ended before they were whole: they were removed",
        };
        write!(f, "{folder}: an earlier run with {count} {outputs} here {became}")
    }
}

/// Resolves what runs that have ended left in a folder; what running ones write stays. A run that is to stop leaves it to the
/// next one.
pub(super) fn resolve_in(root: &Path, control: &Control) -> Result<Vec<Resolved>> {
    let mut resolved = Vec::new();
    // A folder that can be written into and not read hides what was left.
    for path in staging::in_folder(root).unwrap_or_default() {
        if staging::is_discarded(&path) {
            staging::remove(&path);
            continue;
        }
        let Some(first) = Staging::left_by_its_owner(&path) else { continue };
        let (count, outcome) = match Journal::read(&path) {
            Some(journal) => {
                let count = journal.parts.iter().map(|part| part.files.len()).sum();
                let Some(outcome) = end(first, &journal, control) else { continue };
                (count, outcome)
            }
            None => (first.content().map_or(0, |content| content.files.len()), Outcome::Removed),
        };
        if count > 0 {
            resolved.push(Resolved { folder: root.to_owned(), count, outcome });
        }
    }
    Ok(resolved)
}

/// Ends decided moves; none if another run does, or this one is to stop.
fn end(found: Staging, journal: &Journal, control: &Control) -> Option<Outcome> {
    let mut owned = vec![found];
    let others: Vec<_> = journal
        .parts
        .iter()
        .filter(|part| part.staging != owned[0].path() && part.staging.exists())
        .collect();
    for part in others {
        match Staging::left_by_its_owner(&part.staging) {
            Some(staging) => owned.push(staging),
            None => {
                owned.into_iter().for_each(Staging::leave);
                return None;
            }
        }
    }
    let Ok(_turns) = moves::in_turn(journal.parts.iter().map(|part| &*part.root), control) else {
        owned.into_iter().for_each(Staging::leave);
        return None;
    };
    let outcome = if journal.is_revoked() {
        moves::take_back(journal);
        Outcome::TakenBack
    } else if moves::finish(journal).is_ok() {
        Outcome::Published
    } else {
        Outcome::TakenBack
    };
    // The journal goes last.
    owned.sort_by_key(|staging| staging.path() == journal.parts[0].staging);
    drop(owned);
    Some(outcome)
}
