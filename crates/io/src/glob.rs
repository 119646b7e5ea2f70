//! File names with `*` and `?`, for shells that do not expand them and for patterns in quotes.

use crate::{Format, IoError, frames};
use std::path::{Path, PathBuf};

/// Whether a path means several files by a pattern in its file name.
pub(crate) fn is_pattern(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(['*', '?']) && !path.exists()
}

/// Files whose names match, in natural order.
pub(crate) fn matching(pattern: &Path) -> Result<Vec<PathBuf>, IoError> {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let folder = match pattern.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let pattern_letters: Vec<char> = name.chars().collect();
    let fail = |source| IoError::Open { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let letters: Vec<char> = entry.file_name().to_string_lossy().chars().collect();
        if matches(&pattern_letters, &letters) && entry.path().is_file() {
            paths.push(pattern.with_file_name(entry.file_name()));
        }
    }
    if paths.is_empty() {
        let known = Format::extensions(Format::READ_IMAGE);
        return Err(IoError::NoFrames { path: pattern.to_owned(), known });
    }
    frames::sort(&mut paths);
    Ok(paths)
}

/// `*` is any run of letters, `?` is one; a leading dot must be written.
fn matches(pattern: &[char], name: &[char]) -> bool {
    if name.first() == Some(&'.') && pattern.first() != Some(&'.') {
        return false;
    }
    // The last star, and how much of the name it has swallowed so far.
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(&letter) if letter == '?' || letter == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((after, swallowed)) => {
                    star = Some((after, swallowed + 1));
                    (p, n) = (after, swallowed + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        let fits = |pattern: &str, name: &str| {
            matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        for (pattern, name) in [
            ("*", "a.png"),
            ("*.png", "a.png"),
            ("f??.png", "f01.png"),
            ("a*b*c", "axxbyybc"),
            ("*.png*", "a.png"),
            (".*", ".a"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.png", "a.tif"), ("f?.png", "f01.png"), ("a*b", "abc"), ("*", ".hidden"), ("", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
