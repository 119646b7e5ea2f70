//! Labels of the faces of a mesh: `.seg` files.

use crate::error::{IoError, Result};
use crate::read::read_text;
use crate::read::reading::Reading;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use std::path::Path;

/// A file of labels larger than this is none.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a `.seg` file of the Princeton segmentation benchmark: the number of a segment a line, one for each face.
///
/// # Errors
/// As [`read_text`]; [`IoError::Malformed`] with the line that holds no number.
pub fn read_face_labels(path: &Path, reading: impl Into<Reading>) -> Result<Vec<u32>> {
    let text = read_text(path, MOST_BYTES, reading)?;
    let label = |(line, word): (usize, &str)| {
        let bad = || IoError::malformed(path, format!("line {}", line + 1), "the number of a segment", word);
        word.trim().parse().map_err(|_| bad())
    };
    text.trim_end().lines().enumerate().map(label).collect()
}

/// Writes a `.seg` file: the number of a segment a line, one for each face of the mesh's file, in its order.
///
/// # Errors
/// [`IoError::Write`].
pub fn write_face_labels(target: impl Into<Target>, labels: &[u32]) -> Result<()> {
    whole_file::write(&target.into(), |file| labels.iter().try_for_each(|label| writeln!(file, "{label}")))
}
