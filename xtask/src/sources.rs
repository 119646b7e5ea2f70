//! Finds and reads the sources of the workspace.

use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below `folder` with one of the extensions, except in `target` and in hidden folders. Links are not followed.
///
/// # Errors
/// A folder cannot be read.
pub fn files(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        if kind.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            found.extend(files(&path, extensions)?);
        } else if kind.is_file()
            && extensions.iter().any(|each| path.extension().is_some_and(|own| own == *each))
        {
            found.push(path);
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
