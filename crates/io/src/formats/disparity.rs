//! Disparities in files: PFM and float TIFF as they are, PNG as multiples.
//!
//! *Specifications*: Scharstein et al., Middlebury Stereo (2001, 2003: 8-bit PNG, disparity times a scale, 0 unknown;
//! v3: PFM, infinity unknown); Menze, Geiger, "Object Scene Flow for Autonomous Vehicles", CVPR 2015,
//! doi:10.1109/CVPR.2015.7298925 (KITTI: 16-bit PNG, disparity times 256, 0 unknown).
//! In memory: pixels, NaN where nothing is known; the match of left `(x, y)` is right `(x − d, y)`.
//! *Limits*: a KITTI PNG holds 0 to 255.99 px in steps of 1/256 px; a disparity of 0 becomes the smallest step there,
//! because 0 means unknown.

use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::format::{Format, FormatPrecision};
use crate::formats::lookup::{require, require_to_read};
use crate::read::context::Context;
use crate::read::inspect::inspect;
use crate::read::reading::Reading;
use crate::read::source::Source;
use crate::read::{ColourChannels, read_image_and_colours};
use crate::write::target::Target;
use crate::write::{check_folder, write_image};
use std::path::Path;
use veloxel_core::{Dimension, Hint, Volume, WarningKind, Warnings};

/// A format whose samples are not changed for the eye.
fn is_read(format: &Format) -> bool {
    format.reads(ContentKind::Image) && format.precision != FormatPrecision::Lossy
}

/// A format of floats, or with a rule for disparities.
fn is_written(format: &Format) -> Option<()> {
    let floats = format.write_image.is_some() && format.precision == FormatPrecision::Float;
    (floats || format.write_disparity.is_some()).then_some(())
}

/// Checks that a disparity could be written there: a known extension, and a folder that exists.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::NoFolder`] for the missing folder.
pub fn check_disparity_output(path: &Path) -> Result<()> {
    require(path, "writing a disparity", is_written)?;
    check_folder(path)
}

/// Reads a disparity, pixels; NaN where it is unknown.
///
/// `scale`: what the samples were multiplied by, 0 meaning unknown then (Middlebury's pictures: 4, 8 or 16). Without
/// one, a 16-bit PNG is KITTI's (256), and floats are pixels, unknown where several of them have the same whole number below 0 and no
/// other is below 0. Of whole numbers with a sign the least is unknown where it is below 0,
/// as OpenCV writes it (16 bits, scale 16), and 0 is a disparity.
///
/// # Errors
/// As [`read_image`](crate::read_image); [`IoError::Unsupported`] for whole numbers without a scale but KITTI's, colours, or a volume;
/// [`IoError::Malformed`] for a scale that is not above 0.
pub fn read_disparity(
    path: &Path,
    scale: Option<f32>,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<Volume<f32>> {
    let reading = reading.into();
    let format = require_to_read(path, "a disparity", is_read)?;
    if let Some(scale) = scale.filter(|s| !(s.is_finite() && *s > 0.0)) {
        return Err(IoError::malformed(path, "disparity scale", "a number above 0", scale));
    }
    if scale.is_none() && format.precision == FormatPrecision::Whole {
        let mut context = Context::new(path, reading.clone(), warnings);
        let disparity = match format.read_disparity {
            Some(read) => {
                let source = Source::open(path, context.files())?;
                let disparity = read(source, &mut context);
                context.settled(disparity)?
            }
            None => None,
        };
        // No scale helps where colours are a code.
        return match disparity {
            Some(disparity) => Ok(disparity),
            None if is_in_colours(path, &reading)? => Err(IoError::unsupported(path, IN_COLOURS, NO_CODE)),
            None => Err(IoError::unsupported(path, UNKNOWN_SCALE, WAY).about(Hint::DisparityScale)),
        };
    }
    let is_whole = is_of_whole_numbers(path, format, &reading)?;
    if scale.is_none() && is_whole && !is_in_colours(path, &reading)? {
        return Err(IoError::unsupported(path, UNKNOWN_SCALE, WAY).about(Hint::DisparityScale));
    }
    let (image, colours) = read_image_and_colours(path, reading, warnings)?;
    if image.grid().dimension() != Dimension::Two {
        let what = format!("a disparity of {}", image.grid().size_text());
        return Err(IoError::unsupported(path, what, "a disparity is a picture: give a 2-D file"));
    }
    if colours.as_ref().is_some_and(differ) {
        return Err(IoError::unsupported(path, IN_COLOURS, NO_CODE));
    }
    // OpenCV marks what is unknown by the least number, which is below 0, and has matches at 0.
    let least = image.data().iter().copied().filter(|v| v.is_finite()).fold(0.0, f32::min);
    let mark = if is_whole { Some(least).filter(|least| *least < 0.0) } else { mark(image.data()) };
    if let Some(mark) = mark {
        let text =
            format!("{}: {mark}, the least number, is taken as unknown, as OpenCV has it", path.display());
        warnings.push(WarningKind::Samples, text);
    }
    let unknown = mark.or(scale.map(|_| 0.0));
    let is_known = |v: f32| v.is_finite() && Some(v) != unknown;
    Ok(image.map(|&v| if is_known(v) { v / scale.unwrap_or(1.0) } else { f32::NAN }))
}

/// What floats mark unknown pixels by: the one number below 0, where several samples have it and it is whole. OpenCV's numbers keep
/// such a mark when they are turned into floats.
fn mark(samples: &[f32]) -> Option<f32> {
    let mut below = samples.iter().copied().filter(|v| v.is_finite() && *v < 0.0);
    let (first, second) = (below.next()?, below.next()?);
    let is_mark = first.fract() == 0.0 && second == first && below.all(|v| v == first);
    is_mark.then_some(first)
}

const IN_COLOURS: &str = "a disparity in colours";
const NO_CODE: &str =
    "a code of colours is its data set's own: decode it to .pfm, or to a grey picture and its scale";

/// Whether channels of a picture differ anywhere.
fn differ([red, green, blue]: &ColourChannels) -> bool {
    red.data() != green.data() || green.data() != blue.data()
}

/// Whether a picture has colours.
fn is_in_colours(path: &Path, reading: &Reading) -> Result<bool> {
    let (_, colours) = read_image_and_colours(path, reading.clone(), &mut Warnings::new())?;
    Ok(colours.as_ref().is_some_and(differ))
}

const UNKNOWN_SCALE: &str = "a disparity in whole numbers of unknown scale";
const WAY: &str = "say what they were multiplied by, or give .pfm, float .tif or KITTI's 16-bit .png";

/// Whether the samples of a file are whole numbers that nothing turns into fractions.
fn is_of_whole_numbers(path: &Path, format: &Format, reading: &Reading) -> Result<bool> {
    // Headers of NIfTI and DICOM have scales of their own.
    if format.precision == FormatPrecision::Whole || ["nifti", "dicom"].contains(&format.name) {
        return Ok(false);
    }
    let sample_type = inspect(path, reading.clone())?.sample_type;
    Ok(sample_type.starts_with(['u', 'i']) || sample_type.starts_with("bool"))
}

/// Writes a disparity: pixels in `.pfm` (unknown: +inf), `.tif` and volume formats (NaN), KITTI's multiples of 1/256
/// in `.png` (0).
///
/// # Errors
/// As [`write_image`]; [`IoError::Unsupported`] for a disparity that a PNG cannot hold.
pub fn write_disparity(target: impl Into<Target>, disparity: &Volume<f32>) -> Result<()> {
    let target = &target.into();
    let path = target.path();
    let (format, ()) = require(path, "writing a disparity", is_written)?;
    format.check_grid(path, disparity.grid())?;
    match format.write_disparity {
        Some(write) => write(target, disparity),
        // Float formats keep every sample: there is nothing to warn of.
        None => write_image(target, disparity, &mut Warnings::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, write_rgb};
    use std::path::PathBuf;

    fn read(path: &Path, scale: Option<f32>) -> Result<Vec<f32>> {
        let disparity = read_disparity(path, scale, Strictness::Lenient, &mut Warnings::new())?;
        Ok(disparity.data().to_vec())
    }

    /// An array of two rows.
    fn array(folder: &Path, element: &str, numbers: [i16; 4]) -> PathBuf {
        let path = folder.join(format!("{}.npy", &element[1..]));
        let mut bytes = crate::formats::npy::header::text(element, &[2, 2]);
        for number in numbers {
            match element {
                "<i2" => bytes.extend(number.to_le_bytes()),
                "<f4" => bytes.extend(f32::from(number).to_le_bytes()),
                _ => bytes.push(number as u8),
            }
        }
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn whole_numbers_need_a_scale() {
        let folder = tempfile::tempdir().unwrap();
        for element in ["<i2", "|u1"] {
            let refused = read(&array(folder.path(), element, [16, 32, 0, 8]), None).unwrap_err().to_string();
            assert!(refused.contains("whole numbers of unknown scale"), "{refused}");
        }
        let unsigned = read(&array(folder.path(), "|u1", [16, 32, 0, 8]), Some(16.0)).unwrap();
        assert!(unsigned[..2] == [1.0, 2.0] && unsigned[2].is_nan() && unsigned[3] == 0.5);
        let floats = read(&array(folder.path(), "<f4", [16, -32, 0, 8]), None).unwrap();
        assert_eq!(floats, [16.0, -32.0, 0.0, 8.0]);
        // OpenCV's whole numbers divided by 16, or turned into floats alone.
        let marked = read(&array(folder.path(), "<f4", [16, -1, 0, -1]), None).unwrap();
        assert!(marked[0] == 16.0 && marked[2] == 0.0 && marked[1].is_nan() && marked[3].is_nan());
        let marked = read(&array(folder.path(), "<f4", [24, -16, 0, -16]), Some(16.0)).unwrap();
        assert!(marked[0] == 1.5 && marked[2] == 0.0 && marked[1].is_nan() && marked[3].is_nan());
        let turned = read(&array(folder.path(), "<f4", [-16, -16, -8, 8]), None).unwrap();
        assert_eq!(turned, [-16.0, -16.0, -8.0, 8.0]);
        for numbers in [[24, -16, 0, 8], [24, -528, 0, -512]] {
            let signed = read(&array(folder.path(), "<i2", numbers), Some(16.0)).unwrap();
            assert!(signed[1].is_nan(), "the least number is unknown");
            assert_eq!([signed[0], signed[2], signed[3]], [1.5, 0.0, f32::from(numbers[3]) / 16.0]);
        }
    }

    #[test]
    fn colours_are_no_disparity() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        write_rgb(path.as_path(), [2, 1], &[9, 9, 9, 8, 0, 8]).unwrap();
        let refused = read(&path, Some(4.0)).unwrap_err().to_string();
        assert!(refused.contains("a disparity in colours"), "{refused}");
        assert_eq!(read(&path, None).unwrap_err().to_string(), refused, "no scale would help");
        write_rgb(path.as_path(), [2, 1], &[8, 8, 8, 4, 4, 4]).unwrap();
        assert_eq!(read(&path, Some(4.0)).unwrap(), [2.0, 1.0]);
    }
}
