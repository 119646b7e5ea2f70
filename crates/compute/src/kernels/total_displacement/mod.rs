//! Between the displacement a solver works on (edges, on top of an affine map) and the one a flow holds (voxels, total).
//!
//! `d_total(x) = A (x + d(x)) − x`. *In place.* *Halo*: none.

use super::warp::VoxelAffine;
use crate::buffer::require_field;
use crate::rows::Shared;
use crate::{Axes, Buffer, ComputeError, Device, Shape};

/// Edges on top of `map` to voxels in total.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn to_voxels(
    device: &Device,
    (shape, spacing_edges): (Shape, Axes<f32>),
    map: VoxelAffine,
    field: &mut [Buffer],
) -> Result<(), ComputeError> {
    // A x − x + A d: the first part in f64, so that large grids keep their sub-voxel bits.
    let mut rest = map.matrix;
    (0..3).for_each(|a| rest[a][a] -= 1.0);
    let rest = VoxelAffine { matrix: rest, offset: map.offset };
    let linear = map.matrix.map(|r| [0, 1, 2].map(|c| (r[c] / f64::from(spacing_edges[c])) as f32));
    each_voxel(device, shape, field, |position, d| {
        let base = rest.apply(position);
        [0, 1, 2].map(|r| base[r] as f32 + linear[r][0] * d[0] + linear[r][1] * d[1] + linear[r][2] * d[2])
    })
}

/// Voxels to edges, without an affine map.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn from_voxels(
    device: &Device,
    (shape, spacing_edges): (Shape, Axes<f32>),
    field: &mut [Buffer],
) -> Result<(), ComputeError> {
    each_voxel(device, shape, field, |_, d| [0, 1, 2].map(|a| d[a] * spacing_edges[a]))
}

fn each_voxel(
    device: &Device,
    shape: Shape,
    field: &mut [Buffer],
    map: impl Fn(Axes<f64>, Axes<f32>) -> Axes<f32> + Sync,
) -> Result<(), ComputeError> {
    require_field(field, (shape.components(), shape.len()), "total_displacement", "field")?;
    let parts: Vec<Shared<'_>> = field.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let [nx, ny, _] = shape.size;
    device.as_cpu().split(shape.rows(), shape.len(), |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let mut lines: Vec<&mut [f32]> =
                parts.iter().map(|p| unsafe { p.get_mut(row * nx..(row + 1) * nx) }).collect();
            for x in 0..nx {
                let mut d = [0.0; 3];
                d.iter_mut().zip(&lines).for_each(|(d, l)| *d = l[x]);
                let out = map([x as f64, (row % ny) as f64, (row / ny) as f64], d);
                lines.iter_mut().zip(out).for_each(|(l, v)| l[x] = v);
            }
        }
    });
    Ok(())
}
