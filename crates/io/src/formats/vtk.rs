//! VTK legacy unstructured grids: tetrahedra over points.
//!
//! *Specification*: Kitware, "VTK File Formats", legacy format, versions 2.0 to 5.1. Version 5 lists cells as OFFSETS
//! and CONNECTIVITY (`vtktypeint64` or `vtktypeint32`); earlier ones as a count and indices a cell. Binary numbers are
//! big-endian.
//! *Limits*: every cell must be a linear tetrahedron (type 10); point and cell data behind the cells are left out, with a note.

use crate::content::{Content, ContentKind, Decoded};
use crate::error::Result;
use crate::format::{Format, FormatPrecision, Reader};
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Element};
use crate::read::source::Source;
use crate::text::quotation::quoted;
use crate::text::words::Words;
use veloxel_core::{TetMesh, WarningKind};

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Mesh],
    precision: FormatPrecision::Float,
    ..Format::picture("vtk", "VTK", &["vtk"], Reader::Whole(read))
};

/// The number of a linear tetrahedron among types of cells.
const TETRAHEDRON: f64 = 10.0;
const EVERY_CELL: &str = "every cell must be a linear tetrahedron (type 10)";

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_unmarked(context)?;
    let mut file = Sections::begin(&bytes, context)?;
    let content = Content::Mesh(whole_mesh(&mut file, context)?);
    let left_out = file.words.text();
    if !left_out.is_empty() {
        let text = format!("what follows the cells was left out, from {} on", quoted(&left_out));
        context.note(WarningKind::Note, text);
    }
    Ok(Decoded { content, sample_type: "tetrahedra".to_owned() })
}

/// Reads sections until points, cells and their types are there.
fn whole_mesh(file: &mut Sections, context: &Context) -> Result<TetMesh> {
    let (mut points, mut cells): (Option<Vec<f64>>, Option<Vec<f64>>) = (None, None);
    let mut types = None;
    loop {
        if let (Some(points), Some(cells), Some(())) = (&points, &cells, types) {
            return mesh(points, cells, context);
        }
        match file.words.text().to_ascii_uppercase().as_str() {
            "DATASET" => {
                let kind = file.words.text();
                let is_read = kind.eq_ignore_ascii_case("UNSTRUCTURED_GRID");
                let what = format!("data set {}", quoted(&kind));
                context.support(is_read, what, "give an UNSTRUCTURED_GRID")?;
            }
            "POINTS" => points = Some(file.points()?),
            "CELLS" => cells = Some(file.cells()?),
            "CELL_TYPES" => types = Some(file.types()?),
            "METADATA" => while !file.words.line().trim_ascii().is_empty() {},
            "" => {
                let expected = "POINTS, CELLS and CELL_TYPES";
                return Err(context.malformed("VTK file", expected, "its end before them"));
            }
            other => {
                let what = format!("section {}", quoted(other));
                return Err(context.unsupported(what, "give plain POINTS and CELLS"));
            }
        }
    }
}

/// Puts flat coordinates and node indices together.
fn mesh(coordinates: &[f64], cells: &[f64], context: &Context) -> Result<TetMesh> {
    let points = coordinates.as_chunks::<3>().0.to_vec();
    let last = points.len().min(u32::MAX as usize).saturating_sub(1);
    let index = |&node: &f64| {
        let is_node = node.fract() == 0.0 && (0.0..=last as f64).contains(&node) && !points.is_empty();
        let wrong = || context.malformed("node index", format!("0 to {last}"), node);
        is_node.then_some(node as u32).ok_or_else(wrong)
    };
    let nodes = cells.iter().map(index).collect::<Result<Vec<u32>>>()?;
    let tetrahedra = nodes.as_chunks::<4>().0.to_vec();
    Ok(TetMesh { points, tetrahedra })
}

/// What follows the lines before the data set, section by section.
struct Sections<'a> {
    words: Words<'a>,
    binary: bool,
    context: &'a Context<'a>,
}

impl<'a> Sections<'a> {
    fn begin(bytes: &'a [u8], context: &'a Context<'a>) -> Result<Self> {
        let mut words = Words::new(bytes, "the VTK file");
        let magic = String::from_utf8_lossy(words.line());
        let is_vtk = magic.to_ascii_lowercase().starts_with("# vtk datafile version");
        context.require(is_vtk, "VTK magic", "# vtk DataFile Version", quoted(&magic))?;
        words.line();
        let binary = match words.text().to_ascii_uppercase().as_str() {
            "ASCII" => false,
            "BINARY" => true,
            other => return Err(context.malformed("VTK encoding", "ASCII or BINARY", quoted(other))),
        };
        Ok(Self { words, binary, context })
    }

    /// Three coordinates a point, flat.
    fn points(&mut self) -> Result<Vec<f64>> {
        let count = self.count("POINTS")?;
        let element = match self.words.text().to_ascii_lowercase().as_str() {
            "float" => Element::F32,
            "double" => Element::F64,
            other => {
                let what = format!("points of type {}", quoted(other));
                return Err(self.context.unsupported(what, "give float or double"));
            }
        };
        let total = count.checked_mul(3).ok_or_else(|| self.context.malformed("POINTS", "fewer", count))?;
        self.numbers(total, element)
    }

    /// Four node indices a cell, flat.
    fn cells(&mut self) -> Result<Vec<f64>> {
        let (first, second) = (self.count("CELLS")?, self.count("CELLS")?);
        let before = self.words;
        if !self.words.text().eq_ignore_ascii_case("OFFSETS") {
            self.words = before;
            self.require_four_nodes(first.checked_mul(5) == Some(second))?;
            let values = self.numbers(second, Element::I32)?;
            let cells = values.as_chunks::<5>().0;
            self.require_four_nodes(cells.iter().all(|cell| cell[0] == 4.0))?;
            return Ok(cells.iter().flat_map(|cell| &cell[1..]).copied().collect());
        }
        let kind = self.integer_type()?;
        let offsets = self.numbers(first, kind)?;
        self.require_four_nodes(offsets.iter().enumerate().all(|(i, &o)| o == 4.0 * i as f64))?;
        let name = self.words.text();
        let is_known = name.eq_ignore_ascii_case("CONNECTIVITY");
        self.context.require(is_known, "VTK cells", "CONNECTIVITY", quoted(&name))?;
        let kind = self.integer_type()?;
        let is_whole = first.saturating_sub(1).checked_mul(4) == Some(second);
        let expected = format!("4 nodes for each of {first} - 1 cells");
        self.context.require(is_whole, "CONNECTIVITY", expected, second)?;
        self.numbers(second, kind)
    }

    fn require_four_nodes(&self, has_four: bool) -> Result<()> {
        self.context.support(has_four, "a cell without exactly 4 nodes", EVERY_CELL)
    }

    /// Checks that every cell is a tetrahedron.
    fn types(&mut self) -> Result<()> {
        let count = self.count("CELL_TYPES")?;
        match self.numbers(count, Element::I32)?.iter().find(|&&t| t != TETRAHEDRON) {
            None => Ok(()),
            Some(other) => Err(self.context.unsupported(format!("a cell of type {other}"), EVERY_CELL)),
        }
    }

    fn integer_type(&mut self) -> Result<Element> {
        match self.words.text().to_ascii_lowercase().as_str() {
            "vtktypeint64" | "long" | "vtkidtype" => Ok(Element::I64),
            "vtktypeint32" | "int" => Ok(Element::I32),
            other => {
                let what = format!("indices of type {}", quoted(other));
                Err(self.context.unsupported(what, "give vtktypeint64"))
            }
        }
    }

    fn count(&mut self, section: &str) -> Result<usize> {
        self.words.value(section, "a count", |_| true, self.context)
    }

    /// Numbers as text, or in bytes behind the end of the line.
    fn numbers(&mut self, count: usize, element: Element) -> Result<Vec<f64>> {
        if self.binary {
            self.words.line();
            let size = element.bytes();
            let bytes = self.words.bytes(count.saturating_mul(size), self.context)?;
            let number = |stored: &[u8]| element.number(ByteOrder::Big.number(stored).to_le_bytes());
            return Ok(bytes.chunks_exact(size).map(number).collect());
        }
        // Every number takes a digit and a space at least.
        self.words.require(count, 2, self.context)?;
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            let is_finite = |value: &f64| value.is_finite();
            values.push(self.words.value("VTK number", "a finite number", is_finite, self.context)?);
        }
        Ok(values)
    }
}
