//! Images at one place and time that are not the same: of these one part is taken, or the parts are listed.
//!
//! *Rule*: a value that differs between images at one place, or a component or a stack that differs anywhere, tells parts apart. The part that is
//! asked for is taken; else the magnitude, where one part alone is that. All others are an error that lists the parts.
//! An image that is there twice, by its UID or by its pixels, counts once.

use super::Slice;
use crate::dicom::header::PlaneHeader;
use crate::dicom::header::kind::{MAGNITUDE, NAMES, STACK};
use crate::dicom::series::listed;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::reading::PartChoice;
use std::collections::{BTreeMap, HashSet};
use veloxel_core::WarningKind;

/// What helps where several parts are there.
pub(in crate::dicom) const NAME_ONE: &str = "name one part by its number, as in folder@part:1";
/// Which of the values is the component.
const COMPONENT: usize = 0;

/// Drops images whose file, by its UID, is there twice.
pub(super) fn without_copies(images: Vec<PlaneHeader>, context: &mut Context) -> Vec<PlaneHeader> {
    let before = images.len();
    let mut seen = HashSet::new();
    let bits = |v: Option<f64>| v.map(f64::to_bits);
    let images: Vec<PlaneHeader> = images
        .into_iter()
        .filter(|image| {
            let place = image.position_mm.map(|p| p.map(f64::to_bits));
            let time = (bits(image.trigger_ms), image.temporal_index, image.instance);
            let tile = image.tile.map(|tile| tile.at);
            image.image_uid.is_empty()
                || seen.insert((image.image_uid.clone(), image.frame, place, time, tile))
        })
        .collect();
    let copies = before - images.len();
    if copies > 0 {
        let text = format!("{copies} images are there twice, with the same UID: they count once");
        context.note(WarningKind::Header, text);
    }
    images
}

/// Images that have the same values wherever images differ.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::dicom) struct Part {
    /// What they have in common; empty where all images are of one part.
    pub label: String,
    pub images: usize,
}

impl Part {
    /// How a list shows it under its number, from 1.
    pub fn shown(&self, number: usize) -> String {
        format!("{number} {} ({} images)", self.label, self.images)
    }
}

/// The parts of images, by their labels; none where nothing tells them apart.
pub(super) fn parts(slices: &[Slice]) -> Vec<Part> {
    let differing = differing(slices);
    if differing.is_empty() {
        return Vec::new();
    }
    let mut parts: BTreeMap<String, usize> = BTreeMap::new();
    for plane in slices.iter().flat_map(|slice| &slice.planes) {
        *parts.entry(plane.kind.label(&differing)).or_default() += 1;
    }
    parts.into_iter().map(|(label, images)| Part { label, images }).collect()
}

/// Which values tell images apart.
fn differing(slices: &[Slice]) -> Vec<usize> {
    (0..NAMES.len()).filter(|&nth| differs(slices, nth)).collect()
}

/// Keeps one part of the images at each place: the one that is asked for, else the magnitude.
///
/// # Errors
/// [`IoError::Ambiguous`](crate::IoError::Ambiguous) with the parts that there are; [`IoError::Malformed`](crate::IoError::Malformed) if none is the one asked for.
pub(super) fn one_part(
    slices: &mut Vec<Slice>,
    asked: Option<PartChoice>,
    context: &mut Context,
) -> Result<()> {
    let (parts, differing) = (parts(slices), differing(slices));
    if parts.is_empty() {
        let (expected, got) = ("1: all images are of one part", asked.map(|asked| asked.to_string()));
        return context.require(
            asked.is_none_or(|asked| asked.is(1, "")),
            "part asked for",
            expected,
            got.unwrap_or_default(),
        );
    }
    let list = |skip: Option<usize>| {
        let others = parts.iter().enumerate().filter(|(nth, _)| Some(*nth) != skip);
        let count = parts.len() - usize::from(skip.is_some());
        listed(others.map(|(nth, part)| part.shown(nth + 1)), count)
    };
    let chosen = match asked {
        Some(asked) => {
            let found = (1..).zip(&parts).position(|(number, part)| asked.is(number, &part.label));
            Some(found.ok_or_else(|| context.malformed("part asked for", list(None), asked))?)
        }
        None => {
            let planes = slices.iter().flat_map(|slice| &slice.planes);
            let is_magnitude = |label: &str| {
                let of_part = planes.clone().find(|plane| plane.kind.label(&differing) == label);
                of_part.is_some_and(|plane| *plane.kind.0[COMPONENT] == *MAGNITUDE)
            };
            let magnitudes: Vec<usize> =
                (0..parts.len()).filter(|&nth| is_magnitude(&parts[nth].label)).collect();
            <[usize; 1]>::try_from(magnitudes).ok().map(|[one]| one)
        }
    };
    let Some(chosen) = chosen else {
        let what = format!("images of {} kinds at one place, which are not frames over time", parts.len());
        return Err(context.ambiguous(what, list(None), NAME_ONE));
    };
    let label = &parts[chosen].label;
    if asked.is_none() {
        let (count, others) = (parts.len(), list(Some(chosen)));
        let text = format!(
            "images of {count} kinds lie at one place: {label} is taken; others are named as in folder@part:1: {others}"
        );
        context.note(WarningKind::Header, text);
    }
    for slice in slices.iter_mut() {
        slice.planes.retain(|plane| plane.kind.label(&differing) == *label);
    }
    slices.retain(|slice| !slice.planes.is_empty());
    Ok(())
}

/// Whether a value tells images apart.
fn differs(slices: &[Slice], nth: usize) -> bool {
    let value = |plane: &PlaneHeader| plane.kind.0[nth].clone();
    if nth == COMPONENT || nth == STACK {
        let mut all = slices.iter().flat_map(|slice| &slice.planes);
        let first = all.next().map(value);
        return all.any(|plane| Some(value(plane)) != first);
    }
    slices.iter().any(|slice| slice.planes.iter().any(|plane| value(plane) != value(&slice.planes[0])))
}
