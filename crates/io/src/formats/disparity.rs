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
use crate::read::read_image;
use crate::read::reading::Reading;
use crate::read::source::Source;
use crate::write::target::Target;
use crate::write::{check_folder, write_image};
use std::path::Path;
use veloxel_core::{Dimension, Hint, Volume, Warnings};

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
/// one, a 16-bit PNG is KITTI's (256), and samples of float formats are pixels.
///
/// # Errors
/// As [`read_image`]; [`IoError::Unsupported`] for a picture of 8 bits without a scale, or a volume;
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
        return disparity.ok_or_else(|| {
            context
                .unsupported(
                    "a disparity in whole numbers of unknown scale",
                    "say what they were multiplied by, or give .pfm, float .tif or KITTI's 16-bit .png",
                )
                .about(Hint::DisparityScale)
        });
    }
    let image = read_image(path, reading, warnings)?;
    if image.grid().dimension() != Dimension::Two {
        let what = format!("a disparity of {}", image.grid().size_text());
        return Err(IoError::unsupported(path, what, "a disparity is a picture: give a 2-D file"));
    }
    Ok(image.map(|&v| match scale {
        _ if !v.is_finite() => f32::NAN,
        None => v,
        Some(_) if v == 0.0 => f32::NAN,
        Some(scale) => v / scale,
    }))
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
