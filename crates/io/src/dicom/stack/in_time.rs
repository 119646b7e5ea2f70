//! The images of a slice in order of time, and the time between them.
//!
//! *Rule*: trigger times, positions in time, times of acquisition, then numbers; the first that all have and in which all differ.
//! Images that share a time with as many others as every image does are no frames; neither are those of a computed tomography that
//! nothing but numbers tells apart.

use super::{Slice, copies};
use crate::dicom::Open;
use crate::dicom::header::{PlaneHeader, time};
use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::WarningKind;

/// Modalities whose images at one place have times, where they are frames.
const TIMED: [&str; 3] = ["CT", "PT", "NM"];

/// Times between frames may differ from their mean by this share, and by the rounding of two times to whole milliseconds.
const UNEVEN: f64 = 0.1;
const ROUNDING_MS: f64 = 1.0;

/// What orders images, by its name.
struct Key {
    name: &'static str,
    of: fn(&PlaneHeader) -> Option<f64>,
}

/// Times, which images made at once share.
const TIMES: [Key; 3] = [
    Key { name: "trigger time", of: |plane| plane.trigger_ms },
    Key { name: "index of their temporal position", of: |plane| plane.temporal_index.map(|v| v as f64) },
    Key { name: "acquisition time", of: |plane| plane.acquired_s },
];
/// Numbers, which no two images share.
const NUMBERS: [Key; 2] = [
    Key { name: "instance number", of: |plane| plane.instance.map(|v| v as f64) },
    Key { name: "place in their file", of: |plane| (plane.frames > 1).then_some(f64::from(plane.frame)) },
];

/// Orders the images of every slice.
pub(super) fn order(slices: &mut [Slice], open: Open<'_>, context: &mut Context) -> Result<()> {
    let mut times: Vec<Option<f64>> =
        slices.iter().flat_map(|slice| &slice.planes).map(|plane| plane.acquired_s).collect();
    if time::over_midnight(&mut times) {
        let planes = slices.iter_mut().flat_map(|slice| &mut slice.planes);
        planes.zip(times).for_each(|(plane, time)| plane.acquired_s = time);
        context
            .note(WarningKind::Header, "acquisition went on over midnight: later times are of the next day");
    }
    let mut copies = 0;
    for slice in slices.iter_mut() {
        let is_timed = slice.planes.len() < 2 || TIMES.iter().any(|key| is_told_by(slice, key));
        if !is_timed {
            copies += copies::drop_copies(&mut slice.planes, open, context)?;
        }
    }
    if copies > 0 {
        let text =
            format!("{copies} images have the pixels of others at the same place and time: they count once");
        context.note(WarningKind::Header, text);
    }
    slices.iter_mut().try_for_each(|slice| in_time(slice, context))
}

/// Whether all images of a slice have a value, and no two the same.
fn is_told_by(slice: &Slice, key: &Key) -> bool {
    let times: Option<Vec<f64>> = slice.planes.iter().map(key.of).collect();
    let Some(mut times) = times else { return false };
    times.sort_by(f64::total_cmp);
    times.windows(2).all(|two| two[0] != two[1])
}

/// How many images share each time, where there are several times, and as many images at each; none otherwise.
fn at_each_time(slice: &Slice, key: &Key) -> Option<usize> {
    let mut times: Vec<f64> = slice.planes.iter().map(key.of).collect::<Option<_>>()?;
    times.sort_by(f64::total_cmp);
    let groups: Vec<usize> = times.chunk_by(|a, b| a == b).map(<[f64]>::len).collect();
    (groups.len() > 1 && groups[0] > 1 && groups.iter().all(|count| *count == groups[0])).then_some(groups[0])
}

fn in_time(slice: &mut Slice, context: &mut Context) -> Result<()> {
    if slice.planes.len() < 2 {
        return Ok(());
    }
    let at = slice.along_mm;
    let by_time = TIMES.iter().position(|key| is_told_by(slice, key));
    if by_time.is_none() && slice.planes[0].film.is_none() {
        if let Some((count, key)) = TIMES.iter().find_map(|key| Some((at_each_time(slice, key)?, key))) {
            let got = format!("{count} images of each {} at {at:.2} mm", key.name);
            return Err(context.malformed("the frames of a slice", "one image at a time", got));
        }
        if TIMED.contains(&slice.planes[0].modality.as_str()) {
            let got = format!("{} images at {at:.2} mm without times of their own", slice.planes.len());
            let expected = "one image, or times that differ (several reconstructions are no frames)";
            return Err(context.malformed("the images at one place", expected, got));
        }
    }
    let numbers = NUMBERS.iter().position(|key| is_told_by(slice, key));
    let key = match (by_time, numbers) {
        (Some(nth), _) => &TIMES[nth],
        (None, Some(nth)) => &NUMBERS[nth],
        (None, None) => {
            let got = format!("{} images at {at:.2} mm that nothing tells apart", slice.planes.len());
            let expected = "trigger times, or instance numbers, that differ";
            return Err(context.malformed("the frames of a slice", expected, got));
        }
    };
    slice.planes.sort_by(|a, b| (key.of)(a).unwrap_or(0.0).total_cmp(&(key.of)(b).unwrap_or(0.0)));
    if by_time != Some(0) && slice.planes[0].frames == 1 {
        context.assume(format!(
            "no trigger times that tell the images of a slice apart: frames are in order of {}",
            key.name
        ))?;
    }
    Ok(())
}

/// The mean time between frames of the slices; none where the frames of a slice follow each other at several distances.
pub(super) fn interval_ms(planes: &[Option<Vec<PlaneHeader>>], context: &mut Context) -> Option<f64> {
    if let Some(film) = planes.iter().flatten().next()?.first()?.film {
        if film.is_uneven {
            context.note(WarningKind::Header, "the times between frames differ: one interval is not known");
        }
        if film.is_shown_rate {
            let text = "the time between frames is that of the recommended display: they may have been taken at another rate";
            context.note(WarningKind::Header, text);
        }
        return film.frame_ms;
    }
    let mut is_uneven = false;
    let mut of = |slice: &Vec<PlaneHeader>| {
        let times: Vec<f64> = slice.iter().map(|plane| plane.trigger_ms).collect::<Option<_>>()?;
        let mean = (times.last()? - times.first()?) / (times.len() - 1).max(1) as f64;
        let beside = |two: &[f64]| (two[1] - two[0] - mean).abs();
        let most = (UNEVEN * mean).max(ROUNDING_MS);
        is_uneven |= times.windows(2).any(|two| beside(two) > most);
        (mean > 0.0).then_some(mean)
    };
    let all: Vec<f64> = planes.iter().flatten().filter_map(&mut of).collect();
    if is_uneven {
        context.note(WarningKind::Header, "the times between frames differ: one interval is not known");
        return None;
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let (least, most) = all.iter().fold((mean, mean), |(least, most), ms| (ms.min(least), ms.max(most)));
    if most - least > UNEVEN * mean {
        let text = format!(
            "the time between frames differs from slice to slice, {least:.1} to {most:.1} ms: their mean is taken"
        );
        context.note(WarningKind::Header, text);
    }
    (!all.is_empty()).then_some(mean)
}
