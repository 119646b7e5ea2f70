//! STL, stereolithography: triangles without shared points, binary or text. Points in one place become one.
//!
//! *Specification*: 3D Systems, "StereoLithography Interface Specification", 1989: 80 bytes, the number of triangles as u32, then
//! 50 bytes each (normal and three corners as f32, two bytes more), all little-endian; or text from `solid` to `endsolid`.
//! *Compatible implementations*: MeshLab, trimesh.
//! *Limits*: normals and the two bytes of each triangle are not read.

use crate::content::Decoded;
use crate::error::Result;
use crate::format::Format;
use crate::read::context::Context;
use crate::read::element::ByteOrder;
use crate::read::polygons::Triangles;
use crate::read::source::Source;
use crate::text::encoding;
use crate::text::quotation::quoted;
use crate::text::words::Words;

pub(super) static FORMAT: Format = Format::surface("stl", "STL", &["stl"], read);

/// What stands before the first triangle.
const HEAD_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;
/// Triangles that are read between two questions whether to go on.
const TRIANGLES_BETWEEN: usize = 1 << 13;

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let mut bytes = source.take_rest(context)?;
    if !has_exact_length(&bytes) {
        bytes = encoding::unmarked(bytes, context)?;
    }
    // Some binary files begin with `solid` as well: the number of their triangles holds a zero byte.
    let is_binary = has_exact_length(&bytes) || bytes.iter().take(HEAD_BYTES).any(|&byte| byte == 0);
    let begins_as = |word: &[u8]| {
        bytes.trim_ascii_start().get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    if !is_binary && (begins_as(b"solid") || begins_as(b"facet")) {
        return read_text(&encoding::plain(bytes, context)?, context);
    }
    let count = bytes.get(80..HEAD_BYTES).map_or(0, |count| ByteOrder::Little.number(count));
    let needed = HEAD_BYTES as u64 + TRIANGLE_BYTES as u64 * count;
    context.require_bytes("the STL file", needed, bytes.len() as u64)?;
    let (triangles, behind) = bytes[HEAD_BYTES..].split_at(needed as usize - HEAD_BYTES);
    context.trailing(Some(behind.len() as u64));
    let mut surface = Triangles::default();
    surface.reserve(3 * (triangles.len() / TRIANGLE_BYTES), context)?;
    for (nth, triangle) in triangles.as_chunks::<TRIANGLE_BYTES>().0.iter().enumerate() {
        if nth.is_multiple_of(TRIANGLES_BETWEEN) {
            context.check()?;
        }
        for corner in triangle[12..48].as_chunks::<12>().0 {
            let c = corner.as_chunks::<4>().0;
            surface.corner([0, 1, 2].map(|axis| f64::from(f32::from_le_bytes(c[axis]))), None);
        }
    }
    surface.decoded(context)
}

/// Whether there are as many bytes as the number of triangles of a binary file says.
fn has_exact_length(bytes: &[u8]) -> bool {
    let count = bytes.get(80..HEAD_BYTES).map(|count| ByteOrder::Little.number(count));
    count.is_some_and(|count| {
        count > 0 && HEAD_BYTES as u64 + TRIANGLE_BYTES as u64 * count == bytes.len() as u64
    })
}

fn read_text(bytes: &[u8], context: &mut Context) -> Result<Decoded> {
    let mut words = Words::new(bytes, "the STL file");
    // Nothing shorter than `vertex 0 0 0` makes a corner.
    let mut surface = Triangles::default();
    surface.reserve(bytes.len() / 12, context)?;
    // A file without its first line has no name.
    let mut is_open =
        !bytes.trim_ascii_start().get(..5).is_some_and(|head| head.eq_ignore_ascii_case(b"solid"));
    loop {
        match (&*keyword(&mut words), is_open) {
            ("solid", false) => {
                words.line();
                is_open = true;
            }
            ("endsolid", true) => {
                words.line();
                is_open = false;
            }
            ("facet", true) => facet(&mut words, &mut surface, context)?,
            ("", false) => return surface.decoded(context),
            (_, false) => {
                context.trailing(None);
                return surface.decoded(context);
            }
            ("", true) => {
                return Err(context.truncated("the STL file", bytes.len() as u64 + 1, bytes.len() as u64));
            }
            (other, true) => {
                let got = quoted(other);
                return Err(context.malformed("a word of an STL file", "facet or endsolid", got));
            }
        }
    }
}

/// A triangle, behind the word `facet`; its normal is left out, be it numbers or not.
fn facet(words: &mut Words, surface: &mut Triangles, context: &Context) -> Result<()> {
    let mut word = keyword(words);
    for _ in 0..4 {
        if word != "outer" && word != "outerloop" {
            word = keyword(words);
        }
    }
    if word != "outerloop" {
        is(&word, "outer", context)?;
        expect(words, "loop", context)?;
    }
    for _ in 0..3 {
        expect(words, "vertex", context)?;
        surface.corner(words.point(context)?, None);
    }
    expect(words, "endloop", context)?;
    expect(words, "endfacet", context)
}

/// The next word in lower case; `end` and what follows it are one.
fn keyword(words: &mut Words) -> String {
    let word = words.text().to_ascii_lowercase();
    if word == "end" { word + &words.text().to_ascii_lowercase() } else { word }
}

fn expect(words: &mut Words, expected: &str, context: &Context) -> Result<()> {
    is(&keyword(words), expected, context)
}

fn is(word: &str, expected: &str, context: &Context) -> Result<()> {
    context.require(word == expected, "a word of an STL file", expected, quoted(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, read_bytes};
    use std::path::Path;
    use veloxel_core::Warnings;

    fn points(bytes: &[u8]) -> Result<Vec<[f64; 3]>> {
        match read_bytes(Path::new("a.stl"), bytes, Strictness::Lenient, &mut Warnings::new())? {
            crate::Content::Surface(mesh) => Ok(mesh.points().to_vec()),
            _ => panic!("no surface"),
        }
    }

    #[test]
    fn texts_in_every_spelling() {
        let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 0\nendloop\nendfacet\nendsolid a\n";
        let expected = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        for text in [
            text.to_owned(),
            text.to_uppercase(),
            text.replace("end", "end "),
            text.replace("0 0 1", "-nan(ind) 1.#QNAN nan"),
            text.replace("normal 0 0 1", ""),
            text.replace("outer loop", "outerloop"),
            text.replace('\n', "\r"),
            text.replace("solid a\nfacet", "facet"),
            format!("\u{feff}{text}"),
        ] {
            assert_eq!(points(text.as_bytes()).unwrap(), expected, "{text}");
        }
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(points(&wide).unwrap(), expected);
        assert!(points(text.replace("endloop", "vertex 9 9 9\nendloop").as_bytes()).is_err(), "a square");
    }

    #[test]
    fn a_binary_file_may_begin_as_a_text_does() {
        let mut bytes = b"solid".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(
            [0.0f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0]
                .iter()
                .flat_map(|c| c.to_le_bytes()),
        );
        bytes.extend([0, 0]);
        assert_eq!(points(&bytes).unwrap().len(), 3);
        // A head that looks like the mark of UTF-16.
        bytes[..2].copy_from_slice(&[0xff, 0xfe]);
        assert_eq!(points(&bytes).unwrap().len(), 3);
    }
}
