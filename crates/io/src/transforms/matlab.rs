//! ANTs' binary `.mat`: a MATLAB level 4 file of two vectors, an ITK class with its parameters, and its fixed parameters.
//!
//! *Specification*: MAT-File level 4 (five 32-bit integers: type, rows, columns, imaginary flag, length of the name; the name; the
//! numbers by columns), and the Insight Toolkit's `itkMatlabTransformIO.cxx`. *Space*: LPS mm.
//! *Limits*: full matrices of real 32- or 64-bit floats, both byte orders.

use super::TransformFormat;
use super::classes::Stored;
use crate::error::Result;
use crate::read::context::Context;
use veloxel_core::LinearTransform;

pub(super) const FORMAT: TransformFormat = TransformFormat {
    extensions: &["mat"],
    // A text has no zero bytes.
    is: |extension, bytes| extension == "mat" && bytes.contains(&0),
    read,
    write: None,
};

/// Bytes of the head of a matrix.
const HEAD: usize = 20;
/// The fixed parameters' name.
const FIXED: &str = "fixed";

fn read(bytes: &[u8], context: &mut Context) -> Result<LinearTransform> {
    let mut rest = bytes;
    let mut stored: Option<Stored> = None;
    while !rest.is_empty() {
        let (name, numbers, behind) = matrix(rest, context)?;
        rest = behind;
        match &mut stored {
            None => stored = Some(Stored { name, parameters: numbers, fixed: Vec::new() }),
            Some(stored) if name == FIXED && stored.fixed.is_empty() => stored.fixed = numbers,
            Some(_) => {
                return Err(
                    context.unsupported(format!("a second matrix, {name},"), "keep one transform a file")
                );
            }
        }
    }
    let stored = stored.ok_or_else(|| context.malformed("MATLAB file", "a matrix", "none"))?;
    stored.transform(context)
}

/// The name and the numbers of the first matrix, and the bytes behind it.
fn matrix<'a>(bytes: &'a [u8], context: &Context) -> Result<(String, Vec<f64>, &'a [u8])> {
    context.require_bytes("the head of a matrix", HEAD as u64, bytes.len() as u64)?;
    let stored = |nth: usize| [0, 1, 2, 3].map(|byte| bytes[4 * nth + byte]);
    let little = i32::from_le_bytes(stored(0));
    let is_little = (0..1000).contains(&little);
    let number = |nth: usize| {
        if is_little { i32::from_le_bytes(stored(nth)) } else { i32::from_be_bytes(stored(nth)) }
    };
    let kind = number(0);
    let width = match kind {
        0 | 1000 => 8,
        10 | 1010 => 4,
        other => {
            return Err(context.unsupported(format!("a MATLAB matrix of type {other}"), "save a 4×4 text"));
        }
    };
    context.require(number(3) == 0, "MATLAB matrix", "real numbers", "complex ones")?;
    let size = |nth: usize| {
        let given = number(nth);
        usize::try_from(given).map_err(|_| context.malformed("MATLAB matrix", "a size of at least 0", given))
    };
    let (rows, columns, name_bytes) = (size(1)?, size(2)?, size(4)?);
    let behind_name = &bytes[HEAD..];
    context.require_bytes("the name of a matrix", name_bytes as u64, behind_name.len() as u64)?;
    let (name, data) = behind_name.split_at(name_bytes);
    let count = rows.saturating_mul(columns);
    context.require_bytes("a matrix", count.saturating_mul(width) as u64, data.len() as u64)?;
    let (data, rest) = data.split_at(count * width);
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let numbers = data.chunks_exact(width).map(|chunk| float(chunk, is_little));
    Ok((String::from_utf8_lossy(name).into_owned(), numbers.collect(), rest))
}

/// A float of 4 or 8 bytes.
fn float(chunk: &[u8], is_little: bool) -> f64 {
    let mut bytes = [0; 8];
    bytes[..chunk.len()].copy_from_slice(chunk);
    if !is_little {
        bytes[..chunk.len()].reverse();
    }
    match chunk.len() {
        4 => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        _ => f64::from_le_bytes(bytes),
    }
}
