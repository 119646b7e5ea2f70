//! Measures source files: one idea fits in 180 lines, 450 are long, 800 are refused.

use crate::Failure;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A file with more lines is listed.
const LONG: usize = 450;
/// A file with as many lines is refused.
const REFUSED: usize = 800;
const EXTENSIONS: [&str; 3] = ["py", "rs", "wgsl"];

/// What the measurement found.
pub struct Lengths {
    /// A line for each file that is too long.
    pub refused: Vec<String>,
    /// A line for each file that is long.
    pub long: Vec<String>,
    /// How many files there are and which is the longest.
    pub summary: String,
}

/// Measures all source files below `root`, except in `target` and in hidden folders. Links are not followed.
///
/// # Errors
/// A folder or file cannot be read.
pub fn measure(root: &Path) -> Result<Lengths, Failure> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    let mut measured = Vec::new();
    for file in files {
        let bytes = fs::read(&file).map_err(|error| unreadable(&file, &error))?;
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').count();
        measured.push((lines, file.strip_prefix(root).unwrap_or(&file).to_path_buf()));
    }
    // The longest first; equal ones by name, so that every run prints the same.
    measured.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(judge(&measured))
}

fn judge(measured: &[(usize, PathBuf)]) -> Lengths {
    let line =
        |(lines, file): &(usize, PathBuf), rule: &str| format!("{}: {lines} lines, {rule}", file.display());
    let refused = measured.iter().filter(|(lines, _)| *lines >= REFUSED);
    let long = measured.iter().filter(|(lines, _)| (LONG + 1..REFUSED).contains(lines));
    let longest = measured.first().map_or_else(String::new, |(lines, file)| {
        format!(", the longest {} with {lines} lines", file.display())
    });
    Lengths {
        refused: refused.map(|each| line(each, &format!("{REFUSED} are refused"))).collect(),
        long: long.map(|each| line(each, &format!("{LONG} are long"))).collect(),
        summary: format!("{} files{longest}", measured.len()),
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?;
        let name = entry.file_name();
        let skipped = name == "target" || name.to_string_lossy().starts_with('.');
        if kind.is_dir() && !skipped {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && is_source(&entry.path()) {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn is_source(file: &Path) -> bool {
    file.extension().and_then(OsStr::to_str).is_some_and(|extension| EXTENSIONS.contains(&extension))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("{}: cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_where_the_rule_says() {
        let measured = [(800, "a.rs"), (799, "b.rs"), (451, "c.wgsl"), (450, "d.py")];
        let lengths = judge(&measured.map(|(lines, name)| (lines, PathBuf::from(name))));
        assert_eq!(lengths.refused, ["a.rs: 800 lines, 800 are refused"]);
        assert_eq!(lengths.long, ["b.rs: 799 lines, 450 are long", "c.wgsl: 451 lines, 450 are long"]);
        assert_eq!(lengths.summary, "4 files, the longest a.rs with 800 lines");
    }

    #[test]
    fn only_sources_outside_target_are_measured() {
        let folder = tempfile::tempdir().expect("a temporary folder should be possible");
        for (name, text) in [
            ("src/one.rs", "a\nb\n".repeat(300)),
            ("src/two.py", "no newline at the end".to_owned()),
            ("src/data.json", "\n".repeat(900)),
            ("target/made.rs", "\n".repeat(900)),
            (".hidden/kept.rs", "\n".repeat(900)),
        ] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("every name above has a folder"))
                .expect("should be writable");
            fs::write(file, text).expect("should be writable");
        }
        let lengths = measure(folder.path()).ok().expect("the folder should be readable");
        assert!(lengths.refused.is_empty(), "{:?}", lengths.refused);
        assert_eq!(lengths.summary, "2 files, the longest src/one.rs with 600 lines");
        assert_eq!(lengths.long, ["src/one.rs: 600 lines, 450 are long"]);
    }
}
