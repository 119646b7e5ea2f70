//! Labels of the faces of a mesh: `.seg` files, and meshes in their colours.

use crate::formats::lookup::require;
use crate::read::read_text;
use crate::write::whole_file;
use crate::{IoError, PaintedMesh, Result};
use std::io::Write;
use std::path::Path;

/// Writes a mesh in the format of the extension: `.ply` with `red green blue alpha`, `quality` (the certainty) and `segment` of
/// each face, `.glb` with colours.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Write`].
///
/// # Panics
/// If colours, certainties or segments are not as many as the triangles.
pub fn write_painted_mesh(path: &Path, painted: &PaintedMesh<'_>) -> Result<()> {
    let (_, write) = require(path, "writing a mesh", |format| format.write_painted)?;
    let count = painted.mesh.triangles().len();
    let lengths = [painted.rgb.len(), painted.certainty.len(), painted.segment.len()];
    assert!(lengths.iter().all(|&length| length == count), "every triangle needs its values");
    write(path, painted)
}

/// A file of labels larger than this is none.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a `.seg` file of the Princeton segmentation benchmark: the number of a segment a line, one for each face.
///
/// # Errors
/// As [`read_text`]; [`IoError::Malformed`] with the line that holds no number.
pub fn read_face_labels(path: &Path) -> Result<Vec<u32>> {
    let text = read_text(path, MOST_BYTES)?;
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
pub fn write_face_labels(path: &Path, labels: &[u32]) -> Result<()> {
    whole_file::write(path, |file| labels.iter().try_for_each(|label| writeln!(file, "{label}")))
}
