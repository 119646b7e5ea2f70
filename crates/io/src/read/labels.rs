//! Labels as the whole numbers that they are in the file: those of volume formats never become 32-bit floats.

use super::{Context, Input, Reader, Reading, Source};
use crate::error::{IoError, Result};
use crate::formats::lookup::{has_grid, is_store, require_to_read};
use crate::read::element::{ByteOrder, Element, Scaling};
use crate::read::layout::{AxisOrder, Layout, Meaning};
use crate::read::series::is_dicom;
use crate::read::stored::StorePlace;
use std::path::Path;
use veloxel_core::{Volume, Warnings};

/// Bytes that become labels at a time: whole samples of every type.
const BLOCK_BYTES: u64 = 1 << 16;

/// The labels of a file whose header says where its whole numbers lie; none of other files, which are read as images.
///
/// # Errors
/// As [`read_image`](crate::read_image); [`IoError::NotLabel`] beyond 2^31.
pub(super) fn exact(path: &Path, reading: &Reading, warnings: &mut Warnings) -> Result<Option<Volume<i32>>> {
    let input = Input::of(path);
    let reading = input.reading(reading.clone());
    let is_one_file = input.frames.is_none() && (input.path.is_file() || is_store(&input.path));
    if !is_one_file || is_dicom(&input.path, reading.files.control())? {
        return Ok(None);
    }
    let format = require_to_read(&input.path, "an image", has_grid)?;
    if let Reader::Store(open) = format.reader {
        let mut context = Context::new(&input.path, reading, warnings);
        let found = open(StorePlace::Path(input.path.clone()), &mut context)
            .and_then(|stored| Ok((stored.labels(&mut context)?, stored.layout().grid.clone())));
        let (labels, grid) = context.settled(found)?;
        let labels = labels.map(|labels| Volume::new(grid, labels)).transpose();
        return labels.map_err(IoError::core(&input.path));
    }
    let Reader::Header(header) = format.reader else { return Ok(None) };
    let mut own = Warnings::new();
    let mut context = Context::new(&input.path, reading, &mut own);
    let (layout, mut source) = header(Source::open(&input.path, context.files())?, &mut context)?;
    if !holds_labels(&layout) {
        return Ok(None);
    }
    let mut left = layout.sample_bytes(&context)?;
    context.require_bytes("the sample data", left, source.available())?;
    let mut labels = context.room_for(layout.grid.len())?;
    let mut bytes = Vec::new();
    while left > 0 {
        context.check()?;
        let count = left.min(BLOCK_BYTES);
        source.take_into(&mut bytes, "the sample data", count, &context)?;
        left -= count;
        for sample in bytes.chunks_exact(layout.stored.element.bytes()) {
            let value = whole(sample, layout.stored.element, layout.stored.order);
            let label = i32::try_from(value).map_err(|_| IoError::NotLabel {
                value: value as f32,
                position: layout.grid.position(labels.len()),
                limit: i32::MAX,
                path: input.path.clone(),
            })?;
            labels.push(label);
        }
    }
    source.finish(&mut context)?;
    drop(context);
    warnings.extend(own);
    Ok(Some(Volume::new(layout.grid, labels).map_err(IoError::core(&input.path))?))
}

/// Whether samples are whole numbers of their own, one a voxel, in the order of the grid.
fn holds_labels(layout: &Layout) -> bool {
    let is_whole = !matches!(layout.stored.element, Element::F16 | Element::F32 | Element::F64);
    let is_plain = layout.stored.scaling == Scaling::NONE && layout.axis_order == AxisOrder::XFastest;
    is_whole && is_plain && layout.meaning == Meaning::Scalar && layout.frames <= 1
}

/// The number that a sample is.
fn whole(sample: &[u8], element: Element, order: ByteOrder) -> i128 {
    let number = order.number(sample);
    match element {
        Element::I8 => i128::from(number as u8 as i8),
        Element::I16 => i128::from(number as u16 as i16),
        Element::I32 => i128::from(number as u32 as i32),
        Element::I64 => i128::from(number as i64),
        _ => i128::from(number),
    }
}

#[cfg(test)]
mod tests {
    use crate::read::reading::Strictness;
    use veloxel_core::{Grid, Volume, Warnings};

    #[test]
    fn labels_stay_exact_in_whole_numbers_of_32_bits() {
        let folder = tempfile::tempdir().unwrap();
        let grid = Grid::volume(2, 2, 2).unwrap();
        let labels = Volume::from_fn(grid, |[x, y, z]| (1 << 24) + 1 + (x + 2 * y + 4 * z) as i32);
        for name in ["a.nii", "a.nii.gz", "a.mha", "a.nrrd"] {
            let path = folder.path().join(name);
            crate::write_labels(&path, &labels).unwrap();
            let found = crate::read_labels(&path, Strictness::Lenient, &mut Warnings::new()).unwrap();
            assert_eq!(found.data(), labels.data(), "{name}");
        }
        let header = "NRRD0004\ntype: uint32\ndimension: 3\nsizes: 1 1 2\nencoding: raw\nendian: big\n\n";
        let path = folder.path().join("b.nrrd");
        for (value, kept) in [(16_777_217u32, true), (u32::MAX, false)] {
            let samples = [7u32.to_be_bytes(), value.to_be_bytes()].concat();
            std::fs::write(&path, [header.as_bytes(), &samples].concat()).unwrap();
            let found = crate::read_labels(&path, Strictness::Lenient, &mut Warnings::new());
            assert_eq!(found.ok().map(|labels| labels.data()[1]), kept.then_some(value as i32));
        }
    }
}
