//! The choice of one series, and of images of one shape and orientation in it.

use super::header::PlaneHeader;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::reading::SeriesChoice;
use veloxel_core::Hint;

/// Directions that differ by less are one.
const DIRECTION: f64 = 1e-3;

/// Keeps the images of one series: the one that is asked for, or the only one.
///
/// # Errors
/// [`IoError::Ambiguous`](crate::IoError::Ambiguous) with the series that there are; [`IoError::Malformed`](crate::IoError::Malformed) if none is the one asked for.
pub(super) fn choose(images: &mut Vec<PlaneHeader>, context: &mut Context) -> Result<()> {
    let mut uids: Vec<String> = Vec::new();
    for image in images.iter() {
        if !uids.contains(&image.series_uid) {
            uids.push(image.series_uid.clone());
        }
    }
    let list = |uids: &[String], images: &[PlaneHeader]| -> String {
        uids.iter().map(|uid| describe(uid, images)).collect::<Vec<_>>().join("; ")
    };
    let chosen: Vec<String> = match context.reading.options.series {
        None => uids.clone(),
        Some(choice) => uids.iter().filter(|uid| is(choice, uid, images)).cloned().collect(),
    };
    match &chosen[..] {
        [_] => {}
        [] => {
            let asked = context.reading.options.series.map(|choice| choice.to_string()).unwrap_or_default();
            return Err(context.malformed("series asked for", list(&uids, images), asked));
        }
        several => {
            let (what, list) = (format!("{} series", several.len()), list(several, images));
            return Err(context
                .ambiguous(what, list, "say which, by its number or its UID")
                .about(Hint::Series));
        }
    }
    images.retain(|image| image.series_uid == chosen[0]);
    one_shape(images, context)
}

/// Keeps the shape and orientation that most images have; the others are said.
fn one_shape(images: &mut Vec<PlaneHeader>, context: &mut Context) -> Result<()> {
    let is_like = |a: &PlaneHeader, b: &PlaneHeader| {
        let directions = match (a.orientation, b.orientation) {
            (Some(a), Some(b)) => (0..2).all(|r| (0..3).all(|k| (a[r][k] - b[r][k]).abs() < DIRECTION)),
            (None, None) => true,
            _ => false,
        };
        a.size == b.size && directions
    };
    let count = |like: &PlaneHeader| images.iter().filter(|image| is_like(image, like)).count();
    let mut kinds: Vec<(PlaneHeader, usize)> = Vec::new();
    for image in images.iter() {
        if !kinds.iter().any(|(kind, _)| is_like(kind, image)) {
            kinds.push((image.clone(), count(image)));
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (most, most_count) = kinds[0].clone();
    if kinds.len() > 1 && kinds[1].1 == most_count {
        let kind =
            |(kind, count): &(PlaneHeader, usize)| format!("{count} of {} × {}", kind.size[0], kind.size[1]);
        let list = kinds.iter().map(kind).collect::<Vec<_>>().join("; ");
        let hint = "put those that belong together into a folder of their own";
        return Err(context.ambiguous("images of several shapes or orientations".to_owned(), list, hint));
    }
    let left = images.len() - most_count;
    if left > 0 {
        let [w, h] = most.size;
        let text = format!(
            "{left} images of another shape or orientation than the {most_count} of {w} × {h} were left out"
        );
        context.note(veloxel_core::WarningKind::Header, text);
    }
    images.retain(|image| is_like(image, &most));
    Ok(())
}

fn is(choice: SeriesChoice, uid: &str, images: &[PlaneHeader]) -> bool {
    let number = images.iter().find(|image| image.series_uid == uid).and_then(|image| image.series_number);
    choice.is(uid, number)
}

/// `number 5 (MR, 400 images of 256 × 256, 1.2.840…)`; descriptions are free text and may name people.
fn describe(uid: &str, images: &[PlaneHeader]) -> String {
    let own: Vec<&PlaneHeader> = images.iter().filter(|image| image.series_uid == uid).collect();
    let number = own[0].series_number.map_or("without a number".to_owned(), |n| format!("number {n}"));
    let [w, h] = own[0].size;
    format!("{number} ({}, {} images of {w} × {h}, UID {uid})", own[0].modality, own.len())
}
