//! The header of an array: the type of its numbers, their order and its shape, as a dictionary in Python's words.

use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element};
use crate::read::layout::AxisOrder;
use crate::read::source::Source;
use crate::text::quotation::quoted;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Samples begin at a multiple of it.
const ALIGNMENT: usize = 64;
/// A longer header is none; NumPy itself refuses those above 10,000.
const MOST_BYTES: u64 = 1 << 16;
/// Numbers by NumPy's letter and size.
const TYPES: [(&str, Element); 12] = [
    ("b1", Element::U8),
    ("u1", Element::U8),
    ("i1", Element::I8),
    ("u2", Element::U16),
    ("i2", Element::I16),
    ("u4", Element::U32),
    ("i4", Element::I32),
    ("u8", Element::U64),
    ("i8", Element::I64),
    ("f2", Element::F16),
    ("f4", Element::F32),
    ("f8", Element::F64),
];

/// What a header says.
#[derive(Debug, PartialEq)]
pub(crate) struct Header {
    pub element: Element,
    pub byte_order: ByteOrder,
    /// C's order is x fastest, Fortran's x slowest.
    pub axis_order: AxisOrder,
    pub shape: Vec<usize>,
}

/// The first bytes of a file whose samples run with the last axis fastest; `element` is little-endian.
pub(crate) fn text(element: &str, shape: &[usize]) -> Vec<u8> {
    const FIXED: usize = MAGIC.len() + 4;
    let axes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut text = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({axes}), }}");
    let padded = (FIXED + text.len() + 1).next_multiple_of(ALIGNMENT) - FIXED;
    text.extend(std::iter::repeat_n(' ', padded - text.len() - 1));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.into_bytes());
    bytes
}

/// NumPy's name of an element, little-endian where that matters.
pub(super) fn type_name(element: Element) -> String {
    let order = if element.bytes() == 1 { '|' } else { '<' };
    let found = TYPES.iter().rev().find(|(_, each)| *each == element);
    format!("{order}{}", found.map_or("f4", |(name, _)| name))
}

/// Reads the header and leaves the source at the first sample.
///
/// # Errors [`IoError::Malformed`], [`IoError::Truncated`], and [`IoError::Unsupported`] for numbers of a type that is not in
/// [`TYPES`].
pub(crate) fn parse(source: &mut Source, context: &Context) -> Result<Header> {
    const WHAT: &str = "the NumPy header";
    let start = source.take_bytes(WHAT, 8, context)?;
    context.require(start.starts_with(MAGIC), "NumPy magic", "\\x93NUMPY", "something else")?;
    let length_bytes = match start[6] {
        1 => 2,
        2 | 3 => 4,
        other => return Err(context.malformed("NumPy version", "1 to 3", other)),
    };
    let length = ByteOrder::Little.number(&source.take_bytes(WHAT, length_bytes, context)?);
    context.require(
        length <= MOST_BYTES,
        "NumPy header",
        format!("at most {MOST_BYTES} bytes"),
        format!("{length} bytes"),
    )?;
    let bytes = source.take_bytes(WHAT, length, context)?;
    let text = String::from_utf8_lossy(&bytes);
    Words { rest: &text, context }.header()
}

/// What is left of the dictionary.
struct Words<'a> {
    rest: &'a str,
    context: &'a Context<'a>,
}

impl<'a> Words<'a> {
    fn header(mut self) -> Result<Header> {
        let (mut numbers, mut axis_order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.take('}') {
            let key = self.quoted()?;
            self.expect(':')?;
            match key {
                "descr" => numbers = Some(self.numbers()?),
                "fortran_order" => axis_order = Some(self.axis_order()?),
                "shape" => shape = Some(self.shape()?),
                _ => return Err(self.malformed("descr, fortran_order and shape", key)),
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        let is_whole = self.rest.trim().is_empty();
        let (Some((element, byte_order)), Some(axis_order), Some(shape), true) =
            (numbers, axis_order, shape, is_whole)
        else {
            return Err(self.malformed("descr, fortran_order and shape", "something else"));
        };
        Ok(Header { element, byte_order, axis_order, shape })
    }

    /// The type of numbers, `<f4`.
    fn numbers(&mut self) -> Result<(Element, ByteOrder)> {
        const HINT: &str = "save it with .astype('float32')";
        if self.rest.trim_start().starts_with('[') {
            return Err(self.context.unsupported("an array of records", HINT));
        }
        let name = self.quoted()?;
        let refuse = || self.context.unsupported(format!("numbers of NumPy's type {}", quoted(name)), HINT);
        let byte_order = match name.chars().next() {
            Some('<' | '|') => ByteOrder::Little,
            Some('>') => ByteOrder::Big,
            _ => return Err(refuse()),
        };
        let found = TYPES.iter().find(|(each, _)| *each == &name[1..]);
        let (_, element) = found.ok_or_else(refuse)?;
        let has_order = !name.starts_with('|') || element.bytes() == 1;
        if has_order { Ok((*element, byte_order)) } else { Err(refuse()) }
    }

    fn axis_order(&mut self) -> Result<AxisOrder> {
        let word = self.while_is(char::is_alphabetic);
        match word {
            "False" => Ok(AxisOrder::XFastest),
            "True" => Ok(AxisOrder::XSlowest),
            other => Err(self.malformed("False or True", other)),
        }
    }

    /// Whole numbers in brackets, `(3, 2)`; Python 2 wrote them as `3L`.
    fn shape(&mut self) -> Result<Vec<usize>> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.take(')') {
            let digits = self.while_is(|c| c.is_ascii_digit());
            let axis = digits.parse().map_err(|_| self.malformed("whole numbers as shape", digits))?;
            self.take('L');
            shape.push(axis);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }

    /// A word in quotes, `'descr'`.
    fn quoted(&mut self) -> Result<&'a str> {
        let quote = if self.take('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect(quote)?;
        }
        let word = self.while_is(|c| c != quote);
        self.expect(quote)?;
        Ok(word)
    }

    fn while_is(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Goes behind a mark, if that is what comes next.
    fn take(&mut self, mark: char) -> bool {
        let behind = self.rest.trim_start().strip_prefix(mark);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn expect(&mut self, mark: char) -> Result<()> {
        if self.take(mark) { Ok(()) } else { Err(self.malformed(&format!("`{mark}`"), self.rest)) }
    }

    fn malformed(&self, expected: &str, got: &str) -> IoError {
        self.context.malformed("NumPy header", expected, format!("`{}`", quoted(got)))
    }
}
