//! Interprets a NRRD header: type, encoding and place of the samples.

use super::axes::{Extra, ExtraAxis, Space, extra_axis, length_mm};
use super::header::{self, TYPES, quoted, vectors};
use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Scaling, Stored};
use crate::read::geometry::{Axes, WorldAxes};
use crate::read::layout::{Arrangement, AxisOrder, Layout, Meaning, VectorKind};
use crate::read::luminance::Channels;
use crate::read::source::Source;
use crate::text::header::Fields;
use crate::write::detached;
use veloxel_core::WarningKind;

/// Reads the header and leaves the source at the first sample, in whichever file that is.
pub(super) fn layout<'a>(mut source: Source<'a>, context: &mut Context) -> Result<(Layout, Source<'a>)> {
    let fields = header::parse(&mut source, context)?;
    let layout = interpret(&fields, context)?;
    let mut samples = match fields.text("data file") {
        None => source,
        Some(name) if name.starts_with("LIST") || name.contains('%') => {
            return Err(context.unsupported("a list of data files", "convert it to one .nrrd file"));
        }
        Some(name) => detached::open(name, context)?,
    };
    let whole = |name, context: &Context| fields.value::<i64>(name, "a whole number", context);
    for _ in 0..whole("line skip", context)?.unwrap_or(0).clamp(0, 1 << 20) {
        samples.line(1 << 20, context)?;
    }
    let compressed = is_compressed(&fields, context)?;
    if compressed {
        samples = samples.gunzip();
    }
    let skip = match whole("byte skip", context)?.unwrap_or(0) {
        -1 if !compressed => samples.available().saturating_sub(layout.sample_bytes(context)?),
        n => u64::try_from(n)
            .map_err(|_| context.malformed("byte skip", "bytes to leave out (-1: raw only)", n))?,
    };
    samples.skip("the part before the samples", skip, context)?;
    Ok((layout, samples))
}

/// Whether samples are packed by gzip; other encodings than that and raw are refused.
fn is_compressed(fields: &Fields, context: &Context) -> Result<bool> {
    match fields.require("encoding", context)?.to_lowercase().as_str() {
        "raw" => Ok(false),
        "gzip" | "gz" => Ok(true),
        other => Err(context.unsupported(format!("NRRD encoding {other}"), "convert it to raw or gzip")),
    }
}

fn byte_order(fields: &Fields, element: Element, context: &Context) -> Result<ByteOrder> {
    // Texts need none: what is not read is said before it is asked for.
    is_compressed(fields, context)?;
    match fields.text("endian").map(str::to_lowercase).as_deref() {
        Some("little") => Ok(ByteOrder::Little),
        Some("big") => Ok(ByteOrder::Big),
        None if element.bytes() == 1 => Ok(ByteOrder::Little),
        other => Err(context.malformed("endian", "little or big", other.unwrap_or("none"))),
    }
}

fn interpret(fields: &Fields, context: &mut Context) -> Result<Layout> {
    let rank = fields.rank("dimension", context)?;
    let sizes = fields.sizes("sizes", rank, context)?;
    let element = element(fields.require("type", context)?, context)?;
    let order = byte_order(fields, element, context)?;
    let space = Space::parse(fields, context)?;
    let mut directions = vectors(fields, "space directions", space.dimension, context)?;
    let count = directions.as_ref().map_or(rank, Vec::len);
    context.require(count == rank, "space directions", format!("{rank} vectors"), count)?;
    let time_axis = space.take_time(directions.as_mut(), context)?;
    let extra = extra_axis(fields, rank, directions.as_deref(), time_axis, context)?;
    let spatial: Vec<usize> = (0..rank).filter(|&a| extra.is_none_or(|extra| extra.axis != a)).collect();
    context.require((2..=3).contains(&spatial.len()), "axes of space", "2 or 3", spatial.len())?;
    let mut size = [1; 3];
    size.iter_mut().zip(&spatial).for_each(|(n, &a)| *n = sizes[a]);
    let spacings = fields.numbers("spacings", rank, context)?;
    let mut axes = Axes::new(size);
    match (directions, &spacings) {
        (Some(directions), _) => space.place(&mut axes, &spatial, &directions, context)?,
        (None, Some(spacings)) => space_out(&mut axes, spacings, &spatial, fields, context)?,
        (None, None) if fields.text("axis mins").is_some() || fields.text("axis maxs").is_some() => {
            let text = "axis mins and axis maxs are left aside: without spacings 1 mm is assumed";
            context.note(WarningKind::Header, text);
        }
        (None, None) => {}
    }
    space.put_origin(&mut axes, fields, context)?;
    let mut layout = Layout {
        grid: axes.into_grid(context)?,
        meaning: Meaning::Scalar,
        arrangement: Arrangement::Planar,
        axis_order: AxisOrder::XFastest,
        frames: 1,
        frame_interval_ms: None,
        stored: Stored { element, order, scaling: Scaling::NONE },
    };
    if let Some(extra) = extra {
        layout.arrangement = if extra.axis == 0 { Arrangement::Interleaved } else { Arrangement::Planar };
        match extra.what {
            Extra::Time => {
                layout.frames = sizes[extra.axis];
                let spacing = spacings.map(|spacings| spacings[extra.axis]);
                layout.frame_interval_ms = frame_interval_ms(fields, extra, spacing, context)?;
            }
            what => layout.meaning = meaning(what, sizes[extra.axis], element, spatial.len(), context)?,
        }
    }
    if matches!(layout.meaning, Meaning::Vector { .. }) {
        refuse_other_frames(fields, context)?;
    }
    if matches!(layout.meaning, Meaning::Vector { .. }) && space.signs != [1.0; 3] {
        let text = "vectors in a space that is not LPS: components are taken as LPS mm";
        context.note(WarningKind::Header, text);
    }
    Ok(layout)
}

/// Gives the axes of space their spacings, mm.
fn space_out(
    axes: &mut Axes,
    spacings: &[f64],
    spatial: &[usize],
    fields: &Fields,
    context: &mut Context,
) -> Result<()> {
    axes.spacing_mm.iter_mut().zip(spatial).for_each(|(h, &axis)| *h = spacings[axis]);
    if let Some(units) = header::quoted(fields, "units", spacings.len(), context)? {
        for (h, &axis) in axes.spacing_mm.iter_mut().zip(spatial) {
            *h *= length_mm(units[axis], context)?;
        }
    }
    Ok(())
}

/// Refuses vectors whose components are measured along other axes than the world's.
fn refuse_other_frames(fields: &Fields, context: &Context) -> Result<()> {
    let Some(frame) = vectors(fields, "measurement frame", 3, context)? else { return Ok(()) };
    let is_along = |(nth, axis): (usize, &Option<Vec<f64>>)| {
        axis.as_ref().is_none_or(|axis| axis.iter().enumerate().all(|(k, v)| (*v == 1.0) == (k == nth)))
    };
    let what = "vectors in a measurement frame of their own";
    let hint = "turn their components into the world's axes, and leave the field out";
    context.support(frame.iter().enumerate().all(is_along), what, hint)
}

/// What so many components of a vector or a colour are.
fn meaning(
    what: Extra,
    count: usize,
    element: Element,
    space_axes: usize,
    context: &Context,
) -> Result<Meaning> {
    match (what, count) {
        (Extra::Colour, 3) => Ok(Meaning::Colour(Channels::Rgb)),
        (Extra::Colour, 4) => Ok(Meaning::Colour(Channels::Rgba)),
        (Extra::Vector, components) if components == space_axes => {
            Ok(Meaning::Vector { axes: WorldAxes::Lps, kind: VectorKind::Displacement, components })
        }
        (_, n) => Meaning::of_channels(n, element, space_axes, context),
    }
}

fn element(name: &str, context: &Context) -> Result<Element> {
    let name = name.to_lowercase();
    let short = name.strip_suffix(" int").unwrap_or(&name);
    let found = TYPES.iter().find(|(_, names)| names.contains(&short));
    let fail = || context.unsupported(format!("NRRD type {name}"), "convert it to float");
    found.map(|(element, _)| *element).ok_or_else(fail)
}

/// The interval, where both its length and its unit are there.
fn frame_interval_ms(
    fields: &Fields,
    time: ExtraAxis,
    spacing: Option<f64>,
    context: &mut Context,
) -> Result<Option<f64>> {
    let units = quoted(fields, "units", time.rank, context)?;
    let ms = match units.map(|u| u[time.axis].to_lowercase()).as_deref() {
        Some("s" | "sec" | "seconds") => 1e3,
        Some("ms" | "msec" | "milliseconds") => 1.0,
        Some("us" | "usec" | "microseconds") => 1e-3,
        _ => return Ok(None),
    };
    Ok(spacing.and_then(|spacing| context.frame_interval_ms(spacing * ms)))
}
