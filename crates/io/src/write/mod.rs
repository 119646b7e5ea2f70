//! Writing by extension: whole files or nothing. Every writer takes a path, or a [`Target`]: a path with the files of a session.

pub(crate) mod append_log;
pub(crate) mod detached;
pub(crate) mod gzip;
pub(crate) mod kept_parts;
pub(crate) mod output_folder;
pub(crate) mod painted_mesh;
mod part_files;
#[cfg(feature = "remote")]
pub(crate) mod parts_at_address;
mod parts_folder;
pub(crate) mod pending;
pub(crate) mod plain_error;
pub(crate) mod publication;
pub(crate) mod raster;
pub(crate) mod record;
pub(crate) mod target;
pub(crate) mod video;
pub(crate) mod video_writer;
pub(crate) mod whole_file;

use crate::address::is_store_address;
use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::formats::lookup::require;
use crate::write::painted_mesh::PaintedMesh;
use crate::write::target::Target;
use std::path::Path;
use veloxel_core::{Flow, Grid, Sequence, Volume, WarningKind, Warnings};

/// Checks, before any work is done for it, that a result could be written there: an extension of a format that holds
/// its kind and, where that is known, its grid, and a folder that exists.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Unsupported`] or [`IoError::NoFolder`].
pub fn check_output(path: &Path, kind: ContentKind, grid: Option<&Grid>) -> Result<()> {
    let what = match kind {
        ContentKind::Image => "writing an image",
        ContentKind::Sequence => "writing a sequence",
        ContentKind::Flow => "writing a displacement field",
        ContentKind::Mesh | ContentKind::Surface => "writing a mesh",
    };
    let (format, ()) = require(path, what, |format| format.writes(kind).then_some(()))?;
    grid.map_or(Ok(()), |grid| format.check_grid(path, grid))?;
    detached::check_name(path)?;
    #[cfg(feature = "zarr")]
    crate::zarr::write::check_place(path)?;
    check_folder(path)
}

/// Checks that there is a folder to write into; an address has none.
///
/// # Errors
/// [`IoError::NoFolder`].
pub fn check_folder(path: &Path) -> Result<()> {
    if is_store_address(path) {
        return Ok(());
    }
    match path.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            Err(IoError::NoFolder { folder: folder.to_owned(), path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Writes one picture or volume: 32-bit floats in volume formats, 8 or 16 bits in picture formats (8 if every sample
/// lies in 0..=255), with a note if samples were rounded, for JPEG, which changes them, and for a place in the world that the
/// format does not keep (NumPy), and a warning if some were clamped.
///
/// # Errors
/// [`IoError::UnknownExtension`] lists the formats that would do; [`IoError::Unsupported`] if this one cannot hold the
/// image; [`IoError::Write`]. Nothing is left behind then.
pub fn write_image(target: impl Into<Target>, image: &Volume<f32>, warnings: &mut Warnings) -> Result<()> {
    let target = &target.into();
    let path = target.path();
    let (format, write) = require(path, "writing an image", |format| format.write_image)?;
    format.check_grid(path, image.grid())?;
    if format.holds_volumes() && !format.keeps_place() && !is_plain(image.grid()) {
        let text = format!(
            "{}: {format} holds no spacing, origin or direction (.nii.gz, .mha and .nrrd keep them)",
            path.display()
        );
        warnings.push(WarningKind::Note, text);
    }
    write(target, image, warnings)
}

/// Whether a voxel's place is its index.
fn is_plain(grid: &Grid) -> bool {
    const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    grid.spacing_mm() == [1.0; 3] && grid.origin_mm() == [0.0; 3] && grid.direction() == IDENTITY
}

/// Checks, before any work is done for it, that a picture in colours could be written there.
///
/// # Errors
/// [`IoError::UnknownExtension`] or [`IoError::NoFolder`].
pub fn check_rgb_output(path: &Path) -> Result<()> {
    require(path, "writing a picture in colours", |format| format.write_rgb)?;
    check_folder(path)
}

/// Writes a picture in colours, `.png` or `.jpg`: `rgb` holds a triple of 8 bits for each of `[width, height]` pixels.
///
/// # Errors
/// [`IoError::UnknownExtension`]; [`IoError::Malformed`] if `rgb` has another length; [`IoError::Unsupported`] for a side that
/// the format does not take; [`IoError::Write`]. Nothing is left behind then.
pub fn write_rgb(target: impl Into<Target>, size: [usize; 2], rgb: &[u8]) -> Result<()> {
    let target = &target.into();
    let (_, write) = require(target.path(), "writing a picture in colours", |format| format.write_rgb)?;
    write(target, size, rgb)
}

/// Writes a label image: the smallest of u8, i16 and i32 in volume formats; picture
/// formats hold labels from 0 to 65535 (BMP: 255).
///
/// # Errors
/// As [`write_image`]; [`IoError::Unsupported`] for a label that the format cannot hold exactly.
pub fn write_labels(target: impl Into<Target>, labels: &Volume<i32>) -> Result<()> {
    let target = &target.into();
    let path = target.path();
    let (format, ()) = require(path, "writing labels", |format| format.writes_labels().then_some(()))?;
    format.check_grid(path, labels.grid())?;
    if let Some(write) = format.write_labels {
        return write(target, labels);
    }
    if let Some(label) = labels.data().iter().find(|v| !(0..=65535).contains(*v)) {
        let what = format!("label {label} in a picture format (0 to 65535)");
        return Err(IoError::unsupported(path, what, "write labels as .nii.gz, .mha or .nrrd"));
    }
    // Whole numbers of 16 bits pass unchanged: there is nothing to warn of.
    write_image(target, &labels.map(|&v| v as f32), &mut Warnings::new())
}

/// Writes a displacement field: pixels in `.flo`, KITTI `.png` and `.pfm`, voxels in `.npy`, LPS millimetres in volume formats.
///
/// # Errors
/// As [`write_image`].
pub fn write_flow(target: impl Into<Target>, flow: &Flow) -> Result<()> {
    let target = &target.into();
    let path = target.path();
    let (format, write) = require(path, "writing a displacement field", |format| format.write_flow)?;
    format.check_grid(path, flow.grid())?;
    write(target, flow)
}

/// Writes frames over time as one file.
///
/// # Errors
/// As [`write_image`].
pub fn write_sequence(target: impl Into<Target>, sequence: &Sequence) -> Result<()> {
    let target = &target.into();
    let path = target.path();
    let (format, write) = require(path, "writing a sequence", |format| format.write_sequence)?;
    format.check_grid(path, sequence.grid())?;
    write(target, sequence)
}

/// Writes a mesh in the format of the extension: `.ply` with `red green blue alpha`, `quality` (the certainty) and `segment` of
/// each face, `.glb` with colours.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Write`].
///
/// # Panics
/// If colours, certainties or segments are not as many as the triangles.
pub fn write_painted_mesh(target: impl Into<Target>, painted: &PaintedMesh<'_>) -> Result<()> {
    let target = &target.into();
    let (_, write) = require(target.path(), "writing a mesh", |format| format.write_painted)?;
    let count = painted.mesh.triangles().len();
    let lengths = [painted.rgb.len(), painted.certainty.len(), painted.segment.len()];
    assert!(lengths.iter().all(|&length| length == count), "every triangle needs its values");
    write(target, painted)
}
