//! A list of edges: `from to weight` a line, separated by blanks, tabs or commas; nodes counted from 0; without a weight 1.
//!
//! Lines that begin with `#` or `%` are comments; a first line without numbers is a head.

use super::{GraphFormat, Lines};
use crate::error::Result;
use crate::text::words::{DECIMAL_POINT, has_decimal_comma, lines as numbered};
use veloxel_core::{ArcList, GraphKind, WeightedArc};

pub(super) const FORMAT: GraphFormat =
    GraphFormat { extensions: &["txt", "csv", "tsv", "el", "edges"], parse };

/// Nodes are numbered in 32 bits.
const MOST_NODES: u32 = u32::MAX - 1;

fn parse(lines: &Lines<'_>, kind: GraphKind) -> Result<ArcList> {
    let mut list = ArcList { nodes: 0, kind, arcs: lines.room()? };
    for (nth, (number, line)) in numbered(lines.text, &['#', '%']).enumerate() {
        lines.ask(number)?;
        if has_decimal_comma(line) {
            return Err(lines.malformed(number, DECIMAL_POINT, line));
        }
        let mut cells = line.split([' ', '\t', ',', ';']).filter(|cell| !cell.is_empty());
        let [from, to] = [cells.next(), cells.next()].map(|cell| cell.and_then(|c| c.parse::<u32>().ok()));
        let (Some(from), Some(to)) = (from, to) else {
            if nth == 0 && !line.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            return Err(lines.malformed(number, "two nodes, counted from 0, and a weight", line));
        };
        if from.max(to) >= MOST_NODES {
            return Err(lines.malformed(number, "nodes below 2^32 - 2", line));
        }
        let weight = cells.next().map_or(Ok(1.0), |cell| lines.weight(number, cell))?;
        list.nodes = list.nodes.max(from.max(to) as usize + 1);
        list.arcs.push(WeightedArc { from, to, weight });
    }
    if list.arcs.is_empty() {
        let expected = "an edge a line, such as `0 1 2.5`";
        return Err(lines.context.malformed("the graph", expected, "no edge"));
    }
    lines.claim_nodes(list.nodes)?;
    Ok(list)
}
