//! NRRD, `.nrrd` (header and samples in one file) and `.nhdr` (samples in a file beside it).
//!
//! *Specification*: Gordon Kindlmann, "Definition of NRRD File Format", teem.sourceforge.net/nrrd/format.html.
//! *Compatible implementations*: ITK, SimpleITK (compared both ways in `tests/peers.py`), 3D Slicer, teem.
//! *World*: `space` LPS, RAS or LAS, turned to LPS; other or no spaces count as LPS, as ITK takes them.
//! *Fields*: one axis of kind `vector`, first (as written) or last; LPS mm, as ITK reads them whatever the space.
//! *Time*: one axis of kind `time` or `list`, first or last; its interval needs `spacings` and `units`.
//! *Limits*: 2 to 4 axes, raw or gzip samples, one data file.

use crate::IoError;
use crate::context::Context;
use crate::element::{ByteOrder, Element, Scaling};
use crate::geometry::{Axes, header_axes};
use crate::layout::{Arrangement, Layout, Meaning, VectorAxes};
use crate::luminance::Channels;
use crate::nrrd_header::Fields;
use crate::record::Record;
use crate::source::{Source, Stored};
use std::path::Path;
use veloxel_core::{Dimension, WarningKind};

/// Reads the header and leaves the source at the first sample, in whichever file that is.
pub(crate) fn layout<'a>(
    mut source: Source<'a>,
    context: &mut Context,
) -> Result<(Layout, Source<'a>), IoError> {
    let fields = Fields::parse(&mut source, context)?;
    let layout = interpret(&fields, context)?;
    let mut samples = match fields.text("data file") {
        None => source,
        Some(name) if name.starts_with("LIST") || name.contains('%') => {
            return Err(context.unsupported("a list of data files", "convert it to one .nrrd file"));
        }
        Some(name) => Source::open_beside(name, context)?,
    };
    for _ in 0..fields.whole("line skip", context)?.unwrap_or(0).clamp(0, 1 << 20) {
        samples.line(1 << 20, context)?;
    }
    let encoding = fields.require("encoding", context)?.to_lowercase();
    let compressed = match encoding.as_str() {
        "raw" => false,
        "gzip" | "gz" => true,
        other => {
            return Err(context.unsupported(format!("NRRD encoding {other}"), "convert it to raw or gzip"));
        }
    };
    if compressed {
        samples = samples.gunzip();
    }
    match fields.whole("byte skip", context)?.unwrap_or(0) {
        -1 if !compressed => {
            let before = samples.available().saturating_sub(layout.sample_bytes(context)?);
            samples.skip("the part before the samples", before, context)?;
        }
        n => {
            let skip = u64::try_from(n)
                .map_err(|_| context.malformed("byte skip", "bytes to leave out (-1: raw only)", n))?;
            samples.skip("the part before the samples", skip, context)?;
        }
    }
    Ok((layout, samples))
}

/// What an axis that is not of space stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extra {
    Vector,
    Colour,
    Time,
}

fn interpret(fields: &Fields, context: &mut Context) -> Result<Layout, IoError> {
    let rank = fields.whole("dimension", context)?;
    let rank = rank.and_then(|n| usize::try_from(n).ok()).filter(|n| (2..=4).contains(n));
    let rank = rank.ok_or_else(|| {
        context.malformed("dimension", "2, 3 or 4", fields.text("dimension").unwrap_or("none"))
    })?;
    let sizes = fields
        .words("sizes", rank, context)?
        .ok_or_else(|| context.malformed("sizes", format!("{rank} sizes"), "none"))?
        .iter()
        .map(|w| {
            w.parse::<usize>()
                .ok()
                .filter(|&n| n > 0)
                .ok_or_else(|| context.malformed("sizes", "whole numbers of at least 1", w))
        })
        .collect::<Result<Vec<usize>, _>>()?;
    let element = element(fields.require("type", context)?, context)?;
    let order = match fields.text("endian").map(str::to_lowercase).as_deref() {
        Some("little") => ByteOrder::Little,
        Some("big") => ByteOrder::Big,
        None if element.bytes() == 1 => ByteOrder::Little,
        other => return Err(context.malformed("endian", "little or big", other.unwrap_or("none"))),
    };
    let space = Space::parse(fields, context)?;
    let directions = fields.vectors("space directions", space.dimension, context)?;
    if let Some(count) = directions.as_ref().map(Vec::len).filter(|&n| n != rank) {
        return Err(context.malformed("space directions", format!("{rank} vectors"), count));
    }
    let extra = extra_axis(fields, &sizes, directions.as_deref(), context)?;
    let spatial: Vec<usize> = (0..rank).filter(|&a| extra.is_none_or(|(axis, _)| axis != a)).collect();
    let dimension = match spatial.len() {
        2 => Dimension::Two,
        3 => Dimension::Three,
        n => return Err(context.malformed("axes of space", "2 or 3", n)),
    };
    let mut size = [1; 3];
    size.iter_mut().zip(&spatial).for_each(|(n, &a)| *n = sizes[a]);
    let spacings = fields.numbers("spacings", rank, context)?;
    let mut axes = Axes::new(dimension, size);
    match directions {
        Some(directions) => space.place(&mut axes, &spatial, &directions, context)?,
        None => {
            if let Some(spacings) = &spacings {
                axes.spacing_mm.iter_mut().zip(&spatial).for_each(|(h, &a)| *h = spacings[a]);
            }
        }
    }
    space.put_origin(&mut axes, fields, context)?;
    let (meaning, arrangement, frames) = match extra {
        None => (Meaning::Scalar, Arrangement::Planar, 1),
        Some((axis, what)) => {
            let arrangement = if axis == 0 { Arrangement::Interleaved } else { Arrangement::Planar };
            let meaning = match (what, sizes[axis]) {
                (Extra::Time, _) => Meaning::Scalar,
                (Extra::Colour, 3) => Meaning::Colour(Channels::Rgb),
                (Extra::Colour, 4) => Meaning::Colour(Channels::Rgba),
                (Extra::Vector, n) if n == dimension.count() => Meaning::Vector(VectorAxes::Lps),
                (_, n) => Meaning::of_channels(n, element, dimension, context)?,
            };
            let frames = if what == Extra::Time { sizes[axis] } else { 1 };
            if matches!(meaning, Meaning::Vector(_)) && space.signs != [1.0; 3] {
                context.note(
                    WarningKind::Header,
                    "vectors in a space that is not LPS: components are taken as LPS mm",
                );
            }
            (meaning, arrangement, frames)
        }
    };
    let frame_interval_ms = match extra {
        Some((axis, Extra::Time)) => frame_interval_ms(fields, (axis, rank), spacings.as_deref(), context)?,
        _ => None,
    };
    let stored = Stored { element, order, scaling: Scaling::NONE };
    Ok(Layout { grid: axes.into_grid(context)?, meaning, arrangement, frames, frame_interval_ms, stored })
}

fn element(name: &str, context: &Context) -> Result<Element, IoError> {
    let name = name.to_lowercase();
    let short = name.strip_suffix(" int").unwrap_or(&name);
    Ok(match short {
        "signed char" | "int8" | "int8_t" => Element::I8,
        "uchar" | "unsigned char" | "uint8" | "uint8_t" => Element::U8,
        "short" | "signed short" | "int16" | "int16_t" => Element::I16,
        "ushort" | "unsigned short" | "uint16" | "uint16_t" => Element::U16,
        "int" | "signed" | "int32" | "int32_t" => Element::I32,
        "uint" | "unsigned" | "uint32" | "uint32_t" => Element::U32,
        "longlong" | "long long" | "signed long long" | "int64" | "int64_t" => Element::I64,
        "ulonglong" | "unsigned long long" | "uint64" | "uint64_t" => Element::U64,
        "float" => Element::F32,
        "double" => Element::F64,
        _ => return Err(context.unsupported(format!("NRRD type {name}"), "convert it to float")),
    })
}

/// The one axis that is not of space, and what it stands for.
fn extra_axis(
    fields: &Fields,
    sizes: &[usize],
    directions: Option<&[Option<Vec<f64>>]>,
    context: &mut Context,
) -> Result<Option<(usize, Extra)>, IoError> {
    let rank = sizes.len();
    let kinds = fields.words("kinds", rank, context)?;
    let mut found = Vec::new();
    for axis in 0..rank {
        let kind = kinds.as_ref().map(|k| k[axis].to_lowercase());
        let placed = directions.map(|d| d[axis].is_some());
        match kind.as_deref() {
            Some("domain" | "space") => {}
            Some("time" | "list") => found.push((axis, Extra::Time)),
            Some("rgb-color" | "rgba-color" | "3-color" | "4-color") => found.push((axis, Extra::Colour)),
            Some("vector" | "2-vector" | "3-vector" | "covariant-vector") => {
                found.push((axis, Extra::Vector))
            }
            Some("none" | "???") | None => {
                if placed == Some(false) {
                    let what = if axis == 0 { Extra::Vector } else { Extra::Time };
                    let name = if axis == 0 { "components" } else { "frames over time" };
                    context
                        .assume(format!("axis {axis} has neither kind nor direction: {name} are assumed"))?;
                    found.push((axis, what));
                }
            }
            Some(other) => {
                return Err(context.unsupported(
                    format!("an axis of kind {other}"),
                    "one axis may be a vector, RGB-color, time or list",
                ));
            }
        }
    }
    if found.is_empty() && rank == 4 {
        context.assume("4 axes without kinds: the last is assumed to be time")?;
        found.push((3, Extra::Time));
    }
    match found[..] {
        [] => Ok(None),
        [(axis, what)] if axis == 0 || axis == rank - 1 => Ok(Some((axis, what))),
        _ => {
            Err(context
                .unsupported("this arrangement of axes", "one axis beside those of space, first or last"))
        }
    }
}

fn frame_interval_ms(
    fields: &Fields,
    (axis, rank): (usize, usize),
    spacings: Option<&[f64]>,
    context: &Context,
) -> Result<Option<f64>, IoError> {
    let units = fields.quoted("units", rank, context)?;
    let ms = match units.map(|u| u[axis].to_lowercase()).as_deref() {
        Some("s" | "sec" | "seconds") => 1e3,
        Some("ms" | "msec" | "milliseconds") => 1.0,
        Some("us" | "usec" | "microseconds") => 1e-3,
        _ => return Ok(None),
    };
    Ok(spacings.map(|s| s[axis] * ms).filter(|i| i.is_finite() && *i > 0.0))
}

/// The world that directions and origin are given in.
struct Space {
    dimension: usize,
    /// What turns the file's world axes into LPS.
    signs: [f64; 3],
}

impl Space {
    fn parse(fields: &Fields, context: &mut Context) -> Result<Self, IoError> {
        let Some(name) = fields.text("space") else {
            let dimension = fields.whole("space dimension", context)?.unwrap_or(3);
            let dimension = usize::try_from(dimension).ok().filter(|n| (2..=3).contains(n));
            let dimension = dimension.ok_or_else(|| {
                context.malformed(
                    "space dimension",
                    "2 or 3",
                    fields.text("space dimension").unwrap_or("none"),
                )
            })?;
            return Ok(Self { dimension, signs: [1.0; 3] });
        };
        let signs = match name.to_lowercase().as_str() {
            "lps" | "left-posterior-superior" => [1.0; 3],
            "ras" | "right-anterior-superior" => [-1.0, -1.0, 1.0],
            "las" | "left-anterior-superior" => [1.0, -1.0, 1.0],
            "scanner-xyz" | "3d-right-handed" | "3d-left-handed" => {
                context.assume(format!("space {name} has no anatomy: LPS is assumed"))?;
                [1.0; 3]
            }
            other => return Err(context.unsupported(format!("space {other}"), "give LPS, RAS or LAS")),
        };
        Ok(Self { dimension: 3, signs })
    }

    fn place(
        &self,
        axes: &mut Axes,
        spatial: &[usize],
        directions: &[Option<Vec<f64>>],
        context: &mut Context,
    ) -> Result<(), IoError> {
        let mut columns = [[0.0f64; 3]; 3];
        for (column, &axis) in columns.iter_mut().zip(spatial) {
            let Some(direction) = &directions[axis] else {
                return Err(context.malformed(
                    "space directions",
                    "a vector for every axis of space",
                    "none",
                ));
            };
            for ((value, d), sign) in column.iter_mut().zip(direction).zip(self.signs) {
                *value = sign * d;
            }
        }
        if spatial.len() == 2 {
            let [a, b, _] = columns;
            let normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            // A picture in the xy plane keeps z as its third axis, mirrored or not.
            let flat = a[2] == 0.0 && b[2] == 0.0;
            columns[2] = if flat { [0.0, 0.0, 1.0] } else { unit(normal) };
        }
        for (axis, column) in columns.iter().enumerate() {
            let length = column.iter().map(|v| v * v).sum::<f64>().sqrt();
            axes.spacing_mm[axis] = length;
            for (row, value) in axes.direction.iter_mut().zip(column) {
                // A column without length is judged, once, as a spacing of 0.
                row[axis] = if length > 0.0 { value / length } else { row[axis] };
            }
        }
        Ok(())
    }

    fn put_origin(&self, axes: &mut Axes, fields: &Fields, context: &mut Context) -> Result<(), IoError> {
        let Some(origin) = fields.vectors("space origin", self.dimension, context)? else { return Ok(()) };
        let [Some(origin)] = &origin[..] else {
            return Err(context.malformed(
                "space origin",
                "one vector",
                fields.text("space origin").unwrap_or(""),
            ));
        };
        for ((o, value), sign) in axes.origin_mm.iter_mut().zip(origin).zip(self.signs) {
            *o = sign * value;
        }
        Ok(())
    }
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

pub(crate) fn write(path: &Path, record: &Record) -> Result<(), IoError> {
    let header = header(record);
    crate::detached::write(path, "nhdr", record, |data_file| match data_file {
        None => format!("{header}\n"),
        Some(name) => format!("{header}data file: {name}\n"),
    })
}

fn header(record: &Record) -> String {
    let grid = record.grid;
    let sequence = record.frames() > 1;
    let vectors = record.components() > 1;
    // A cine of pictures must not look like a volume; its plane may lie anywhere in space.
    let n = if sequence { grid.dimension().count() } else { header_axes(grid) };
    let in_space = header_axes(grid);
    let matrix = grid.world_from_voxel_matrix();
    let tuple = |v: Vec<f64>| format!("({})", v.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    let mut sizes: Vec<String> = grid.size()[..n].iter().map(usize::to_string).collect();
    let mut directions: Vec<String> =
        (0..n).map(|a| tuple((0..in_space).map(|r| matrix[r][a]).collect())).collect();
    let mut kinds = vec!["domain"; n];
    let mut time = String::new();
    if vectors {
        sizes.insert(0, record.components().to_string());
        directions.insert(0, "none".to_owned());
        kinds.insert(0, "vector");
    }
    if sequence {
        sizes.push(record.frames().to_string());
        directions.push("none".to_owned());
        kinds.push("time");
        if let Some(ms) = record.frame_interval_ms() {
            time = format!("spacings: {}{ms}\nunits: {}\"ms\"\n", "nan ".repeat(n), "\"mm\" ".repeat(n));
        }
    }
    let element = match record.element() {
        Element::U8 => "uchar",
        Element::I16 => "short",
        Element::I32 => "int",
        _ => "float",
    };
    let space = if in_space == 2 { "space dimension: 2" } else { "space: left-posterior-superior" };
    format!(
        "NRRD0004\ntype: {element}\ndimension: {}\n{space}\nsizes: {}\nspace directions: {}\nkinds: {}\n\
         {time}endian: little\nencoding: raw\nspace origin: {}\n",
        sizes.len(),
        sizes.join(" "),
        directions.join(" "),
        kinds.join(" "),
        tuple(grid.origin_mm()[..in_space].to_vec()),
    )
}
