//! Matrix Market coordinate files: entry (i, j) is the weight of the arc from node i to node j, counted from 1 in the file.
//!
//! *Specification*: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935,
//! 1996. *Read*: `real`, `integer` and `pattern` (weight 1); `symmetric` (arcs lead both ways) and `general` (one way).

use super::{GraphFormat, Lines};
use crate::error::Result;
use crate::text::words::lines as numbered;
use veloxel_core::{ArcList, GraphKind, WeightedArc};

pub(super) const FORMAT: GraphFormat = GraphFormat { extensions: &["mtx"], parse };

const HEAD: &str = "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric";

fn parse(lines: &Lines<'_>, _unsaid: GraphKind) -> Result<ArcList> {
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
    let mut content = numbered(lines.text, &['%']);
    let (number, size) = content.next().unwrap_or((1, ""));
    let sizes: Vec<usize> = size.split_whitespace().map_while(|cell| cell.parse().ok()).collect();
    let [rows, columns, entries] = sizes[..] else {
        return Err(lines.malformed(number, "rows, columns and entries", size));
    };
    if rows != columns {
        return Err(lines.malformed(number, "as many rows as columns: a graph's nodes", size));
    }
    lines.claim_nodes(rows)?;
    let mut list = ArcList { nodes: rows, kind, arcs: lines.room()? };
    for (number, line) in content {
        lines.ask(number)?;
        list.arcs.push(arc(lines, number, line, rows, field)?);
    }
    if list.arcs.len() != entries {
        let expected = format!("{entries} entries, as line {number} says");
        return Err(lines.context.malformed("the matrix", expected, list.arcs.len()));
    }
    Ok(list)
}

/// The arc of an entry.
fn arc(lines: &Lines<'_>, number: usize, line: &str, nodes: usize, field: &str) -> Result<WeightedArc> {
    let mut cells = line.split_whitespace();
    let mut node = || {
        let node = cells.next()?.parse::<usize>().ok()?.checked_sub(1).filter(|&node| node < nodes)?;
        u32::try_from(node).ok()
    };
    let (Some(from), Some(to)) = (node(), node()) else {
        return Err(lines.malformed(number, &format!("a row and a column from 1 to {nodes}"), line));
    };
    let weight = match field {
        "pattern" => 1.0,
        _ => lines.weight(number, cells.next().unwrap_or_default())?,
    };
    Ok(WeightedArc { from, to, weight })
}
