//! Text headers with samples behind them, or in a file of their own beside them.

use crate::error::IoError;
use crate::layout::Arrangement::Interleaved;
use crate::record::Record;
use crate::whole_file;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file beside a header alone (`.mhd`, `.nhdr`) that its samples are written to; none for other files.
pub fn data_file(path: &Path) -> Option<PathBuf> {
    let is_header = |e: &OsStr| ["mhd", "nhdr"].iter().any(|own| e.eq_ignore_ascii_case(own));
    path.extension().is_some_and(is_header).then(|| path.with_extension("raw"))
}

/// Writes header and samples to one file, or the samples to [`data_file`] where there is one. `header` gets the data
/// file's name in that case. Vectors are interleaved.
pub(crate) fn write(
    path: &Path,
    record: &Record,
    header: impl FnOnce(Option<&str>) -> String,
) -> Result<(), IoError> {
    let Some(data_path) = data_file(path) else {
        let header = header(None);
        return whole_file::write(path, |file| {
            file.write_all(header.as_bytes())?;
            record.write(Interleaved, file)
        });
    };
    let name = data_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Samples first: a header never names what is not there yet.
    whole_file::write(&data_path, |file| record.write(Interleaved, file))?;
    whole_file::write_text(path, &header(Some(&name))).inspect_err(|_| {
        // The header's failure is the one to tell.
        let _ = std::fs::remove_file(&data_path);
    })
}
