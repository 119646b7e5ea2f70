//! Wavefront OBJ: points and polygons of a text; groups, normals, textures and materials are left out.
//!
//! *Specification*: Wavefront Technologies, "Advanced Visualizer Manual", appendix B1, Object Files.
//! *Compatible implementations*: MeshLab, Blender, trimesh.
//! *Limits*: no curves and free-form surfaces; the file has no end of its own, so that a cut one cannot be told.

use crate::content::Decoded;
use crate::error::{IoError, Result};
use crate::format::Format;
use crate::read::context::Context;
use crate::read::polygons::Polygons;
use crate::read::source::Source;
use crate::text::quotation::quoted;
use crate::text::words::parse;

pub(super) static FORMAT: Format = Format::surface("obj", "OBJ", &["obj"], read);

/// Lines that are read between two questions whether to go on.
const LINES_BETWEEN: usize = 1 << 13;

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    let lines = || bytes.split(|&c| c == b'\n');
    let ask = |number: usize| if number.is_multiple_of(LINES_BETWEEN) { context.check() } else { Ok(()) };
    let (mut points, mut faces) = (0, 0);
    for (number, line) in lines().enumerate() {
        ask(number)?;
        match words(line).next() {
            Some(b"v") => points += 1,
            Some(b"f") => faces += 1,
            _ => {}
        }
    }
    let mut polygons = Polygons::with_room(points, faces, context)?;
    for (number, line) in lines().enumerate() {
        ask(number)?;
        let mut words = words(line);
        match words.next() {
            Some(b"v") => polygons.points.push(point(words, number, context)?),
            Some(b"f") => {
                let before = polygons.corners.len();
                for word in words {
                    let corner = corner(word, polygons.points.len());
                    polygons.corner(corner.ok_or_else(|| bad(line, number, context))?, context)?;
                }
                polygons.counts.push((polygons.corners.len() - before) as u32);
            }
            _ => {}
        }
    }
    polygons.decoded(context)
}

/// The words of a line, without its comment.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = line.split(|&c| c == b'#').next().unwrap_or_default();
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn point<'a>(words: impl Iterator<Item = &'a [u8]>, number: usize, context: &Context) -> Result<[f64; 3]> {
    // A weight or a colour may follow.
    let coordinates: Option<Vec<f64>> = words.take(3).map(parse).collect();
    let point = coordinates.and_then(|coordinates| coordinates.try_into().ok());
    point.ok_or_else(|| context.malformed(format!("line {}", number + 1), "three coordinates", "others"))
}

/// The point of a corner such as `7`, `7/1`, `7//3` or `-1`, which is the last point so far.
fn corner(word: &[u8], points: usize) -> Option<u32> {
    let index: i64 = parse(word.split(|&c| c == b'/').next()?)?;
    let index = if index < 0 { points as i64 + index } else { index - 1 };
    u32::try_from(index).ok()
}

fn bad(line: &[u8], number: usize, context: &Context) -> IoError {
    let got = quoted(String::from_utf8_lossy(line).trim());
    context.malformed(format!("line {}", number + 1), "points by their numbers, from 1", got)
}
