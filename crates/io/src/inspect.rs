//! What a file is, for those who only want to know.

use crate::content::Content;
use crate::context::{Context, Strictness};
use crate::format::Format;
use crate::layout::{Layout, Meaning};
use crate::source::Source;
use crate::{IoError, read};
use serde::Serialize;
use std::path::Path;
use veloxel_core::{Dimension, Grid, Warnings};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One picture or volume.
    Image,
    /// Frames over time.
    Sequence,
    /// A displacement field.
    Flow,
}

/// A file's header, in the terms of this library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileInfo {
    /// The format.
    pub format: Format,
    /// What it holds.
    pub kind: Kind,
    /// 2-D or 3-D.
    pub dimension: Dimension,
    /// Voxels per axis `(x, y, z)`.
    pub size: [usize; 3],
    /// Millimetres (pictures: pixels) between neighbours, `(x, y, z)`.
    pub spacing_mm: [f64; 3],
    /// World position (LPS mm) of voxel (0, 0, 0).
    pub origin_mm: [f64; 3],
    /// Row-major; column `a` is the world direction (LPS) of axis `a`.
    pub direction: [[f64; 3]; 3],
    /// The type of samples in the file, `× n` for n channels.
    pub sample_type: String,
    /// Frames over time; 1 unless it is a sequence.
    pub frames: usize,
    /// Milliseconds between frames, where the file says so.
    pub frame_interval_ms: Option<f64>,
    /// What reading would warn of. For volume formats only the header is looked at.
    pub warnings: Warnings,
}

/// Looks at a file: at the header alone for volume formats, at everything for pictures.
///
/// # Errors
/// As [`read`](crate::read).
pub fn inspect(path: &Path) -> Result<FileInfo, IoError> {
    let format = Format::require_to_read(path, "an image, sequence or displacement field", Format::READ)?;
    let mut warnings = Warnings::new();
    let mut context = Context::new(path, Strictness::Lenient, &mut warnings);
    if let Some((layout, source)) = read::layout(format, Source::open(path)?, &mut context)? {
        let needed = layout.sample_bytes(&context)?;
        if needed > source.available() {
            return Err(context.truncated("the sample data", needed, source.available()));
        }
        return Ok(from_layout(format, &layout, warnings));
    }
    let decoded = read::decode(format, Source::open(path)?, &mut context)?;
    let (kind, grid, frames, frame_interval_ms) = match &decoded.content {
        Content::Image(image) => (Kind::Image, image.grid(), 1, None),
        Content::Sequence(s) => (Kind::Sequence, s.grid(), s.frames().len(), s.frame_interval_ms()),
        Content::Flow(flow) => (Kind::Flow, flow.grid(), 1, None),
    };
    Ok(FileInfo { frames, frame_interval_ms, ..on_grid((format, kind), grid, decoded.sample_type, warnings) })
}

fn from_layout(format: Format, layout: &Layout, warnings: Warnings) -> FileInfo {
    let kind = match layout.meaning {
        Meaning::Vector(_) => Kind::Flow,
        _ if layout.frames > 1 => Kind::Sequence,
        _ => Kind::Image,
    };
    let name = layout.stored.element.name();
    let sample_type = match layout.components() {
        1 => name.to_owned(),
        n => format!("{name} × {n}"),
    };
    FileInfo {
        frames: layout.frames,
        frame_interval_ms: layout.frame_interval_ms,
        ..on_grid((format, kind), &layout.grid, sample_type, warnings)
    }
}

fn on_grid((format, kind): (Format, Kind), grid: &Grid, sample_type: String, warnings: Warnings) -> FileInfo {
    FileInfo {
        format,
        kind,
        dimension: grid.dimension(),
        size: grid.size(),
        spacing_mm: grid.spacing_mm(),
        origin_mm: grid.origin_mm(),
        direction: grid.direction(),
        sample_type,
        frames: 1,
        frame_interval_ms: None,
        warnings,
    }
}
