//! Whether images that lie very near to each other are thin slices, or frames of one slice whose positions are not exact.

use crate::dicom::header::PlaneHeader;
use crate::read::context::Context;
use veloxel_core::WarningKind;

/// Planes nearer to each other lie in one slice, unless slices are that thin, mm.
const SAME_MM: f64 = 0.05;
/// Positions that differ by less are written with other digits, mm.
const EXACT_MM: f64 = 1e-4;
/// Distances of thin slices differ by less than this share.
const EVEN: f64 = 0.1;

/// How near planes of one slice lie to each other, mm; `placed` are the planes by their place along the normal.
///
/// Images less than 0.05 mm apart are thin slices if they lie at even distances, one each or the same number at each place,
/// and no trigger time or temporal index makes frames of them.
pub(super) fn same_mm(placed: &[(f64, PlaneHeader)], context: &mut Context) -> f64 {
    let places = places(placed);
    let steps: Vec<f64> = places.windows(2).map(|two| two[1].at_mm - two[0].at_mm).collect();
    let least = steps.iter().copied().fold(f64::INFINITY, f64::min);
    if least >= SAME_MM {
        return SAME_MM;
    }
    let is_even = steps.iter().all(|step| step - least < EVEN * least);
    let is_of_one_count = places.iter().all(|place| place.images == places[0].images);
    let has_frames = places[0].images == 1 && are_told_apart(placed);
    if is_even && is_of_one_count && !has_frames && places.len() > 2 {
        return EXACT_MM;
    }
    // All of them in one place, without times: what differs is where they lie.
    let spread = places[places.len() - 1].at_mm - places[0].at_mm;
    let is_one_slice = steps.iter().all(|step| *step < SAME_MM);
    if is_one_slice && spread > EXACT_MM && is_of_one_count && !has_frames && !is_timed(placed) {
        return EXACT_MM;
    }
    let text = format!(
        "positions of images differ by {least:.4} mm, less than {SAME_MM} mm: these are taken for frames of one slice"
    );
    context.note(WarningKind::Header, text);
    SAME_MM
}

/// Whether images differ in a time, or are frames of one film.
fn is_timed(placed: &[(f64, PlaneHeader)]) -> bool {
    let first = &placed[0].1;
    let differs = |image: &PlaneHeader| {
        image.trigger_ms != first.trigger_ms
            || image.temporal_index != first.temporal_index
            || image.film.is_some()
    };
    placed.iter().any(|(_, image)| differs(image))
}

/// Whether all images have a trigger time, or an index of their temporal position, and no two the same.
fn are_told_apart(placed: &[(f64, PlaneHeader)]) -> bool {
    let time = |image: &PlaneHeader| image.trigger_ms.or(image.temporal_index.map(|v| v as f64));
    let Some(mut times) = placed.iter().map(|(_, image)| time(image)).collect::<Option<Vec<f64>>>() else {
        return false;
    };
    times.sort_by(f64::total_cmp);
    times.windows(2).all(|two| two[0] != two[1])
}

/// Images that lie at one place.
struct Place {
    at_mm: f64,
    images: usize,
}

fn places(placed: &[(f64, PlaneHeader)]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for &(at_mm, _) in placed {
        match places.last_mut().filter(|place| at_mm - place.at_mm < EXACT_MM) {
            Some(place) => place.images += 1,
            None => places.push(Place { at_mm, images: 1 }),
        }
    }
    places
}
