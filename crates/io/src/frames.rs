//! The frames in a folder, in the order that a person would put them.

use crate::{Format, IoError};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// Images in a folder, by natural order of their names; hidden files and other kinds are left out.
pub(crate) fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, IoError> {
    let fail = |source| IoError::Open { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if !hidden
            && path.is_file()
            && Format::from_path(&path).is_some_and(|f| Format::READ_IMAGE.contains(&f))
        {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let known = Format::extensions(Format::READ_IMAGE);
        return Err(IoError::NoFrames { path: folder.to_owned(), known });
    }
    sort(&mut paths);
    Ok(paths)
}

/// Brings files into natural order.
pub(crate) fn sort(paths: &mut [PathBuf]) {
    paths.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
}

/// Compares text with runs of digits as numbers: `frame2` before `frame10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (left, right) = (digits(&mut a), digits(&mut b));
                // Without leading zeros, the longer number is the larger one.
                let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
                if order != Ordering::Equal {
                    return order;
                }
            }
            (Some(x), Some(y)) if x != y => return x.cmp(y),
            _ => (a, b) = (&a[1..], &b[1..]),
        }
    }
}

/// Takes a run of digits off the front and gives it without leading zeros.
fn digits<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    let (run, rest) = text.split_at(end);
    *text = rest;
    let zeros = run.iter().take_while(|&&c| c == b'0').count();
    &run[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = ["f10", "f9", "f010b", "f1", "e99999999999999999999999", "f"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["e99999999999999999999999", "f", "f1", "f9", "f10", "f010b"]);
    }
}
