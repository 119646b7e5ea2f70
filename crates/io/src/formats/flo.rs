//! Middlebury `.flo`: two-component flow of a picture, in pixels.
//!
//! *Specification*: Baker, Scharstein, Lewis, Roth, Black, Szeliski, "A Database and Evaluation Methodology for
//! Optical Flow", IJCV 92, 2011, doi:10.1007/s11263-010-0390-2, and the data set's `flow-code`: little-endian tag
//! 202021.25 (`PIEH`), int32 width, int32 height, then rows of interleaved f32 (u right, v down).
//! *Compatible implementations*: OpenCV `readOpticalFlow` (compared bit by bit in `tests/peers.py`).
//! *Unknown*: a component above 1e9 in the file (1e10 is written), NaN in every component in memory.
//! *Limits*: 2-D; no spacing, origin or direction.

use crate::content::{ContentKind, Decoded};
use crate::error::Result;
use crate::format::{Format, FormatPrecision, Reader};
use crate::read::context::Context;
use crate::read::element::{ByteOrder, Stored};
use crate::read::source::Source;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use veloxel_core::Flow;

pub(super) static FORMAT: Format = Format {
    reads: &[ContentKind::Flow],
    precision: FormatPrecision::Float,
    write_flow: Some(write),
    ..Format::picture("flo", "FLO", &["flo"], Reader::Whole(read))
};

const TAG: [u8; 4] = *b"PIEH";
const UNKNOWN_ABOVE: f32 = 1e9;
const UNKNOWN: f32 = 1e10;

fn read(mut source: Source, context: &mut Context) -> Result<Decoded> {
    let header = source.take_bytes("the header", 12, context)?;
    let word = |nth: usize| ByteOrder::Little.number(&header[4 * nth..4 * nth + 4]) as u32;
    context.require(header.starts_with(&TAG), "tag", "202021.25 (PIEH)", f32::from_bits(word(0)))?;
    let side = |name: &str, word: u32| {
        let value = word.cast_signed();
        let side = usize::try_from(value).ok().filter(|&v| v > 0);
        side.ok_or_else(|| context.malformed(name, "at least 1 pixel", value))
    };
    let grid = context.picture_grid(side("width", word(1))?, side("height", word(2))?)?;
    let samples = source.samples(2 * grid.len(), Stored::F32, context)?;
    source.finish(context)?;
    let known = |component: f32| if component.abs() <= UNKNOWN_ABOVE { component } else { f32::NAN };
    let vectors = samples.as_chunks().0.iter().map(|vector| vector.map(known));
    Decoded::flow(grid, vectors, "f32", context)
}

fn write(target: &Target, flow: &Flow) -> Result<()> {
    let [nx, ny, _] = flow.grid().size();
    whole_file::write(target, |file| {
        file.write_all(&TAG)?;
        file.write_all(&(nx as i32).to_le_bytes())?;
        file.write_all(&(ny as i32).to_le_bytes())?;
        for i in 0..flow.grid().len() {
            let [u, v, _] = if flow.is_valid(i) { flow.vector_vox(i) } else { [UNKNOWN; 3] };
            file.write_all(&u.to_le_bytes())?;
            file.write_all(&v.to_le_bytes())?;
        }
        Ok(())
    })
}
