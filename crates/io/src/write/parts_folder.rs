//! What the folder of a run's parts holds beside them.

use std::fs;
use std::path::Path;

/// The name of the list of parts that are whole.
pub(crate) const LEDGER: &str = "ledger";
/// What a part is called until it is whole.
pub(crate) const UNFINISHED: &str = "unfinished";

/// Removes a folder of parts in which nothing is but what every run begins with. A part that another process keeps stays.
pub(crate) fn remove_empty(folder: &Path) {
    let own = [LEDGER, UNFINISHED];
    let is_own = |entry: fs::DirEntry| own.iter().any(|name| entry.file_name() == *name);
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(is_own))) {
        // Where something cannot be removed, a later run finds a folder without parts.
        own.iter().for_each(|name| drop(fs::remove_file(folder.join(name))));
        let _ = fs::remove_dir(folder);
    }
}
