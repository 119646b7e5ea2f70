//! The axes of what is written.

use crate::read::geometry::header_axes;
use crate::write::record::Record;

/// Axes of space that the array has: 2 for a picture in the world's xy plane.
pub(super) fn space_axes(record: &Record) -> usize {
    header_axes(record.grid)
}

/// The names of an array's axes.
pub(super) fn axis_names(record: &Record) -> Vec<&'static str> {
    let mut names = Vec::new();
    if record.frames > 1 {
        names.push("t");
    }
    if record.components > 1 {
        names.push("c");
    }
    names.extend(&["z", "y", "x"][3 - space_axes(record)..]);
    names
}
