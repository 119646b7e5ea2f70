//! NIfTI-1, `.nii` and `.nii.gz`: volumes, sequences and displacement fields.
//!
//! *Specification*: `nifti1.h`, NIfTI Data Format Working Group, 2003 (revised 2007).
//! *Compatible implementations*: ITK and SimpleITK (compared both ways in `tests/peers.py`).
//! *World*: the file's affine is RAS; its x and y rows change sign on the way to LPS. The sform is taken if
//! `sform_code > 0`, else the qform, else `pixdim` alone; an sform without scales takes its spacing from `pixdim`.
//! *Fields*: 5-D, `dim[5]` components in mm. Intent 1007 (vector) holds LPS components, as ITK, ANTs and greedy write
//! and read it; intent 1006 (displacement) holds RAS components, which ITK flips and so do we. 1007 is written.
//! *Time*: `pixdim[4]` in the unit of `xyzt_units`; without a unit the frame interval is unknown.
//! *2-D*: `dim[0] = 2`, and 4-D files of one plane (a 2-D cine).
//! *Limits*: single files only (no `.hdr`/`.img`), no complex or 128-bit samples, sides up to 32767.

use crate::IoError;
use crate::context::Context;
use crate::element::Scaling;
use crate::geometry::{Axes, usable_spacing};
use crate::layout::{Arrangement, Layout, Meaning, VectorAxes};
use crate::luminance::Channels;
use crate::nifti_header::{
    DATATYPE_RGB24, DATATYPE_RGBA32, HEADER_BYTES, Header, INTENT_DISPLACEMENT, INTENT_VECTOR, SAMPLES_AT,
    element,
};
use crate::source::{Source, Stored};
use veloxel_core::matrix3::{IDENTITY, determinant};
use veloxel_core::{Dimension, WarningKind};

/// Reads the header and leaves the source at the first sample.
pub(crate) fn layout<'a>(source: Source<'a>, context: &mut Context) -> Result<(Layout, Source<'a>), IoError> {
    let mut source = source.gunzip_if_compressed(context)?;
    let bytes = source.take_bytes("the NIfTI header", HEADER_BYTES as u64, context)?;
    let header = Header::parse(&bytes, context)?;
    let layout = interpret(&header, context)?;
    let offset = samples_offset(&header, context)?;
    source.skip("the NIfTI extension", offset - HEADER_BYTES as u64, context)?;
    Ok((layout, source))
}

fn samples_offset(header: &Header, context: &mut Context) -> Result<u64, IoError> {
    let offset = header.vox_offset;
    if offset == 0.0 {
        context.assume("vox_offset is 0: samples are assumed right behind the header, at 352")?;
        return Ok(SAMPLES_AT as u64);
    }
    if !(SAMPLES_AT as f32..1e15).contains(&offset) || offset.fract() != 0.0 {
        return Err(context.malformed("vox_offset", "a whole number of at least 352", offset));
    }
    Ok(offset as u64)
}

fn interpret(header: &Header, context: &mut Context) -> Result<Layout, IoError> {
    let rank = header.dim[0];
    if !(1..=7).contains(&rank) {
        return Err(context.malformed("dim[0]", "a number of axes from 1 to 7", rank));
    }
    let mut sizes = [1usize; 7];
    for (axis, size) in sizes.iter_mut().enumerate().take(rank as usize) {
        let stored = header.dim[axis + 1];
        *size = usize::try_from(stored)
            .ok()
            .filter(|&n| n > 0)
            .ok_or_else(|| context.malformed(format!("dim[{}]", axis + 1), "a size of at least 1", stored))?;
    }
    let [nx, ny, nz, frames, components, rest @ ..] = sizes;
    if rank == 1 || rest != [1, 1] {
        return Err(context.unsupported(
            format!("a {rank}-D NIfTI file of {sizes:?}"),
            "images have 2 or 3 axes, sequences 4, displacement fields 5",
        ));
    }
    let (stored_element, colour) = match header.datatype {
        DATATYPE_RGB24 => (crate::element::Element::U8, Some(Channels::Rgb)),
        DATATYPE_RGBA32 => (crate::element::Element::U8, Some(Channels::Rgba)),
        code => (
            element(code).ok_or_else(|| {
                context.unsupported(format!("NIfTI data type {code}"), "convert it to 32-bit floats")
            })?,
            None,
        ),
    };
    let meaning = meaning(header, [nz, components], colour, context)?;
    let flat = match meaning {
        Meaning::Vector(_) => components == 2,
        _ => rank == 2 || (rank >= 4 && nz == 1),
    };
    let dimension = if flat { Dimension::Two } else { Dimension::Three };
    let axes = axes(header, dimension, [nx, ny, nz], context)?;
    let scaling = if colour.is_some() { Scaling::NONE } else { scaling(header, context)? };
    Ok(Layout {
        grid: axes.into_grid(context)?,
        meaning,
        // RGB samples stand together; components of a 5-D file do not.
        arrangement: if colour.is_some() { Arrangement::Interleaved } else { Arrangement::Planar },
        frames,
        frame_interval_ms: if frames > 1 { frame_interval_ms(header, context) } else { None },
        stored: Stored { element: stored_element, order: header.order, scaling },
    })
}

fn meaning(
    header: &Header,
    [nz, components]: [usize; 2],
    colour: Option<Channels>,
    context: &mut Context,
) -> Result<Meaning, IoError> {
    match (components, colour) {
        (1, Some(channels)) => Ok(Meaning::Colour(channels)),
        (1, None) => Ok(Meaning::Scalar),
        (2 | 3, None) if components == 3 || nz == 1 => match header.intent_code {
            INTENT_VECTOR => Ok(Meaning::Vector(VectorAxes::Lps)),
            INTENT_DISPLACEMENT => Ok(Meaning::Vector(VectorAxes::Ras)),
            other => {
                context.assume(format!(
                    "{components} components with intent {other}: a displacement field in LPS mm (intent 1007) is assumed"
                ))?;
                Ok(Meaning::Vector(VectorAxes::Lps))
            }
        },
        _ => Err(context.unsupported(
            format!("{components} components in a voxel"),
            "displacement fields have 3 (in one plane: 2 or 3)",
        )),
    }
}

fn scaling(header: &Header, context: &mut Context) -> Result<Scaling, IoError> {
    let (slope, intercept) = (f64::from(header.scl_slope), f64::from(header.scl_inter));
    // The specification's way of saying "not scaled".
    if slope == 0.0 {
        return Ok(Scaling::NONE);
    }
    if slope.is_finite() && intercept.is_finite() {
        return Ok(Scaling { slope, intercept });
    }
    context.assume(format!(
        "scl_slope {slope} and scl_inter {intercept} are not finite: unscaled samples are assumed"
    ))?;
    Ok(Scaling::NONE)
}

fn frame_interval_ms(header: &Header, context: &mut Context) -> Option<f64> {
    let ms = match header.xyzt_units & 0x38 {
        8 => 1e3,
        16 => 1.0,
        24 => 1e-3,
        _ => return None,
    };
    let interval = f64::from(header.pixdim[4]) * ms;
    if interval.is_finite() && interval > 0.0 {
        return Some(interval);
    }
    context.note(
        WarningKind::Header,
        format!("a frame interval of {interval} ms is not possible: it counts as unknown"),
    );
    None
}

/// Places the voxels: sform, else qform, else spacing alone.
fn axes(
    header: &Header,
    dimension: Dimension,
    size: [usize; 3],
    context: &mut Context,
) -> Result<Axes, IoError> {
    let mm = match header.xyzt_units & 7 {
        1 => 1e3,
        3 => 1e-3,
        // Files without a unit are in mm, by the custom of every program.
        _ => 1.0,
    };
    let mut axes = Axes::new(dimension, size);
    // Axes that the file does not have may hold anything in pixdim.
    let listed = usize::from(header.dim[0].unsigned_abs()).min(3);
    for axis in 0..listed {
        axes.spacing_mm[axis] = usable_spacing(f64::from(header.pixdim[axis + 1]) * mm, axis, context)?;
    }
    if header.sform_code > 0 {
        if let Some(placed) = from_sform(header, &axes, mm) {
            return agree_on_spacing(placed, axes.spacing_mm, listed, context);
        }
        let instead = if header.qform_code > 0 { "the qform" } else { "pixdim" };
        context.assume(format!("the sform {:?} has no inverse: {instead} is used", header.srow))?;
    }
    if header.qform_code > 0 {
        axes.direction = lps_rows(quaternion_rotation(header, context)?);
        let [x, y, z] = header.qoffset.map(|v| f64::from(v) * mm);
        axes.origin_mm = [-x, -y, z];
    }
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
) -> Result<Axes, IoError> {
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
    let mut spacing = [0, 1, 2].map(|a| (0..3).map(|r| matrix[r][a].powi(2)).sum::<f64>().sqrt());
    if plain.dimension == Dimension::Two && spacing[2] == 0.0 {
        // Some writers leave the third column of a picture empty.
        let [a, b] = [0, 1].map(|c| [0, 1, 2].map(|r| matrix[r][c]));
        let normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        for (row, n) in matrix.iter_mut().zip(normal) {
            row[2] = n;
        }
        spacing[2] = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
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
fn quaternion_rotation(header: &Header, context: &mut Context) -> Result<[[f64; 3]; 3], IoError> {
    let [mut b, mut c, mut d] = header.quatern.map(f64::from);
    let squared = b * b + c * c + d * d;
    if !squared.is_finite() {
        context.assume(format!(
            "the qform's quaternion {:?} is not finite: no rotation is assumed",
            header.quatern
        ))?;
        return Ok(IDENTITY);
    }
    if squared > 1.0 + 1e-4 {
        context.assume(format!(
            "the qform's quaternion {:?} is longer than 1: it is scaled to 1",
            header.quatern
        ))?;
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
