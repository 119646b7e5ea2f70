//! Images at one place and time that are not the same: of these one part is taken, or the parts are listed.
//!
//! *Rule*: a value that differs between images at one place, or a component or a stack that differs anywhere, tells parts apart. The part that is
//! asked for is taken; else the magnitude, where one part alone is that. All others are an error that lists the parts.
//! An image that is there twice, by its UID or by its pixels, counts once.

use super::Slice;
use crate::dicom::header::PlaneHeader;
use crate::dicom::header::kind::{Kind, MAGNITUDE, NAMES, STACK};
use crate::error::Result;
use crate::read::context::Context;
use std::collections::{BTreeMap, HashSet};
use veloxel_core::WarningKind;

/// Parts that a message lists.
const MOST_LISTED: usize = 16;
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

/// Keeps one part of the images at each place.
pub(super) fn one_part(slices: &mut Vec<Slice>, context: &mut Context) -> Result<()> {
    let differing: Vec<usize> = (0..NAMES.len()).filter(|&nth| differs(slices, nth)).collect();
    if differing.is_empty() {
        return Ok(());
    }
    let mut parts: BTreeMap<String, (Kind, usize)> = BTreeMap::new();
    for plane in slices.iter().flat_map(|slice| &slice.planes) {
        let part = parts.entry(plane.kind.label(&differing));
        part.or_insert_with(|| ((*plane.kind).clone(), 0)).1 += 1;
    }
    let labels: Vec<&String> = parts.keys().collect();
    let listed = |skip: Option<usize>| {
        let others = labels.iter().enumerate().filter(|(nth, _)| Some(*nth) != skip);
        let told = others
            .take(MOST_LISTED)
            .map(|(nth, label)| format!("{} {label} ({} images)", nth + 1, parts[*label].1));
        let told = told.collect::<Vec<_>>().join("; ");
        if labels.len() > MOST_LISTED {
            format!("{told}; and {} more", labels.len() - MOST_LISTED)
        } else {
            told
        }
    };
    let asked = context.reading.options.part;
    let chosen = match asked {
        Some(asked) => {
            let found = labels.iter().enumerate().position(|(nth, label)| asked.is(nth + 1, label));
            Some(found.ok_or_else(|| context.malformed("part asked for", listed(None), asked))?)
        }
        None => {
            let is_magnitude = |label: &&&String| *parts[**label].0.0[COMPONENT] == *MAGNITUDE;
            match &labels.iter().filter(is_magnitude).collect::<Vec<_>>()[..] {
                [one] => labels.iter().position(|label| label == *one),
                _ => None,
            }
        }
    };
    let Some(chosen) = chosen else {
        let what = format!("images of {} kinds at one place, which are not frames over time", labels.len());
        let hint = "name one part by its number, as in folder@part:1";
        return Err(context.ambiguous(what, listed(None), hint));
    };
    let label = labels[chosen].clone();
    if asked.is_none() {
        let others = listed(Some(chosen));
        let text = format!(
            "images of {} kinds lie at one place: {label} is taken; others are named as in folder@part:1: {others}",
            labels.len()
        );
        context.note(WarningKind::Header, text);
    }
    for slice in slices.iter_mut() {
        slice.planes.retain(|plane| plane.kind.label(&differing) == label);
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
