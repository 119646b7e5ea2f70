//! Samples of planes: decoded, rescaled, bright where the image is bright, NaN where there are no data.

pub(super) mod codestreams;
mod jpeg_colours;
mod modality;
mod native;
mod run_lengths;
mod samples;

use super::header::PlaneHeader;
use super::opened::{Opened, broken};
use super::stack::Stack;
use super::{DicomSeries, Open};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::tables::cine_place::{CineImage, CineSpot};
use codestreams::Shape;
use dicom_dictionary_std::tags;
use dicom_object::DefaultDicomObject;
use dicom_pixeldata::PixelDecoder;
use samples::{Coding, PlaneSamples, Stored};
use std::path::Path;
use std::sync::Arc;
use veloxel_core::WarningKind;

/// The samples of all planes.
pub(super) fn decode(stack: &Stack, open: Open<'_>, context: &mut Context) -> Result<DicomSeries> {
    let grid = &stack.grid;
    context.claim(4 * grid.len() as u64 * stack.frames as u64)?;
    let plane_len = grid.size()[0] * grid.size()[1];
    let mut samples = vec![vec![f32::NAN; grid.len()]; stack.frames];
    let (mut images, mut planes) = (Vec::new(), Vec::new());
    for (slice, of_slice) in stack.planes.iter().enumerate() {
        for (frame, plane) in of_slice.iter().flatten().enumerate() {
            planes.push((plane, CineSpot { slice, frame }));
            if plane.frames == 1 && plane.tile.is_none() {
                let (stem, spot) = (stem(&plane.path), Some(CineSpot { slice, frame }));
                images.push(CineImage { stem, instance: plane.instance, spot });
            }
        }
    }
    // A file is opened once, and a mosaic decoded once.
    planes.sort_by(|(a, _), (b, _)| (&a.path, a.frame).cmp(&(&b.path, b.frame)));
    let mut opened: Option<(Arc<Path>, Opened)> = None;
    let mut said = Said::default();
    let mut last: Option<PlaneSamples> = None;
    for (nth, &(plane, spot)) in planes.iter().enumerate() {
        context.check()?;
        if opened.as_ref().is_none_or(|(path, _)| *path != plane.path) {
            // Two at once would take twice the memory.
            drop(opened.take());
            let file = file(plane, open, context)?;
            said.longer += usize::from(bytes_behind(&file.object, plane) > 0);
            opened = Some((plane.path.clone(), file));
        }
        let Some((_, Opened { object, .. })) = &opened else { continue };
        let is_same =
            nth > 0 && planes[nth - 1].0.path == plane.path && planes[nth - 1].0.frame == plane.frame;
        let whole = match last.take().filter(|_| is_same) {
            Some(whole) => whole,
            None => decode_plane(object, plane, context)?,
        };
        let out = &mut samples[spot.frame][spot.slice * plane_len..(spot.slice + 1) * plane_len];
        said.add(&whole, plane, cut(&whole, plane, out));
        last = Some(whole);
    }
    said.tell(context);
    let frames = samples.into_iter().map(|samples| context.volume(grid.clone(), samples));
    let frames = frames.collect::<Result<Vec<_>, _>>()?;
    Ok(DicomSeries {
        frames,
        frame_interval_ms: stack.frame_interval_ms,
        images,
        sample_type: said.sample_type,
    })
}

fn file(plane: &PlaneHeader, open: Open<'_>, context: &Context) -> Result<Opened> {
    let mut file = open(&plane.path, context)?;
    // Headers have what a frame says of itself; a decoder goes over that of all frames for each of them.
    file.object.remove_element(tags::PER_FRAME_FUNCTIONAL_GROUPS_SEQUENCE);
    let shape = Shape::of(&file.object, whole_size(plane));
    match codestreams::jpeg_fault(&file.object, shape) {
        Some(fault) => Err(undecodable(plane, fault)),
        None => {
            jpeg_colours::tell(&mut file.object);
            Ok(file)
        }
    }
}

/// How many bytes of its pixels no frame of a file needs.
fn bytes_behind(object: &DefaultDicomObject, plane: &PlaneHeader) -> usize {
    let shape = Shape::of(object, whole_size(plane));
    let coding = Coding::of(object, shape);
    coding.map_or(0, |coding| native::behind(object, plane.frames, shape, coding.is_halved()))
}

/// Columns and rows of the picture that a plane is, or is a tile of.
fn whole_size(plane: &PlaneHeader) -> [usize; 2] {
    plane.tile.map_or(plane.size, |tile| tile.of)
}

/// Writes a plane's own part of its picture; how many samples of it are no data.
fn cut(whole: &PlaneSamples, plane: &PlaneHeader, out: &mut [f32]) -> usize {
    let [nx, _] = plane.size;
    let (at, row_len) = (plane.tile.map_or([0, 0], |tile| tile.at), whole_size(plane)[0]);
    for (y, row) in out.chunks_exact_mut(nx).enumerate() {
        let begin = (at[1] + y) * row_len + at[0];
        row.copy_from_slice(&whole.values[begin..begin + nx]);
    }
    if whole.has_padding { out.iter().filter(|v| v.is_nan()).count() } else { 0 }
}

/// What is to be reported for all planes.
#[derive(Default)]
struct Said {
    sample_type: String,
    inverted: usize,
    colours: usize,
    padded: usize,
    tables: usize,
    samples: usize,
    /// Files with more pixels than their frames have.
    longer: usize,
}

impl Said {
    fn add(&mut self, whole: &PlaneSamples, plane: &PlaneHeader, padded: usize) {
        self.sample_type.clone_from(&whole.sample_type);
        self.inverted += usize::from(plane.is_inverted);
        self.colours += usize::from(whole.is_colour);
        self.tables += usize::from(whole.has_table);
        self.padded += padded;
        self.samples += plane.size[0] * plane.size[1];
    }

    fn tell(&self, context: &mut Context) {
        let mut note = |is_so: bool, text: String| {
            if is_so {
                context.note(WarningKind::Samples, text);
            }
        };
        note(self.colours > 0, "colour was turned into luminance".to_owned());
        note(
            self.tables > 0,
            "samples stand for the values of the file's own table (modality LUT)".to_owned(),
        );
        note(
            self.inverted > 0,
            "MONOCHROME1, small samples are bright: turned over, so that large ones are".to_owned(),
        );
        let percent = 100.0 * self.padded as f64 / self.samples.max(1) as f64;
        let text = format!(
            "{} samples ({percent:.1} %) have the value of pixel padding: there are no data there (NaN)",
            self.padded
        );
        note(self.padded > 0, text);
        let text = format!(
            "pixels of {} files go on behind the frames that they count: what follows was ignored",
            self.longer
        );
        note(self.longer > 0, text);
    }
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

/// Decodes the picture of a plane.
fn decode_plane(object: &DefaultDicomObject, plane: &PlaneHeader, context: &Context) -> Result<PlaneSamples> {
    let fail = |fault: String| undecodable(plane, fault);
    let shape = Shape::of(object, whole_size(plane));
    if let Some(fault) = codestreams::fault(object, plane.frame, shape) {
        return Err(undecodable(plane, fault));
    }
    let _decoding = context.scratch((shape.pixels() * shape.channels * DECODING_BYTES) as u64)?;
    if let Some(floats) = native::floats(object, plane.frame, shape.pixels()) {
        return Ok(samples::of_floats(&floats.map_err(fail)?, object, plane));
    }
    let coding = Coding::of(object, shape).map_err(fail)?;
    if let Some(native) = native::frame(object, plane.frame, shape, coding.is_halved()) {
        let stored = Stored { bytes: &native.bytes, first_bit: native.first_bit, coding };
        return samples::of_stored(&stored, object, plane).map_err(fail);
    }
    let decoded = object.decode_pixel_data_frame(plane.frame).map_err(|error| broken(&plane.path, &error))?;
    let found = [decoded.columns() as usize, decoded.rows() as usize];
    let needed = (shape.pixels() * shape.channels * shape.bits).div_ceil(8);
    if found != shape.size || decoded.data().len() < needed {
        let got = format!("{} × {} pixels in {} bytes of {needed}", found[0], found[1], decoded.data().len());
        return Err(fail(got));
    }
    let coding = coding.decoded(&decoded, native::keeps_colours(object));
    let stored = Stored { bytes: decoded.data(), first_bit: 0, coding };
    samples::of_stored(&stored, object, plane).map_err(fail)
}
