//! Launches of `local_step.wgsl`: one.

use super::LocalStep;
use crate::image::warp::Border;
use crate::kernel::Launcher;
use crate::shared::{LATTICE, NAN};
use crate::variational::motion_tensor::Constraint;
use veloxel_gpu::{ComputeError, Later, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("local step", &[NAN, LATTICE, include_str!("local_step.wgsl")]);
/// Threads of a workgroup.
const THREADS: usize = 256;

/// Width and height of a tile in a picture of so many pixels: large tiles share more, and a large device works on all small tiles of
/// a small picture at once.
fn tile(pixels: usize) -> [usize; 2] {
    match pixels {
        0..0x8000 => [8, 8],
        0x8000..0x2_0000 => [16, 16],
        _ => [32, 16],
    }
}

pub(super) fn step(gpu: &Launcher<'_>, args: LocalStep<'_>) -> Result<Later<f64>, ComputeError> {
    let LocalStep { shape, spacing_edges, terms, images, displacement, out, .. } = args;
    let [nx, ny, _] = shape.size;
    let zeta2 = terms.constraints.map(|constraint| match constraint {
        Constraint::Plain => 0.0,
        Constraint::Normalised { zeta } => zeta * zeta,
    });
    // The shader adds both images up.
    let per_difference = 1.0 / 24.0;
    let [x, y, _] = spacing_edges;
    let uniform = Uniform::new()
        .u4([nx, ny])
        .f4([1.0 / x, 1.0 / y, per_difference / x, per_difference / y])
        .f4([zeta2[0], zeta2[1], terms.gamma, terms.ridge])
        .f4([Border::Centres.reach_vox(), terms.limit]);
    let [width, height] = tile(shape.len());
    gpu.launch(&SOURCE, "local_step")
        .constant("WIDTH", width)
        .constant("HEIGHT", height)
        .constant("THREADS", THREADS)
        .constant("RADIUS", terms.radius)
        .constant("GRADIENTS", terms.gamma > 0.0)
        .constant("NORMALISED", terms.constraints[0] != Constraint::Plain)
        .uniform(uniform)
        .input(images[0])
        .input(images[1])
        .inputs(displacement, 2)
        .outputs(out, 2)
        .sums_of_groups([cover(nx, width), cover(ny, height), 1], |[sum]: [f64; 1]| sum)
}
