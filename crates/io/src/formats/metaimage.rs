//! MetaImage, `.mha` (header and samples in one file) and `.mhd` (samples in a file beside it).
//!
//! *Specification*: MetaIO of the Insight Toolkit, `metaImage` and its documentation page.
//! *Compatible implementations*: ITK and SimpleITK (compared both ways in `tests/peers.py`).
//! *World*: LPS mm. `TransformMatrix` lists the direction of axis 0, then of axis 1, and so on: the transpose of a
//! [`Grid`](veloxel_core::Grid)'s direction.
//! *Fields*: floating-point channels, one an axis, LPS mm. 3 or 4 channels of u8 or u16 are colour.
//! *2-D*: two axes, or one slice of three: a plane in space, with all its directions.
//! *Time*: a fourth axis; its unit is not part of the format, so the frame interval is unknown.
//! *Limits*: binary samples, raw or zlib; one data file; no fourth axis is written.

use crate::error::Result;
use crate::format::{Format, Reader, WriteRecord};
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element, Scaling, Stored};
use crate::read::geometry::{Axes, header_axes};
use crate::read::layout::{Arrangement, AxisOrder, Layout, Meaning};
use crate::read::source::Source;
use crate::text::header::{Fields, LINE_LIMIT, join};
use crate::text::quotation::quoted;
use crate::write::detached;
use crate::write::record::Record;
use crate::write::target::Target;
use veloxel_core::WarningKind;

pub(super) static FORMAT: Format = Format {
    names_data_files: Some(|source, context| {
        let header = parse(source, context).ok();
        let name = header.and_then(|header| header.text("ElementDataFile").map(str::to_owned));
        name.filter(|name| !is_local(name)).into_iter().collect()
    }),
    ..Format::volume::<MetaImage>("meta-image", "MetaImage", &["mha", "mhd"], Reader::Header(layout))
};

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
fn layout<'a>(mut source: Source<'a>, context: &mut Context) -> Result<(Layout, Source<'a>)> {
    let fields = parse(&mut source, context)?;
    let layout = interpret(&fields, context)?;
    let mut samples = match fields.text("ElementDataFile").unwrap_or_default() {
        name if is_local(name) => source,
        name if name == "LIST" || name.contains('%') => {
            return Err(context.unsupported("a list of data files", "convert it to one .mha file"));
        }
        name => detached::open(name, context)?,
    };
    if flag(&fields, "CompressedData", context)? {
        let size = fields.value::<f64>("CompressedDataSize", "a number of bytes", context)?.unwrap_or(0.0);
        context.require_bytes("the compressed data", size as u64, samples.available())?;
        samples = samples.inflate(context)?;
    } else {
        const EXPECTED: &str = "-1, or bytes to leave out";
        let skip = match fields.value::<i64>("HeaderSize", EXPECTED, context)?.unwrap_or(0) {
            // Samples stand at the end of the file, whatever comes before.
            -1 => samples.available().saturating_sub(layout.sample_bytes(context)?),
            n => u64::try_from(n).map_err(|_| context.malformed("HeaderSize", EXPECTED, n))?,
        };
        samples.skip("the part before the samples", skip, context)?;
    }
    Ok((layout, samples))
}

/// Whether samples stand behind the header.
fn is_local(data_file: &str) -> bool {
    matches!(data_file, "LOCAL" | "Local" | "local")
}

fn interpret(fields: &Fields, context: &mut Context) -> Result<Layout> {
    let kind = fields.text("ObjectType").unwrap_or("Image");
    context.require(kind.eq_ignore_ascii_case("image"), "ObjectType", "Image", kind)?;
    let is_binary = fields.text("BinaryData").is_none() || flag(fields, "BinaryData", context)?;
    context.support(is_binary, "samples as text", "convert it to binary samples")?;
    let rank = fields.rank("NDims", context)?;
    let mut sizes = [1usize; 4];
    sizes[..rank].copy_from_slice(&fields.sizes("DimSize", rank, context)?);
    let [nx, ny, nz, frames] = sizes;
    let axes = place(fields, Axes::new([nx, ny, nz]), rank, context)?;
    tell_intensities(fields, context)?;
    let name = fields.require("ElementType", context)?;
    let element = TYPES.iter().find(|(n, _)| *n == name.trim_end_matches("_ARRAY"));
    let &(_, element) = element
        .ok_or_else(|| context.unsupported(format!("ElementType {name}"), "convert it to MET_FLOAT"))?;
    let big =
        ["BinaryDataByteOrderMSB", "ElementByteOrderMSB"].into_iter().find(|k| fields.text(k).is_some());
    let big = big.map_or(Ok(false), |name| flag(fields, name, context))?;
    let order = if big { ByteOrder::Big } else { ByteOrder::Little };
    let channels = fields.value("ElementNumberOfChannels", "a whole number", context)?.unwrap_or(1);
    Ok(Layout {
        grid: axes.into_grid(context)?,
        meaning: Meaning::of_channels(channels, element, rank.min(3), context)?,
        arrangement: if frames > 1 { Arrangement::Planar } else { Arrangement::Interleaved },
        axis_order: AxisOrder::XFastest,
        frames,
        frame_interval_ms: None,
        stored: Stored { element, order, scaling: Scaling::NONE },
    })
}

/// Spacing, origin and directions, each under the first of its names that is there.
fn place(fields: &Fields, mut axes: Axes, rank: usize, context: &mut Context) -> Result<Axes> {
    let first = |names: &[&str], count: usize, context: &Context| {
        let name = names.iter().find(|name| fields.text(name).is_some());
        name.map_or(Ok(None), |name| fields.numbers(name, count, context))
    };
    match first(&["ElementSpacing", "ElementSize"], rank, context)? {
        Some(spacing) => axes.spacing_mm.iter_mut().zip(spacing).for_each(|(h, v)| *h = v),
        None => context.note(WarningKind::Header, "no ElementSpacing: 1 mm is assumed"),
    }
    if let Some(unit) = fields.text("DistanceUnits") {
        let mm = millimetres(unit, context)?;
        axes.spacing_mm.iter_mut().take(rank).for_each(|h| *h *= mm);
        if mm != 1.0 {
            context.note(WarningKind::Header, format!("its unit of length is {unit}: it is turned into mm"));
        }
    }
    if let Some(origin) = first(&["Offset", "Position", "Origin"], rank, context)? {
        let mm = fields.text("DistanceUnits").map_or(Ok(1.0), |unit| millimetres(unit, context))?;
        axes.origin_mm.iter_mut().zip(origin).for_each(|(o, v)| *o = mm * v);
    }
    let names = ["TransformMatrix", "Rotation", "Orientation"];
    if let Some(matrix) = first(&names, rank * rank, context)? {
        for axis in 0..rank.min(3) {
            for row in 0..rank.min(3) {
                axes.direction[row][axis] = matrix[axis * rank + row];
            }
        }
    }
    Ok(axes)
}

/// Millimetres in a unit of MetaIO's.
fn millimetres(unit: &str, context: &mut Context) -> Result<f64> {
    match unit.trim() {
        "um" => Ok(1e-3),
        "mm" | "?" | "" => Ok(1.0),
        "cm" => Ok(10.0),
        other => {
            context.assume(format!("{} is no unit of length that is known: mm is assumed", quoted(other)))?;
            Ok(1.0)
        }
    }
}

/// Tells of what stands for the samples of other programs, which is left aside here as ITK leaves it.
fn tell_intensities(fields: &Fields, context: &mut Context) -> Result<()> {
    let slope: Option<f64> = fields.value("ElementToIntensityFunctionSlope", "a number", context)?;
    let offset: Option<f64> = fields.value("ElementToIntensityFunctionOffset", "a number", context)?;
    if slope.is_some_and(|slope| slope != 1.0) || offset.is_some_and(|offset| offset != 0.0) {
        let text =
            "samples stay as they are stored: ElementToIntensityFunctionSlope and …Offset are left aside";
        context.note(WarningKind::Header, text);
    }
    Ok(())
}

/// `Key = value` lines up to the one that names the data file.
fn parse(source: &mut Source, context: &Context) -> Result<Fields> {
    source.begin_header(context)?;
    let mut fields = Fields::default();
    for _ in 0..MAX_LINES {
        let Some(line) = source.line(LINE_LIMIT, context)? else { break };
        if line.trim().is_empty() {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            return Err(context.malformed("MetaImage header line", "key = value", quoted(&line)));
        };
        fields.insert(key.trim(), value);
        if key.trim() == "ElementDataFile" {
            return Ok(fields);
        }
    }
    Err(context.malformed("MetaImage header", "ElementDataFile as its last line", "no such line"))
}

/// False where there is none.
fn flag(fields: &Fields, name: &str, context: &Context) -> Result<bool> {
    match fields.text(name).map(str::to_ascii_lowercase).as_deref() {
        Some("true" | "t" | "1") => Ok(true),
        None | Some("false" | "f" | "0") => Ok(false),
        Some(other) => Err(context.malformed(name, "True or False", quoted(other))),
    }
}

struct MetaImage;

impl WriteRecord for MetaImage {
    fn write(target: &Target, record: &Record) -> Result<()> {
        let header = header(record);
        detached::write(target, record, |data_file| {
            format!("{header}ElementDataFile = {}\n", data_file.unwrap_or("LOCAL"))
        })
    }
}

fn header(record: &Record) -> String {
    let grid = record.grid;
    let n = header_axes(grid);
    let direction = grid.direction();
    let matrix: Vec<f64> = (0..n).flat_map(|axis| (0..n).map(move |row| direction[row][axis])).collect();
    let channels = match record.components {
        1 => String::new(),
        count => format!("ElementNumberOfChannels = {count}\n"),
    };
    let name = TYPES.iter().find(|(_, e)| *e == record.element).map_or("MET_FLOAT", |(name, _)| name);
    format!(
        "ObjectType = Image\nNDims = {n}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n\
         CompressedData = False\nTransformMatrix = {}\nOffset = {}\nCenterOfRotation = {}\n\
         ElementSpacing = {}\nDimSize = {}\n{channels}ElementType = {name}\n",
        join(&matrix, " "),
        join(&grid.origin_mm()[..n], " "),
        join(&[0.0; 3][..n], " "),
        join(&grid.spacing_mm()[..n], " "),
        join(&grid.size()[..n], " "),
    )
}
