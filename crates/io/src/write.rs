//! Writing by extension: whole files or nothing.

use crate::format::Format;
use crate::inspect::Kind;
use crate::record::Record;
use crate::{IoError, atomic};
use std::io::Write;
use std::path::Path;
use veloxel_core::{Flow, Sequence, Volume, Warnings};

/// Checks, before any work is done for it, that a result could be written there: a known extension for its kind, and a
/// folder that exists.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::NoFolder`].
pub fn check_output(path: &Path, kind: Kind) -> Result<(), IoError> {
    let (what, allowed) = match kind {
        Kind::Image => ("writing an image", Format::WRITE_IMAGE),
        Kind::Sequence => ("writing a sequence", Format::WRITE_SEQUENCE),
        Kind::Flow => ("writing a displacement field", Format::FLOW),
    };
    Format::require(path, what, allowed)?;
    check_folder(path)
}

/// Checks that there is a folder to write into.
///
/// # Errors
/// [`IoError::NoFolder`].
pub fn check_folder(path: &Path) -> Result<(), IoError> {
    match path.parent().filter(|p| !p.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            Err(IoError::NoFolder { folder: folder.to_owned(), path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Writes one picture or volume: 32-bit floats in volume formats, 8 or 16 bits in picture formats (8 if every sample
/// lies in 0..=255), with a warning if samples had to be rounded or clamped, and always for JPEG, which changes them.
///
/// # Errors
/// [`IoError::UnknownExtension`] lists the formats that would do; [`IoError::Unsupported`] if this one cannot hold the
/// image; [`IoError::Write`]. Nothing is left behind then.
pub fn write_image(path: &Path, image: &Volume<f32>, warnings: &mut Warnings) -> Result<(), IoError> {
    match Format::require(path, "writing an image", Format::WRITE_IMAGE)? {
        Format::Png => crate::png_image::write(path, image, warnings),
        Format::Pnm => crate::pnm::write(path, image, warnings),
        Format::Bmp => crate::bmp::write(path, image, warnings),
        Format::Jpeg => crate::jpeg::write(path, image, warnings),
        Format::Tiff => crate::tiff_image::write(path, image),
        Format::Pfm => crate::pfm::write_image(path, image),
        format => write_record(format, path, &Record::image(image)),
    }
}

/// Writes a label image: the smallest of u8, i16 and i32 in volume formats; picture
/// formats hold labels from 0 to 65535 (BMP: 255).
///
/// # Errors
/// As [`write_image`]; [`IoError::Unsupported`] for a label that the format cannot hold exactly.
pub fn write_labels(path: &Path, labels: &Volume<i32>) -> Result<(), IoError> {
    match Format::require(path, "writing labels", Format::WRITE_LABELS)? {
        Format::Png | Format::Pnm | Format::Bmp | Format::Tiff => {
            if let Some(label) = labels.data().iter().find(|v| !(0..=65535).contains(*v)) {
                return Err(IoError::Unsupported {
                    what: format!("label {label} in a picture format (0 to 65535)"),
                    hint: "write labels as .nii.gz, .mha or .nrrd",
                    path: path.to_owned(),
                });
            }
            // Whole numbers of 16 bits pass unchanged: there is nothing to warn of.
            write_image(path, &labels.map(|&v| v as f32), &mut Warnings::new())
        }
        format => write_record(format, path, &Record::labels(labels)),
    }
}

/// Writes a displacement field: pixels in `.flo`, KITTI `.png` and `.pfm`, LPS millimetres in volume formats.
///
/// # Errors
/// As [`write_image`].
pub fn write_flow(path: &Path, flow: &Flow) -> Result<(), IoError> {
    match Format::require(path, "writing a displacement field", Format::FLOW)? {
        Format::Flo => crate::flo::write(path, flow),
        Format::Png => crate::kitti::write(path, flow),
        Format::Pfm => crate::pfm::write_flow(path, flow),
        format => write_record(format, path, &Record::flow(flow)),
    }
}

/// Writes frames over time as one file.
///
/// # Errors
/// As [`write_image`].
pub fn write_sequence(path: &Path, sequence: &Sequence) -> Result<(), IoError> {
    let format = Format::require(path, "writing a sequence", Format::WRITE_SEQUENCE)?;
    write_record(format, path, &Record::sequence(sequence))
}

fn write_record(format: Format, path: &Path, record: &Record) -> Result<(), IoError> {
    match format {
        Format::Nifti => crate::nifti_write::write(path, record),
        Format::MetaImage => crate::metaimage::write(path, record),
        Format::Nrrd => crate::nrrd::write(path, record),
        other => Err(IoError::Unsupported {
            what: format!("writing volumes as {other:?}"),
            hint: "write .nii.gz, .mha or .nrrd",
            path: path.to_owned(),
        }),
    }
}

/// Writes text (UTF-8), all or nothing.
///
/// # Errors
/// [`IoError::Write`].
pub fn write_text(path: &Path, text: &str) -> Result<(), IoError> {
    write_bytes(path, text.as_bytes())
}

/// Writes bytes, all or nothing.
///
/// # Errors
/// [`IoError::Write`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), IoError> {
    atomic::write(path, |w| w.write_all(bytes))
}
