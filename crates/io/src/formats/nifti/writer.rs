//! Writes NIfTI-1 with the conventions of [`super`].
//!
//! The affine goes to the sform, and to the qform as well where the axes are orthogonal. `.gz` is compressed
//! lightly ([`Gzip`]).

use super::FORMAT;
use super::header::{Header, INTENT_VECTOR};
use crate::error::Result;
use crate::format::WriteRecord;
use crate::read::geometry::header_axes;
use crate::read::layout::Arrangement::Planar;
use crate::write::gzip::Gzip;
use crate::write::record::Record;
use crate::write::target::Target;
use crate::write::whole_file;
use std::io::Write;
use veloxel_core::matrix3::determinant;
use veloxel_core::{Dimension, Grid};

/// Code 1: scanner coordinates, the world of this crate.
const FORM_SCANNER: i16 = 1;
const UNITS_MM: u8 = 2;
const UNITS_MS: u8 = 16;

pub(super) struct Nifti;

impl WriteRecord for Nifti {
    fn write(target: &Target, record: &Record) -> Result<()> {
        let (path, control) = (target.path(), target.files().control());
        FORMAT.check_side(path, record.frames)?;
        let header = header(record).to_bytes();
        let compressed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        whole_file::write(target, |file| {
            if compressed {
                let samples = record.grid.len() * record.components * record.frames;
                let mut gz = Gzip::new(file, samples * size_of::<f32>());
                gz.write_all(&header)?;
                record.write(Planar, &mut gz, control)?;
                gz.finish()
            } else {
                file.write_all(&header)?;
                record.write(Planar, file, control)
            }
        })
    }
}

/// The header; the sides were checked.
fn header(record: &Record) -> Header {
    let on_edge = if record.components == 3 { on_edge(record.grid) } else { None };
    let grid = on_edge.as_ref().unwrap_or(record.grid);
    let (rank, intent) = match (record.components, record.frames) {
        (2.., _) => (5, INTENT_VECTOR),
        (_, 2..) => (4, 0),
        _ => (header_axes(grid) as i16, 0),
    };
    let [nx, ny, nz] = grid.size().map(|side| side as i16);
    let dim = [rank, nx, ny, nz, record.frames as i16, record.components as i16, 1, 1];
    let mut header = Header { intent_code: intent, xyzt_units: UNITS_MM, ..Header::new(dim, record.element) };
    if let Some(ms) = record.frame_interval_ms {
        header.xyzt_units |= UNITS_MS;
        header.pixdim[4] = ms as f32;
    }
    place(&mut header, grid);
    header
}

/// A plane as a volume that is one voxel thick along its second axis; none for a volume.
fn on_edge(plane: &Grid) -> Option<Grid> {
    let ([nx, ny, 1], Dimension::Two) = (plane.size(), plane.dimension()) else { return None };
    let [x, y, across] = plane.spacing_mm();
    let volume = Grid::volume(nx, 1, ny).and_then(|grid| grid.with_spacing_mm([x, across, y])).ok()?;
    let direction = plane.direction().map(|[x, y, across]| [x, across, y]);
    Some(volume.with_direction(direction).ok()?.with_origin_mm(plane.origin_mm()))
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
