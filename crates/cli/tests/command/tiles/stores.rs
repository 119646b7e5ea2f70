//! Bytes of stores that were written.

use crate::workplace::Workplace;
use std::path::{Path, PathBuf};

/// Files with their bytes, by their paths within a folder.
pub(super) type Bytes = Vec<(PathBuf, Vec<u8>)>;

fn add(folder: &Path, within: &Path, found: &mut Bytes) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add(&path, within, found);
        } else {
            let name = path.strip_prefix(within).expect("a file within").to_owned();
            found.push((name, std::fs::read(&path).expect("a file")));
        }
    }
}

/// Every file of a store with its bytes.
pub(super) fn whole_store(place: &Workplace, name: &str) -> Bytes {
    let mut found = Vec::new();
    add(&place.path(name), &place.path(name), &mut found);
    found.sort();
    found
}

/// Every file of a store with its bytes, but for the group's, which holds its name.
pub(super) fn store(place: &Workplace, name: &str) -> Bytes {
    whole_store(place, name).into_iter().filter(|(path, _)| path != Path::new("zarr.json")).collect()
}
