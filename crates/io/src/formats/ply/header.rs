//! The header of a PLY file: how its numbers are stored, and what stands in which order.

use crate::error::Result;
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element};
use crate::text::quotation::quoted;
use crate::text::words::Words;

/// The encodings, as a user reads of them.
const FORMATS: &str = "format ascii, binary_little_endian or binary_big_endian";

/// What is kept of a line that declares an element or a property, beside its text.
const DECLARATION_BYTES: u64 = 200;

/// How the numbers behind the header are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Stored(ByteOrder),
}

/// Rows of one kind, one after the other.
pub(super) struct Rows {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
}

/// A number, or a list of them, in each row.
pub(super) struct Property {
    pub name: String,
    pub value: Element,
    /// The type of the number of values, of a list.
    pub list: Option<Element>,
}

/// The header.
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Rows>,
}

impl Header {
    pub fn read(words: &mut Words, context: &Context) -> Result<Self> {
        let text = |line: &[u8]| String::from_utf8_lossy(line).trim().to_owned();
        let magic = text(words.line());
        let got = if magic.is_empty() { "no text".to_owned() } else { quoted(&magic) };
        context.require(magic.eq_ignore_ascii_case("ply"), "PLY magic", "ply", got)?;
        let (mut encoding, mut elements) = (None, Vec::<Rows>::new());
        loop {
            context.require(!words.is_at_end(), "PLY header", "end_header", "the end of the file")?;
            let line = text(words.line());
            let bad = |expected: &str| context.malformed("PLY header", expected, quoted(&line));
            let typed =
                |name: &str| element(name).ok_or_else(|| bad("a type of numbers, such as float or int"));
            let before = || bad("an element before its properties");
            let mut parts: Vec<&str> = line.split_whitespace().collect();
            // Keywords in any case; names of elements are those of their writers.
            let keyword = parts.first().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
            if let Some(first) = parts.first_mut() {
                *first = &keyword;
            }
            if let Some(&("element" | "property")) = parts.first() {
                context.claim(DECLARATION_BYTES + line.len() as u64)?;
            }
            match parts[..] {
                ["format", name, _] => encoding = Some(encoding_of(name).ok_or_else(|| bad(FORMATS))?),
                ["comment" | "obj_info", ..] | [] => {}
                ["element", name, count] => elements.push(Rows {
                    name: name.to_owned(),
                    count: count.parse().map_err(|_| bad("a count of rows"))?,
                    properties: Vec::new(),
                }),
                ["property", "list", length, value, name] => {
                    let (list, value) = (Some(typed(length)?), typed(value)?);
                    let rows = elements.last_mut().ok_or_else(before)?;
                    rows.properties.push(Property { name: name.to_owned(), value, list });
                }
                ["property", value, name] => {
                    let value = typed(value)?;
                    let rows = elements.last_mut().ok_or_else(before)?;
                    rows.properties.push(Property { name: name.to_owned(), value, list: None });
                }
                ["end_header"] => break,
                _ => return Err(bad("format, element, property or end_header")),
            }
        }
        let encoding = encoding.ok_or_else(|| context.malformed("PLY header", "a line `format`", "none"))?;
        Ok(Self { encoding, elements })
    }
}

fn encoding_of(name: &str) -> Option<Encoding> {
    match &*name.to_ascii_lowercase() {
        "ascii" => Some(Encoding::Text),
        "binary_little_endian" => Some(Encoding::Stored(ByteOrder::Little)),
        "binary_big_endian" => Some(Encoding::Stored(ByteOrder::Big)),
        _ => None,
    }
}

fn element(name: &str) -> Option<Element> {
    match name {
        "char" | "int8" => Some(Element::I8),
        "uchar" | "uint8" => Some(Element::U8),
        "short" | "int16" => Some(Element::I16),
        "ushort" | "uint16" => Some(Element::U16),
        "int" | "int32" => Some(Element::I32),
        "uint" | "uint32" => Some(Element::U32),
        "float" | "float32" => Some(Element::F32),
        "double" | "float64" => Some(Element::F64),
        _ => None,
    }
}
