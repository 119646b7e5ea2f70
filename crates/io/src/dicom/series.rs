//! The choice of one series.

use super::header::PlaneHeader;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::input::series_info::SeriesInfo;
use crate::read::reading::SeriesChoice;
use std::collections::HashMap;
use veloxel_core::Hint;

/// Series that a message lists.
const MOST_LISTED: usize = 16;

/// A series: its first image, how many it has, and in how many files.
#[derive(Debug, Clone, Copy)]
struct Series {
    first: usize,
    count: usize,
    files: usize,
}

/// Whether images are of several series, where none is chosen.
pub(super) fn are_several(images: &[PlaneHeader], choice: Option<SeriesChoice>) -> bool {
    choice.is_none() && images.iter().any(|image| image.series_uid != images[0].series_uid)
}

/// The series of images, by their numbers.
pub(super) fn listing(images: &[PlaneHeader]) -> Vec<SeriesInfo> {
    let info = |series: &Series| {
        let first = &images[series.first];
        SeriesInfo {
            number: first.series_number,
            uid: first.series_uid.clone(),
            modality: first.modality.clone(),
            description: first.description.clone(),
            size: first.size,
            images: series.count,
            files: series.files,
        }
    };
    let mut all: Vec<SeriesInfo> = counted(images).iter().map(info).collect();
    all.sort_by_key(|series| series.number);
    all
}

/// The series of images, in the order in which they come.
fn counted(images: &[PlaneHeader]) -> Vec<Series> {
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    let mut all: Vec<Series> = Vec::new();
    for (first, image) in images.iter().enumerate() {
        let place = *place_of.entry(&image.series_uid).or_insert(all.len());
        match all.get_mut(place) {
            Some(series) => {
                series.count += 1;
                series.files += usize::from(image.frame == 0);
            }
            None => all.push(Series { first, count: 1, files: 1 }),
        }
    }
    all
}

/// The first of `count` texts, and how many follow.
pub(super) fn listed(texts: impl Iterator<Item = String>, count: usize) -> String {
    let shown = texts.take(MOST_LISTED).collect::<Vec<_>>().join("; ");
    if count > MOST_LISTED { format!("{shown}; and {} more", count - MOST_LISTED) } else { shown }
}

/// Keeps the images of one series: the one that is asked for, or the only one.
///
/// # Errors
/// [`IoError::Ambiguous`](crate::IoError::Ambiguous) with the series that there are; [`IoError::Malformed`](crate::IoError::Malformed) if none is the one asked for.
pub(super) fn choose(
    images: &mut Vec<PlaneHeader>,
    choice: Option<SeriesChoice>,
    context: &Context,
) -> Result<()> {
    let all = counted(images);
    let list = |series: &[Series]| listed(series.iter().map(|one| describe(one, images)), series.len());
    let chosen: Vec<Series> = match choice {
        None => all.clone(),
        Some(choice) => all.iter().copied().filter(|one| is(choice, &images[one.first])).collect(),
    };
    match &chosen[..] {
        [_] => {}
        [] => {
            let asked = choice.map(|choice| choice.to_string()).unwrap_or_default();
            return Err(context.malformed("series asked for", list(&all), asked));
        }
        several => {
            let (what, list) = (format!("{} series", several.len()), list(several));
            return Err(context
                .ambiguous(what, list, "say which, by its number or its UID")
                .about(Hint::Series));
        }
    }
    let uid = images[chosen[0].first].series_uid.clone();
    images.retain(|image| image.series_uid == uid);
    Ok(())
}

fn is(choice: SeriesChoice, first: &PlaneHeader) -> bool {
    choice.is(&first.series_uid, first.series_number)
}

/// `number 5, "cine SAX" (MR, 400 images of 256 × 256 in 400 files, UID 1.2.840…)`.
fn describe(series: &Series, images: &[PlaneHeader]) -> String {
    let first = &images[series.first];
    let number = first.series_number.map_or("without a number".to_owned(), |n| format!("number {n}"));
    let description = match first.description.as_str() {
        "" => String::new(),
        text => format!(", {text:?}"),
    };
    let ([w, h], uid, modality) = (first.size, &first.series_uid, &first.modality);
    let (images, files) = (series.count, series.files);
    format!("{number}{description} ({modality}, {images} images of {w} × {h} in {files} files, UID {uid})")
}
