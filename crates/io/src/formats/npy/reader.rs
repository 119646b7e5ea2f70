//! Reads arrays: as images and sequences by their axes, or as fields.

use super::header::{self, Header};
use crate::content::{Content, Decoded};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{Scaling, Stored};
use crate::read::layout::{Arrangement, Layout, Meaning};
use crate::read::source::Source;
use veloxel_core::{CoreError, Flow, Grid, WarningKind};

/// Reads the header and leaves the source at the first sample.
pub(super) fn layout<'a>(mut source: Source<'a>, context: &mut Context) -> Result<(Layout, Source<'a>)> {
    let header = header::parse(&mut source, context)?;
    let layout = match header.shape[..] {
        [ny, nx] => on_grid(Grid::image(nx, ny), 1, &header, context)?,
        [nz, ny, nx] => {
            tell_colours(&header.shape, context);
            on_grid(Grid::volume(nx, ny, nz), 1, &header, context)?
        }
        [frames, 1, ny, nx] => on_grid(Grid::image(nx, ny), frames, &header, context)?,
        [frames, nz, ny, nx] => {
            tell_colours(&header.shape[1..], context);
            on_grid(Grid::volume(nx, ny, nz), frames, &header, context)?
        }
        _ => {
            let got = format!("{} axes", header.shape.len());
            return Err(context.malformed("NumPy shape", "[y, x], [z, y, x] or [t, z, y, x]", got));
        }
    };
    Ok((layout, source))
}

/// Tells of shapes that pictures in colour have as well.
fn tell_colours(shape: &[usize], context: &mut Context) {
    let &[nz, ny, nx @ (3 | 4)] = shape else { return };
    if nz.min(ny) > nx {
        let text = format!(
            "an array of {nz} × {ny} × {nx} is taken as a volume, {nx} voxels wide: save one channel or the luminance of a picture in colour"
        );
        context.note(WarningKind::Header, text);
    }
}

/// Reads a field, `[c, z, y, x]` in voxels.
pub(super) fn flow(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let header = header::parse(&mut source, context)?;
    let grid = match header.shape[..] {
        [2, 1, ny, nx] => Grid::image(nx, ny),
        [3, nz, ny, nx] => Grid::volume(nx, ny, nz),
        _ => {
            let expected = "[2, 1, y, x] or [3, z, y, x] for a displacement field in voxels";
            return Err(context.malformed("NumPy shape", expected, format!("{:?}", header.shape)));
        }
    };
    // Components lie in the file as frames do.
    let layout = on_grid(grid, header.shape[0], &header, context)?;
    let samples = source.samples(layout.sample_count(context)?, layout.stored, context)?;
    source.finish(context)?;
    let samples = layout.in_axis_order(samples, context)?;
    let sample_type = format!("{} × {}", layout.stored.element.name(), layout.frames);
    let flow = Flow::from_planar_vox(layout.grid, samples).map_err(|error| context.core(error))?;
    Ok(Decoded { content: Content::Flow(flow), sample_type })
}

fn on_grid(
    grid: Result<Grid, CoreError>,
    frames: usize,
    header: &Header,
    context: &Context,
) -> Result<Layout> {
    context.require(
        frames > 0,
        "NumPy shape",
        "an array that is not empty",
        format!("{:?}", header.shape),
    )?;
    Ok(Layout {
        grid: grid.map_err(|error| context.core(error))?,
        meaning: Meaning::Scalar,
        arrangement: Arrangement::Planar,
        axis_order: header.axis_order,
        frames,
        frame_interval_ms: None,
        stored: Stored { element: header.element, order: header.byte_order, scaling: Scaling::NONE },
    })
}
