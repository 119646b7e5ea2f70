//! Between the displacement a solver works on (edges, on top of an affine map) and the one a flow holds (voxels, total).
//!
//! `d_total(x) = A (x + d(x)) − x`. *In place.* *Halo*: none.

mod cpu;
mod gpu;

use crate::image::warp::VoxelAffine;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

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
    require_field(field, (shape.components(), shape.len()), "to_voxels", "field")?;
    // A x − x + A d: without x itself, so that large grids keep their sub-voxel bits.
    let mut base = map;
    (0..3).for_each(|a| base.matrix[a][a] -= 1.0);
    let linear = map.matrix.map(|r| [0, 1, 2].map(|c| (r[c] / f64::from(spacing_edges[c])) as f32));
    match device.kind() {
        Kind::Cpu(cpu) => cpu::to_voxels(cpu, shape, (base, linear), field),
        Kind::Gpu(gpu) => gpu::to_voxels(&**gpu, shape, (base, linear), field)?,
    }
    Ok(())
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
    require_field(field, (shape.components(), shape.len()), "from_voxels", "field")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::from_voxels(cpu, shape, spacing_edges, field),
        Kind::Gpu(gpu) => gpu::from_voxels(&**gpu, shape, spacing_edges, field)?,
    }
    Ok(())
}
