//! Raw frames as a file: the head, then the samples of every frame.

use crate::error::Result;
use crate::read::layout::Arrangement;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::write::whole_file;
use serde_json::json;
use std::io::Write;
use veloxel_core::Dimension;

/// Writes all frames of a record, or nothing.
pub(super) fn write(target: &Target, record: &Record) -> Result<()> {
    let head = head(record);
    whole_file::write(target, |file| {
        writeln!(file, "{head}")?;
        record.write(Arrangement::Planar, file, target.files().control())
    })
}

fn head(record: &Record) -> serde_json::Value {
    let grid = record.grid;
    let ([x, y, z], [sx, sy, sz]) = (grid.size(), grid.spacing_mm());
    let (shape, spacing_mm) = match grid.dimension() {
        Dimension::Two if sz == 1.0 => (json!([y, x]), json!([sx, sy])),
        // The thickness of a slice is a part of its place.
        Dimension::Two => (json!([y, x]), json!([sx, sy, sz])),
        Dimension::Three => (json!([z, y, x]), json!([sx, sy, sz])),
    };
    let mut head = json!({
        "shape": shape,
        "dtype": format!("{}{}", kind(record), 8 * record.element.bytes()),
        "spacing_mm": spacing_mm,
        "origin_mm": grid.origin_mm(),
        "direction": grid.direction(),
        "frames": record.frames,
    });
    if let Some(ms) = record.frame_interval_ms {
        head["interval_ms"] = json!(ms);
    }
    head
}

/// The first part of NumPy's name of a record's element.
fn kind(record: &Record) -> &'static str {
    match record.element.name().as_bytes()[0] {
        b'f' => "float",
        b'u' => "uint",
        _ => "int",
    }
}
