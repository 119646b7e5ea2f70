//! A list of edges: `from to weight` a line, separated by blanks, tabs, commas or semicolons; nodes counted from 0; without a
//! weight 1.
//!
//! Lines that begin with `#` or `%` are comments; a first line of words is a head, whose names say where the columns are, if it has
//! known ones.

use super::{GraphFormat, Lines};
use crate::error::Result;
use crate::text::rows::{Comma, Row, Rows};
use veloxel_core::{ArcList, GraphKind, WeightedArc};

pub(super) const FORMAT: GraphFormat =
    GraphFormat { extensions: &["txt", "csv", "tsv", "el", "edges"], parse };

/// Nodes are numbered in 32 bits.
const MOST_NODES: u32 = u32::MAX - 1;
const EXPECTED: &str = "two nodes, counted from 0, and a weight";

/// Names of the columns of nodes and weights, in lower case.
const FROM: [&str; 10] = ["from", "source", "src", "u", "node1", "node_1", "i", "start", "a", "x"];
const TO: [&str; 12] =
    ["to", "target", "dst", "dest", "v", "node2", "node_2", "j", "end", "b", "y", "destination"];
const WEIGHT: [&str; 8] = ["weight", "w", "cost", "length", "distance", "dist", "value", "weights"];

/// Which columns hold an edge.
struct Columns {
    from: usize,
    to: usize,
    weight: Option<usize>,
    /// How many a head names, and whether their meanings are among them, so that others may stand beside them.
    count: Option<usize>,
    is_named: bool,
}

fn parse(lines: &mut Lines<'_, '_>, kind: GraphKind) -> Result<ArcList> {
    let mut list = ArcList { nodes: 0, kind, arcs: lines.room()? };
    let mut rows = Rows::new(lines.text, &['#', '%'], lines.context)?;
    let comma = rows.comma();
    let mut columns = Columns { from: 0, to: 1, weight: Some(2), count: None, is_named: false };
    let mut is_first = true;
    // A line of counts before the edges would pass for one that has no weight.
    let mut weighted = None;
    while let Some(row) = rows.next(lines.context)? {
        if std::mem::take(&mut is_first) && row.is_head() {
            columns = named(&row, lines)?;
            continue;
        }
        let has_weight =
            columns.weight.and_then(|column| row.cells.get(column)).is_some_and(|cell| !cell.is_empty());
        let is_weighted = *weighted.get_or_insert(has_weight);
        if !columns.is_named && has_weight && !is_weighted {
            let expected = "no weight, as in the first line, or an edge with a weight there";
            return Err(lines.malformed(row.number, expected, row.line));
        }
        let arc = edge(&row, &columns, comma, lines)?;
        list.nodes = list.nodes.max(arc.from.max(arc.to) as usize + 1);
        list.arcs.push(arc);
    }
    if list.arcs.is_empty() {
        let expected = "an edge a line, such as `0 1 2.5`";
        return Err(lines.context.malformed("the graph", expected, "no edge"));
    }
    lines.claim_nodes(list.nodes)?;
    Ok(list)
}

/// The edge of a row.
fn edge(row: &Row, columns: &Columns, comma: Comma, lines: &mut Lines<'_, '_>) -> Result<WeightedArc> {
    let node = |column: usize| row.cells.get(column).and_then(|cell| cell.parse::<u32>().ok());
    let (Some(from), Some(to)) = (node(columns.from), node(columns.to)) else {
        return Err(lines.malformed(row.number, EXPECTED, row.line));
    };
    if from.max(to) >= MOST_NODES {
        return Err(lines.malformed(row.number, "nodes below 2^32 - 2", row.line));
    }
    if columns.count.is_some_and(|count| row.has_more_than(count)) {
        return Err(lines.malformed(row.number, "as many cells as the head line has", row.line));
    }
    // Words may follow; a number may be the rest of a fraction, or a column whose meaning nobody says.
    let further = row.cells.get(3..).unwrap_or_default().iter().find(|cell| comma.number(cell).is_some());
    if !columns.is_named && further.is_some() {
        let expected = "two nodes and a weight alone, or a head line that names the columns from,to,weight";
        return Err(lines.malformed(row.number, expected, row.line));
    }
    let cell = columns.weight.and_then(|column| row.cells.get(column)).copied().unwrap_or_default();
    let weight = match (cell, columns.is_named && columns.weight.is_some()) {
        ("", false) => 1.0,
        _ => lines.weight(row.number, comma.number(cell), row.line)?,
    };
    Ok(WeightedArc { from, to, weight })
}

/// The columns that a head names; those of a head without known names are the first three.
fn named(head: &Row, lines: &Lines<'_, '_>) -> Result<Columns> {
    let names: Vec<String> = head.cells.iter().map(|name| name.to_lowercase()).collect();
    let place = |known: &[&str]| names.iter().position(|name| known.contains(&&**name));
    let count = Some(names.len());
    match (place(&FROM), place(&TO), place(&WEIGHT)) {
        (Some(from), Some(to), weight) => Ok(Columns { from, to, weight, count, is_named: true }),
        (None, None, None | Some(2)) => {
            Ok(Columns { from: 0, to: 1, weight: Some(2), count, is_named: false })
        }
        _ => Err(lines.malformed(head.number, "the names from, to and weight, or none of them", head.line)),
    }
}
