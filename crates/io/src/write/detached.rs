//! Text headers with samples behind them, or in a file of their own beside them.

use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::layout::Arrangement::Interleaved;
use crate::read::reading::DataFiles;
use crate::read::source::Source;
use crate::write::publication;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::write::whole_file;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// The file beside a header alone (`.mhd`, `.nhdr`) that its samples are written to; none for other files.
pub fn data_file(path: &Path) -> Option<PathBuf> {
    let is_header = |e: &OsStr| ["mhd", "nhdr"].iter().any(|own| e.eq_ignore_ascii_case(own));
    path.extension().is_some_and(is_header).then(|| path.with_extension("raw"))
}

/// Opens the file that a header names for its samples, relative to the header's own folder.
///
/// # Errors
/// [`IoError::Outside`] for one outside of that folder, unless it is allowed.
pub(crate) fn open(name: &str, context: &Context) -> Result<Source<'static>> {
    const EXPECTED: &str = "the name of a file beside the header";
    context.require(!name.is_empty(), "data file", EXPECTED, "none")?;
    let data = context.path.with_file_name("").join(name);
    if context.reading.options.data_files == DataFiles::BesideHeader && !lies_beside(&data, context.path) {
        return Err(IoError::Outside { data, path: context.path.to_owned() });
    }
    Source::open(&data, context.files()).map_err(|error| match error {
        IoError::Open { source, .. } => {
            context.malformed("data file", EXPECTED, format!("{name} ({source})"))
        }
        other => other,
    })
}

/// Whether a file lies in a header's folder, or below it, whatever links lead to either.
fn lies_beside(data: &Path, header: &Path) -> bool {
    let folder_of = |path: &Path| std::path::absolute(path).ok()?.parent()?.canonicalize().ok();
    let folders = [folder_of(header), header.canonicalize().ok().and_then(|header| folder_of(&header))];
    let within = |file: &Path| folders.iter().flatten().any(|folder| file.starts_with(folder));
    match (data.canonicalize(), folder_of(data)) {
        (Ok(file), _) => within(&file),
        // What is not there is told by whoever opens it.
        (Err(_), Some(folder)) => within(&folder),
        (Err(_), None) => {
            data.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        }
    }
}

/// Refuses a name whose data file the header could not name: a reader would look for another one.
///
/// # Errors
/// [`IoError::Unsupported`].
pub(crate) fn check_name(path: &Path) -> Result<()> {
    let Some(data) = data_file(path) else { return Ok(()) };
    let plain = |name: &str| {
        let is_pattern = name.contains('%') || name.starts_with("LIST");
        !is_pattern && name.trim() == name && !name.contains(char::is_control)
    };
    if data.file_name().and_then(OsStr::to_str).is_some_and(plain) {
        return Ok(());
    }
    let what = "a name with %, leading or trailing blanks, control characters or bytes that are not UTF-8, in a header";
    Err(IoError::unsupported(path, what, "choose another name, or write one file (.mha or .nrrd)"))
}

/// Writes header and samples to one file, or the samples to [`data_file`] where there is one. `header` gets the data
/// file's name in that case. Vectors are interleaved.
pub(crate) fn write(
    target: &Target,
    record: &Record,
    header: impl FnOnce(Option<&str>) -> String,
) -> Result<()> {
    check_name(target.path())?;
    let control = target.files().control();
    let Some(data_path) = data_file(target.path()) else {
        let header = header(None);
        return whole_file::write(target, |file| {
            file.write_all(header.as_bytes())?;
            record.write(Interleaved, file, control)
        });
    };
    let name = data_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Both or neither.
    publication::together(target, |target| {
        whole_file::write(&target.beside(&name), |file| record.write(Interleaved, file, control))?;
        whole_file::write_text(target, &header(Some(&name)))
    })
}
