//! OFF, Geomview's Object File Format: polygons over points, as text.
//!
//! *Specification*: Geomview manual, section "OFF Files" (<http://www.geomview.org/docs/html/OFF.html>).
//! *Compatible implementations*: the Princeton segmentation benchmark, MeshLab, trimesh.
//! *Limits*: three coordinates a point; normals, colours and texture coordinates are not read; no binary OFF, no 4OFF, no nOFF.

use crate::content::Decoded;
use crate::error::Result;
use crate::format::Format;
use crate::read::context::Context;
use crate::read::polygons::Polygons;
use crate::read::source::Source;
use crate::text::quotation::quoted_bytes;
use crate::text::words::{Words, parse};

pub(super) static FORMAT: Format = Format::surface("off", "OFF", &["off"], read);

/// Heads of files with three coordinates a point, whatever follows those.
const HEADS: [&[u8]; 8] = [b"OFF", b"COFF", b"NOFF", b"CNOFF", b"STOFF", b"STCOFF", b"STNOFF", b"STCNOFF"];

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let bytes = source.take_rest(context)?;
    let mut words = Words::new(&bytes, "the OFF file");
    let head = words.word();
    let first = words.word();
    // Some writers put the first count behind the head without a blank, or leave the head out.
    let (plain, point_count) = match (HEADS.contains(&head), parse::<usize>(first)) {
        (true, Some(count)) => (head == b"OFF", count),
        (true, None) if first.eq_ignore_ascii_case(b"BINARY") => {
            return Err(context.unsupported("binary OFF", "write it as text, or as .ply"));
        }
        (true, None) => {
            return Err(context.malformed("the number of points", "a count", quoted_bytes(first)));
        }
        (false, _) => {
            let got = if head.is_empty() { "no text".to_owned() } else { quoted_bytes(head) };
            return Err(context.malformed("head of an OFF file", "OFF", got));
        }
    };
    let face_count: usize = words.number("the number of faces", context)?;
    let _edges: u64 = words.number("the number of edges", context)?;
    words.require(point_count, 6, context)?;
    words.require(face_count, 8, context)?;
    let mut polygons = Polygons::with_room(point_count, face_count, context)?;
    for _ in 0..point_count {
        polygons.points.push(words.point(context)?);
        if !plain {
            words.line();
        }
    }
    for _ in 0..face_count {
        let corners: u32 = words.number("the number of corners", context)?;
        words.require(corners as usize, 2, context)?;
        polygons.counts.push(corners);
        for _ in 0..corners {
            let corner = words.number("a corner", context)?;
            polygons.corner(corner, context)?;
        }
        // A colour may follow.
        words.line();
    }
    words.finish(context);
    polygons.decoded(context)
}
