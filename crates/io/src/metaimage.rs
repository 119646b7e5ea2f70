//! MetaImage, `.mha` (header and samples in one file) and `.mhd` (samples in a file beside it).
//!
//! *Specification*: MetaIO of the Insight Toolkit, `metaImage` and its documentation page.
//! *Compatible implementations*: ITK and SimpleITK (compared both ways in `tests/peers.py`).
//! *World*: LPS mm. `TransformMatrix` lists the direction of axis 0, then of axis 1, and so on: the transpose of a
//! [`Grid`](veloxel_core::Grid)'s direction.
//! *Fields*: floating-point channels, one an axis, LPS mm. 3 or 4 channels of u8 or u16 are colour.
//! *Time*: a fourth axis; its unit is not part of the format, so the frame interval is unknown.
//! *Limits*: binary samples, raw or zlib; one data file; no fourth axis is written.

use crate::IoError;
use crate::context::Context;
use crate::element::{ByteOrder, Element, Scaling};
use crate::geometry::{Axes, header_axes};
use crate::layout::{Arrangement, Layout, Meaning};
use crate::record::Record;
use crate::source::{Source, Stored};
use std::collections::HashMap;
use std::path::Path;
use veloxel_core::{Dimension, WarningKind};

const LINE_LIMIT: usize = 1 << 16;
const MAX_LINES: usize = 1000;

const TYPES: [(&str, Element); 12] = [
    ("MET_UCHAR", Element::U8),
    ("MET_CHAR", Element::I8),
    ("MET_USHORT", Element::U16),
    ("MET_SHORT", Element::I16),
    ("MET_UINT", Element::U32),
    ("MET_INT", Element::I32),
    // A long is 32 bits in MetaIO, on every machine.
    ("MET_ULONG", Element::U32),
    ("MET_LONG", Element::I32),
    ("MET_ULONG_LONG", Element::U64),
    ("MET_LONG_LONG", Element::I64),
    ("MET_FLOAT", Element::F32),
    ("MET_DOUBLE", Element::F64),
];

/// Reads the header and leaves the source at the first sample, in whichever file that is.
pub(crate) fn layout<'a>(
    mut source: Source<'a>,
    context: &mut Context,
) -> Result<(Layout, Source<'a>), IoError> {
    let fields = Fields::parse(&mut source, context)?;
    let layout = interpret(&fields, context)?;
    let data_file = fields.text("ElementDataFile").unwrap_or_default();
    let mut samples = match data_file {
        "LOCAL" | "Local" | "local" => source,
        "LIST" => return Err(context.unsupported("a list of data files", "convert it to one .mha file")),
        name if name.contains('%') => {
            return Err(context.unsupported("a pattern of data files", "convert it to one .mha file"));
        }
        name => Source::open_beside(name, context)?,
    };
    if fields.flag("CompressedData", context)?.unwrap_or(false) {
        if let Some(&[size]) = fields.numbers("CompressedDataSize", context)?.as_deref()
            && size > samples.available() as f64
        {
            return Err(context.truncated("the compressed data", size as u64, samples.available()));
        }
        samples = samples.inflate(context)?;
    } else if let Some(&[skip]) = fields.numbers("HeaderSize", context)?.as_deref() {
        let needed = layout.sample_bytes(context)?;
        let skip = match skip {
            // Samples stand at the end of the file, whatever comes before.
            -1.0 => samples.available().saturating_sub(needed),
            n if (0.0..1e15).contains(&n) && n.fract() == 0.0 => n as u64,
            other => return Err(context.malformed("HeaderSize", "-1, or bytes to leave out", other)),
        };
        samples.skip("the part before the samples", skip, context)?;
    }
    Ok((layout, samples))
}

fn interpret(fields: &Fields, context: &mut Context) -> Result<Layout, IoError> {
    if let Some(kind) = fields.text("ObjectType").filter(|k| !k.eq_ignore_ascii_case("image")) {
        return Err(context.malformed("ObjectType", "Image", kind));
    }
    if fields.flag("BinaryData", context)? == Some(false) {
        return Err(context.unsupported("samples as text", "convert it to binary samples"));
    }
    let rank = fields.require("NDims", context)?;
    let rank = rank.parse::<usize>().ok().filter(|n| (2..=4).contains(n));
    let rank = rank
        .ok_or_else(|| context.malformed("NDims", "2, 3 or 4", fields.text("NDims").unwrap_or_default()))?;
    let mut sizes = [1usize; 4];
    let stored = fields.axis_numbers("DimSize", rank, context)?;
    let stored = stored.ok_or_else(|| context.malformed("DimSize", format!("{rank} sizes"), "none"))?;
    for (size, value) in sizes.iter_mut().zip(stored) {
        if !(1.0..1e15).contains(&value) || value.fract() != 0.0 {
            return Err(context.malformed("DimSize", "whole numbers of at least 1", value));
        }
        *size = value as usize;
    }
    let [nx, ny, nz, frames] = sizes;
    // A fourth axis over one plane is a 2-D cine.
    let dimension = if rank == 2 || (rank == 4 && nz == 1) { Dimension::Two } else { Dimension::Three };
    let mut axes = Axes::new(dimension, [nx, ny, nz]);
    let spacing = match fields.axis_numbers("ElementSpacing", rank, context)? {
        None => fields.axis_numbers("ElementSize", rank, context)?,
        found => found,
    };
    match spacing {
        Some(spacing) => axes.spacing_mm.iter_mut().zip(spacing).for_each(|(h, v)| *h = v),
        None => context.note(WarningKind::Header, "no ElementSpacing: 1 mm is assumed"),
    }
    if let Some(origin) = fields.first_axis_numbers(&["Offset", "Position", "Origin"], rank, context)? {
        axes.origin_mm.iter_mut().zip(origin).for_each(|(o, v)| *o = v);
    }
    let names = ["TransformMatrix", "Rotation", "Orientation"];
    if let Some(matrix) = fields.first_axis_numbers(&names, rank * rank, context)? {
        for axis in 0..rank.min(3) {
            for row in 0..rank.min(3) {
                axes.direction[row][axis] = matrix[axis * rank + row];
            }
        }
    }
    let name = fields.require("ElementType", context)?;
    let element = TYPES.iter().find(|(n, _)| *n == name.trim_end_matches("_ARRAY"));
    let &(_, element) = element
        .ok_or_else(|| context.unsupported(format!("ElementType {name}"), "convert it to MET_FLOAT"))?;
    let big = match fields.flag("BinaryDataByteOrderMSB", context)? {
        None => fields.flag("ElementByteOrderMSB", context)?,
        found => found,
    };
    let order = if big.unwrap_or(false) { ByteOrder::Big } else { ByteOrder::Little };
    let channels = fields.text("ElementNumberOfChannels").unwrap_or("1");
    let channels = channels
        .parse::<usize>()
        .map_err(|_| context.malformed("ElementNumberOfChannels", "a whole number", channels))?;
    Ok(Layout {
        grid: axes.into_grid(context)?,
        meaning: Meaning::of_channels(channels, element, dimension, context)?,
        arrangement: if frames > 1 { Arrangement::Planar } else { Arrangement::Interleaved },
        frames,
        frame_interval_ms: None,
        stored: Stored { element, order, scaling: Scaling::NONE },
    })
}

/// `Key = value` lines.
struct Fields(HashMap<String, String>);

impl Fields {
    fn parse(source: &mut Source, context: &Context) -> Result<Self, IoError> {
        let mut fields = HashMap::new();
        for _ in 0..MAX_LINES {
            let Some(line) = source.line(LINE_LIMIT, context)? else { break };
            if line.trim().is_empty() {
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                return Err(context.malformed("MetaImage header line", "key = value", excerpt(&line)));
            };
            let key = key.trim().to_owned();
            let last = key == "ElementDataFile";
            fields.insert(key, value.trim().to_owned());
            if last {
                return Ok(Self(fields));
            }
        }
        Err(context.malformed("MetaImage header", "ElementDataFile as its last line", "no such line"))
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn require(&self, key: &'static str, context: &Context) -> Result<&str, IoError> {
        self.text(key).ok_or_else(|| context.malformed(key, "a value", "none"))
    }

    fn flag(&self, key: &'static str, context: &Context) -> Result<Option<bool>, IoError> {
        match self.text(key).map(str::to_ascii_lowercase).as_deref() {
            None => Ok(None),
            Some("true" | "t" | "1") => Ok(Some(true)),
            Some("false" | "f" | "0") => Ok(Some(false)),
            Some(other) => Err(context.malformed(key, "True or False", other)),
        }
    }

    fn numbers(&self, key: &'static str, context: &Context) -> Result<Option<Vec<f64>>, IoError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let numbers = text.split_whitespace().map(str::parse).collect::<Result<_, _>>();
        numbers.map(Some).map_err(|_| context.malformed(key, "numbers", excerpt(text)))
    }

    fn axis_numbers(
        &self,
        key: &'static str,
        count: usize,
        context: &Context,
    ) -> Result<Option<Vec<f64>>, IoError> {
        match self.numbers(key, context)? {
            Some(n) if n.len() != count => Err(context.malformed(key, format!("{count} numbers"), n.len())),
            found => Ok(found),
        }
    }

    fn first_axis_numbers(
        &self,
        keys: &[&'static str],
        count: usize,
        context: &Context,
    ) -> Result<Option<Vec<f64>>, IoError> {
        for key in keys {
            if let Some(found) = self.axis_numbers(key, count, context)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

fn excerpt(text: &str) -> String {
    text.chars().take(60).collect()
}

pub(crate) fn write(path: &Path, record: &Record) -> Result<(), IoError> {
    let header = header(record);
    crate::detached::write(path, "mhd", record, |data_file| {
        format!("{header}ElementDataFile = {}\n", data_file.unwrap_or("LOCAL"))
    })
}

fn header(record: &Record) -> String {
    let grid = record.grid;
    let n = header_axes(grid);
    let join = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let direction = grid.direction();
    let matrix: Vec<f64> = (0..n).flat_map(|axis| (0..n).map(move |row| direction[row][axis])).collect();
    let size = grid.size()[..n].iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let channels = match record.components() {
        1 => String::new(),
        count => format!("ElementNumberOfChannels = {count}\n"),
    };
    let element = record.element();
    let name = TYPES.iter().find(|(_, e)| *e == element).map_or("MET_FLOAT", |(name, _)| name);
    format!(
        "ObjectType = Image\nNDims = {n}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n\
         CompressedData = False\nTransformMatrix = {}\nOffset = {}\nCenterOfRotation = {}\n\
         ElementSpacing = {}\nDimSize = {size}\n{channels}ElementType = {name}\n",
        join(&matrix),
        join(&grid.origin_mm()[..n]),
        join(&[0.0; 3][..n]),
        join(&grid.spacing_mm()[..n]),
    )
}
