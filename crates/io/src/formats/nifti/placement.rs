//! Where the voxels of a NIfTI file lie: the sform, else the qform, else `pixdim` alone.

use super::header::Header;
use crate::error::Result;
use crate::read::context::Context;
use crate::read::geometry::{Axes, column_lengths, cross, length, usable_spacing};
use veloxel_core::WarningKind;
use veloxel_core::matrix3::{IDENTITY, determinant};

/// Places the voxels: sform, else qform, else spacing alone.
pub(super) fn axes(header: &Header, size: [usize; 3], context: &mut Context) -> Result<Axes> {
    let mm = match header.xyzt_units & 7 {
        1 => 1e3,
        3 => 1e-3,
        // Files without a unit are in mm, by the custom of every program.
        _ => 1.0,
    };
    let mut axes = Axes::new(size);
    // Axes that the file does not have may hold anything in pixdim.
    let listed = usize::from(header.dim[0].unsigned_abs()).min(3);
    for axis in 0..listed {
        axes.spacing_mm[axis] = usable_spacing(f64::from(header.pixdim[axis + 1]) * mm, axis, context)?;
    }
    if header.sform_code > 0 {
        if let Some(placed) = from_sform(header, &axes, mm) {
            let settled = agree_on_spacing(placed, axes.spacing_mm, listed, context)?;
            if header.qform_code > 0 {
                tell_apart(header, &settled, &from_qform(header, axes, mm, context)?, context);
            }
            return Ok(settled);
        }
        let instead = if header.qform_code > 0 { "the qform" } else { "pixdim" };
        context.assume(format!("the sform {:?} has no inverse: {instead} is used", header.srow))?;
    }
    if header.qform_code > 0 {
        axes = from_qform(header, axes, mm, context)?;
    }
    Ok(axes)
}

/// Corners of a grid that lie apart by less than this share of a voxel are one place.
const ONE_PLACE: f64 = 0.05;

/// Says where the sform and the qform put a corner in different places.
fn tell_apart(header: &Header, sform: &Axes, qform: &Axes, context: &mut Context) {
    let corner = |axes: &Axes, nth: usize| {
        let far = |axis: usize| if nth >> axis & 1 == 1 { axes.size[axis] as f64 - 1.0 } else { 0.0 };
        let row = |r: usize| (0..3).map(|a| axes.direction[r][a] * axes.spacing_mm[a] * far(a)).sum::<f64>();
        [0, 1, 2].map(|r| axes.origin_mm[r] + row(r))
    };
    let apart = |nth: usize| {
        let (a, b) = (corner(sform, nth), corner(qform, nth));
        length([0, 1, 2].map(|k| a[k] - b[k]))
    };
    let most = (0..8).map(apart).fold(0.0, f64::max);
    let voxel = qform.spacing_mm.iter().copied().fold(f64::INFINITY, f64::min);
    if most > ONE_PLACE * voxel {
        let (s, q) = (header.sform_code, header.qform_code);
        let text = format!(
            "its sform (code {s}) and its qform (code {q}) lie up to {most:.2} mm apart: the sform is used"
        );
        context.note(WarningKind::Header, text);
    }
}

fn from_qform(header: &Header, mut axes: Axes, mm: f64, context: &mut Context) -> Result<Axes> {
    axes.direction = lps_rows(quaternion_rotation(header, context)?);
    let [x, y, z] = header.qoffset.map(|v| f64::from(v) * mm);
    axes.origin_mm = [-x, -y, z];
    Ok(axes)
}

/// Settles what to do where the sform's column lengths are not `pixdim`.
///
/// The specification says the sform; but an sform of unit columns beside another `pixdim` is one that its writer never
/// scaled, and ITK, too, takes `pixdim` then.
fn agree_on_spacing(
    mut placed: Axes,
    pixdim_mm: [f64; 3],
    listed: usize,
    context: &mut Context,
) -> Result<Axes> {
    let sform_mm = placed.spacing_mm;
    let differ = |a: f64, b: f64| (a - b).abs() > 1e-3 * a;
    if !(0..listed).any(|a| differ(sform_mm[a], pixdim_mm[a])) {
        return Ok(placed);
    }
    let said = format!("pixdim says {pixdim_mm:?} mm, the sform {sform_mm:?} mm");
    if sform_mm.iter().all(|&h| !differ(h, 1.0)) {
        context.assume(format!("{said}: an sform without scales is assumed, and pixdim used"))?;
        placed.spacing_mm = pixdim_mm;
    } else {
        context.note(WarningKind::Header, format!("{said}: the sform is used"));
    }
    Ok(placed)
}

fn lps_rows([x, y, z]: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [x.map(|v| -v), y.map(|v| -v), z]
}

fn from_sform(header: &Header, plain: &Axes, mm: f64) -> Option<Axes> {
    let rows = header.srow.map(|row| row.map(|v| f64::from(v) * mm));
    let mut matrix = lps_rows(rows.map(|r| [r[0], r[1], r[2]]));
    let mut spacing = column_lengths(&matrix);
    if plain.size[2] == 1 && spacing[2] == 0.0 {
        // Some writers leave the third column of a picture empty.
        let [a, b] = [0, 1].map(|c| [0, 1, 2].map(|r| matrix[r][c]));
        let normal = cross(a, b);
        for (row, n) in matrix.iter_mut().zip(normal) {
            row[2] = n;
        }
        spacing[2] = length(normal);
    }
    let direction = matrix.map(|row| [0, 1, 2].map(|a| row[a] / spacing[a]));
    let det = determinant(&direction);
    if !det.is_finite() || det.abs() < 1e-6 {
        return None;
    }
    let mut spacing_mm = spacing;
    for (h, pixdim) in spacing_mm.iter_mut().zip(plain.spacing_mm) {
        // The norm of a rotated column carries rounding that pixdim does not.
        if (*h - pixdim).abs() <= 1e-6 * pixdim {
            *h = pixdim;
        }
    }
    let [x, y, z] = rows.map(|r| r[3]);
    Some(Axes { origin_mm: [-x, -y, z], spacing_mm, direction, ..plain.clone() })
}

/// The rotation (RAS) of the header's unit quaternion, its third column mirrored if `pixdim[0]` is negative.
fn quaternion_rotation(header: &Header, context: &mut Context) -> Result<[[f64; 3]; 3]> {
    let [mut b, mut c, mut d] = header.quatern.map(f64::from);
    let squared = b * b + c * c + d * d;
    let given = format!("the qform's quaternion {:?}", header.quatern);
    if !squared.is_finite() {
        context.assume(format!("{given} is not finite: no rotation is assumed"))?;
        return Ok(IDENTITY);
    }
    if squared > 1.0 + 1e-4 {
        context.assume(format!("{given} is longer than 1: it is scaled to 1"))?;
    }
    if squared > 1.0 {
        let norm = squared.sqrt();
        (b, c, d) = (b / norm, c / norm, d / norm);
    }
    let a = (1.0 - (b * b + c * c + d * d)).max(0.0).sqrt();
    let mut rotation = [
        [a * a + b * b - c * c - d * d, 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)],
        [2.0 * (b * c + a * d), a * a + c * c - b * b - d * d, 2.0 * (c * d - a * b)],
        [2.0 * (b * d - a * c), 2.0 * (c * d + a * b), a * a + d * d - b * b - c * c],
    ];
    if header.pixdim[0] < 0.0 {
        for row in &mut rotation {
            row[2] = -row[2];
        }
    }
    Ok(rotation)
}
