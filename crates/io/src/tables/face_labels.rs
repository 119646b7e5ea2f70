//! Labels of the faces of a mesh: `.seg` files.

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::read::read_text;
use crate::read::reading::Reading;
use crate::write::check_folder;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use std::path::Path;

/// Larger label files are refused (bytes).
const MOST_BYTES: u64 = 1 << 30;

/// Reads a `.seg` file of the Princeton segmentation benchmark: the number of a segment a line, one for each face.
///
/// # Errors
/// As [`read_text`]; [`IoError::Malformed`] with the line that holds no number.
pub fn read_face_labels(path: &Path, reading: impl Into<Reading>) -> Result<Vec<u32>> {
    let reading = reading.into();
    let text = read_text(path, MOST_BYTES, &reading)?;
    let label = |(line, word): (usize, &str)| {
        if line.is_multiple_of(LINES_BETWEEN) {
            reading.files.control().check()?;
        }
        let bad = || IoError::malformed(path, format!("line {}", line + 1), "the number of a segment", word);
        word.trim().parse().map_err(|_| bad())
    };
    text.trim_end().lines().enumerate().map(label).collect()
}

/// Lines that are read between two questions whether to go on.
const LINES_BETWEEN: usize = 1 << 15;
/// Extensions of such texts.
const EXTENSIONS: [&str; 2] = ["seg", "txt"];

/// Checks, before any work is done for it, that the name is one of a text of labels: `.seg` or `.txt`; and that there is a folder
/// for it.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::NoFolder`] for the missing folder.
pub fn check_face_labels_output(path: &Path) -> Result<()> {
    if EXTENSIONS.contains(&extension(path).as_str()) {
        return check_folder(path);
    }
    let known = EXTENSIONS.map(|extension| format!(".{extension}")).join(" ");
    Err(IoError::UnknownExtension { path: path.to_owned(), what: "writing labels of faces", known })
}

/// Writes a `.seg` file: the number of a segment a line, one for each face of the mesh's file, in its order.
///
/// # Errors
/// [`IoError::Write`].
pub fn write_face_labels(target: impl Into<Target>, labels: &[u32]) -> Result<()> {
    whole_file::write(&target.into(), |file| labels.iter().try_for_each(|label| writeln!(file, "{label}")))
}
