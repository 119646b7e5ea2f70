//! KITTI's PNG files, in pixels: flow as 16-bit RGB, disparity as 16-bit grey.
//!
//! *Specification*: Geiger, Lenz, Urtasun, "Are we ready for Autonomous Driving?", CVPR 2012,
//! doi:10.1109/CVPR.2012.6248074, and its development kit: `u = (R − 2^15) / 64`, `v = (G − 2^15) / 64`, valid if
//! B > 0; Menze, Geiger, "Object Scene Flow for Autonomous Vehicles", CVPR 2015, doi:10.1109/CVPR.2015.7298925:
//! disparity times 256, 0 unknown.
//! *Invalid*: B = 0 in the file (and R = G = 0), or a disparity of 0; NaN in memory.
//! *Limits*: 2-D, |component| below 512 px, resolution 1/64 px; disparities from 0 to 255.99 px, resolution 1/256 px: what
//! cannot be held is an error, rounding to the resolution is the format's own.

use super::stream;
use crate::content::Decoded;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::luminance::Channels;
use crate::read::source::Source;
use crate::write::raster::{Depth, Raster};
use crate::write::target::Target;
use veloxel_core::{Flow, Volume};

const ZERO: f32 = 32768.0;
const FLOW_STEPS_PER_PIXEL: f32 = 64.0;
const DISPARITY_STEPS_PER_PIXEL: f32 = 256.0;

/// Whether pixels are 16-bit RGB with a blue channel of nothing but 0 and 1, not all 0: no picture looks like that.
pub(super) fn looks_like_flow(raster: &Raster) -> bool {
    let mut blue = raster.bytes.as_chunks::<6>().0.iter().map(|p| [p[4], p[5]]);
    (raster.channels, raster.depth) == (Channels::Rgb, Depth::Sixteen)
        && blue.clone().all(|b| b[0] == 0 && b[1] <= 1)
        && blue.any(|b| b[1] == 1)
}

/// Reads a PNG that is asked for as a field.
pub(super) fn read(source: Source, context: &mut Context) -> Result<Decoded> {
    let raster = stream::decode(source, context)?;
    if (raster.channels, raster.depth) != (Channels::Rgb, Depth::Sixteen) {
        let expected = "a displacement field (KITTI: a 16-bit RGB PNG)";
        let hint = "give a .flo, a KITTI .png, a .pfm or a vector volume";
        return Err(IoError::kind(context.path, expected, "a picture", hint));
    }
    flow(&raster, context)
}

pub(super) fn flow(raster: &Raster, context: &Context) -> Result<Decoded> {
    let [nx, ny] = raster.size;
    let component = |stored: [u8; 2]| (f32::from(u16::from_be_bytes(stored)) - ZERO) / FLOW_STEPS_PER_PIXEL;
    let vector = |&[u, v, valid]: &[[u8; 2]; 3]| match valid {
        [0, 0] => [f32::NAN; 2],
        _ => [component(u), component(v)],
    };
    let vectors = raster.bytes.as_chunks().0.as_chunks().0.iter().map(vector);
    Decoded::flow(context.picture_grid(nx, ny)?, vectors, "KITTI u16 × 3", context)
}

pub(super) fn write(target: &Target, flow: &Flow) -> Result<()> {
    let mut bytes = Vec::with_capacity(6 * flow.grid().len());
    for i in 0..flow.grid().len() {
        if !flow.is_valid(i) {
            bytes.extend([0; 6]);
            continue;
        }
        for component in &flow.vector_vox(i)[..2] {
            let stored = (component * FLOW_STEPS_PER_PIXEL + ZERO).round();
            if !(0.0..=65535.0).contains(&stored) {
                let what = format!("a motion of {component} px in a KITTI PNG (limit: 512 px)");
                return Err(IoError::unsupported(target.path(), what, "write it as .flo"));
            }
            bytes.extend((stored as u16).to_be_bytes());
        }
        bytes.extend([0, 1]);
    }
    let [nx, ny, _] = flow.grid().size();
    let (channels, depth) = (Channels::Rgb, Depth::Sixteen);
    stream::write(target, &Raster { size: [nx, ny], channels, depth, bytes })
}

/// A disparity, unless the PNG is one of 8 bits or of colours.
pub(super) fn read_disparity(source: Source, context: &mut Context) -> Result<Option<Volume<f32>>> {
    let raster = stream::decode(source, context)?;
    if (raster.channels, raster.depth) != (Channels::Grey, Depth::Sixteen) {
        return Ok(None);
    }
    context.claim(8 * (raster.bytes.len() / 2) as u64)?;
    let pixels = |&stored: &[u8; 2]| match u16::from_be_bytes(stored) {
        0 => f32::NAN,
        steps => f32::from(steps) / DISPARITY_STEPS_PER_PIXEL,
    };
    let disparity = raster.bytes.as_chunks().0.iter().map(pixels).collect();
    let [nx, ny] = raster.size;
    context.volume(context.picture_grid(nx, ny)?, disparity).map(Some)
}

/// A disparity of 0 becomes the smallest step, because 0 means unknown.
pub(super) fn write_disparity(target: &Target, disparity: &Volume<f32>) -> Result<()> {
    let mut bytes = Vec::with_capacity(2 * disparity.data().len());
    for &d in disparity.data() {
        let stored = match (d * DISPARITY_STEPS_PER_PIXEL).round() {
            stored if stored.is_nan() => 0.0,
            stored if (0.0..=65535.0).contains(&stored) => stored.max(1.0),
            _ => {
                let what = format!("a disparity of {d} px in a KITTI PNG (0 to 255.99 px)");
                return Err(IoError::unsupported(target.path(), what, "write it as .pfm or .tif"));
            }
        };
        bytes.extend((stored as u16).to_be_bytes());
    }
    let [nx, ny, _] = disparity.grid().size();
    let (channels, depth) = (Channels::Grey, Depth::Sixteen);
    stream::write(target, &Raster { size: [nx, ny], channels, depth, bytes })
}
