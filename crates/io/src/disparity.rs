//! Disparities in files: PFM and float TIFF as they are, PNG as multiples.
//!
//! *Specifications*: Scharstein et al., Middlebury Stereo (2001, 2003: 8-bit PNG, disparity times a scale, 0 unknown;
//! v3: PFM, infinity unknown); Menze, Geiger, "Object Scene Flow for Autonomous Vehicles", CVPR 2015,
//! doi:10.1109/CVPR.2015.7298925 (KITTI: 16-bit PNG, disparity times 256, 0 unknown).
//! In memory: pixels, NaN where nothing is known; the match of left `(x, y)` is right `(x − d, y)`.
//! *Limits*: a KITTI PNG holds 0 to 255.99 px in steps of 1/256 px; a disparity of 0 becomes the smallest step there,
//! because 0 means unknown.

use crate::context::{Context, Strictness};
use crate::format::Format;
use crate::luminance::Channels;
use crate::quantise::Depth;
use crate::source::Source;
use crate::{IoError, read_image, write_image};
use std::path::Path;
use veloxel_core::{Dimension, Volume, Warnings};

/// Steps a pixel in KITTI's PNG.
const KITTI_SCALE: f32 = 256.0;
const READ: &[Format] = &[
    Format::Pfm,
    Format::Png,
    Format::Tiff,
    Format::Pnm,
    Format::Bmp,
    Format::Nifti,
    Format::MetaImage,
    Format::Nrrd,
];
const WRITE: &[Format] =
    &[Format::Pfm, Format::Png, Format::Tiff, Format::Nifti, Format::MetaImage, Format::Nrrd];

/// Checks that a disparity could be written there: a known extension, and a folder that exists.
///
/// # Errors
/// [`IoError::UnknownExtension`], or [`IoError::Open`] for the missing folder.
pub fn check_disparity_output(path: &Path) -> Result<(), IoError> {
    Format::require(path, "writing a disparity", WRITE)?;
    crate::write::check_folder(path)
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
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<Volume<f32>, IoError> {
    let format = Format::require_to_read(path, "a disparity", READ)?;
    let mut context = Context::new(path, strictness, warnings);
    if let Some(scale) = scale.filter(|s| !(s.is_finite() && *s > 0.0)) {
        return Err(context.malformed("disparity scale", "a number above 0", scale));
    }
    let scale = match (format, scale) {
        (Format::Png, None) => {
            let pixels = crate::png_image::pixels(Source::open(path)?, &mut context)?;
            if pixels.depth != Depth::Sixteen || pixels.channels != Channels::Grey {
                return Err(without_scale(&context));
            }
            let stored = Volume::new(pixels.grid.clone(), pixels.values()).map_err(|e| context.core(e))?;
            return Ok(scaled(&stored, KITTI_SCALE));
        }
        (Format::Pnm | Format::Bmp, None) => return Err(without_scale(&context)),
        (_, scale) => scale,
    };
    let image = read_image(path, strictness, warnings)?;
    if image.grid().dimension() != Dimension::Two {
        let context = Context::new(path, strictness, warnings);
        return Err(context.unsupported(
            format!("a disparity of {}", image.grid().size_text()),
            "a disparity is a picture: give a 2-D file",
        ));
    }
    Ok(match scale {
        Some(scale) => scaled(&image, scale),
        None => image.map(|&v| if v.is_finite() { v } else { f32::NAN }),
    })
}

fn without_scale(context: &Context) -> IoError {
    context.unsupported(
        "a disparity in whole numbers of unknown scale",
        "say what they were multiplied by (--scale for a truth, --result-scale for a result), or give .pfm, float .tif or KITTI's 16-bit .png",
    )
}

fn scaled(stored: &Volume<f32>, scale: f32) -> Volume<f32> {
    stored.map(|&v| if v.is_finite() && v != 0.0 { v / scale } else { f32::NAN })
}

/// Writes a disparity: pixels in `.pfm` (unknown: +inf), `.tif` and volume formats (NaN), KITTI's multiples of 1/256
/// in `.png` (0).
///
/// # Errors
/// As [`write_image`]; [`IoError::Unsupported`] for a disparity that a PNG cannot hold.
pub fn write_disparity(path: &Path, disparity: &Volume<f32>) -> Result<(), IoError> {
    if Format::require(path, "writing a disparity", WRITE)? != Format::Png {
        // Float formats keep every sample: there is nothing to warn of.
        return write_image(path, disparity, &mut Warnings::new());
    }
    let unsupported =
        |what: String| IoError::Unsupported { what, hint: "write it as .pfm or .tif", path: path.to_owned() };
    let [nx, ny, _] = disparity.grid().size();
    let (Dimension::Two, Ok(nx), Ok(ny)) =
        (disparity.grid().dimension(), u32::try_from(nx), u32::try_from(ny))
    else {
        return Err(unsupported(format!("a disparity of {} as PNG", disparity.grid().size_text())));
    };
    let mut samples = Vec::with_capacity(2 * disparity.data().len());
    for &d in disparity.data() {
        let stored = match (d * KITTI_SCALE).round() {
            stored if stored.is_nan() => 0.0,
            stored if (0.0..=65535.0).contains(&stored) => stored.max(1.0),
            _ => return Err(unsupported(format!("a disparity of {d} px in a KITTI PNG (0 to 255.99 px)"))),
        };
        samples.extend((stored as u16).to_be_bytes());
    }
    let kind = (png::ColorType::Grayscale, png::BitDepth::Sixteen);
    let bytes = crate::png_image::encode([nx, ny], kind, &samples)
        .map_err(|source| IoError::Write { path: path.to_owned(), source })?;
    crate::write_bytes(path, &bytes)
}
