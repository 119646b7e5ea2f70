//! The points, texture coordinates and polygons of a text.

use crate::content::Decoded;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::polygons::Polygons;
use crate::read::source::Source;
use crate::text::quotation::quoted;
use crate::text::words::parse;

/// Lines that are read between two questions whether to go on.
const LINES_BETWEEN: usize = 1 << 13;

pub(super) fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    let lines = || bytes.split(|&c| c == b'\n');
    let ask = |number: usize| if number.is_multiple_of(LINES_BETWEEN) { context.check() } else { Ok(()) };
    let (mut points, mut faces, mut places) = (0, 0, 0);
    for (number, line) in lines().enumerate() {
        ask(number)?;
        match words(line).next() {
            Some(b"v") => points += 1,
            Some(b"vt") => places += 1,
            Some(b"f") => faces += 1,
            _ => {}
        }
    }
    let mut polygons = Polygons::with_room(points, faces, context)?;
    // Places in a texture, and that of every corner; none as soon as a corner has none.
    let mut texture: Vec<[f32; 2]> = context.room_for(places)?;
    let mut is_textured = places > 0;
    polygons.texture = context.room_for(if is_textured { faces.saturating_mul(3) } else { 0 })?;
    for (number, line) in lines().enumerate() {
        ask(number)?;
        let mut words = words(line);
        match words.next() {
            Some(b"v") => polygons.points.push(point(words, number, context)?),
            Some(b"vt") => texture.push(place(words, number, context)?),
            Some(b"f") => {
                let before = polygons.corners.len();
                for word in words {
                    let corner = corner(word, polygons.points.len());
                    polygons.corner(corner.ok_or_else(|| bad(line, number, context))?, context)?;
                    match place_of(word, &texture).filter(|_| is_textured) {
                        Some(place) => polygons.texture.push(place),
                        None => is_textured = false,
                    }
                }
                polygons.counts.push((polygons.corners.len() - before) as u32);
            }
            _ => {}
        }
    }
    if !is_textured {
        polygons.texture = Vec::new();
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

/// A place in a texture, from its lower left corner; a third coordinate may follow.
fn place<'a>(words: impl Iterator<Item = &'a [u8]>, number: usize, context: &Context) -> Result<[f32; 2]> {
    let mut numbers = words.take(2).map(parse);
    let place = numbers.next().flatten().map(|u| [u, numbers.next().flatten().unwrap_or(0.0)]);
    place.ok_or_else(|| context.malformed(format!("line {}", number + 1), "a place in a texture", "another"))
}

/// The place in a texture of a corner such as `7/1` or `7/1/3`; none where it has none.
fn place_of(word: &[u8], texture: &[[f32; 2]]) -> Option<[f32; 2]> {
    let index: i64 = parse(word.split(|&c| c == b'/').nth(1)?)?;
    let index = if index < 0 { texture.len() as i64 + index } else { index - 1 };
    texture.get(usize::try_from(index).ok()?).copied()
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
