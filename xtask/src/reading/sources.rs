//! Finds and reads the sources of the workspace.

use crate::Failure;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

/// All files below `folder` with one of the extensions, except in `target` and in hidden folders. Links are not followed.
///
/// # Errors
/// A folder cannot be read.
pub fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let is_source =
        |file: &PathBuf| extensions.iter().any(|each| file.extension().is_some_and(|own| own == *each));
    let mut found: Vec<PathBuf> = entries(folder, FileType::is_file)?.into_iter().filter(is_source).collect();
    for below in folders(folder)? {
        found.extend(files(&below, extensions)?);
    }
    Ok(found)
}

/// The folders in `folder`, except `target` and hidden ones.
///
/// # Errors
/// It cannot be read.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut found = entries(folder, FileType::is_dir)?;
    found.retain(|path| !path.ends_with("target") && !is_hidden(path));
    Ok(found)
}

/// What of one kind lies in the folder, in alphabetical order.
fn entries(folder: &Path, is_of_kind: fn(&FileType) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        if is_of_kind(&entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// The text of a file.
///
/// # Errors
/// It cannot be read.
pub fn text(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| unreadable(file, &error))
}

/// Whether only tests compile the file, by its path.
pub fn is_for_tests(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("{}: cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_outside_target_are_found() {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        for name in ["src/one.rs", "src/two.py", "src/data.json", "target/made.rs", ".hidden/kept.rs"] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("every name above has a folder"))
                .expect("should be writable");
            fs::write(file, "text").expect("should be writable");
        }
        let found = files(folder.path(), &["rs", "py"]).ok().expect("the folder should be readable");
        assert_eq!(found, ["src/one.rs", "src/two.py"].map(|name| folder.path().join(name)));
        assert_eq!(text(&found[0]).ok().as_deref(), Some("text"));
    }
}
