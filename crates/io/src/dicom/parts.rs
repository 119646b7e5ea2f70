//! Several series, or frames of one, as one cine: the frames of each input after those of the input before.

use super::header::PlaneHeader;
use super::{DicomSeries, assembled, files, from_disk};
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::input::Input;
use crate::tables::cine_place::{CineImage, CineSpot};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use veloxel_core::Warnings;

/// Reads every input by itself, of the headers of all; the time between frames is known where there is one input.
///
/// # Errors
/// As for one series; [`IoError::NoSuchFrame`]; [`IoError::Core`] for an input that lies elsewhere than the first.
pub(super) fn joined(inputs: &[Input], images: &[PlaneHeader], context: &mut Context) -> Result<DicomSeries> {
    let mut all = DicomSeries {
        frames: Vec::new(),
        frame_interval_ms: None,
        images: Vec::new(),
        sample_type: String::new(),
    };
    for input in inputs {
        let part = part(input, images, context)?;
        let offset = all.frames.len();
        if let (Some(first), Some(own)) = (all.frames.first(), part.frames.first()) {
            let same = first.grid().require_same(own.grid(), "the first series and this one");
            same.map_err(IoError::core(&input.path))?;
        }
        let moved = part.images.into_iter().map(|image| {
            let spot = image.spot.map(|spot| CineSpot { frame: spot.frame + offset, ..spot });
            CineImage { spot, ..image }
        });
        all.images.extend(moved);
        all.frames.extend(part.frames);
        all.sample_type = part.sample_type;
        all.frame_interval_ms = if inputs.len() == 1 { part.frame_interval_ms } else { None };
    }
    forget_ambiguous(&mut all.images);
    Ok(all)
}

/// Forgets what several images are called alike: an outline of that name or number has no certain place.
fn forget_ambiguous(images: &mut [CineImage]) {
    let (mut stems, mut instances) = (HashMap::<String, usize>::new(), HashMap::<i64, usize>::new());
    for image in images.iter().filter(|image| image.spot.is_some()) {
        *stems.entry(image.stem.clone()).or_default() += 1;
        if let Some(instance) = image.instance {
            *instances.entry(instance).or_default() += 1;
        }
    }
    for image in images {
        image.instance = image.instance.filter(|instance| instances.get(instance).is_none_or(|n| *n < 2));
        image.spot = image.spot.filter(|_| stems.get(&image.stem).is_none_or(|n| *n < 2));
    }
}

/// The frames of one input that are asked for.
fn part(input: &Input, images: &[PlaneHeader], context: &mut Context) -> Result<DicomSeries> {
    let own: HashSet<PathBuf> = files::of(&input.path, context)?.into_iter().collect();
    let images: Vec<PlaneHeader> =
        images.iter().filter(|image| own.contains(&*image.path)).cloned().collect();
    if images.is_empty() {
        return Err(IoError::malformed(&input.path, "DICOM", "an image at least", "none"));
    }
    let choice = input.series.or(context.reading.options.series);
    let mut warnings = Warnings::new();
    let mut series = {
        let mut reading = context.reading.clone();
        reading.options.part = input.part.or(reading.options.part);
        let mut own = Context::new(&input.path, reading, &mut warnings);
        assembled(images, choice, &from_disk, &mut own)?
    };
    context.pass_on(warnings);
    chosen(&mut series, input)?;
    let bytes: u64 = series.frames.iter().map(|frame| size_of_val(frame.data()) as u64).sum();
    context.claim(bytes)?;
    Ok(series)
}

/// Keeps the frames that an input asks for; the files of the others have no place in the cine then.
fn chosen(series: &mut DicomSeries, input: &Input) -> Result<()> {
    let Some(selection) = input.frames else { return Ok(()) };
    input.require(series.frames.len())?;
    let numbers = selection.of(series.frames.len());
    for image in &mut series.images {
        image.spot = image
            .spot
            .and_then(|spot| numbers.binary_search(&spot.frame).ok().map(|frame| CineSpot { frame, ..spot }));
    }
    series.frames = input.taken(std::mem::take(&mut series.frames))?;
    series.frame_interval_ms = series.frame_interval_ms.map(|ms| ms * selection.step() as f64);
    Ok(())
}
