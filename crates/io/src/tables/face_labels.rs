//! Labels of the faces of a mesh: `.seg` files.

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::take_text;
use crate::text::rows::{Rows, Separator};
use crate::write::check_folder;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use std::path::Path;
use veloxel_core::Warnings;

/// Larger label files are refused (bytes).
const MOST_BYTES: u64 = 1 << 30;

/// Reads a `.seg` file of the Princeton segmentation benchmark: the number of a segment a line, one for each face.
///
/// # Errors
/// As [`read_text`](crate::read_text); [`IoError::Malformed`] with the line that holds no number.
pub fn read_face_labels(path: &Path, reading: impl Into<Reading>) -> Result<Vec<u32>> {
    let mut unwarned = Warnings::new();
    let context = Context::new(path, reading, &mut unwarned);
    let text = take_text(MOST_BYTES, &context)?;
    let mut labels = context.room_for(text.lines().count())?;
    let mut rows = Rows::parted(&text, Separator::Blanks, &[], &context)?;
    while let Some(row) = rows.next(&context)? {
        let label = match row.cells {
            [label] => label.parse().ok(),
            _ => None,
        };
        let bad = || context.malformed(format!("line {}", row.number), "the number of a segment", row.told());
        labels.push(label.ok_or_else(bad)?);
    }
    Ok(labels)
}

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
