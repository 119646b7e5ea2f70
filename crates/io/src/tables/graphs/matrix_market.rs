//! Matrix Market coordinate files: entry (i, j) is the weight of the arc from node i to node j, counted from 1 in the file.
//!
//! *Specification*: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935,
//! 1996. *Read*: `real`, `integer` and `pattern` (weight 1); `symmetric` (arcs lead both ways) and `general` (one way).

use super::{GraphFormat, Lines};
use crate::error::Result;
use crate::text::rows::{Comma, Row, Rows, Separator};
use veloxel_core::{ArcList, GraphKind, WeightedArc};

pub(super) const FORMAT: GraphFormat = GraphFormat { extensions: &["mtx"], parse };

const HEAD: &str = "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric";

fn parse(lines: &mut Lines<'_, '_>, _unsaid: GraphKind) -> Result<ArcList> {
    let head = lines.text.lines().next().unwrap_or_default();
    let words: Vec<String> = head.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (field, kind) = match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", field @ ("real" | "integer" | "pattern"), symmetry] => {
            match symmetry {
                "general" => (field, GraphKind::Directed),
                "symmetric" => (field, GraphKind::Undirected),
                _ => return Err(lines.malformed(1, HEAD, head)),
            }
        }
        _ => return Err(lines.malformed(1, HEAD, head)),
    };
    let mut rows = Rows::parted(lines.text, Separator::Blanks, &['%'], lines.context)?;
    let comma = rows.comma();
    let (number, size, sizes): (_, _, Vec<usize>) = match rows.next(lines.context)? {
        Some(row) => (row.number, row.line, row.cells.iter().map_while(|cell| cell.parse().ok()).collect()),
        None => (1, "", Vec::new()),
    };
    let [nodes, columns, entries] = sizes[..] else {
        return Err(lines.malformed(number, "rows, columns and entries", size));
    };
    if nodes != columns {
        return Err(lines.malformed(number, "as many rows as columns: a graph's nodes", size));
    }
    lines.claim_nodes(nodes)?;
    let mut list = ArcList { nodes, kind, arcs: lines.room()? };
    while let Some(row) = rows.next(lines.context)? {
        list.arcs.push(arc(lines, &row, comma, nodes, field)?);
    }
    if list.arcs.len() != entries {
        let expected = format!("{entries} entries, as line {number} says");
        return Err(lines.context.malformed("the matrix", expected, list.arcs.len()));
    }
    Ok(list)
}

/// The arc of an entry.
fn arc(lines: &mut Lines<'_, '_>, row: &Row, comma: Comma, nodes: usize, field: &str) -> Result<WeightedArc> {
    let node = |nth: usize| {
        let node = row.cells.get(nth)?.parse::<usize>().ok()?.checked_sub(1).filter(|&node| node < nodes)?;
        u32::try_from(node).ok()
    };
    let (Some(from), Some(to)) = (node(0), node(1)) else {
        let expected = format!("a row and a column from 1 to {nodes}");
        return Err(lines.malformed(row.number, &expected, row.line));
    };
    let count = if field == "pattern" { 2 } else { 3 };
    if row.cells.len() != count {
        return Err(lines.malformed(row.number, &format!("{count} numbers"), row.line));
    }
    let weight = match row.cells.get(2) {
        None => 1.0,
        Some(cell) => lines.weight(row.number, comma.number(cell), row.line)?,
    };
    Ok(WeightedArc { from, to, weight })
}
