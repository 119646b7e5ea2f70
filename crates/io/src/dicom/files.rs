//! Which files are DICOM: by their magic, or by their extension.

use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::read::context::Context;
use crate::read::foreign::{begins_as_dicom, is_named_dicom};
use std::path::{Path, PathBuf};
use veloxel_core::WarningKind;

/// Folders within folders that are looked into: exports have one a patient, a study and a series.
const DEPTH: usize = 4;
/// More files than that are no series, but a hard disk.
const MOST_FILES: usize = 100_000;

/// Whether a path is a DICOM file, or a folder that has one in it; folders within count where no file of another format
/// lies beside them.
pub(crate) fn holds_dicom(path: &Path, is_other: &dyn Fn(&Path) -> bool) -> bool {
    if !path.is_dir() {
        return begins_as_dicom(path);
    }
    let within = |depth: usize| {
        let mut all = Vec::new();
        list(path, depth, &mut all).map(|()| all).unwrap_or_default()
    };
    let own = within(1);
    if own.iter().any(|file| begins_as_dicom(file)) {
        return true;
    }
    !own.iter().any(|file| is_other(file)) && within(DEPTH).iter().any(|file| begins_as_dicom(file))
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
            context.check()?;
            let is_image = begins_as_dicom(&file) || is_named_dicom(&file);
            if is_image && file_name(&file) != "DICOMDIR" { found.push(file) } else { strays.push(file) }
        }
    }
    alphanumeric_sort::sort_path_slice(&mut found);
    if let Some(first) = strays.first() {
        let (count, name) = (strays.len(), file_name(first));
        let text = format!("{count} files that are no DICOM images were left out, {name} among them");
        context.note(WarningKind::Note, text);
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
