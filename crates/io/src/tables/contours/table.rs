//! A table with a point a line: `structure,frame,slice,x,y`, pixels; columns are found by their names.

use super::ContourReading;
use super::collection::Collection;
use super::spot::Spot;
use crate::error::Result;
use crate::text::rows::{Comma, Row, Rows};
use std::fmt::Write;
use veloxel_core::{ContourSet, Structure};

const HEAD: &str = "structure,frame,slice,x,y";

/// Bytes that a point takes at most: while its list grows, and in its polygon.
const POINT_BYTES: u64 = 64;

/// Places of the columns.
struct Columns {
    count: usize,
    structure: usize,
    frame: Option<usize>,
    slice: Option<usize>,
    xy: [usize; 2],
}

pub(super) fn read(text: &str, options: &ContourReading, into: &mut Collection) -> Result<()> {
    into.context.claim(POINT_BYTES * text.lines().count() as u64)?;
    let mut rows = Rows::new(text, &['#'], &into.context)?;
    let comma = rows.comma();
    let head = rows.next(&into.context)?;
    let got = head.map_or_else(|| "none".to_owned(), |head| head.told());
    let columns = head
        .and_then(|head| columns(&head))
        .ok_or_else(|| into.context.malformed("the head line", format!("the columns {HEAD}"), got))?;
    if columns.slice.is_none() {
        into.slice(None, || "the rows of a table without that column".to_owned())?;
    }
    let mut open: Option<(Spot, Vec<[f64; 2]>)> = None;
    while let Some(found) = rows.next(&into.context)? {
        let what = || format!("line {}", found.number);
        if let Some(Err(expected)) = found.cells.get(columns.structure).map(|cell| cell.parse::<Structure>())
        {
            return Err(into.context.malformed(what(), "a structure", expected));
        }
        let is_whole = found.cells.len() <= columns.count
            || found.cells[columns.count..].iter().all(|cell| cell.is_empty());
        let (spot, point) = row(&columns, found.cells, comma, options.frame)
            .filter(|_| is_whole)
            .ok_or_else(|| into.context.malformed(what(), HEAD, found.told()))?;
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

fn columns(head: &Row) -> Option<Columns> {
    let names: Vec<String> = head.cells.iter().map(|name| name.to_lowercase()).collect();
    let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    Some(Columns {
        count: names.len(),
        structure: place(&["structure"])?,
        frame: place(&["frame", "phase", "time"]),
        slice: place(&["slice"]),
        xy: [place(&["x", "x_px"])?, place(&["y", "y_px"])?],
    })
}

fn row(columns: &Columns, cells: &[&str], comma: Comma, frame: usize) -> Option<(Spot, [f64; 2])> {
    let structure: Structure = cells.get(columns.structure)?.parse().ok()?;
    let whole = |column: Option<usize>, missing: usize| match column {
        Some(column) => cells.get(column)?.parse().ok(),
        None => Some(missing),
    };
    let spot = Spot { structure, frame: whole(columns.frame, frame)?, slice: whole(columns.slice, 0)? };
    let number = |column: usize| comma.number(cells.get(column)?);
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
