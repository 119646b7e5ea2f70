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
use crate::text::quotation::quoted_bytes;
use crate::text::words::Words;

pub(super) static FORMAT: Format = Format::surface("stl", "STL", &["stl"], read);

/// What stands before the first triangle.
const HEAD_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;
/// Triangles that are read between two questions whether to go on.
const TRIANGLES_BETWEEN: usize = 1 << 13;

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    // Some binary files begin with `solid` as well: the number of their triangles holds a zero byte.
    let is_binary = bytes.iter().take(HEAD_BYTES).any(|&byte| byte == 0);
    if bytes.trim_ascii_start().starts_with(b"solid") && !is_binary {
        return read_text(&bytes, context);
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

fn read_text(bytes: &[u8], context: &mut Context) -> Result<Decoded> {
    let mut words = Words::new(bytes, "the STL file");
    // Nothing shorter than `vertex 0 0 0` makes a corner.
    let mut surface = Triangles::default();
    surface.reserve(bytes.len() / 12, context)?;
    let mut is_open = false;
    loop {
        match (words.word(), is_open) {
            (b"solid", false) => {
                words.line();
                is_open = true;
            }
            (b"endsolid", true) => {
                words.line();
                is_open = false;
            }
            (b"facet", true) => {
                words.word();
                words.point(context)?;
                expect(&mut words, [b"outer", b"loop"], context)?;
                for _ in 0..3 {
                    expect(&mut words, [b"vertex"], context)?;
                    surface.corner(words.point(context)?, None);
                }
                expect(&mut words, [b"endloop", b"endfacet"], context)?;
            }
            (b"", false) => return surface.decoded(context),
            (_, false) => {
                context.trailing(None);
                return surface.decoded(context);
            }
            (b"", true) => {
                return Err(context.truncated("the STL file", bytes.len() as u64 + 1, bytes.len() as u64));
            }
            (other, true) => {
                return Err(context.malformed(
                    "a word of an STL file",
                    "facet or endsolid",
                    quoted_bytes(other),
                ));
            }
        }
    }
}

fn expect<const N: usize>(words: &mut Words, expected: [&[u8]; N], context: &Context) -> Result<()> {
    for expected in expected {
        let word = words.word();
        context.require(
            word == expected,
            "a word of an STL file",
            quoted_bytes(expected),
            quoted_bytes(word),
        )?;
    }
    Ok(())
}
