//! The files of a folder of frames or of a pattern, in natural order (frame 9 before frame 10).

use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::file_name::file_name;
use crate::format::Format;
use crate::formats::lookup;
use crate::read::foreign;
use std::path::{Path, PathBuf};
use wildmatch::WildMatch;

/// The files of a kind in a folder, by natural order of their names (frame 9 before frame 10); hidden files and those of other
/// kinds are left out.
///
/// # Errors
/// [`IoError::NoFrames`] if there is none; [`IoError::Open`] if the folder cannot be listed.
pub fn list_folder(folder: &Path, kind: ContentKind) -> Result<Vec<PathBuf>> {
    of_formats(folder, |format| format.reads(kind))
}

/// Images in a folder.
pub(crate) fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    list_folder(folder, ContentKind::Image)
}

/// Files of any format in a folder that hold samples on a grid or a mesh, by natural order of their names; hidden files are left
/// out.
///
/// # Errors
/// [`IoError::NoFrames`], or [`IoError::Foreign`] if there is none; [`IoError::Open`].
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    of_formats(folder, |format| lookup::has_grid(format) || format.reads(ContentKind::Surface))
}

fn of_formats(folder: &Path, keep: impl Fn(&Format) -> bool) -> Result<Vec<PathBuf>> {
    let is_kept = |name: &str| Format::from_path(Path::new(name)).is_some_and(&keep);
    let known = lookup::extensions(&keep);
    listed(folder, folder, &known, |name| is_kept(name) && !name.starts_with('.'))
}

/// Whether a path means several files by `*` or `?` in its file name.
pub(crate) fn is_pattern(path: &Path) -> bool {
    file_name(path).contains(['*', '?']) && !path.exists()
}

/// Files whose names match, in natural order: for shells that do not expand patterns, and for patterns in quotes.
pub(crate) fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let name = file_name(pattern);
    let known = lookup::extensions(|format| format.reads(ContentKind::Image));
    listed(pattern.parent().unwrap_or(Path::new("")), pattern, &known, |file| matches(&name, file))
}

/// `*` is any run of letters, `?` is one; a leading dot must be written.
fn matches(pattern: &str, name: &str) -> bool {
    WildMatch::new(pattern).matches(name) && (pattern.starts_with('.') || !name.starts_with('.'))
}

/// What a folder holds under names that are kept, which may be nothing, by natural order of the names.
///
/// # Errors
/// [`IoError::Open`] if the folder cannot be listed.
pub fn listed_if_any(folder: &Path, keep: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(IoError::open(folder))? {
        let name = entry.map_err(IoError::open(folder))?.file_name();
        if keep(&name.to_string_lossy()) {
            paths.push(folder.join(name));
        }
    }
    alphanumeric_sort::sort_path_slice(&mut paths);
    Ok(paths)
}

/// Files of a folder by natural order of their names: runs of digits count as numbers. `known` are the extensions that an error
/// names.
fn listed(folder: &Path, shown: &Path, known: &str, keep: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (mut paths, mut foreign_file) = (Vec::new(), None);
    for entry in std::fs::read_dir(place).map_err(IoError::open(place))? {
        let entry = entry.map_err(IoError::open(place))?;
        if keep(&entry.file_name().to_string_lossy())
            && (entry.path().is_file() || lookup::is_store(&entry.path()))
        {
            paths.push(folder.join(entry.file_name()));
        } else if paths.is_empty() && foreign_file.is_none() {
            foreign_file = foreign::refusal(&entry.path());
        }
    }
    if paths.is_empty() {
        if let Some(refusal) = foreign_file {
            return Err(refusal);
        }
        return Err(IoError::NoFrames { path: shown.to_owned(), known: known.to_owned() });
    }
    alphanumeric_sort::sort_path_slice(&mut paths);
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = ["f10", "f9", "f010b", "f1", "e99999999999999999999999", "f"];
        alphanumeric_sort::sort_str_slice(&mut names);
        assert_eq!(names, ["e99999999999999999999999", "f", "f1", "f9", "f10", "f010b"]);
    }

    #[test]
    fn stars_and_question_marks() {
        for (pattern, name) in [
            ("*", "a.png"),
            ("*.png", "a.png"),
            ("f??.png", "f01.png"),
            ("a*b*c", "axxbyybc"),
            ("*.png*", "a.png"),
            (".*", ".a"),
            ("a[1]*", "a[1]b"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.png", "a.tif"), ("f?.png", "f01.png"), ("a*b", "abc"), ("*", ".hidden"), ("", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
