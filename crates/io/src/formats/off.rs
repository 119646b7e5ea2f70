//! OFF, Geomview's Object File Format: polygons over points, as text.
//!
//! *Specification*: Geomview manual, section "OFF Files" (<http://www.geomview.org/docs/html/OFF.html>).
//! *Compatible implementations*: the Princeton segmentation benchmark, MeshLab, trimesh.
//! *Read*: heads in any case, before a blank or glued to the first count, or left out; files without the number of edges; colours
//! and normals behind a point or a face in its line are left out.
//! *Limits*: three coordinates a point; no binary OFF, no 4OFF, no nOFF.

use crate::content::Decoded;
use crate::error::Result;
use crate::format::Format;
use crate::read::context::Context;
use crate::read::polygons::Polygons;
use crate::read::source::Source;
use crate::text::quotation::quoted_bytes;
use crate::text::words::{Words, parse};

pub(super) static FORMAT: Format = Format::surface("off", "OFF", &["off"], read);

/// What may stand before `OFF` in the head, in this order: texture coordinates, colours, normals. Others change the points.
const PREFIXES: [&str; 3] = ["ST", "C", "N"];

/// What the head says.
struct Counts {
    points: usize,
    faces: usize,
    /// Whether each point has its coordinates alone.
    is_plain: bool,
}

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_text(context)?;
    let mut words = Words::new(&bytes, "the OFF file");
    let Counts { points, faces, is_plain } = counts(&mut words, context)?;
    words.require(points, 6, context)?;
    words.require(faces, 8, context)?;
    // With a line for each of them whatever else stands in one is left out.
    let lines = content_lines(words.rest());
    let has_lines = lines >= points.saturating_add(faces);
    let expected = format!("a line for each of {points} points and {faces} faces");
    context.require(has_lines || is_plain, "the OFF file", expected, format!("{lines} lines"))?;
    let mut polygons = Polygons::with_room(points, faces, context)?;
    for _ in 0..points {
        polygons.points.push(words.point(context)?);
        if has_lines {
            words.line();
        }
    }
    for _ in 0..faces {
        let corners: u32 = words.number("the number of corners", context)?;
        words.require(corners as usize, 2, context)?;
        polygons.counts.push(corners);
        for _ in 0..corners {
            let corner = words.number("a corner", context)?;
            polygons.corner(corner, context)?;
        }
        if has_lines {
            words.line();
        }
    }
    words.finish(context);
    polygons.decoded(context)
}

/// The head and the counts behind it, up to the end of their line.
fn counts(words: &mut Words, context: &Context) -> Result<Counts> {
    let first = words.word();
    let letters =
        first.iter().position(u8::is_ascii_digit).filter(|&at| first[at..].iter().all(u8::is_ascii_digit));
    let (head, glued) = first.split_at(letters.unwrap_or(first.len()));
    let name = String::from_utf8_lossy(head).to_ascii_uppercase();
    let before = name.strip_suffix("OFF");
    let got = if first.is_empty() { "no text".to_owned() } else { quoted_bytes(first) };
    let is_headless = head.is_empty() && !glued.is_empty();
    if before.is_none() && (!is_headless || first.is_empty()) {
        return Err(context.malformed("head of an OFF file", "OFF", got));
    }
    let mut prefix = before.unwrap_or_default();
    for known in PREFIXES {
        prefix = prefix.strip_prefix(known).unwrap_or(prefix);
    }
    let what = format!("the head {}", quoted_bytes(first));
    // `nOFF` has points of any number of coordinates, `NOFF` has normals.
    let is_read = prefix.is_empty() && !head.ends_with(b"nOFF");
    context.support(is_read, what, "write points of three coordinates")?;
    let mut line = if glued.is_empty() { words.content_line() } else { words.words_of_line() };
    if !glued.is_empty() {
        line.insert(0, glued);
    }
    if line.first().is_some_and(|word| word.eq_ignore_ascii_case(b"BINARY")) {
        return Err(context.unsupported("binary OFF", "write it as text, or as .ply"));
    }
    // Counts may stand in lines of their own.
    while line.len() < 2 {
        let more = words.content_line();
        if more.is_empty() {
            break;
        }
        line.extend(more);
    }
    let numbers: Option<Vec<usize>> = line.iter().map(|word| parse(word)).collect();
    let expected = "the numbers of points, faces and edges";
    let got = || quoted_bytes(&line.join(&b' '));
    match numbers.as_deref() {
        Some(&[points, faces] | &[points, faces, _]) => {
            Ok(Counts { points, faces, is_plain: before.unwrap_or_default().is_empty() })
        }
        _ => Err(context.malformed("the counts of an OFF file", expected, got())),
    }
}

/// Lines that hold more than blanks and a comment.
fn content_lines(text: &[u8]) -> usize {
    let lines = text.split(|&c| c == b'\n').map(|line| line.trim_ascii());
    lines.filter(|line| !line.is_empty() && line[0] != b'#').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, read_bytes};
    use std::path::Path;
    use veloxel_core::Warnings;

    fn triangles(text: &str) -> Result<Vec<[[f64; 3]; 3]>> {
        let content =
            read_bytes(Path::new("a.off"), text.as_bytes(), Strictness::Lenient, &mut Warnings::new())?;
        let crate::Content::Surface(mesh) = content else { panic!("no surface") };
        Ok((0..mesh.triangles().len()).map(|nth| mesh.corners(nth)).collect())
    }

    const POINTS: &str = "0 0 0\n1 0 0\n0 2 0\n";

    #[test]
    fn heads_in_every_spelling() {
        let expected = [[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]];
        for head in [
            "OFF\n3 1 3\n",
            "off 3 1 0\n",
            "OFF3 1 3\n",
            "OFF\n3 1\n",
            "# made by\nOFF # head\n# counts\n3 1 0\n",
            "3 1 3\n",
            "OFF\n\n3\n1 0\n",
            "Off3 1\n",
        ] {
            assert_eq!(triangles(&format!("{head}{POINTS}3 0 1 2\n")).unwrap(), expected, "{head}");
        }
        assert_eq!(triangles("OFF 3 1 3\n0 0 0 1 0 0 0 2 0 3 0 1 2\n").unwrap(), expected, "one line");
        let coloured = "OFF\n3 1 0\n0 0 0 255 0 0\n1 0 0 0 255 0 255\n0 2 0 9 9 9\n3 0 1 2 0.5 0.5 0.5\n";
        assert_eq!(triangles(coloured).unwrap(), expected);
        assert_eq!(triangles(&coloured.replace("OFF", "coff")).unwrap(), expected);
    }

    #[test]
    fn other_heads_are_refused_by_name() {
        for (text, said) in [
            ("4OFF 1 1 1\n0 0 0 1\n", "4OFF"),
            ("nOFF 3\n3 1 0\n", "nOFF"),
            ("OFF BINARY\n", "binary OFF"),
            ("OFF\nx\n", "counts"),
            ("OFF\n3 1 3 9\n", "counts"),
            ("PLY\n", "head of an OFF file"),
        ] {
            let refused = triangles(text).unwrap_err().to_string();
            assert!(refused.contains(said), "{text}: {refused}");
        }
    }
}
