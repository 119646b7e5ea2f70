//! Writes NIfTI-1: the other half of [`crate::nifti`], same conventions.
//!
//! The affine goes to the sform, and to the qform as well where the axes are orthogonal. `.gz` is compressed lightly:
//! floating-point samples gain little from more.

use crate::IoError;
use crate::nifti_header::{Header, INTENT_VECTOR, datatype};
use crate::record::Record;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::Path;
use veloxel_core::matrix3::determinant;
use veloxel_core::{Dimension, Grid};

/// Code 1: scanner coordinates, the world of this crate.
const FORM_SCANNER: i16 = 1;
const UNITS_MM: u8 = 2;
const UNITS_MS: u8 = 16;

pub(crate) fn write(path: &Path, record: &Record) -> Result<(), IoError> {
    let header = header(path, record)?;
    let compressed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    crate::atomic::write(path, |file| {
        if compressed {
            let mut gz = GzEncoder::new(file, Compression::fast());
            gz.write_all(&header.to_bytes())?;
            record.write_planar(&mut gz)?;
            gz.finish().map(|_| ())
        } else {
            file.write_all(&header.to_bytes())?;
            record.write_planar(file)
        }
    })
}

fn header(path: &Path, record: &Record) -> Result<Header, IoError> {
    let grid = record.grid;
    let side = |n: usize| {
        i16::try_from(n).map_err(|_| IoError::Unsupported {
            what: format!("an axis of {n} in NIfTI-1 (limit: 32767)"),
            hint: "write it as .mha or .nrrd",
            path: path.to_owned(),
        })
    };
    let [nx, ny, nz] = grid.size();
    let [nx, ny, nz] = [side(nx)?, side(ny)?, side(nz)?];
    let flat = grid.dimension() == Dimension::Two;
    let frames = side(record.frames())?;
    let components = record.components();
    let (rank, intent) = match (components, frames) {
        (2.., _) => (5, INTENT_VECTOR),
        (_, 2..) => (4, 0),
        _ if flat => (2, 0),
        _ => (3, 0),
    };
    let mut header =
        Header::new([rank, nx, ny, nz, frames, side(components)?, 1, 1], datatype(record.element()));
    header.intent_code = intent;
    header.xyzt_units = UNITS_MM;
    if let Some(ms) = record.frame_interval_ms() {
        header.xyzt_units |= UNITS_MS;
        header.pixdim[4] = ms as f32;
    }
    place(&mut header, grid);
    Ok(header)
}

/// Fills sform, and qform where a rotation says it all.
fn place(header: &mut Header, grid: &Grid) {
    let (matrix, origin) = (grid.world_from_voxel_matrix(), grid.origin_mm());
    for (r, sign) in [-1.0, -1.0, 1.0].into_iter().enumerate() {
        for (stored, value) in header.srow[r].iter_mut().zip(matrix[r].into_iter().chain([origin[r]])) {
            *stored = (sign * value) as f32;
        }
        header.qoffset[r] = (sign * origin[r]) as f32;
        header.pixdim[r + 1] = grid.spacing_mm()[r] as f32;
    }
    header.sform_code = FORM_SCANNER;
    let d = grid.direction();
    let ras = [d[0].map(|v| -v), d[1].map(|v| -v), d[2]];
    if let Some((quaternion, handedness)) = quaternion(ras) {
        header.qform_code = FORM_SCANNER;
        header.quatern = quaternion.map(|v| v as f32);
        header.pixdim[0] = handedness as f32;
    }
}

/// `(b, c, d)` of the rotation and 1 or −1 for a mirrored third axis; `None` unless the matrix is orthonormal.
fn quaternion(direction: [[f64; 3]; 3]) -> Option<([f64; 3], f64)> {
    for a in 0..3 {
        for b in a..3 {
            let dot: f64 = direction.iter().map(|row| row[a] * row[b]).sum();
            if (dot - if a == b { 1.0 } else { 0.0 }).abs() > 1e-5 {
                return None;
            }
        }
    }
    let handedness = determinant(&direction).signum();
    let m = direction.map(|row| [row[0], row[1], handedness * row[2]]);
    // The largest of the four squares is the safe one to divide by (Shepperd's method).
    let squares = [
        1.0 + m[0][0] + m[1][1] + m[2][2],
        1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2],
        1.0 - m[0][0] - m[1][1] + m[2][2],
    ];
    let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let s = 2.0 * squares[largest].sqrt();
    let [yz, zx, xy] = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let [p, q, r] = [m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2]];
    let [a, b, c, d] = match largest {
        0 => [s * s / 4.0, yz, zx, xy],
        1 => [yz, s * s / 4.0, p, q],
        2 => [zx, p, s * s / 4.0, r],
        _ => [xy, q, r, s * s / 4.0],
    }
    .map(|v| v / s);
    let sign = if a < 0.0 { -1.0 } else { 1.0 };
    Some(([b, c, d].map(|v| sign * v), handedness))
}
