//! Slices at equal steps: the step from one position to the next, which may lead aside, and the slices that are missing.
//!
//! *Rule*: the step is the difference of positions. Slices whose distances are multiples of the least one have holes between them;
//! all other uneven distances are an error, and so are shifts within the planes that differ from slice to slice.

use super::Slice;
use crate::dicom::header::PlaneHeader;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::{cross, length};
use veloxel_core::WarningKind;

/// Share of a step by which a slice may lie beside its place.
const EVEN: f64 = 0.1;
/// The same share, with a word.
const EXACT: f64 = 0.02;
/// Steps that lead aside by less than this share are rounding.
const ASIDE: f64 = 5e-4;
/// A step that leads aside by more than this many times its way along the normal is none.
const MOST_ASIDE: f64 = 2.0;
/// Share of a pixel by which a slice may lie beside its place within its plane.
const PIXEL_SHARE: f64 = 0.1;
/// Rounding of positions, mm.
const ROUNDING_MM: f64 = 0.02;
/// Slices that are told one by one; of the others their number is told.
const MOST_SAID: usize = 32;

/// Slices at equal steps.
pub(super) struct Even {
    /// It is none where one is missing.
    pub planes: Vec<Option<Vec<PlaneHeader>>>,
    /// From one slice to the next, along the normal, mm.
    pub distance_mm: Option<f64>,
    /// The step as a vector, where it is not along the normal.
    pub step_mm: Option<[f64; 3]>,
}

/// Puts slices in their places; those without planes are missing.
pub(super) fn evenly(slices: Vec<Slice>, context: &mut Context) -> Result<Even> {
    let along: Vec<f64> = slices.iter().map(|slice| slice.along_mm).collect();
    let steps: Vec<f64> = along.windows(2).map(|two| two[1] - two[0]).collect();
    let Some(least) = steps.iter().copied().min_by(f64::total_cmp) else {
        let planes = slices.into_iter().map(|slice| Some(slice.planes)).collect();
        return Ok(Even { planes, distance_mm: None, step_mm: None });
    };
    let between = slices.iter().flat_map(|slice| &slice.planes).next().and_then(|plane| plane.between_mm);
    let found = places(&along, least).or_else(|| places(&along, between.filter(|h| *h < least)?));
    let Some((places, distance_mm)) = found else {
        let most = steps.iter().copied().fold(0.0, f64::max);
        let got = format!("{least:.3} to {most:.3} mm");
        return Err(context.malformed("distances of slices", "equal ones, or multiples of the least", got));
    };
    // The header's own number carries less rounding.
    let is_said = |h: &f64| (h - distance_mm).abs() < 1e-6 * distance_mm;
    let distance_mm = between.filter(is_said).unwrap_or(distance_mm);
    let beside = |(at, place): (&f64, &usize)| (at - along[0] - *place as f64 * distance_mm).abs();
    let worst = along.iter().zip(&places).map(beside).fold(0.0, f64::max);
    if worst > EXACT * distance_mm {
        context.assume(format!(
            "its slices lie up to {worst:.3} mm beside even places: {distance_mm:.3} mm is assumed for all"
        ))?;
    }
    let step_mm = aside(&slices, &places, context)?;
    let mut planes: Vec<Option<Vec<PlaneHeader>>> = vec![None; places.last().map_or(0, |last| last + 1)];
    for (slice, &place) in slices.into_iter().zip(&places) {
        planes[place] = Some(slice.planes).filter(|planes| !planes.is_empty());
    }
    tell_missing(&planes, along[0], distance_mm, context);
    if let Some(between) = between.filter(|h| (h - distance_mm).abs() > EVEN * distance_mm) {
        let text = format!(
            "SpacingBetweenSlices says {between:.3} mm, the positions {distance_mm:.3} mm: the positions count"
        );
        context.note(WarningKind::Header, text);
    }
    Ok(Even { planes, distance_mm: Some(distance_mm), step_mm })
}

fn tell_missing(planes: &[Option<Vec<PlaneHeader>>], begin_mm: f64, distance_mm: f64, context: &mut Context) {
    let missing = planes.iter().enumerate().filter(|(_, planes)| planes.is_none());
    for (nth, _) in missing.clone().take(MOST_SAID) {
        let at = begin_mm + distance_mm * nth as f64;
        let text = format!("slice {nth}, at {at:.2} mm, is missing: there are no data there (NaN)");
        context.note(WarningKind::Header, text);
    }
    let unsaid = missing.skip(MOST_SAID).count();
    if unsaid > 0 {
        let text = format!("{unsaid} more slices are missing: there are no data there (NaN)");
        context.note(WarningKind::Header, text);
    }
}

/// The places of slices at multiples of a distance, and the mean distance; none where they do not lie there, or where most are missing.
fn places(along: &[f64], distance: f64) -> Option<(Vec<usize>, f64)> {
    let (first, last) = (*along.first()?, *along.last()?);
    let total = ((last - first) / distance).round();
    // Slices may lie so far apart that their number has no end.
    if !(1.0..=4.0 * along.len() as f64).contains(&total) {
        return None;
    }
    // The least of uneven distances is no measure for many: the mean is.
    let count = (along.len() - 1) as f64;
    let candidates = [(last - first) / total, (last - first) / count];
    candidates.into_iter().find_map(|mean| {
        let places: Vec<f64> = along.iter().map(|at| ((at - first) / mean).round()).collect();
        let is_there = |(at, place): (&f64, &f64)| (at - first - place * mean).abs() < EVEN * mean;
        let rises = places.windows(2).all(|two| two[1] > two[0]);
        let is_even = rises && along.iter().zip(&places).all(is_there);
        is_even.then(|| (places.into_iter().map(|place| place as usize).collect(), mean))
    })
}

/// The step from slice to slice, where it leads aside of the normal.
fn aside(slices: &[Slice], places: &[usize], context: &mut Context) -> Result<Option<[f64; 3]>> {
    let placed: Option<Vec<[f64; 3]>> = slices.iter().map(|slice| slice.corner_mm).collect();
    let (Some(corners), Some([rows, columns])) = (placed, slices[0].orientation) else { return Ok(None) };
    let last = corners.len() - 1;
    let count = places[last] as f64;
    let step = [0, 1, 2].map(|k| (corners[last][k] - corners[0][k]) / count);
    let in_plane = |v: [f64; 3]| {
        let dot = |a: [f64; 3]| (0..3).map(|k| a[k] * v[k]).sum::<f64>();
        dot(rows).hypot(dot(columns))
    };
    let pixel = slices.iter().find_map(|slice| slice.planes.first()?.spacing_mm).unwrap_or([1.0; 2]);
    let most = (PIXEL_SHARE * pixel[0].min(pixel[1])).max(ROUNDING_MM);
    for (slice, (corner, &place)) in corners.iter().zip(places).enumerate() {
        let beside = in_plane([0, 1, 2].map(|k| corner[k] - corners[0][k] - place as f64 * step[k]));
        if beside > most {
            let got = format!("slice {slice} shifted by {beside:.2} mm beside the others");
            return Err(context.malformed("positions of slices", "equal shifts within their planes", got));
        }
    }
    let normal = cross(rows, columns);
    let along = (0..3).map(|k| step[k] * normal[k]).sum::<f64>() / length(normal);
    let sideways = in_plane(step);
    if sideways <= ASIDE * along {
        return Ok(None);
    }
    if sideways > MOST_ASIDE * along {
        let got = format!("{sideways:.2} mm aside for {along:.2} mm along the normal");
        return Err(context.malformed("steps from slice to slice", "steps along the normal", got));
    }
    let text = format!(
        "each slice lies {sideways:.3} mm aside of the one before, within its plane (gantry tilt, or a shifted stack): the grid is sheared as they lie"
    );
    context.note(WarningKind::Header, text);
    Ok(Some(step))
}
