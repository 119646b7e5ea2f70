//! KITTI flow PNG: 16-bit RGB, in pixels.
//!
//! *Specification*: Geiger, Lenz, Urtasun, "Are we ready for Autonomous Driving?", CVPR 2012,
//! doi:10.1109/CVPR.2012.6248074, and its development kit: `u = (R − 2^15) / 64`, `v = (G − 2^15) / 64`, valid if
//! B > 0.
//! *Invalid*: B = 0 in the file (and R = G = 0), NaN in memory.
//! *Limits*: 2-D, |component| below 512 px, resolution 1/64 px: what cannot be held is an error, rounding to 1/64 px
//! is the format's own.

use crate::IoError;
use crate::content::{Content, Decoded};
use crate::context::Context;
use crate::luminance::Channels;
use crate::png_image::Pixels;
use crate::quantise::Depth;
use crate::source::Source;
use std::path::Path;
use veloxel_core::{Dimension, Flow};

const ZERO: f32 = 32768.0;
const STEPS_PER_PIXEL: f32 = 64.0;

/// Whether pixels are 16-bit RGB with a blue channel of nothing but 0 and 1, not all 0: no picture looks like that.
pub(crate) fn looks_like_flow(pixels: &Pixels) -> bool {
    pixels.channels == Channels::Rgb
        && pixels.depth == Depth::Sixteen
        && pixels.bytes.as_chunks::<6>().0.iter().all(|p| p[4] == 0 && p[5] <= 1)
        && pixels.bytes.as_chunks::<6>().0.iter().any(|p| p[5] == 1)
}

/// Reads a PNG that is asked for as a field.
pub(crate) fn read(source: Source, context: &mut Context) -> Result<Decoded, IoError> {
    let pixels = crate::png_image::pixels(source, context)?;
    if pixels.channels != Channels::Rgb || pixels.depth != Depth::Sixteen {
        return Err(IoError::Kind {
            expected: "a displacement field (KITTI: a 16-bit RGB PNG)",
            got: "a picture".to_owned(),
            hint: "give a .flo, a KITTI .png, a .pfm or a vector volume",
            path: context.path.to_owned(),
        });
    }
    from_pixels(&pixels, context)
}

pub(crate) fn from_pixels(pixels: &Pixels, context: &Context) -> Result<Decoded, IoError> {
    let mut components = [0, 1].map(|_| Vec::with_capacity(pixels.grid.len()));
    for p in pixels.bytes.as_chunks::<6>().0 {
        let valid = p[4] != 0 || p[5] != 0;
        for (component, stored) in components.iter_mut().zip(p.as_chunks::<2>().0) {
            let value = (f32::from(u16::from_be_bytes(*stored)) - ZERO) / STEPS_PER_PIXEL;
            component.push(if valid { value } else { f32::NAN });
        }
    }
    let flow = Flow::new(pixels.grid.clone(), components.into()).map_err(|e| context.core(e))?;
    Ok(Decoded { content: Content::Flow(flow), sample_type: "KITTI u16 × 3".to_owned() })
}

pub(crate) fn write(path: &Path, flow: &Flow) -> Result<(), IoError> {
    let unsupported =
        |what: String, hint: &'static str| IoError::Unsupported { what, hint, path: path.to_owned() };
    let [nx, ny, _] = flow.grid().size();
    let (Dimension::Two, Ok(nx), Ok(ny)) = (flow.grid().dimension(), u32::try_from(nx), u32::try_from(ny))
    else {
        return Err(unsupported(
            format!("a field of {} as KITTI PNG", flow.grid().size_text()),
            "write 3-D fields as .nii.gz, .mha or .nrrd",
        ));
    };
    let mut samples = Vec::with_capacity(6 * flow.grid().len());
    for i in 0..flow.grid().len() {
        if !flow.is_valid(i) {
            samples.extend([0; 6]);
            continue;
        }
        for component in &flow.vector_vox(i)[..2] {
            let stored = (component * STEPS_PER_PIXEL + ZERO).round();
            if !(0.0..=65535.0).contains(&stored) {
                return Err(unsupported(
                    format!("a motion of {component} px in a KITTI PNG (limit: 512 px)"),
                    "write it as .flo",
                ));
            }
            samples.extend((stored as u16).to_be_bytes());
        }
        samples.extend([0, 1]);
    }
    let bytes = crate::png_image::encode([nx, ny], (png::ColorType::Rgb, png::BitDepth::Sixteen), &samples)
        .map_err(|source| IoError::Write { path: path.to_owned(), source })?;
    crate::write_bytes(path, &bytes)
}
