//! Linear transforms in files: ITK's text, ANTs' binary matrices, elastix' parameters, and plain 4×4 matrices.
//!
//! A format is a row of [`FORMATS`]; the content decides which one a file has, the extension which one is written.
//! *Direction*: every one of these files maps points of the fixed image's space to the moving one's, as ITK's resampling does.
//! 3D Slicer's `.tfm` does so as well: it is the inverse of what its transform node, which moves an image to its parent, shows.
//! *Space*: ITK's, ANTs' and elastix' files are LPS mm; a 4×4 `.mat` is greedy's, c3d's and RAS mm; a 4×4 `.txt` says which, by a line
//! `# LPS` or `# RAS`.
//! *Limits*: files of 1 MiB; no fields or splines, no `.h5`, no matrices of FSL's FLIRT, which need both images' geometry.

mod classes;
mod elastix;
mod itk_text;
mod matlab;
mod matrix_text;

use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::source::Source;
use crate::text::encoding::{is_wide, plain};
use crate::write::target::Target;
use crate::write::whole_file;
use std::path::Path;
use veloxel_core::{LinearTransform, Warnings};

/// Larger files are no linear transforms.
const MOST_BYTES: u64 = 1 << 20;

/// A format of linear transforms.
struct TransformFormat {
    /// Without the dot, in lower case; those under which it is written.
    extensions: &'static [&'static str],
    /// Whether a file of such an extension, with these bytes, has it.
    is: fn(&str, &[u8]) -> bool,
    read: fn(&[u8], &mut Context) -> Result<LinearTransform>,
    /// The text of a transform, where the format is written.
    write: Option<fn(&LinearTransform) -> String>,
}

/// From what is told by its first bytes to what is told by its name alone.
static FORMATS: [TransformFormat; 5] =
    [itk_text::FORMAT, elastix::FORMAT, matlab::FORMAT, matrix_text::RAS_FORMAT, matrix_text::STATED_FORMAT];

/// Files that are no linear transform of these formats: how they begin, what they are, and what to do.
static FOREIGN: [(&[u8], &str, &str); 2] = [
    (
        b"\x89HDF",
        "a transform in an HDF5 file (.h5)",
        "write it as .tfm: `sitk.WriteTransform(sitk.ReadTransform(\"in.h5\"), \"out.tfm\")`, or save it from 3D Slicer as .tfm",
    ),
    (b"MATLAB 5.0", "a MATLAB 5 file", "save it with `-v4`, or as a 4×4 text"),
];

/// The extensions of files that [`read_transform`] takes for transforms, without the dot.
pub const TRANSFORM_EXTENSIONS: [&str; 6] = ["tfm", "mat", "txt", "h5", "hdf5", "xfm"];

/// The extensions of HDF5, in which ITK holds transforms as well.
const HDF5_EXTENSIONS: [&str; 2] = ["h5", "hdf5"];

/// Whether a file's name is one of a transform: a field has none of these extensions.
pub fn is_named_transform(path: &Path) -> bool {
    TRANSFORM_EXTENSIONS.contains(&extension(path).as_str())
}

/// Reads a linear transform: points of the fixed image's space to those of the moving one's, LPS mm.
///
/// # Errors
/// [`IoError::Unsupported`] for fields, splines and the files of other programs, by name; [`IoError::Malformed`];
/// [`IoError::Core`] for one that is singular or mirrors; [`IoError::UnknownExtension`]; [`IoError::Open`].
pub fn read_transform(
    path: &Path,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<LinearTransform> {
    let mut context = Context::new(path, reading, warnings);
    let own = extension(path);
    if !is_named_transform(path) {
        return Err(unknown(path));
    }
    let mut source = Source::open(path, context.files())?;
    if source.available() > MOST_BYTES {
        let hint = "linear transforms are small: a field is given as an image";
        return Err(context.unsupported(format!("a transform of {} bytes", source.available()), hint));
    }
    let bytes = source.take_rest(&context)?;
    // ANTs' matrices are binary; texts may come in any encoding.
    let is_binary = bytes.contains(&0) && !is_wide(&bytes);
    let bytes = if is_binary { bytes } else { plain(bytes, &context)? };
    if bytes.is_empty() {
        return Err(IoError::Empty { path: path.to_owned() });
    }
    if let Some((_, what, way)) =
        FOREIGN.iter().find(|(begin, ..)| bytes.trim_ascii_start().starts_with(begin))
    {
        return Err(context.unsupported(*what, way));
    }
    let format = FORMATS.iter().find(|format| (format.is)(&own, &bytes));
    format.map_or_else(|| Err(unknown(path)), |format| (format.read)(&bytes, &mut context))
}

/// Checks, before any work is done for it, that [`write_transform`] knows the extension.
///
/// # Errors
/// [`IoError::UnknownExtension`] with the list of those that it knows; [`IoError::Unsupported`] for HDF5, with the way there.
pub fn check_transform_output(path: &Path) -> Result<()> {
    writer(path).map(|_| ())
}

/// Writes a linear transform in the format of the extension: `.tfm` as ITK's affine transform, `.mat` as a 4×4 matrix in RAS,
/// `.txt` as one in LPS that says so; a rotation and a shift alone are named rigid in `.tfm` and `.txt`.
///
/// # Errors
/// As [`check_transform_output`]; [`IoError::Write`]. Nothing is left behind then.
pub fn write_transform(target: impl Into<Target>, transform: &LinearTransform) -> Result<()> {
    let target = target.into();
    let write = writer(target.path())?;
    whole_file::write_text(target, &write(transform))
}

/// The lines of a text, numbered from 1, without blanks at their ends; none that is blank, or a comment.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(nth, line)| (nth + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn writer(path: &Path) -> Result<fn(&LinearTransform) -> String> {
    let own = extension(path);
    if HDF5_EXTENSIONS.contains(&own.as_str()) {
        let way = "write .tfm, then `sitk.WriteTransform(sitk.ReadTransform(\"out.tfm\"), \"out.h5\")`";
        return Err(IoError::unsupported(path, "writing a transform into an HDF5 file", way));
    }
    let writes = |format: &&TransformFormat| format.extensions.contains(&own.as_str());
    let format = FORMATS.iter().filter(|format| format.write.is_some()).find(writes);
    format.and_then(|format| format.write).ok_or_else(|| unknown(path))
}

fn unknown(path: &Path) -> IoError {
    let known = ".tfm .mat .txt".to_owned();
    IoError::UnknownExtension { path: path.to_owned(), what: "a linear transform", known }
}

#[cfg(test)]
mod tests;
