//! Graphs in text files: Matrix Market, and lists of edges. Both become arcs between nodes that are counted from 0.
//!
//! A format is a row of [`FORMATS`]; its reader refuses weights and nodes that are none by the number of their line.

mod edge_list;
mod matrix_market;

use crate::content::ContentKind;
use crate::error::{IoError, Result};
use crate::file_name::extension;
use crate::formats::lookup;
use crate::read::context::Context;
use crate::read::reading::Reading;
use crate::read::take_text;
use crate::text::quotation::quoted;
use std::path::Path;
use veloxel_core::{ArcList, GraphKind, Warnings, WeightedArc};

/// Texts above this size are refused before they are read.
const MOST_BYTES: u64 = 4 << 30;

/// Lines that are read between two questions whether to go on.
const LINES_BETWEEN: usize = 1 << 13;

/// Bytes that a graph takes for each node.
const NODE_BYTES: u64 = 12;

/// A format of graphs.
struct GraphFormat {
    /// Without the dot, in lower case.
    extensions: &'static [&'static str],
    /// The arcs of a text; where the format does not say whether they lead one way or both, as the argument says.
    parse: fn(&Lines<'_>, GraphKind) -> Result<ArcList>,
}

static FORMATS: &[GraphFormat] = &[matrix_market::FORMAT, edge_list::FORMAT];

/// Reads a graph: Matrix Market (`.mtx`) or a list of edges (`.txt`, `.csv`, `.tsv`, `.el`, `.edges`).
///
/// `unsaid` is how arcs lead where the file does not say; Matrix Market does.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Open`], and [`IoError::Malformed`] with the line.
pub fn read_graph(path: &Path, unsaid: GraphKind, reading: impl Into<Reading>) -> Result<ArcList> {
    let extension = extension(path);
    let Some(format) = FORMATS.iter().find(|format| format.extensions.contains(&&*extension)) else {
        let known = FORMATS.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}"));
        let known = known.collect::<Vec<_>>().join(", ");
        let meshes = lookup::extensions(|format| format.reads(ContentKind::Surface));
        let known = format!("{known} for a graph; {meshes} for a mesh, whose faces are the nodes");
        return Err(IoError::UnknownExtension { path: path.to_owned(), what: "a graph or a mesh", known });
    };
    let mut unwarned = Warnings::new();
    let context = Context::new(path, reading, &mut unwarned);
    let text = take_text(MOST_BYTES, &context)?;
    (format.parse)(&Lines { text: &text, context: &context }, unsaid)
}

/// A text whose lines are numbered from 1.
struct Lines<'a> {
    text: &'a str,
    context: &'a Context<'a>,
}

impl Lines<'_> {
    /// Asks whether to go on, every some thousand lines.
    fn ask(&self, line: usize) -> Result<()> {
        if line.is_multiple_of(LINES_BETWEEN) {
            self.context.check()?;
        }
        Ok(())
    }

    fn malformed(&self, line: usize, expected: &str, got: &str) -> IoError {
        self.context.malformed(format!("line {line}"), expected, format!("`{}`", quoted(got)))
    }

    /// A list of arcs with room for one a line, within the budget.
    fn room(&self) -> Result<Vec<WeightedArc>> {
        self.context.room_for(self.text.lines().count())
    }

    /// Claims what a graph of so many nodes takes, before anybody makes it.
    fn claim_nodes(&self, nodes: usize) -> Result<()> {
        self.context.claim((nodes as u64).saturating_mul(NODE_BYTES))
    }

    /// A weight of 0 or more.
    fn weight(&self, line: usize, cell: &str) -> Result<f32> {
        let weight = cell.parse::<f32>().ok().filter(|weight| *weight >= 0.0 && weight.is_finite());
        weight.ok_or_else(|| self.malformed(line, "a weight that is finite and 0 or more", cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<ArcList> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_graph(&path, GraphKind::Undirected, Reading::default())
    }

    fn arc(from: u32, to: u32, weight: f32) -> WeightedArc {
        WeightedArc { from, to, weight }
    }

    #[test]
    fn the_same_graph_in_every_format() {
        let expected = [arc(1, 0, 2.5), arc(2, 1, 1.0)];
        let symmetric =
            "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 2\n2 1 2.5\n3 2 1\n";
        let list = read("a.mtx", symmetric).unwrap();
        assert_eq!((list.nodes, list.kind, &list.arcs[..]), (3, GraphKind::Undirected, &expected[..]));
        for (name, text) in [
            ("a.txt", "# from to weight\n1 0 2.5\n2 1\n"),
            ("a.csv", "from,to,weight\n1,0,2.5\n2,1,1\n"),
            ("a.tsv", "1\t0\t2.5\n\n2\t1\t1.0\n"),
        ] {
            let list = read(name, text).unwrap();
            assert_eq!((list.nodes, &list.arcs[..]), (3, &expected[..]), "{name}");
        }
        let general = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
        let list = read("b.mtx", general).unwrap();
        assert_eq!((list.kind, &list.arcs[..]), (GraphKind::Directed, &[arc(0, 1, 1.0)][..]));
    }

    #[test]
    fn what_is_wrong_is_one_line_with_its_number() {
        let head = "%%MatrixMarket matrix coordinate real symmetric\n";
        for (name, text, says) in [
            ("a.mtx", "1 1 0\n".to_owned(), "%%MatrixMarket"),
            ("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n0\n".to_owned(), "coordinate"),
            ("a.mtx", format!("{head}2 3 1\n1 1 1\n"), "as many rows as columns"),
            ("a.mtx", format!("{head}2 2 2\n2 1 1\n"), "2 entries"),
            ("a.mtx", format!("{head}2 2 1\n3 1 1\n"), "line 3"),
            ("a.mtx", format!("{head}2 2 1\n2 1 -4\n"), "`-4`"),
            ("a.mtx", format!("{head}2 2 99999999999\n2 1 1\n"), "entries"),
            ("a.txt", "0 1 nan\n".to_owned(), "`nan`"),
            ("a.txt", "0 1 1\n0 x 1\n".to_owned(), "line 2"),
            ("a.txt", "0 4294967295 1\n".to_owned(), "below"),
            ("a.csv", "0;1;2,5\n1;2;1,5\n".to_owned(), "with a point"),
            ("a.txt", "0 1 2,5\n".to_owned(), "with a point"),
            ("a.txt", String::new(), "the file is empty"),
            ("a.txt", "# nothing\n".to_owned(), "an edge"),
            ("a.xyz", String::new(), ".mtx"),
        ] {
            let line = read(name, &text).unwrap_err().to_string();
            assert!(line.contains(says) && !line.contains('\n'), "{line}");
        }
    }
}
