//! VTK legacy unstructured grids: tetrahedra over points.
//!
//! *Specification*: Kitware, "VTK File Formats", legacy format, versions 2.0 to 5.1. Version 5 lists cells as OFFSETS
//! and CONNECTIVITY (`vtktypeint64` or `vtktypeint32`); earlier ones as a count and indices a cell. Binary numbers are
//! big-endian.
//! *Limits*: every cell must be a linear tetrahedron (type 10); point and cell data behind the cells are not read.

use crate::content::{Content, Decoded, Kind};
use crate::context::Context;
use crate::error::{IoError, Result};
use crate::format::{Format, Precision, Reader};
use crate::source::Source;
use crate::text_header::excerpt;
use crate::words::Words;
use std::str::FromStr;
use veloxel_core::TetMesh;

pub(super) static FORMAT: Format = Format {
    reads: &[Kind::Mesh],
    precision: Precision::Float,
    ..Format::picture("vtk", "VTK", &["vtk"], Reader::Whole(read))
};

/// The number of a linear tetrahedron among types of cells.
const TETRAHEDRON: i64 = 10;
const EVERY_CELL: &str = "every cell must be a linear tetrahedron (type 10)";

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    let mut file = Sections::begin(&bytes, context)?;
    let (mut points, mut cells): (Option<Vec<f64>>, Option<Vec<i64>>) = (None, None);
    let mut types = None;
    loop {
        if let (Some(points), Some(cells), Some(())) = (&points, &cells, types) {
            let content = Content::Mesh(mesh(points, cells, context)?);
            return Ok(Decoded { content, sample_type: "tetrahedra".to_owned() });
        }
        match file.words.text().to_ascii_uppercase().as_str() {
            "DATASET" => {
                let kind = file.words.text();
                if !kind.eq_ignore_ascii_case("UNSTRUCTURED_GRID") {
                    let what = format!("data set {}", excerpt(&kind));
                    return Err(context.unsupported(what, "give an UNSTRUCTURED_GRID"));
                }
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
                let what = format!("section {}", excerpt(other));
                return Err(context.unsupported(what, "give plain POINTS and CELLS"));
            }
        }
    }
}

/// Puts flat coordinates and node indices together.
fn mesh(coordinates: &[f64], cells: &[i64], context: &Context) -> Result<TetMesh> {
    let points = coordinates.as_chunks::<3>().0.to_vec();
    let index = |&i: &i64| match u32::try_from(i) {
        Ok(node) if (node as usize) < points.len() => Ok(node),
        _ => Err(context.malformed("node index", format!("0 to {}", points.len().saturating_sub(1)), i)),
    };
    let nodes = cells.iter().map(index).collect::<Result<Vec<u32>, _>>()?;
    let tetrahedra = nodes.as_chunks::<4>().0.to_vec();
    Ok(TetMesh { points, tetrahedra })
}

#[derive(Clone, Copy)]
enum Integer {
    I32,
    I64,
}

/// What follows the lines before the data set, section by section.
struct Sections<'a> {
    words: Words<'a>,
    binary: bool,
    context: &'a Context<'a>,
}

impl<'a> Sections<'a> {
    fn begin(bytes: &'a [u8], context: &'a Context<'a>) -> Result<Self> {
        let mut words = Words::new(bytes, "a VTK section");
        let magic = String::from_utf8_lossy(words.line());
        let is_vtk = magic.to_ascii_lowercase().starts_with("# vtk datafile version");
        context.require(is_vtk, "VTK magic", "# vtk DataFile Version", excerpt(&magic))?;
        words.line();
        let binary = match words.text().to_ascii_uppercase().as_str() {
            "ASCII" => false,
            "BINARY" => true,
            other => return Err(context.malformed("VTK encoding", "ASCII or BINARY", excerpt(other))),
        };
        Ok(Self { words, binary, context })
    }

    /// Three coordinates a point, flat.
    fn points(&mut self) -> Result<Vec<f64>> {
        let count = self.count("POINTS")?;
        let kind = self.words.text().to_ascii_lowercase();
        let total = count.checked_mul(3).ok_or_else(|| self.context.malformed("POINTS", "fewer", count))?;
        match (self.binary, kind.as_str()) {
            (false, "float" | "double") => self.numbers_of_text(total, |v: &f64| v.is_finite()),
            (true, "float") => self.numbers(total, |b| f64::from(f32::from_be_bytes(b))),
            (true, "double") => self.numbers(total, f64::from_be_bytes),
            _ => {
                let what = format!("points of type {}", excerpt(&kind));
                Err(self.context.unsupported(what, "give float or double"))
            }
        }
    }

    /// Four node indices a cell, flat.
    fn cells(&mut self) -> Result<Vec<i64>> {
        let (first, second) = (self.count("CELLS")?, self.count("CELLS")?);
        let before = self.words;
        if !self.words.text().eq_ignore_ascii_case("OFFSETS") {
            self.words = before;
            if first.checked_mul(5) != Some(second) {
                return Err(self.other_nodes());
            }
            let values = self.integers(second, Integer::I32)?;
            let cells = values.as_chunks::<5>().0;
            if cells.iter().any(|cell| cell[0] != 4) {
                return Err(self.other_nodes());
            }
            return Ok(cells.iter().flat_map(|cell| &cell[1..]).copied().collect());
        }
        let kind = self.integer_type()?;
        let offsets = self.integers(first, kind)?;
        if offsets.iter().enumerate().any(|(i, &o)| o != 4 * i as i64) {
            return Err(self.other_nodes());
        }
        let name = self.words.text();
        let is_known = name.eq_ignore_ascii_case("CONNECTIVITY");
        self.context.require(is_known, "VTK cells", "CONNECTIVITY", excerpt(&name))?;
        let kind = self.integer_type()?;
        let is_whole = first.saturating_sub(1).checked_mul(4) == Some(second);
        let expected = format!("4 nodes for each of {first} - 1 cells");
        self.context.require(is_whole, "CONNECTIVITY", expected, second)?;
        self.integers(second, kind)
    }

    fn other_nodes(&self) -> IoError {
        self.context.unsupported("a cell without exactly 4 nodes", EVERY_CELL)
    }

    /// Checks that every cell is a tetrahedron.
    fn types(&mut self) -> Result<()> {
        let count = self.count("CELL_TYPES")?;
        match self.integers(count, Integer::I32)?.iter().find(|&&t| t != TETRAHEDRON) {
            None => Ok(()),
            Some(other) => Err(self.context.unsupported(format!("a cell of type {other}"), EVERY_CELL)),
        }
    }

    fn integer_type(&mut self) -> Result<Integer> {
        match self.words.text().to_ascii_lowercase().as_str() {
            "vtktypeint64" | "long" | "vtkidtype" => Ok(Integer::I64),
            "vtktypeint32" | "int" => Ok(Integer::I32),
            other => {
                let what = format!("indices of type {}", excerpt(other));
                Err(self.context.unsupported(what, "give vtktypeint64"))
            }
        }
    }

    fn count(&mut self, section: &str) -> Result<usize> {
        self.words.value(section, "a count", |_| true, self.context)
    }

    fn integers(&mut self, count: usize, kind: Integer) -> Result<Vec<i64>> {
        match (self.binary, kind) {
            (false, _) => self.numbers_of_text(count, |_| true),
            (true, Integer::I32) => self.numbers(count, |b| i64::from(i32::from_be_bytes(b))),
            (true, Integer::I64) => self.numbers(count, i64::from_be_bytes),
        }
    }

    /// Numbers as text.
    fn numbers_of_text<T: FromStr>(&mut self, count: usize, allowed: impl Fn(&T) -> bool) -> Result<Vec<T>> {
        // Every number takes a digit and a space at least.
        self.words.require(count, 2, self.context)?;
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            values.push(self.words.value("VTK number", "a finite number", &allowed, self.context)?);
        }
        Ok(values)
    }

    /// Binary numbers; they begin behind the end of the line.
    fn numbers<T, const N: usize>(&mut self, count: usize, parse: impl Fn([u8; N]) -> T) -> Result<Vec<T>> {
        self.words.line();
        let bytes = self.words.bytes(count.saturating_mul(N), self.context)?;
        Ok(bytes.as_chunks().0.iter().map(|&number| parse(number)).collect())
    }
}
