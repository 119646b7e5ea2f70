//! A table with a point a line: by the names of its head line, or the first numbers of each line.

use super::Point;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::WorldAxes;
use crate::text::rows::{Comma, Row as FoundRow, Rows};
use std::ops::Range;
use veloxel_core::Dimension;

/// A table of points, with everything between them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    text: String,
    axes: WorldAxes,
    axes_count: usize,
    rows: Vec<Row>,
    comma: Comma,
}

/// A point of the table.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    point: Point,
    /// Where its coordinates stand in the text, x first; empty for axes that there are not. Files of points are smaller than 4 GB.
    cells: [Cell; 3],
}

/// A range of the text's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Cell {
    begin: u32,
    end: u32,
}

impl Cell {
    /// The place of a part of a text in it.
    fn of(part: &str, text: &str) -> Self {
        let begin = part.as_ptr().addr() - text.as_ptr().addr();
        Self { begin: begin as u32, end: (begin + part.len()) as u32 }
    }

    fn range(self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }
}

/// Which columns hold the coordinates, x first, and what their axes are.
struct Columns {
    of_axis: Vec<usize>,
    axes: WorldAxes,
    /// Whether a head line named them, and how many columns it names.
    named: bool,
    count: usize,
}

/// Names of coordinates, in lower case.
const NAMES: [([&str; 3], WorldAxes); 3] =
    [(["x", "y", "z"], WorldAxes::Lps), (["l", "p", "s"], WorldAxes::Lps), (["r", "a", "s"], WorldAxes::Ras)];

/// Comments that are looked at: those that say something stand at the beginning.
const MOST_COMMENTS: usize = 1 << 10;

impl Table {
    pub fn parse(text: &str, dimension: Dimension, context: &Context) -> Result<Self> {
        let axes_count = dimension.count();
        let mut columns =
            Columns { of_axis: (0..axes_count).collect(), axes: WorldAxes::Lps, named: false, count: 0 };
        // No more rows than lines, the points as they are and as they will be, and the text once more, and as it will be.
        let lines = text.lines().count();
        context.claim((2 * text.len() + text.len() / 4 + 2 * lines * size_of::<Point>()) as u64)?;
        let mut rows = context.room_for(lines)?;
        columns.read_comments(text, dimension, context)?;
        let mut cells_of = Rows::new(text, &['#'], context)?;
        let comma = cells_of.comma();
        let (mut first, mut promised, mut counted) = (true, None, !columns.named);
        while let Some(found) = cells_of.next(context)? {
            let is_head = std::mem::take(&mut first) && !columns.named && found.is_head();
            if is_head {
                match found.line {
                    line if line.eq_ignore_ascii_case("point") => promised = Some(None),
                    line if line.eq_ignore_ascii_case("index") => {
                        return Err(context.unsupported("a point file of voxel indices", INDICES));
                    }
                    _ => columns.read_head(found.cells, axes_count, context)?,
                }
                continue;
            }
            if promised == Some(None) {
                let count = found.line.parse::<usize>().ok();
                context.require(count.is_some(), "the point file", "the number of points", found.told())?;
                promised = Some(count);
                continue;
            }
            let (point, chosen) = columns.row(&found, comma, context)?;
            counted &= columns.begins_with_number(&found, comma, rows.len());
            let mut cells = [Cell::default(); 3];
            cells.iter_mut().zip(chosen).for_each(|(slot, cell)| *slot = Cell::of(cell, text));
            rows.push(Row { point, cells });
        }
        let expected = "a point a line, such as \"12.5,3.25,40\", under a head line such as \"x,y,z\"";
        context.require(!rows.is_empty(), "the table", expected, "no point")?;
        if counted {
            let (names, got) = (
                &["x", "y", "z"][..axes_count],
                "numbers of lines, 1, 2, 3 and so on, and others behind them",
            );
            let expected = format!("a head line that names the columns {}", names.join(","));
            return Err(context.malformed("the first column", expected, got));
        }
        if let Some(Some(count)) = promised {
            context.require(count == rows.len(), "the point file", format!("{count} points"), rows.len())?;
        }
        Ok(Self { text: text.to_owned(), axes: columns.axes, axes_count, rows, comma })
    }

    pub fn points(&self) -> Vec<Point> {
        self.rows.iter().map(|row| row.point.map(|p| self.axes.turned(p))).collect()
    }

    pub fn with_points(&self, points: &[Point]) -> String {
        // A coordinate takes about as much as it did before.
        let (mut out, mut at) = (String::with_capacity(self.text.len() + self.text.len() / 4), 0);
        for (row, moved) in self.rows.iter().zip(points) {
            let moved = moved.map(|p| self.axes.turned(p));
            let mut order = [0, 1, 2].map(|axis: usize| (row.cells[axis], axis));
            order.sort_by_key(|(cell, _)| cell.begin);
            for (cell, axis) in order.into_iter().filter(|(_, axis)| *axis < self.axes_count) {
                out.push_str(&self.text[at..cell.range().start]);
                match moved {
                    // Not "-0.000000".
                    Some(p) => out.push_str(&self.comma.text(p[axis] + 0.0)),
                    None => out.push_str("NaN"),
                }
                at = cell.range().end;
            }
        }
        out.push_str(&self.text[at..]);
        out
    }
}

const INDICES: &str = "give positions in millimetres";

impl Columns {
    /// What the comments of a text say.
    fn read_comments(&mut self, text: &str, dimension: Dimension, context: &Context) -> Result<()> {
        let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
        comments.take(MOST_COMMENTS).try_for_each(|comment| self.read_comment(comment, dimension, context))
    }

    /// What 3D Slicer's `.fcsv` says in its comments.
    fn read_comment(&mut self, comment: &str, dimension: Dimension, context: &Context) -> Result<()> {
        let Some((name, value)) = comment.split_once('=').map(|(name, value)| (name.trim(), value.trim()))
        else {
            return Ok(());
        };
        let (name, value) = (
            name.to_lowercase(),
            if name.eq_ignore_ascii_case("columns") { value.to_owned() } else { value.to_uppercase() },
        );
        match (&*name, &*value) {
            ("coordinatesystem", "LPS" | "1") => self.axes = WorldAxes::Lps,
            ("coordinatesystem", "RAS" | "0") => self.axes = WorldAxes::Ras,
            ("coordinatesystem", "IJK" | "2") => {
                return Err(context.unsupported("a table of voxel indices", INDICES));
            }
            ("coordinatesystem", _) => return Err(context.malformed(name, "LPS or RAS", value)),
            ("columns", _) if dimension == Dimension::Two => {
                let got = "3D Slicer's fiducials, which lie in millimetres";
                return Err(context.malformed("the points", "pixels for a 2-D field", got));
            }
            ("columns", _) => {
                let axes = self.axes;
                self.read_head(&value.split(',').map(str::trim).collect::<Vec<_>>(), 3, context)?;
                self.axes = axes;
            }
            _ => {}
        }
        Ok(())
    }

    fn read_head(&mut self, names: &[&str], axes_count: usize, context: &Context) -> Result<()> {
        let place = |wanted: &str| {
            let mut found = names.iter().enumerate().filter(|(_, name)| name.eq_ignore_ascii_case(wanted));
            found.next().map(|(nth, _)| nth).filter(|_| found.next().is_none())
        };
        for (wanted, axes) in NAMES {
            let found: Vec<usize> = wanted[..axes_count].iter().filter_map(|name| place(name)).collect();
            if found.len() == axes_count {
                (self.of_axis, self.axes, self.named) = (found, axes, true);
                self.count = names.len();
                return Ok(());
            }
        }
        let expected = match axes_count {
            2 => "one column each named x and y",
            _ => "one column each named x, y and z (LPS millimetres; or l,p,s, or r,a,s)",
        };
        Err(context.malformed("the head line", expected, format!("\"{}\"", names.join(","))))
    }

    /// Whether a line without named columns begins with its own number, counted from 0 or 1, and has more numbers than coordinates: which
    /// of them are coordinates is not known then.
    fn begins_with_number(&self, found: &FoundRow<'_, '_>, comma: Comma, nth: usize) -> bool {
        let value = |nth: usize| found.cells.get(nth).and_then(|cell| comma.number(cell));
        let is_number = |first: f64| first == nth as f64 || first == (nth + 1) as f64;
        !self.named && value(self.of_axis.len()).is_some() && value(0).is_some_and(is_number)
    }

    /// The point of a line, and the cells that it is in.
    fn row<'a>(
        &self,
        found: &FoundRow<'a, '_>,
        comma: Comma,
        context: &Context,
    ) -> Result<(Point, Vec<&'a str>)> {
        let (count, cells) = (self.of_axis.len(), found.cells);
        let bad = |expected: String| {
            let got = format!("\"{}\"", cells.join(","));
            context.malformed(format!("line {}", found.number), expected, got)
        };
        if self.named && found.has_more_than(self.count) {
            return Err(bad(format!("{} cells, as many as the head line has", self.count)));
        }
        let chosen: Vec<&str> = self.of_axis.iter().filter_map(|&nth| cells.get(nth).copied()).collect();
        // Spreadsheets leave the cells of a point without a position empty.
        if chosen.len() == count && chosen.iter().all(|cell| cell.is_empty()) {
            return Ok((None, chosen));
        }
        let values: Vec<f64> = chosen.iter().filter_map(|cell| comma.number(cell)).collect();
        if values.len() < count {
            return Err(bad(format!("{count} coordinates")));
        }
        let mut point = [0.0; 3];
        point[..count].copy_from_slice(&values);
        Ok((point.iter().all(|v| v.is_finite()).then_some(point), chosen))
    }
}
