//! Which files are DICOM: by their magic, or by their extension.

use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::read::context::Context;
use crate::read::foreign::{begins_as_dicom, is_named_dicom};
use std::path::{Path, PathBuf};
use veloxel_core::{Control, Stopped, WarningKind};

/// Folders within folders that are looked into: exports have one a patient, a study and a series.
const DEPTH: usize = 4;
/// More files than that are no series, but a hard disk.
const MOST_FILES: usize = 100_000;

/// Whether a path is a DICOM file, or a folder that has one in it; folders within count where no file of another format
/// lies beside them.
///
/// # Errors
/// [`Stopped`].
pub(crate) fn holds_dicom(
    path: &Path,
    is_other: &dyn Fn(&Path) -> bool,
    control: &Control,
) -> Result<bool, Stopped> {
    if !path.is_dir() {
        return Ok(begins_as_dicom(path));
    }
    let has_dicom = |files: &[PathBuf]| {
        for file in files {
            control.check()?;
            if begins_as_dicom(file) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let own = within(path, 1, control)?;
    if has_dicom(&own)? {
        return Ok(true);
    }
    if own.iter().any(|file| is_other(file)) {
        return Ok(false);
    }
    has_dicom(&within(path, DEPTH, control)?)
}

/// The files in a folder and in folders within it, so many deep; none where one of them cannot be listed.
fn within(folder: &Path, depth: usize, control: &Control) -> Result<Vec<PathBuf>, Stopped> {
    let mut all = Vec::new();
    let listed = list(folder, depth, &mut all, control);
    control.check()?;
    Ok(listed.map(|()| all).unwrap_or_default())
}

/// All files in a folder and in those within it that a series may lie in.
pub(crate) fn files_below(folder: &Path, control: &Control) -> Result<Vec<PathBuf>, Stopped> {
    within(folder, DEPTH, control)
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
        let listed = list(path, DEPTH, &mut all, context.control());
        context.check()?;
        listed.map_err(IoError::open(path))?;
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

/// Lists the files of a folder; after a stop it fails.
fn list(folder: &Path, depth: usize, into: &mut Vec<PathBuf>, control: &Control) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        control.check().map_err(std::io::Error::other)?;
        let (name, path) = entry.map(|entry| (entry.file_name(), entry.path()))?;
        if name.to_string_lossy().starts_with('.') || into.len() >= MOST_FILES {
            continue;
        }
        if path.is_file() {
            into.push(path);
        } else if depth > 1 && path.is_dir() {
            list(&path, depth - 1, into, control)?;
        }
    }
    Ok(())
}
