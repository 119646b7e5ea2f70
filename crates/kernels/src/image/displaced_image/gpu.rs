//! Launch of `displaced_image.wgsl`.

use crate::phase::gabor::Levels;
use crate::shared::{CORNER, EXPANSION, NAN};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover};

static TEXT: ShaderSource =
    ShaderSource::wgsl("displaced image", &[NAN, EXPANSION, CORNER, include_str!("displaced_image.wgsl")]);

pub(super) fn displaced_image(
    gpu: &dyn Gpu,
    (levels, level, factor): (&Levels, usize, f32),
    (image, coarser): (&Buffer, &Buffer),
    out: &Buffer,
) -> Result<(), ComputeError> {
    let [nx, ny] = levels.size(level);
    let [cx, cy] = [nx, ny].map(|n| n.div_ceil(2));
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "displaced_image",
        constants: &[("PLANES", (coarser.len() / (cx * cy)) as f64)],
        uniform: Uniform::new().u4([nx, ny, cx, cy]).u(levels.start(level)).f(factor),
        buffers: &[Bind::In(image), Bind::In(coarser), Bind::Out(out)],
        groups: [cover(nx, 32), cover(ny, 4), 1],
    })
}
