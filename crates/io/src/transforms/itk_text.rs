//! ITK's text of transforms, `.tfm` and `.txt`: what ITK, SimpleITK, ANTs, c3d (`-oitk`) and 3D Slicer write.
//!
//! *Specification*: the Insight Toolkit's `itkTxtTransformIO.cxx`. *Space*: LPS mm.
//! *Composites*: `T(x) = T₀(T₁(… Tₙ(x)))` in the order of the file, as ITK applies the last one first.

use super::TransformFormat;
use super::classes::Stored;
use super::lines;
use crate::error::Result;
use crate::read::context::Context;
use std::fmt::Write as _;
use veloxel_core::LinearTransform;

const MAGIC: &str = "#Insight Transform File V1.0";
const COMPOSITE: &str = "CompositeTransform";

pub(super) const FORMAT: TransformFormat = TransformFormat {
    extensions: &["tfm"],
    is: |_, bytes| bytes.starts_with(b"#Insight Transform File"),
    read,
    write: Some(text),
};

fn read(bytes: &[u8], context: &mut Context) -> Result<LinearTransform> {
    let text = std::str::from_utf8(bytes).map_err(|error| context.malformed("transform", "a text", error))?;
    let mut stored: Vec<Stored> = Vec::new();
    for (number, line) in lines(text) {
        let Some((key, value)) = line.split_once(':') else {
            return Err(context.malformed(format!("line {number}"), "Name: value", line));
        };
        let value = value.trim();
        if key.trim() == "Transform" {
            stored.push(Stored { name: value.to_owned(), ..Stored::default() });
            continue;
        }
        let Some(last) = stored.last_mut() else {
            return Err(context.malformed(format!("line {number}"), "Transform: first", line));
        };
        match key.trim() {
            "Parameters" => last.parameters = numbers(value, number, context)?,
            "FixedParameters" => last.fixed = numbers(value, number, context)?,
            _ => {
                return Err(context.malformed(
                    format!("line {number}"),
                    "Parameters or FixedParameters",
                    line,
                ));
            }
        }
    }
    let is_composite = stored.first().is_some_and(|first| first.name.starts_with(COMPOSITE));
    let parts = &stored[usize::from(is_composite)..];
    let Some((first, rest)) = parts.split_first() else {
        return Err(context.malformed("transform file", "a transform", "none"));
    };
    if !is_composite && !rest.is_empty() {
        let what = format!("{} transforms in one file that are no composite", parts.len());
        return Err(context.unsupported(what, "write them as a CompositeTransform, or one a file"));
    }
    let mut whole = first.transform(context)?;
    for part in rest {
        whole = whole.after(&part.transform(context)?).map_err(|error| context.core(error))?;
    }
    Ok(whole)
}

fn numbers(text: &str, line: usize, context: &Context) -> Result<Vec<f64>> {
    let number =
        |word: &str| word.parse().map_err(|_| context.malformed(format!("line {line}"), "numbers", word));
    text.split_whitespace().map(number).collect()
}

fn text(transform: &LinearTransform) -> String {
    let d = transform.dimension().count();
    let (matrix, offset) = (transform.matrix(), transform.offset_mm());
    let numbers: Vec<String> =
        matrix[..d].iter().flat_map(|row| &row[..d]).chain(&offset[..d]).map(f64::to_string).collect();
    let what = if transform.is_rigid() { "rigid" } else { "affine" };
    let mut text = format!("{MAGIC}\n");
    let _ =
        writeln!(text, "# {what}: points of the fixed image to those of the moving one, LPS mm (Veloxel)");
    let _ = writeln!(text, "Transform: AffineTransform_double_{d}_{d}");
    let _ = writeln!(text, "Parameters: {}", numbers.join(" "));
    let _ = writeln!(text, "FixedParameters: {}", ["0"; 3][..d].join(" "));
    text
}
