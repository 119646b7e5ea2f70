//! A table with a point a line: `structure,frame,slice,x,y`, pixels; columns are found by their names.

use super::ContourReading;
use super::collection::{Collection, Spot};
use crate::error::Result;
use crate::text::words::{DECIMAL_POINT, has_decimal_comma, lines};
use std::fmt::Write;
use veloxel_core::{ContourSet, Structure};

const HEAD: &str = "structure,frame,slice,x,y";

/// Bytes that a point takes at most: while its list grows, and in its polygon.
const POINT_BYTES: u64 = 64;

/// Places of the columns.
struct Columns {
    structure: usize,
    frame: Option<usize>,
    slice: Option<usize>,
    xy: [usize; 2],
}

pub(super) fn read(text: &str, options: &ContourReading, into: &mut Collection) -> Result<()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    into.context.claim(POINT_BYTES * text.lines().count() as u64)?;
    let mut lines = lines(text, &['#']);
    let head = lines.next().map_or("", |(_, line)| line);
    let columns = columns(head).ok_or_else(|| {
        into.context.malformed("the head line", format!("the columns {HEAD}"), format!("\"{head}\""))
    })?;
    if columns.slice.is_none() {
        into.slice(None, || "the rows of a table without that column".to_owned())?;
    }
    let separator = separator_of(head);
    let mut open: Option<(Spot, Vec<[f64; 2]>)> = None;
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
        if let Some(Err(expected)) = cells.get(columns.structure).map(|cell| cell.parse::<Structure>()) {
            return Err(into.context.malformed(format!("line {number}"), "a structure", expected));
        }
        let (spot, point) = row(&columns, &cells, options.frame).ok_or_else(|| {
            let expected = if has_decimal_comma(line) { DECIMAL_POINT } else { HEAD };
            into.context.malformed(format!("line {number}"), expected, format!("\"{line}\""))
        })?;
        let key = |s: &Spot| (s.structure, s.frame, s.slice);
        match &mut open {
            Some((there, points)) if key(there) == key(&spot) => points.push(point),
            _ => {
                if let Some((spot, points)) = open.replace((spot, vec![point])) {
                    into.add(spot, points)?;
                }
            }
        }
    }
    open.map_or(Ok(()), |(spot, points)| into.add(spot, points))
}

/// What parts the cells of a table with this head.
fn separator_of(head: &str) -> char {
    [';', '\t'].into_iter().find(|separator| head.contains(*separator)).unwrap_or(',')
}

fn columns(head: &str) -> Option<Columns> {
    let names: Vec<String> = head.split(separator_of(head)).map(|name| name.trim().to_lowercase()).collect();
    let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    Some(Columns {
        structure: place(&["structure"])?,
        frame: place(&["frame", "phase", "time"]),
        slice: place(&["slice"]),
        xy: [place(&["x", "x_px"])?, place(&["y", "y_px"])?],
    })
}

fn row(columns: &Columns, cells: &[&str], frame: usize) -> Option<(Spot, [f64; 2])> {
    let structure: Structure = cells.get(columns.structure)?.parse().ok()?;
    let whole = |column: Option<usize>, missing: usize| match column {
        Some(column) => cells.get(column)?.parse().ok(),
        None => Some(missing),
    };
    let spot = Spot { structure, frame: whole(columns.frame, frame)?, slice: whole(columns.slice, 0)? };
    let number = |column: usize| cells.get(column)?.parse::<f64>().ok();
    Some((spot, [number(columns.xy[0])?, number(columns.xy[1])?]))
}

/// The text of a file.
pub(super) fn text(contours: &ContourSet) -> String {
    let mut text = format!("{HEAD}\n");
    for contour in contours.contours() {
        let (structure, frame, slice) = (contour.structure, contour.frame, contour.slice);
        for [x, y] in contour.polygon.points_px() {
            let _ = writeln!(text, "{structure},{frame},{slice},{x:.4},{y:.4}");
        }
    }
    text
}
