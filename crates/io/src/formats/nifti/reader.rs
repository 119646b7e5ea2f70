//! Interprets a NIfTI header: type, scale, intent and order of the samples.

use super::deformation;
use super::header::{DATATYPE_RGB24, DATATYPE_RGBA32, HEADER_BYTES, Header, SAMPLES_AT};
use super::placement::axes;
use super::second;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{Element, Scaling, Stored};
use crate::read::layout::{Arrangement, AxisOrder, Layout, Meaning};
use crate::read::luminance::Channels;
use crate::read::source::Source;
use veloxel_core::WarningKind;

/// Reads the header and leaves the source at the first sample.
pub(super) fn layout<'a>(source: Source<'a>, context: &mut Context) -> Result<(Layout, Source<'a>)> {
    let mut source = source.gunzip_if_compressed(context)?;
    let before = source.available();
    let Start { header, offset } = start(&mut source, context)?;
    match &header.magic {
        b"n+1\0" => {}
        b"ni1\0" => {
            let hint = "name the .hdr of the pair, or convert it to one .nii file";
            return Err(
                context.unsupported("the header of a NIfTI pair (.hdr and .img) under this name", hint)
            );
        }
        other => return Err(context.malformed("NIfTI magic", "\"n+1\"", format!("{other:?}"))),
    }
    let layout = interpret(&header, context)?;
    let taken = before - source.available();
    let offset = samples_offset(offset, taken + EXTENSION_FLAG_BYTES, context)?;
    source.skip("the NIfTI extension", offset - taken, context)?;
    Ok((layout, source))
}

/// Bytes behind a header that say whether there are extensions.
const EXTENSION_FLAG_BYTES: u64 = (SAMPLES_AT - HEADER_BYTES) as u64;

/// A header, and where it says that samples begin.
pub(super) struct Start {
    pub header: Header,
    pub offset: f64,
}

/// Reads a header of either version.
pub(super) fn start(source: &mut Source, context: &Context) -> Result<Start> {
    let mut bytes = source.take_bytes("the NIfTI header", HEADER_BYTES as u64, context)?;
    let Some(order) = second::order(&bytes) else {
        let header = Header::parse(&bytes, context)?;
        return Ok(Start { offset: header.vox_offset.into(), header });
    };
    let more = (second::SECOND_BYTES - HEADER_BYTES) as u64;
    bytes.extend(source.take_bytes("the NIfTI header", more, context)?);
    let (first, offset) = second::as_first(&bytes, order, context)?;
    Ok(Start { header: Header::parse(&first, context)?, offset: offset as f64 })
}

fn samples_offset(offset: f64, least: u64, context: &mut Context) -> Result<u64> {
    if offset == 0.0 {
        context
            .assume(format!("vox_offset is 0: samples are assumed right behind the header, at {least}"))?;
        return Ok(least);
    }
    let is_behind = (least as f64..1e15).contains(&offset) && offset.fract() == 0.0;
    context.require(is_behind, "vox_offset", format!("a whole number of at least {least}"), offset)?;
    Ok(offset as u64)
}

/// Intents that several numbers at a voxel have: matrices, vectors, points, triangles, quaternions and colours.
const VECTOR_INTENTS: [i16; 9] = [1004, 1005, 1006, 1007, 1008, 1009, 1010, 2003, 2004];

pub(super) fn interpret(header: &Header, context: &mut Context) -> Result<Layout> {
    deformation::refuse_coefficients(header, context)?;
    let [nx, ny, nz, frames, components] = sizes(header, context)?;
    let is_stack_of_vectors = frames > 1 && components == 1 && VECTOR_INTENTS.contains(&header.intent_code);
    let what = || format!("{frames} components of intent {} along the fourth axis", header.intent_code);
    let hint = "the format has them along the fifth, dim = [5, nx, ny, nz, 1, components]: reshape it so";
    context.support(!is_stack_of_vectors, what(), hint)?;
    let rgb = |channels| (Element::U8, Some(channels));
    let (element, colour) = match header.datatype {
        DATATYPE_RGB24 => rgb(Channels::Rgb),
        DATATYPE_RGBA32 => rgb(Channels::Rgba),
        code => {
            let what =
                || context.unsupported(format!("NIfTI data type {code}"), "convert it to 32-bit floats");
            (header.element().ok_or_else(what)?, None)
        }
    };
    let meaning = match colour {
        Some(channels) if components == 1 => Meaning::Colour(channels),
        None if components == 1 => Meaning::Scalar,
        None if components == 3 || (components == 2 && nz == 1) => {
            deformation::vectors(header, components, context)?
        }
        _ => {
            let what = format!("{components} components in a voxel");
            return Err(context.unsupported(what, "displacement fields have 3 (in one plane: 2 or 3)"));
        }
    };
    let axes = axes(header, [nx, ny, nz], context)?;
    // RGB samples stand together; components of a 5-D file do not.
    let (arrangement, scaling) = match colour {
        Some(_) => (Arrangement::Interleaved, Scaling::NONE),
        None => (Arrangement::Planar, scaling(header, context)?),
    };
    Ok(Layout {
        grid: axes.into_grid(context)?,
        meaning,
        arrangement,
        axis_order: AxisOrder::XFastest,
        frames,
        frame_interval_ms: if frames > 1 { frame_interval_ms(header, context) } else { None },
        stored: Stored { element, order: header.order, scaling },
    })
}

/// x, y, z, time and components.
fn sizes(header: &Header, context: &Context) -> Result<[usize; 5]> {
    let rank = header.dim[0];
    context.require((1..=7).contains(&rank), "dim[0]", "a number of axes from 1 to 7", rank)?;
    let mut sizes = [1usize; 7];
    for (axis, size) in sizes.iter_mut().enumerate().take(rank as usize) {
        let stored = header.dim[axis + 1];
        *size = usize::try_from(stored)
            .ok()
            .filter(|&n| n > 0)
            .ok_or_else(|| context.malformed(format!("dim[{}]", axis + 1), "a size of at least 1", stored))?;
    }
    let [nx, ny, nz, frames, components, rest @ ..] = sizes;
    let what = format!("a {rank}-D NIfTI file of {sizes:?}");
    let hint = "images have 2 or 3 axes, sequences 4, displacement fields 5";
    context.support(rank > 1 && rest == [1, 1], what, hint)?;
    Ok([nx, ny, nz, frames, components])
}

/// Units of frequencies and shifts that the fourth axis may have, by their codes.
const NO_TIMES: [(u8, &str); 3] = [(32, "Hz"), (40, "ppm"), (48, "radians a second")];

fn scaling(header: &Header, context: &mut Context) -> Result<Scaling> {
    let (slope, intercept) = (f64::from(header.scl_slope), f64::from(header.scl_inter));
    // The specification's way of saying "not scaled".
    if slope == 0.0 {
        return Ok(Scaling::NONE);
    }
    if slope.is_finite() && intercept.is_finite() {
        return Ok(Scaling { slope, intercept });
    }
    context.assume(format!(
        "scl_slope {slope} and scl_inter {intercept} are not finite: unscaled samples are assumed"
    ))?;
    Ok(Scaling::NONE)
}

fn frame_interval_ms(header: &Header, context: &mut Context) -> Option<f64> {
    let ms = match header.xyzt_units & 0x38 {
        8 => 1e3,
        16 => 1.0,
        24 => 1e-3,
        other => {
            if let Some((_, unit)) = NO_TIMES.iter().find(|(code, _)| *code == other) {
                let text = format!(
                    "its fourth axis counts {unit}, which is no time: its images are taken as frames"
                );
                context.note(WarningKind::Header, text);
            }
            return None;
        }
    };
    context.frame_interval_ms(f64::from(header.pixdim[4]) * ms)
}
