//! Which files are DICOM: by their magic, or by their extension.

use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::read::context::Context;
use crate::read::foreign::{begins_as_dicom, is_named_dicom};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use veloxel_core::{Control, Stopped, WarningKind};

/// Folders within folders that are looked into: exports have one a patient, a study and a series.
const DEPTH: usize = 4;
/// More files and folders than these are no series, but a hard disk.
const MOST_ENTRIES: usize = 100_000;

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
    let listed = Listing::of(folder, Reach { depth, entries: MOST_ENTRIES }, control);
    control.check()?;
    Ok(listed.map(|listing| listing.files).unwrap_or_default())
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
        let listed = Listing::of(path, Reach { depth: DEPTH, entries: MOST_ENTRIES }, context.control());
        context.check()?;
        let listing = listed.map_err(IoError::open(path))?;
        let got = format!("more than {MOST_ENTRIES} with its folders: name the folder of one series");
        let expected = format!("at most {MOST_ENTRIES} files");
        context.require(!listing.is_cut, path.display().to_string(), expected, got)?;
        for file in listing.files {
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

/// All files of one file or folder, of any kind.
///
/// # Errors
/// [`IoError::Open`]; [`IoError::Stopped`].
pub(super) fn of(path: &Path, context: &Context) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let listed = Listing::of(path, Reach { depth: DEPTH, entries: MOST_ENTRIES }, context.control());
    context.check()?;
    Ok(listed.map_err(IoError::open(path))?.files)
}

/// How much of a folder is listed.
#[derive(Clone, Copy)]
struct Reach {
    /// Folders within each other, itself included.
    depth: usize,
    /// Files and folders.
    entries: usize,
}

/// What lies in a folder and in folders within it.
#[derive(Default)]
struct Listing {
    files: Vec<PathBuf>,
    /// The folders that were listed, by their places on the disk: links may lead to them again.
    folders: HashSet<PathBuf>,
    /// Whether more lie there than are listed.
    is_cut: bool,
}

impl Listing {
    /// Lists a folder; after a stop it fails.
    fn of(folder: &Path, reach: Reach, control: &Control) -> std::io::Result<Self> {
        let mut listing = Self::default();
        listing.add(folder, reach, control)?;
        Ok(listing)
    }

    fn add(&mut self, folder: &Path, reach: Reach, control: &Control) -> std::io::Result<()> {
        if !self.folders.insert(std::fs::canonicalize(folder)?) {
            return Ok(());
        }
        for entry in std::fs::read_dir(folder)? {
            control.check().map_err(std::io::Error::other)?;
            let (name, path) = entry.map(|entry| (entry.file_name(), entry.path()))?;
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            if self.files.len() + self.folders.len() > reach.entries {
                self.is_cut = true;
                return Ok(());
            }
            if path.is_file() {
                self.files.push(path);
            } else if reach.depth > 1 && path.is_dir() {
                self.add(&path, Reach { depth: reach.depth - 1, ..reach }, control)?;
            }
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn links_to_folders_are_followed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.dcm"), "").unwrap();
        fs::create_dir(path("inside")).unwrap();
        fs::write(path("inside/b.dcm"), "").unwrap();
        for nth in 0..20 {
            std::os::unix::fs::symlink(".", path(&format!("loop{nth}"))).unwrap();
        }
        let mut files = files_below(folder.path(), &Control::default()).unwrap();
        files.sort();
        assert_eq!(files.len(), 2, "{files:?}");
        assert_eq!(files[0], path("a.dcm"));
    }

    #[test]
    fn a_listing_that_is_cut_says_so() {
        let folder = tempfile::tempdir().unwrap();
        for nth in 0..5 {
            fs::write(folder.path().join(format!("{nth}.dcm")), "").unwrap();
        }
        let listed = |entries| Listing::of(folder.path(), Reach { depth: 2, entries }, &Control::default());
        assert_eq!(listed(5).map(|listing| (listing.files.len(), listing.is_cut)).unwrap(), (5, false));
        assert_eq!(listed(4).map(|listing| (listing.files.len(), listing.is_cut)).unwrap(), (4, true));
    }
}
