//! Where the centre of an image's intensities lies: Σ w x / Σ w, with `w = clamp(gain · v + offset, 0, 1)`.
//!
//! *In*: an image; the map of its intensities. *Out*: a position in voxels, none without mass. NaN weighs nothing.
//! Sums are taken in the order of a GPU's workgroups, so that every device starts from the same bits. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later};

/// The centre of mass of an image under an affine map `(gain, offset)` of its intensities.
///
/// # Errors
/// [`ComputeError::Length`] if the image does not belong to the shape.
pub fn centre_of_mass(
    device: &Device,
    (shape, image): (Shape, &Buffer),
    map: (f32, f32),
) -> Result<Later<Option<Axes<f64>>>, ComputeError> {
    image.require(shape.len(), "centre_of_mass", "image")?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(centre(shape, cpu::moments(cpu, shape, image, map)))),
        Kind::Gpu(gpu) => gpu::centre_of_mass((device, &**gpu), (shape, image), map),
    }
}

/// Half of every axis: positions count from there, so that sums stay small.
fn origin(shape: Shape) -> Axes<f32> {
    shape.size.map(|n| 0.5 * (n as f32 - 1.0))
}

/// The centre from Σ w and Σ w x, x from [`origin`] on.
fn centre(shape: Shape, [mass, x, y, z]: [f64; 4]) -> Option<Axes<f64>> {
    let origin = origin(shape).map(f64::from);
    (mass > 0.0).then(|| [origin[0] + x / mass, origin[1] + y / mass, origin[2] + z / mass])
}
