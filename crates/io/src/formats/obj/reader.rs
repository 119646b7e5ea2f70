//! The points, texture coordinates and polygons of a text.

use super::left_out::LeftOut;
use super::lines::Lines;
use crate::content::Decoded;
use crate::error::{IoError, Result};
use crate::read::context::Context;
use crate::read::polygons::Polygons;
use crate::read::source::Source;
use crate::text::quotation::quoted_bytes;
use crate::text::words::{Fractions, parse};

/// Lines that are read between two questions whether to go on.
const LINES_BETWEEN: usize = 1 << 13;
const TITLE: &str = "the OBJ file";

pub(super) fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_text(context)?;
    let ask = |number: usize| if number.is_multiple_of(LINES_BETWEEN) { context.check() } else { Ok(()) };
    let (mut points, mut faces, mut places) = (0, 0, 0);
    for line in Lines::of(&bytes) {
        ask(line.number)?;
        match keyword(line.words().next().unwrap_or_default()) {
            Keyword::Point => points += 1,
            Keyword::Place => places += 1,
            Keyword::Face => faces += 1,
            Keyword::Other => {}
        }
    }
    let mut polygons = Polygons::with_room(points, faces, context)?;
    // Places in a texture, and that of every corner; none as soon as a corner has none.
    let mut texture: Vec<[f32; 2]> = context.room_for(places)?;
    let mut is_textured = places > 0;
    polygons.texture = context.room_for(if is_textured { faces.saturating_mul(3) } else { 0 })?;
    let (mut fractions, mut left_out) = (Fractions::Unknown, LeftOut::default());
    for line in Lines::of(&bytes) {
        ask(line.number)?;
        let mut words = line.words();
        let Some(first) = words.next() else { continue };
        let bad = |expected: &str| malformed(expected, line.text, line.number, context);
        match keyword(first) {
            Keyword::Point | Keyword::Place => {
                for word in words.clone() {
                    fractions.look(word, line.rest, TITLE, context)?;
                }
                if keyword(first) == Keyword::Point {
                    polygons.points.push(point(words).ok_or_else(|| bad("three coordinates"))?);
                } else {
                    texture.push(place(words).ok_or_else(|| bad("a place in a texture"))?);
                }
            }
            Keyword::Face => {
                let before = polygons.corners.len();
                for word in words {
                    let corner = corner(word, polygons.points.len());
                    let corner = corner.ok_or_else(|| bad("points by their numbers, from 1"))?;
                    polygons.corner(corner, context)?;
                    match place_of(word, &texture).filter(|_| is_textured) {
                        Some(place) => polygons.texture.push(place),
                        None => is_textured = false,
                    }
                }
                polygons.counts.push((polygons.corners.len() - before) as u32);
            }
            // Whatever begins with a letter may be of another program; what does not is a record that was cut.
            Keyword::Other if first[0].is_ascii_alphabetic() => left_out.count(first),
            Keyword::Other => return Err(bad("a line that begins with v, vt, f or another word")),
        }
    }
    if !is_textured {
        polygons.texture = Vec::new();
    }
    left_out.tell(&polygons, context)?;
    polygons.decoded(context)
}

/// What a line holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Point,
    Place,
    Face,
    Other,
}

fn keyword(word: &[u8]) -> Keyword {
    match word {
        b"v" | b"V" => Keyword::Point,
        b"vt" | b"VT" | b"Vt" => Keyword::Place,
        b"f" | b"F" | b"fo" => Keyword::Face,
        _ => Keyword::Other,
    }
}

fn point<'a>(words: impl Iterator<Item = &'a [u8]>) -> Option<[f64; 3]> {
    // A weight or a colour may follow.
    let coordinates: Option<Vec<f64>> = words.take(3).map(parse).collect();
    coordinates?.try_into().ok()
}

/// A place in a texture, from its lower left corner; a third coordinate may follow.
fn place<'a>(words: impl Iterator<Item = &'a [u8]>) -> Option<[f32; 2]> {
    let mut numbers = words.take(2).map(parse::<f64>);
    let u = numbers.next().flatten()?;
    Some([u as f32, numbers.next().flatten().unwrap_or(0.0) as f32])
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

fn malformed(expected: &str, line: &[u8], number: usize, context: &Context) -> IoError {
    context.malformed(format!("line {number}"), expected, quoted_bytes(line.trim_ascii()))
}
