//! The files of a row: whether those that it reads are there, and whether anything about them changed since it was run.

use crate::jobs::outputs::planned_files::is_stream;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use veloxel_io as io;
use veloxel_report::RowFile;

/// Whether an input is there: a file, a folder, or a pattern that something matches; addresses are not asked yet.
pub(super) fn is_there(input: &Path) -> bool {
    is_stream(input)
        || io::is_store_address(input)
        || io::named_file(input).exists()
        || io::files_read(input).len() > 1
}

/// The state of an input: the bytes of all files that reading it opens, and when the last of them was written.
pub(super) fn input_state(input: &Path) -> RowFile {
    let (mut bytes, mut modified_ns) = (0, None);
    for file in io::files_read(input) {
        let Ok(metadata) = file.metadata() else { continue };
        if metadata.is_file() {
            bytes += metadata.len();
        }
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        modified_ns = modified_ns.max(since.and_then(|since| u64::try_from(since.as_nanos()).ok()));
    }
    RowFile { role: "input".to_owned(), path: input.display().to_string(), bytes, modified_ns }
}

/// The state of an output, its path from the batch's folder where it lies in there.
pub(super) fn output_state(role: &str, path: &Path, folder: &Path) -> RowFile {
    let shown = path.strip_prefix(folder).unwrap_or(path);
    RowFile {
        role: role.to_owned(),
        path: shown.display().to_string(),
        bytes: bytes_of(path),
        modified_ns: None,
    }
}

/// Why a row that was done is to be done again; none if its files are as they were.
pub(super) fn reason_to_repeat(inputs: &[RowFile], outputs: &[RowFile], folder: &Path) -> Option<String> {
    let lost = outputs.iter().find(|output| !folder.join(&output.path).exists());
    if let Some(output) = lost {
        return Some(format!("{} is not there any more", output.path));
    }
    let other = outputs.iter().find(|output| bytes_of(&folder.join(&output.path)) != output.bytes);
    if let Some(output) = other {
        return Some(format!("{} is not what the run wrote", output.path));
    }
    // An input that is gone was enough once.
    let is_changed = |input: &&RowFile| {
        let path = PathBuf::from(&input.path);
        is_there(&path) && input_state(&path) != **input
    };
    inputs.iter().find(is_changed).map(|input| format!("{} has changed since", input.path))
}

/// Bytes of a file; of a folder, to which anything may have been added, 0.
fn bytes_of(path: &Path) -> u64 {
    path.metadata().ok().filter(|metadata| metadata.is_file()).map_or(0, |metadata| metadata.len())
}
