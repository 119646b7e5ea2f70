//! Launches of `gradient.wgsl`.

use super::Scheme;
use crate::shared::{PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, outputs};

static TEXT1: ShaderSource =
    ShaderSource::wgsl("gradient", &[PACK1, include_str!("neighbours1.wgsl"), include_str!("gradient.wgsl")]);
static TEXT4: ShaderSource =
    ShaderSource::wgsl("gradient", &[PACK4, include_str!("neighbours4.wgsl"), include_str!("gradient.wgsl")]);

pub(super) fn gradient(
    gpu: &dyn Gpu,
    (shape, axis, scheme): (Shape, usize, Scheme),
    image: &Buffer,
    out: &Buffer,
) -> Result<(), ComputeError> {
    let mut outs = [Bind::Spare; 3];
    outs[axis] = Bind::Out(out);
    derivatives(gpu, (shape, scheme), image, outs)
}

pub(super) fn gradients(
    gpu: &dyn Gpu,
    (shape, scheme): (Shape, Scheme),
    image: &Buffer,
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let mut outs = [Bind::Spare; 3];
    outs.iter_mut().zip(outputs(out, 3)).for_each(|(o, out)| *o = out);
    derivatives(gpu, (shape, scheme), image, outs)
}

/// Those along the axes that have a buffer.
fn derivatives(
    gpu: &dyn Gpu,
    (shape, scheme): (Shape, Scheme),
    image: &Buffer,
    outs: [Bind<'_>; 3],
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = shape.size;
    let (text, pack) = if nx % 4 == 0 { (&TEXT4, 4) } else { (&TEXT1, 1) };
    let wanted = outs.map(|out| f64::from(u8::from(matches!(out, Bind::Out(_)))));
    let [x, y, z] = outs;
    gpu.launch(&Launch {
        source: text,
        entry: "gradient",
        constants: &[
            ("CENTRAL", f64::from(u8::from(scheme == Scheme::Central4))),
            ("ALONG_X", wanted[0]),
            ("ALONG_Y", wanted[1]),
            ("ALONG_Z", wanted[2]),
        ],
        uniform: Uniform::new().u4([nx / pack, ny, nz]),
        buffers: &[Bind::In(image), x, y, z],
        groups: [cover(nx / pack, 32), cover(ny, 4), nz as u32],
    })
}
