//! The text at the head of a NRRD file: fields by name, and the lists of vectors and texts among them.
//!
//! *Specification*: Gordon Kindlmann, "Definition of NRRD File Format", teem.sourceforge.net/nrrd/format.html.

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::Element;
use crate::read::source::Source;
use crate::text::header::{Fields, LINE_LIMIT, counted};

const MAX_LINES: usize = 10_000;

/// The names of types; the first one is written. A closing ` int` may follow.
pub(super) const TYPES: [(Element, &[&str]); 10] = [
    (Element::I8, &["signed char", "int8", "int8_t"]),
    (Element::U8, &["uchar", "unsigned char", "uint8", "uint8_t"]),
    (Element::I16, &["short", "signed short", "int16", "int16_t"]),
    (Element::U16, &["ushort", "unsigned short", "uint16", "uint16_t"]),
    (Element::I32, &["int", "signed", "int32", "int32_t"]),
    (Element::U32, &["uint", "unsigned", "uint32", "uint32_t"]),
    (Element::I64, &["longlong", "long long", "signed long long", "int64", "int64_t"]),
    (Element::U64, &["ulonglong", "unsigned long long", "uint64", "uint64_t"]),
    (Element::F32, &["float"]),
    (Element::F64, &["double"]),
];

/// Reads `field: value` lines up to the empty line that ends an attached header, or the end of a detached one; names
/// are in lower case, comments and key/value pairs are left out.
pub(super) fn parse(source: &mut Source, context: &Context) -> Result<Fields> {
    source.begin_header(context)?;
    let magic = source.line(LINE_LIMIT, context)?.unwrap_or_default();
    context.require(magic.starts_with("NRRD000"), "NRRD magic", "NRRD0001 to NRRD0005", magic)?;
    let mut fields = Fields::default();
    for _ in 0..MAX_LINES {
        let Some(line) = source.line(LINE_LIMIT, context)? else {
            if fields.text("data file").is_some() {
                return Ok(fields);
            }
            let end = "an empty line at its end";
            return Err(context.malformed("NRRD header", end, "the end of the file"));
        };
        if line.is_empty() {
            return Ok(fields);
        }
        if line.starts_with('#') {
            continue;
        }
        // A colon and an equals sign make a key/value pair, which is the writer's own affair.
        let Some((name, value)) = line.split_once(':') else {
            return Err(context.malformed("NRRD header line", "field: value", &line));
        };
        let is_weighted = name.trim() == "modality" && value.trim_start_matches('=').trim() == "DWMRI";
        if value.starts_with('=') && is_weighted {
            let what =
                "a list of images of other diffusion weightings (DWMRI), which are no frames over time,";
            return Err(context.unsupported(what, "take one of them out: `unu slice -a AXIS -p NUMBER`"));
        }
        if !value.starts_with('=') {
            let name = match name.trim().to_lowercase().as_str() {
                "datafile" => "data file".to_owned(),
                "lineskip" => "line skip".to_owned(),
                "byteskip" => "byte skip".to_owned(),
                other => other.to_owned(),
            };
            fields.insert(name, value);
        }
    }
    Err(context.malformed("NRRD header", format!("at most {MAX_LINES} lines"), "more"))
}

/// One quoted text an axis.
pub(super) fn quoted<'a>(
    fields: &'a Fields,
    name: &str,
    axes: usize,
    context: &Context,
) -> Result<Option<Vec<&'a str>>> {
    let words = fields.text(name).map(|text| text.split('"').skip(1).step_by(2).collect());
    words.map(|words| counted(name, words, axes, context)).transpose()
}

/// Vectors `(a,b,c)`, or `none`; every one with `dimension` numbers.
pub(super) fn vectors(
    fields: &Fields,
    name: &str,
    dimension: usize,
    context: &Context,
) -> Result<Option<Vec<Option<Vec<f64>>>>> {
    let Some(text) = fields.text(name) else { return Ok(None) };
    let fail = || context.malformed(name, format!("vectors of {dimension} numbers, or none"), text);
    let mut vectors = Vec::new();
    let mut left = text;
    while !left.is_empty() {
        if let Some(rest) = left.strip_prefix("none") {
            vectors.push(None);
            left = rest.trim_start();
            continue;
        }
        let (inside, rest) = left.strip_prefix('(').and_then(|t| t.split_once(')')).ok_or_else(fail)?;
        let numbers: Result<Vec<f64>, _> = inside.split(',').map(|n| n.trim().parse()).collect();
        vectors.push(Some(numbers.ok().filter(|n| n.len() == dimension).ok_or_else(fail)?));
        left = rest.trim_start();
    }
    Ok(Some(vectors))
}
