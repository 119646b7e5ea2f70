//! Text headers with samples behind them, or in a file of their own beside them.

use crate::error::IoError;
use crate::layout::Arrangement::Interleaved;
use crate::record::Record;
use crate::whole_file;
use std::io::Write;
use std::path::Path;

/// Writes header and samples to one file, or, if `path` ends in `detached_extension`, the samples to a `.raw` beside
/// it. `header` gets the data file's name in that case. Vectors are interleaved.
pub(crate) fn write(
    path: &Path,
    detached_extension: &str,
    record: &Record,
    header: impl FnOnce(Option<&str>) -> String,
) -> Result<(), IoError> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case(detached_extension)) {
        let header = header(None);
        return whole_file::write(path, |file| {
            file.write_all(header.as_bytes())?;
            record.write(Interleaved, file)
        });
    }
    let data_path = path.with_extension("raw");
    let name = data_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Samples first: a header never names what is not there yet.
    whole_file::write(&data_path, |file| record.write(Interleaved, file))?;
    whole_file::write_text(path, &header(Some(&name))).inspect_err(|_| {
        // The header's failure is the one to tell.
        let _ = std::fs::remove_file(&data_path);
    })
}
