//! VTK legacy unstructured grids: tetrahedra over points.
//!
//! *Specification*: Kitware, "VTK File Formats", legacy format, versions 2.0 to 5.1. Version 5 lists cells as OFFSETS
//! and CONNECTIVITY (`vtktypeint64` or `vtktypeint32`); earlier ones as a count and indices a cell. Binary numbers are
//! big-endian.
//! *Limits*: every cell must be a linear tetrahedron (type 10); point and cell data behind the cells are not read.

use crate::IoError;
use crate::context::{Context, Strictness};
use crate::source::Source;
use std::path::Path;
use veloxel_core::{TetMesh, Warnings};

const TETRAHEDRON: i64 = 10;

/// Reads a tetrahedral mesh; points stay in the file's own length unit.
///
/// # Errors
/// [`IoError::UnknownExtension`] unless the name ends in `.vtk`, [`IoError::Open`], [`IoError::Truncated`],
/// [`IoError::Malformed`] (an index without a point among them), [`IoError::Unsupported`] for other data sets and cells.
pub fn read_mesh(path: &Path) -> Result<TetMesh, IoError> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("vtk")) {
        return Err(IoError::UnknownExtension {
            path: path.to_owned(),
            what: "a tetrahedral mesh",
            known: ".vtk".to_owned(),
        });
    }
    let mut warnings = Warnings::new();
    let mut context = Context::new(path, Strictness::Lenient, &mut warnings);
    let bytes = Source::open(path)?.take_rest(&context)?;
    parse(&bytes, &mut context)
}

/// Reads a tetrahedral mesh from memory; `name` stands for the file in messages.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_mesh_bytes(name: &Path, bytes: &[u8]) -> Result<TetMesh, IoError> {
    let mut warnings = Warnings::new();
    parse(bytes, &mut Context::new(name, Strictness::Lenient, &mut warnings))
}

fn parse(bytes: &[u8], context: &mut Context) -> Result<TetMesh, IoError> {
    let mut file = Cursor { bytes, at: 0, binary: false };
    let magic = file.line();
    if !magic.to_ascii_lowercase().starts_with("# vtk datafile version") {
        return Err(context.malformed("VTK magic", "# vtk DataFile Version", excerpt(&magic)));
    }
    file.line();
    file.binary = match file.word().to_ascii_uppercase().as_str() {
        "ASCII" => false,
        "BINARY" => true,
        other => return Err(context.malformed("VTK encoding", "ASCII or BINARY", excerpt(other))),
    };
    let mut points = None;
    let mut tetrahedra = None;
    let mut types_seen = false;
    while !(points.is_some() && tetrahedra.is_some() && types_seen) {
        match file.word().to_ascii_uppercase().as_str() {
            "DATASET" => {
                let kind = file.word();
                if !kind.eq_ignore_ascii_case("UNSTRUCTURED_GRID") {
                    return Err(context
                        .unsupported(format!("data set {}", excerpt(&kind)), "give an UNSTRUCTURED_GRID"));
                }
            }
            "POINTS" => points = Some(read_points(&mut file, context)?),
            "CELLS" => tetrahedra = Some(read_cells(&mut file, context)?),
            "CELL_TYPES" => {
                let count = file.count("CELL_TYPES", context)?;
                let types = file.integers(count, Integer::I32, context)?;
                if let Some(other) = types.iter().find(|&&t| t != TETRAHEDRON) {
                    return Err(context.unsupported(
                        format!("a cell of type {other}"),
                        "every cell must be a linear tetrahedron (type 10)",
                    ));
                }
                types_seen = true;
            }
            "METADATA" => while !file.line().trim().is_empty() {},
            "" => {
                return Err(context.malformed(
                    "VTK file",
                    "POINTS, CELLS and CELL_TYPES",
                    "its end before them",
                ));
            }
            other => {
                return Err(
                    context.unsupported(format!("section {}", excerpt(other)), "give plain POINTS and CELLS")
                );
            }
        }
    }
    let points: Vec<[f64; 3]> = points.unwrap_or_default();
    let cells: Vec<i64> = tetrahedra.unwrap_or_default();
    let index = |i: i64| match u32::try_from(i) {
        Ok(node) if (node as usize) < points.len() => Ok(node),
        _ => Err(context.malformed("node index", format!("0 to {}", points.len().saturating_sub(1)), i)),
    };
    let tetrahedra = cells
        .as_chunks::<4>()
        .0
        .iter()
        .map(|&[a, b, c, d]| Ok([index(a)?, index(b)?, index(c)?, index(d)?]))
        .collect::<Result<_, IoError>>()?;
    Ok(TetMesh { points, tetrahedra })
}

fn read_points(file: &mut Cursor, context: &Context) -> Result<Vec<[f64; 3]>, IoError> {
    let count = file.count("POINTS", context)?;
    let kind = file.word().to_ascii_lowercase();
    let total = count.checked_mul(3).ok_or_else(|| context.malformed("POINTS", "fewer", count))?;
    let values: Vec<f64> = match (file.binary, kind.as_str()) {
        (false, "float" | "double") => {
            file.words(total, |w| w.parse().ok().filter(|v: &f64| v.is_finite()), context)?
        }
        (true, "float") => file.numbers(total, |b| f64::from(f32::from_be_bytes(b)), context)?,
        (true, "double") => file.numbers(total, f64::from_be_bytes, context)?,
        _ => {
            return Err(
                context.unsupported(format!("points of type {}", excerpt(&kind)), "give float or double")
            );
        }
    };
    Ok(values.as_chunks::<3>().0.to_vec())
}

/// Four node indices a cell, flat.
fn read_cells(file: &mut Cursor, context: &Context) -> Result<Vec<i64>, IoError> {
    let (first, second) = (file.count("CELLS", context)?, file.count("CELLS", context)?);
    let before = file.at;
    if !file.word().eq_ignore_ascii_case("OFFSETS") {
        file.at = before;
        return read_counted_cells(file, (first, second), context);
    }
    let offset_kind = Integer::named(&file.word(), context)?;
    let offsets = file.integers(first, offset_kind, context)?;
    if offsets.iter().enumerate().any(|(i, &o)| o != 4 * i as i64) {
        return Err(context.unsupported("a cell without exactly 4 nodes", "every cell must be a tetrahedron"));
    }
    let name = file.word();
    if !name.eq_ignore_ascii_case("CONNECTIVITY") {
        return Err(context.malformed("VTK cells", "CONNECTIVITY", excerpt(&name)));
    }
    let kind = Integer::named(&file.word(), context)?;
    if first.saturating_sub(1).checked_mul(4) != Some(second) {
        return Err(context.malformed(
            "CONNECTIVITY",
            format!("4 nodes for each of {first} - 1 cells"),
            second,
        ));
    }
    file.integers(second, kind, context)
}

fn read_counted_cells(
    file: &mut Cursor,
    (cells, total): (usize, usize),
    context: &Context,
) -> Result<Vec<i64>, IoError> {
    if cells.checked_mul(5) != Some(total) {
        return Err(context.unsupported("a cell without exactly 4 nodes", "every cell must be a tetrahedron"));
    }
    let values = file.integers(total, Integer::I32, context)?;
    let mut nodes = Vec::with_capacity(4 * cells);
    for cell in values.as_chunks::<5>().0 {
        if cell[0] != 4 {
            return Err(context
                .unsupported(format!("a cell of {} nodes", cell[0]), "every cell must be a tetrahedron"));
        }
        nodes.extend_from_slice(&cell[1..]);
    }
    Ok(nodes)
}

#[derive(Clone, Copy)]
enum Integer {
    I32,
    I64,
}

impl Integer {
    fn named(name: &str, context: &Context) -> Result<Self, IoError> {
        match name.to_ascii_lowercase().as_str() {
            "vtktypeint64" | "long" | "vtkidtype" => Ok(Self::I64),
            "vtktypeint32" | "int" => Ok(Self::I32),
            other => {
                Err(context.unsupported(format!("indices of type {}", excerpt(other)), "give vtktypeint64"))
            }
        }
    }
}

/// A place in the bytes, from where words, lines and numbers are taken.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    binary: bool,
}

impl Cursor<'_> {
    /// The next line without its end; empty at the end of the file.
    fn line(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
        self.at = (self.at + end + 1).min(self.bytes.len());
        String::from_utf8_lossy(&rest[..end]).into_owned()
    }

    /// The next word; empty at the end of the file. The white space behind it is left alone.
    fn word(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let start = rest.iter().position(|c| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        let length = rest[start..].iter().take_while(|c| !c.is_ascii_whitespace()).count();
        self.at += start + length;
        String::from_utf8_lossy(&rest[start..start + length]).into_owned()
    }

    fn count(&mut self, section: &'static str, context: &Context) -> Result<usize, IoError> {
        let word = self.word();
        word.parse().map_err(|_| context.malformed(section, "a count", excerpt(&word)))
    }

    fn integers(&mut self, count: usize, kind: Integer, context: &Context) -> Result<Vec<i64>, IoError> {
        match (self.binary, kind) {
            (false, _) => self.words(count, |w| w.parse().ok(), context),
            (true, Integer::I32) => self.numbers(count, |b| i64::from(i32::from_be_bytes(b)), context),
            (true, Integer::I64) => self.numbers(count, i64::from_be_bytes, context),
        }
    }

    fn words<T>(
        &mut self,
        count: usize,
        parse: impl Fn(&str) -> Option<T>,
        context: &Context,
    ) -> Result<Vec<T>, IoError> {
        // Every number takes a digit and a space at least.
        self.require((count as u64).saturating_mul(2).saturating_sub(1), context)?;
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            let word = self.word();
            values.push(
                parse(&word)
                    .ok_or_else(|| context.malformed("VTK number", "a finite number", excerpt(&word)))?,
            );
        }
        Ok(values)
    }

    /// Binary numbers; they begin behind the end of the line.
    fn numbers<T, const N: usize>(
        &mut self,
        count: usize,
        parse: impl Fn([u8; N]) -> T,
        context: &Context,
    ) -> Result<Vec<T>, IoError> {
        self.line();
        let needed = (count as u64).saturating_mul(N as u64);
        self.require(needed, context)?;
        let end = self.at + needed as usize;
        let values = self.bytes[self.at..end].as_chunks::<N>().0.iter().map(|&b| parse(b)).collect();
        self.at = end;
        Ok(values)
    }

    fn require(&self, needed: u64, context: &Context) -> Result<(), IoError> {
        let there = (self.bytes.len() - self.at) as u64;
        if needed > there { Err(context.truncated("a VTK section", needed, there)) } else { Ok(()) }
    }
}

fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}
