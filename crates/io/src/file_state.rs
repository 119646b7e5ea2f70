//! What tells the files behind an input from others under the same names, without reading them.

use crate::address::is_store_address;
use crate::error::{IoError, Result};
use crate::read::files_read::files_read;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use veloxel_core::Control;

/// A checksum of the names, the sizes and the times of change of all files that reading an input opens, chunks of a store among them.
/// Files that are written anew, copied or touched have another one; the same program gives the same one for the same files. Of a store at
/// an address nothing is known but the address.
///
/// # Errors
/// [`IoError::Open`] for a file or a folder that cannot be looked at; [`IoError::Stopped`].
pub fn files_state(name: &Path, control: &Control) -> Result<u64> {
    let mut state = DefaultHasher::new();
    for file in &files_read(name) {
        if is_store_address(file) {
            file.hash(&mut state);
            continue;
        }
        let metadata = fs::metadata(file).map_err(not_opened(file))?;
        if metadata.is_dir() {
            add_folder(file, &mut state, control)?;
        } else {
            add(&metadata, &mut state);
        }
    }
    Ok(state.finish())
}

/// Adds all that is in a folder, by name. A link to a folder is not followed: it may lead back.
fn add_folder(folder: &Path, state: &mut DefaultHasher, control: &Control) -> Result<()> {
    control.check()?;
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = entries.map_err(not_opened(folder))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        entry.file_name().hash(state);
        if entry.file_type().map_err(not_opened(&path))?.is_dir() {
            add_folder(&path, state, control)?;
        } else if let Ok(metadata) = fs::metadata(&path) {
            add(&metadata, state);
        }
    }
    Ok(())
}

fn add(metadata: &Metadata, state: &mut DefaultHasher) {
    metadata.len().hash(state);
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    changed.map(|time| time.as_nanos()).hash(state);
}

fn not_opened(path: &Path) -> impl FnOnce(std::io::Error) -> IoError {
    let path: PathBuf = path.to_owned();
    move |source| IoError::Open { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn another_size_time_or_name_is_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("a.ome.zarr");
        let chunk = store.join("0/c/0");
        fs::create_dir_all(&chunk).unwrap();
        fs::write(chunk.join("1"), "one").unwrap();
        let state = || files_state(&store, &Control::default()).unwrap();
        let first = state();
        assert_eq!(state(), first);
        let time = fs::metadata(chunk.join("1")).unwrap().modified().unwrap();
        let at = |time| fs::File::options().append(true).open(chunk.join("1")).unwrap().set_modified(time);
        at(time + Duration::from_nanos(1000)).unwrap();
        assert_ne!(state(), first, "another time");
        at(time).unwrap();
        assert_eq!(state(), first);
        fs::write(chunk.join("1"), "longer").unwrap();
        at(time).unwrap();
        let longer = state();
        assert_ne!(longer, first, "another size");
        fs::rename(chunk.join("1"), chunk.join("2")).unwrap();
        assert!(![first, longer].contains(&state()), "another name");
        // A header and its samples.
        let header = folder.path().join("v.mhd");
        fs::write(&header, "NDims = 2\nDimSize = 1 1\nElementType = MET_UCHAR\nElementDataFile = v.raw\n")
            .unwrap();
        fs::write(folder.path().join("v.raw"), "a").unwrap();
        let own = files_state(&header, &Control::default()).unwrap();
        fs::write(folder.path().join("v.raw"), "ab").unwrap();
        assert_ne!(files_state(&header, &Control::default()).unwrap(), own, "other samples");
        let missing = files_state(&folder.path().join("none.nii"), &Control::default());
        assert!(matches!(missing, Err(IoError::Open { .. })));
    }
}
