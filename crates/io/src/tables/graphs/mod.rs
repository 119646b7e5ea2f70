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
use veloxel_core::{ArcList, GraphKind, WarningKind, Warnings, WeightedArc};

/// Texts above this size are refused before they are read.
const MOST_BYTES: u64 = 4 << 30;

/// Bytes that a graph takes for each node.
const NODE_BYTES: u64 = 12;

/// A format of graphs.
struct GraphFormat {
    /// Without the dot, in lower case.
    extensions: &'static [&'static str],
    /// The arcs of a text; where the format does not say whether they lead one way or both, as the argument says.
    parse: fn(&mut Lines<'_, '_>, GraphKind) -> Result<ArcList>,
}

static FORMATS: &[GraphFormat] = &[matrix_market::FORMAT, edge_list::FORMAT];

/// Reads a graph: Matrix Market (`.mtx`) or a list of edges (`.txt`, `.csv`, `.tsv`, `.el`, `.edges`).
///
/// `unsaid` is how arcs lead where the file does not say; Matrix Market does.
///
/// # Errors
/// [`IoError::UnknownExtension`], [`IoError::Open`], and [`IoError::Malformed`] with the line.
pub fn read_graph(
    path: &Path,
    unsaid: GraphKind,
    reading: impl Into<Reading>,
    warnings: &mut Warnings,
) -> Result<ArcList> {
    let extension = extension(path);
    let Some(format) = FORMATS.iter().find(|format| format.extensions.contains(&&*extension)) else {
        let known = FORMATS.iter().flat_map(|format| format.extensions).map(|e| format!(".{e}"));
        let known = known.collect::<Vec<_>>().join(", ");
        let meshes = lookup::extensions(|format| format.reads(ContentKind::Surface));
        let known = format!("{known} for a graph; {meshes} for a mesh, whose faces are the nodes");
        return Err(IoError::UnknownExtension { path: path.to_owned(), what: "a graph or a mesh", known });
    };
    let mut context = Context::new(path, reading, warnings);
    let text = take_text(MOST_BYTES, &context)?;
    let mut lines = Lines { text: &text, context: &context, rounded: None };
    let list = (format.parse)(&mut lines, unsaid)?;
    // No path passes an arc twice: without this sum beyond them no distance is, and infinity means that there is no path.
    let sum: f64 = list.arcs.iter().map(|arc| f64::from(arc.weight)).sum();
    let expected = "a sum of at most 3.4e38 (32-bit floats): change the unit";
    context.require(sum <= f64::from(f32::MAX), "the weights", expected, format!("{sum:e}"))?;
    if let Some((line, weight)) = lines.rounded {
        let text = format!(
            "weights are rounded to 32-bit floats: {weight} in line {line} becomes {}",
            weight as f32
        );
        context.note(WarningKind::Samples, text);
    }
    Ok(list)
}

/// A text whose lines are numbered from 1.
struct Lines<'a, 'b> {
    text: &'a str,
    context: &'a Context<'b>,
    /// The first whole weight that a 32-bit float does not hold, and its line.
    rounded: Option<(usize, f64)>,
}

impl Lines<'_, '_> {
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

    /// A weight of 0 or more. A whole one that a 32-bit float does not hold is remembered, as one of more digits than it has is not:
    /// fractions are rounded as a rule.
    fn weight(&mut self, line: usize, number: Option<f64>, text: &str) -> Result<f32> {
        let number = number.filter(|weight| *weight >= 0.0 && weight.is_finite());
        let number =
            number.ok_or_else(|| self.malformed(line, "a weight that is finite and 0 or more", text))?;
        let weight = number as f32;
        if weight.is_infinite() || (number > 0.0 && weight < f32::MIN_POSITIVE) {
            let expected = "a weight of 0, or from 1.2e-38 to 3.4e38 (32-bit floats): change the unit";
            return Err(self.malformed(line, expected, text));
        }
        if number.fract() == 0.0 && f64::from(weight) != number {
            self.rounded.get_or_insert((line, number));
        }
        Ok(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<ArcList> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_graph(&path, GraphKind::Undirected, Reading::default(), &mut Warnings::new())
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
            ("a.csv", "\u{feff}1,0,2.5\r2,1,1"),
            ("a.csv", "From;To;Weight\n1;0;2,5\n2;1;1\n"),
            ("a.csv", "\"1\",\"0\",\"2,5\"\n2,1,1\n"),
            ("a.txt", "1 0 2,5 \n2 1\t\n"),
            ("a.csv", "Weight,Id,Target,Source\n2.5,9,0,1\n1,8,1,2\n"),
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
            ("a.mtx", format!("{head}2 2 1\n2 1 -4\n"), "2 1 -4`"),
            ("a.mtx", format!("{head}2 2 99999999999\n2 1 1\n"), "entries"),
            ("a.txt", "0 1 nan\n".to_owned(), "0 1 nan`"),
            ("a.txt", "0 1 1\n0 x 1\n".to_owned(), "line 2"),
            ("a.txt", "0 4294967295 1\n".to_owned(), "below"),
            ("a.csv", "0;1;2,500\n1;2;1\n".to_owned(), "with a point"),
            ("a.csv", "0,1,2,5\n".to_owned(), "two nodes and a weight alone"),
            ("a.csv", "0,,1\n".to_owned(), "line 1"),
            ("a.csv", "4,3\n0,1,1\n1,2,1\n".to_owned(), "as in the first line"),
            ("a.txt", "-1 0 1\n0 1 1\n".to_owned(), "line 1"),
            ("a.txt", "@ 0 1\n0 1 1\n".to_owned(), "line 1"),
            ("a.csv", "weight,from,other\n2,0,1\n".to_owned(), "line 1"),
            ("a.txt", "0 1 3e38\n1 2 3e38\n".to_owned(), "change the unit"),
            ("a.txt", "0 1 1e39\n".to_owned(), "change the unit"),
            ("a.txt", "0 1 1e-60\n".to_owned(), "change the unit"),
            ("a.mtx", format!("{head}2 2 1\n2 1\n"), "3 numbers"),
            ("a.mtx", format!("{head}2 2 1\n2 1 1 5\n"), "3 numbers"),
            ("a.txt", String::new(), "the file is empty"),
            ("a.txt", "# nothing\n".to_owned(), "an edge"),
            ("a.xyz", String::new(), ".mtx"),
        ] {
            let line = read(name, &text).unwrap_err().to_string();
            assert!(line.contains(says) && !line.contains('\n'), "{line}");
        }
    }
}
