//! Which files are DICOM: by their magic, or by their extension.

use crate::context::Context;
use crate::error::{IoError, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use veloxel_core::WarningKind;

/// Folders within folders that are looked into: exports have one a patient, a study and a series.
const DEPTH: usize = 4;
/// More files than that are no series, but a hard disk.
const MOST_FILES: usize = 100_000;

/// Whether a file is one, by its magic; a name that says so alone does not count.
fn is_dicom(path: &Path) -> bool {
    let mut magic = [0; 4];
    path.is_file()
        && File::open(path).is_ok_and(|mut file| {
            file.seek(SeekFrom::Start(128)).and_then(|_| file.read_exact(&mut magic)).is_ok()
                && &magic == b"DICM"
        })
}

fn is_named_so(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ["dcm", "dicom", "ima"].contains(&extension.as_str())
}

/// Whether a path is a DICOM file, or a folder that has one in it; folders within count where no file of another format
/// lies beside them.
pub(crate) fn holds_dicom(path: &Path, is_other: &dyn Fn(&Path) -> bool) -> bool {
    if !path.is_dir() {
        return is_dicom(path);
    }
    let within = |depth: usize| {
        let mut all = Vec::new();
        list(path, depth, &mut all).map(|()| all).unwrap_or_default()
    };
    let own = within(1);
    if own.iter().any(|file| is_dicom(file)) {
        return true;
    }
    !own.iter().any(|file| is_other(file)) && within(DEPTH).iter().any(|file| is_dicom(file))
}

/// All DICOM files of files and folders, by name; what else lies in the folders is counted.
pub(super) fn find(paths: &[PathBuf], context: &mut Context) -> Result<Vec<PathBuf>> {
    let (mut found, mut strays) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let mut all = Vec::new();
        list(path, DEPTH, &mut all).map_err(IoError::open(path))?;
        for file in all {
            let is_index = file.file_name().is_some_and(|name| name == "DICOMDIR");
            match is_dicom(&file) || is_named_so(&file) {
                true if !is_index => found.push(file),
                _ => strays.push(file),
            }
        }
    }
    alphanumeric_sort::sort_path_slice(&mut found);
    if let Some(first) = strays.first() {
        let (count, name) =
            (strays.len(), first.file_name().unwrap_or_default().to_string_lossy().into_owned());
        context.note(
            WarningKind::Note,
            format!("{count} files that are no DICOM images were left out, {name} among them"),
        );
    }
    Ok(found)
}

fn list(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let (name, path) = entry.map(|entry| (entry.file_name(), entry.path()))?;
        if name.to_string_lossy().starts_with('.') || into.len() >= MOST_FILES {
            continue;
        }
        if path.is_file() {
            into.push(path);
        } else if depth > 1 && path.is_dir() {
            list(&path, depth - 1, into)?;
        }
    }
    Ok(())
}
