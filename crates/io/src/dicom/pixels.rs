//! Samples of planes: decoded, rescaled, bright where the image is bright.

use super::codestreams::{self, Shape};
use super::header::PlaneHeader;
use super::opened::{Opened, broken};
use super::stack::Stack;
use super::{DicomSeries, Open};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::luminance::LUMA;
use crate::tables::cine_place::{CineImage, CineSpot};
use dicom_dictionary_std::tags;
use dicom_object::DefaultDicomObject;
use dicom_pixeldata::{DecodedPixelData, PixelDecoder, PixelRepresentation};
use std::path::Path;
use std::sync::Arc;
use veloxel_core::WarningKind;

/// The samples of all planes.
pub(super) fn decode(stack: &Stack, open: Open<'_>, context: &mut Context) -> Result<DicomSeries> {
    let grid = &stack.grid;
    context.claim(4 * grid.len() as u64 * stack.frames as u64)?;
    let plane_len = grid.size()[0] * grid.size()[1];
    let mut samples = vec![vec![0.0f32; grid.len()]; stack.frames];
    let (mut images, mut sample_type, mut inverted) = (Vec::new(), String::new(), 0);
    // A file of many frames is opened once.
    let mut opened: Option<(Arc<Path>, Opened)> = None;
    for (slice, planes) in stack.planes.iter().enumerate() {
        for (frame, plane) in planes.iter().flatten().enumerate() {
            context.check()?;
            if opened.as_ref().is_none_or(|(path, _)| *path != plane.path) {
                // Two at once would take twice the memory.
                drop(opened.take());
                let mut file = open(&plane.path, context)?;
                // Headers have what a frame says of itself; a decoder goes over that of all frames for each of them.
                file.object.remove_element(tags::PER_FRAME_FUNCTIONAL_GROUPS_SEQUENCE);
                opened = Some((plane.path.clone(), file));
                if let Some((_, Opened { object, .. })) = &opened {
                    let shape = Shape::of(object, plane.size);
                    codestreams::jpeg_fault(object, shape)
                        .map_or(Ok(()), |fault| Err(undecodable(plane, fault)))?;
                }
            }
            let Some((_, Opened { object, .. })) = &opened else { continue };
            let out = &mut samples[frame][slice * plane_len..(slice + 1) * plane_len];
            let (kind, is_colour) = decode_plane(object, plane, out, context)?;
            if is_colour {
                context.note(WarningKind::Samples, "colour was turned into luminance");
            }
            sample_type = kind;
            inverted += usize::from(plane.is_inverted);
            if plane.frames == 1 {
                let (stem, spot) = (stem(&plane.path), Some(CineSpot { slice, frame }));
                images.push(CineImage { stem, instance: plane.instance, spot });
            }
        }
    }
    if inverted > 0 {
        let text = "MONOCHROME1, small samples are bright: turned over, so that large ones are";
        context.note(WarningKind::Samples, text);
    }
    let frames = samples.into_iter().map(|samples| context.volume(grid.clone(), samples));
    let frames = frames.collect::<Result<Vec<_>, _>>()?;
    Ok(DicomSeries { frames, frame_interval_ms: stack.frame_interval_ms, images, sample_type })
}

/// A file's name without its extension.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn undecodable(plane: &PlaneHeader, fault: String) -> IoError {
    IoError::malformed(&plane.path, "the pixels", "an image that can be decoded", fault)
}

/// Bytes of a sample that decoders hold at a time: coefficients or planes, what is interleaved of them, and the result.
const DECODING_BYTES: usize = 12;

/// Decodes one plane; the type that its samples have in the file, and whether they are colours.
fn decode_plane(
    object: &DefaultDicomObject,
    plane: &PlaneHeader,
    out: &mut [f32],
    context: &Context,
) -> Result<(String, bool)> {
    let shape = Shape::of(object, plane.size);
    if let Some(fault) = codestreams::fault(object, plane.frame, shape) {
        return Err(undecodable(plane, fault));
    }
    let _decoding = context.scratch((shape.pixels() * shape.channels * DECODING_BYTES) as u64)?;
    let decoded = object.decode_pixel_data_frame(plane.frame).map_err(|error| broken(&plane.path, &error))?;
    fill(&decoded, plane, out)
}

/// Bits and channels of a plane's pixels, `pixels` in all, once they are known to be there.
fn layout(decoded: &DecodedPixelData<'_>, plane: &PlaneHeader, pixels: usize) -> Result<(u16, usize)> {
    let fail = |expected: &str, got: String| IoError::malformed(&plane.path, "the pixels", expected, got);
    let [w, h] = plane.size;
    if decoded.columns() as usize != w || decoded.rows() as usize != h {
        return Err(fail(&format!("{w} × {h}"), format!("{} × {}", decoded.columns(), decoded.rows())));
    }
    let (bits, stored) = (decoded.bits_allocated(), decoded.bits_stored());
    let channels = usize::from(decoded.samples_per_pixel());
    let (got, needed) = (decoded.data().len(), pixels * channels * usize::from(bits).div_ceil(8));
    if ![8, 16, 32].contains(&bits) || ![1, 3].contains(&channels) || stored == 0 || stored > bits {
        let got = format!("{bits} bits, {channels} channels");
        return Err(fail("8, 16 or 32 bits of one channel, or of three", got));
    }
    if got < needed {
        return Err(IoError::truncated(&plane.path, "the pixels", needed as u64, got as u64));
    }
    Ok((bits, channels))
}

/// The luminance of a plane's colours; `channel` tells the value of a pixel's channel, of so many pixels.
fn luminance(out: &mut [f32], is_rgb: bool, channel: impl Fn(usize, usize, usize) -> i64) {
    let len = out.len();
    for (nth, out) in out.iter_mut().enumerate() {
        let channel = |c: usize| channel(nth, c, len) as f32;
        *out = if is_rgb { (0..3).map(|c| LUMA[c] as f32 * channel(c)).sum() } else { channel(0) };
    }
}

/// Writes the samples of a plane; the type that they have in the file, and whether they are colours.
fn fill(decoded: &DecodedPixelData<'_>, plane: &PlaneHeader, out: &mut [f32]) -> Result<(String, bool)> {
    let fail = |expected: &str, got: String| IoError::malformed(&plane.path, "the pixels", expected, got);
    let (bits, channels) = layout(decoded, plane, out.len())?;
    let stored = u32::from(decoded.bits_stored());
    let is_signed = decoded.pixel_representation() == PixelRepresentation::Signed;
    let data = decoded.data();
    let value = |nth: usize| -> i64 {
        let raw = match bits {
            8 => u32::from(data[nth]),
            16 => u32::from(u16::from_le_bytes([data[2 * nth], data[2 * nth + 1]])),
            _ => u32::from_le_bytes([data[4 * nth], data[4 * nth + 1], data[4 * nth + 2], data[4 * nth + 3]]),
        };
        // Bits above those stored may hold anything.
        let raw = raw << (32 - stored);
        if is_signed { i64::from(raw as i32 >> (32 - stored)) } else { i64::from(raw >> (32 - stored)) }
    };
    let (slope, intercept) = (plane.slope, plane.intercept);
    let turned = |v: i64| match (plane.is_inverted, is_signed) {
        (false, _) => v,
        (true, true) => -1 - v,
        (true, false) => (1i64 << stored) - 1 - v,
    };
    if channels == 1 {
        out.iter_mut()
            .enumerate()
            .for_each(|(nth, out)| *out = (slope * turned(value(nth)) as f64 + intercept) as f32);
    } else {
        let photometric = decoded.photometric_interpretation().as_str();
        let is_rgb = photometric == "RGB";
        if !is_rgb && !photometric.starts_with("YBR_FULL") {
            return Err(fail("grey, RGB or YBR_FULL", photometric.to_owned()));
        }
        let is_planar = decoded.planar_configuration() == dicom_pixeldata::PlanarConfiguration::PixelFirst;
        luminance(out, is_rgb, |nth, c, len| value(if is_planar { c * len + nth } else { 3 * nth + c }));
    }
    let kind =
        format!("{}{stored}{}", if is_signed { "i" } else { "u" }, if channels == 3 { " × 3" } else { "" });
    Ok((kind, channels == 3))
}
