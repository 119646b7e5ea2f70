//! Plain matrices of 4×4 (3×3 in 2-D) numbers: greedy's and c3d's `.mat` in RAS mm, and `.txt` that says its axes.
//!
//! *Specification*: greedy's and `c3d_affine_tool`'s matrices, RAS mm, fixed to moving; NiftyReg's `reg_aladin` writes the same as
//! `.txt`, which needs a first line `# RAS`.
//! *Limits*: FLIRT's matrices, in FSL's own millimetres, have numbers parted by two blanks and are refused by that.

use super::TransformFormat;
use super::lines;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::WorldAxes;
use std::fmt::Write as _;
use veloxel_core::{Dimension, LinearTransform};

/// What a `.mat` is.
pub(super) const RAS_FORMAT: TransformFormat = TransformFormat {
    extensions: &["mat"],
    is: |extension, _| extension == "mat",
    read: |bytes, context| read(bytes, Some(WorldAxes::Ras), context),
    write: Some(|transform| matrix(transform, WorldAxes::Ras)),
};

/// What a `.txt` or a `.tfm` without ITK's first line is.
pub(super) const STATED_FORMAT: TransformFormat = TransformFormat {
    extensions: &["txt"],
    is: |extension, _| matches!(extension, "txt" | "tfm"),
    read: |bytes, context| read(bytes, None, context),
    write: Some(|transform| {
        let what = if transform.is_rigid() { "rigid" } else { "affine" };
        format!("# LPS\n# {what}: points of the fixed image to those of the moving one, mm (Veloxel)\n")
            + &matrix(transform, WorldAxes::Lps)
    }),
};

fn read(bytes: &[u8], axes: Option<WorldAxes>, context: &mut Context) -> Result<LinearTransform> {
    let text = std::str::from_utf8(bytes).map_err(|error| context.malformed("transform", "a text", error))?;
    let is_flirt = |line: &str| line.ends_with("  ") && line.trim().contains("  ");
    if text.lines().filter(|line| !line.trim().is_empty()).all(is_flirt) {
        let hint = "convert it: `c3d_affine_tool -ref FIXED -src MOVING FLIRT.mat -fsl2ras -oitk OUT.txt`";
        return Err(context.unsupported("a matrix as FSL's FLIRT writes it, in FSL's own millimetres,", hint));
    }
    let stated = text.lines().filter_map(|line| line.trim().strip_prefix('#')).find_map(|comment| {
        match comment.trim() {
            "LPS" => Some(WorldAxes::Lps),
            "RAS" => Some(WorldAxes::Ras),
            _ => None,
        }
    });
    let Some(axes) = stated.or(axes) else {
        let hint = "write `# RAS` (greedy, NiftyReg, nibabel) or `# LPS` (ITK) into its first line";
        return Err(context.unsupported("a plain matrix that does not say its axes", hint));
    };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (number, line) in lines(text) {
        let words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let parsed = words.map(|word| {
            word.parse().map_err(|_| context.malformed(format!("line {number}"), "numbers", word))
        });
        rows.push(parsed.collect::<Result<_>>()?);
    }
    of_rows(&rows, axes, context)
}

/// The map of a homogeneous matrix's rows.
fn of_rows(rows: &[Vec<f64>], axes: WorldAxes, context: &Context) -> Result<LinearTransform> {
    let n = rows.len();
    let is_square = (n == 3 || n == 4) && rows.iter().all(|row| row.len() == n);
    let got = || format!("{n} lines of {} numbers", rows.first().map_or(0, Vec::len));
    context.require(is_square, "matrix", "4 lines of 4 numbers (2-D: 3 of 3)", got())?;
    let d = n - 1;
    let is_affine = rows[d][..d].iter().all(|v| *v == 0.0) && rows[d][d] == 1.0;
    context.require(is_affine, "last line of the matrix", "0 … 0 1", format!("{:?}", rows[d]))?;
    let dimension = if d == 2 { Dimension::Two } else { Dimension::Three };
    let (mut matrix, mut offset) = ([[0.0; 3]; 3], [0.0; 3]);
    for row in 0..d {
        matrix[row][..d].copy_from_slice(&rows[row][..d]);
        offset[row] = rows[row][d];
    }
    let (matrix, offset) = turned(matrix, offset, axes);
    LinearTransform::new(dimension, matrix, offset).map_err(|error| context.core(error))
}

/// A map in other axes: from these to LPS, and from LPS to these.
fn turned(matrix: [[f64; 3]; 3], offset: [f64; 3], axes: WorldAxes) -> ([[f64; 3]; 3], [f64; 3]) {
    let sign = axes.turned([1.0; 3]);
    let matrix = [0, 1, 2].map(|r| [0, 1, 2].map(|c| sign[r] * matrix[r][c] * sign[c] + 0.0));
    (matrix, [0, 1, 2].map(|r| sign[r] * offset[r] + 0.0))
}

fn matrix(transform: &LinearTransform, axes: WorldAxes) -> String {
    let d = transform.dimension().count();
    let (matrix, offset) = turned(transform.matrix(), transform.offset_mm(), axes);
    let mut text = String::new();
    for row in 0..d {
        let numbers: Vec<String> =
            matrix[row][..d].iter().chain([&offset[row]]).map(f64::to_string).collect();
        let _ = writeln!(text, "{}", numbers.join(" "));
    }
    let last: Vec<&str> = std::iter::repeat_n("0", d).chain(["1"]).collect();
    let _ = writeln!(text, "{}", last.join(" "));
    text
}
