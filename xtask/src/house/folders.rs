//! Counts the sources that lie loose in a folder: a stranger finds a file by its room, not in a long list.

use crate::Failure;
use crate::house::allowed::Offence;
use crate::reading::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// Extensions of files that people write and read; data and snapshots do not count.
const SOURCES: [&str; 9] = ["rs", "wgsl", "cu", "cuh", "py", "sh", "html", "css", "js"];
/// The most sources in a folder, without those in folders below it.
const MOST: usize = 20;

/// The result of the count.
pub struct Folders {
    /// Folders with too many sources.
    pub offences: Vec<Offence>,
    /// The number of sources of the fullest folder.
    pub summary: String,
}

/// Counts the sources of every folder below `root`.
///
/// # Errors
/// A folder cannot be read.
pub fn count(root: &Path) -> Result<Folders, Failure> {
    let mut counts = BTreeMap::<String, usize>::new();
    for file in sources::files(root, &SOURCES)? {
        let folder = file.parent().unwrap_or(root);
        let shown = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
        *counts.entry(shown).or_default() += 1;
    }
    let crowded = counts.iter().filter(|(_, count)| **count > MOST);
    let offences = crowded.map(|(folder, count)| Offence {
        shown: format!("{folder}: {count} loose files, at most {MOST} are allowed"),
        key: folder.clone(),
    });
    let summary =
        counts.iter().max_by_key(|(_, count)| **count).map_or_else(String::new, |(folder, most)| {
            format!("{} folders: at most {most} loose files ({folder})", counts.len())
        });
    Ok(Folders { offences: offences.collect(), summary })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The result for a folder `room` with this many sources, a folder with one source below it, and data beside them.
    fn found(sources: usize) -> Folders {
        let root = tempfile::tempdir().expect("a temporary folder should be possible");
        let inner = root.path().join("room").join("inner");
        fs::create_dir_all(&inner).expect("should be writable");
        let names = (0..sources).map(|i| format!("room/{i}.rs"));
        let others = ["room/inner/one.wgsl", "room/data.npy", "room/page.snap", "room/README.md"];
        for name in names.chain(others.map(str::to_owned)) {
            fs::write(root.path().join(name), "").expect("should be writable");
        }
        count(root.path()).ok().expect("the folder should be readable")
    }

    #[test]
    fn twenty_loose_sources_are_allowed_and_no_more() {
        let twenty = found(20);
        assert!(twenty.offences.is_empty());
        assert_eq!(twenty.summary, "2 folders: at most 20 loose files (room)");
        let shown: Vec<String> = found(21).offences.into_iter().map(|each| each.shown).collect();
        assert_eq!(shown, ["room: 21 loose files, at most 20 are allowed"]);
    }
}
