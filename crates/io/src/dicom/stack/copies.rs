//! Images at one place with the same pixels: a series that was exported twice has new UIDs and numbers, and the same pixels.

use crate::dicom::Open;
use crate::dicom::header::PlaneHeader;
use crate::error::Result;
use crate::read::context::Context;
use dicom_core::value::Value;
use dicom_dictionary_std::tags;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Drops images whose pixels are those of one before, where that leaves the same number of copies of each; how many.
pub(super) fn drop_copies(planes: &mut Vec<PlaneHeader>, open: Open<'_>, context: &Context) -> Result<usize> {
    // Frames of a file are no copies of it.
    if planes.iter().any(|plane| plane.frames > 1) {
        return Ok(0);
    }
    let mut sums = Vec::with_capacity(planes.len());
    for plane in planes.iter() {
        context.check()?;
        sums.push(pixel_sum(plane, open, context)?);
    }
    let is_copy = |nth: usize| sums[..nth].contains(&sums[nth]);
    let copies = (0..planes.len()).filter(|&nth| is_copy(nth)).count();
    let of_each = |sum: &u64| sums.iter().filter(|other| *other == sum).count();
    // A film may have frames that are alike; a second export has all of them twice.
    if copies == 0 || sums.iter().any(|sum| of_each(sum) != of_each(&sums[0])) {
        return Ok(0);
    }
    let mut nth = 0;
    planes.retain(|_| {
        nth += 1;
        !is_copy(nth - 1)
    });
    Ok(copies)
}

fn pixel_sum(plane: &PlaneHeader, open: Open<'_>, context: &Context) -> Result<u64> {
    let opened = open(&plane.path, context)?;
    let mut hasher = DefaultHasher::new();
    for tag in [tags::PIXEL_DATA, tags::FLOAT_PIXEL_DATA, tags::DOUBLE_FLOAT_PIXEL_DATA] {
        match opened.object.get(tag).map(|element| element.value()) {
            Some(Value::Primitive(value)) => value.to_bytes().hash(&mut hasher),
            Some(Value::PixelSequence(fragments)) => fragments.fragments().hash(&mut hasher),
            _ => {}
        }
    }
    (plane.slope.to_bits(), plane.intercept.to_bits(), plane.tile.map(|tile| tile.at)).hash(&mut hasher);
    Ok(hasher.finish())
}
