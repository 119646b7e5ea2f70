//! Launches of [`super::LocalModels`] and [`super::ModelField`].

use super::{FAR, LEAST_WEIGHT, LocalModels, ModelField, REFITS, RIDGE, SPREAD, STEP, cells, reach};
use crate::kernel::Launcher;
use crate::shared::EXPONENTIAL;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform, cover, line};

static FIT: ShaderSource = ShaderSource::wgsl(
    "local models",
    &[EXPONENTIAL, include_str!("model.wgsl"), include_str!("solve.wgsl"), include_str!("local_models.wgsl")],
);
static FIELD: ShaderSource = ShaderSource::wgsl(
    "model field",
    &[EXPONENTIAL, include_str!("model.wgsl"), include_str!("model_field.wgsl")],
);

/// Nodes of a picture up to which they have many threads each, and up to which a few: more of them keep an H200 busy with one each.
const FEW: usize = 1 << 11;
const SOME: usize = 1 << 17;
/// Threads of such a node, and of a workgroup.
const LANES: [usize; 2] = [32, 4];
const THREADS: usize = 64;

pub(super) fn local_models(gpu: &Launcher<'_>, args: LocalModels<'_>) -> Result<(), ComputeError> {
    let LocalModels { shape, scales, nodes, guess, out } = args;
    let [nx, ny, nz] = shape.size;
    let per_intensity2 = 0.5 / (scales.intensity * scales.intensity);
    let scales = [scales.residual_vox * scales.residual_vox, per_intensity2, 1.0 / scales.window_vox];
    let lanes = if shape.len() <= FEW { LANES[0] } else { LANES[1] };
    let (entry, groups) = match shape.components() == 2 && shape.len() <= SOME {
        true => ("models_of_pictures", line(shape.len(), THREADS / lanes)),
        false => ("local_models", [cover(nx, 8), cover(ny, 8), nz as u32]),
    };
    gpu.launch(&FIT, entry)
        .constant("COMPONENTS", shape.components())
        .constant("REACH", reach(shape.components()))
        .constant("REFITS", REFITS)
        .constant("LANES", lanes)
        .constant("FACTOR", if guess.shape == shape { 1usize } else { 2 })
        .uniform(Uniform::new().u4(shape.size).u4(guess.shape.size).f4(scales).f4([RIDGE, FAR, STEP]))
        .input(nodes)
        .input(guess.nodes)
        .input(guess.models)
        .output(out)
        .run(groups)
}

pub(super) fn model_field(gpu: &Launcher<'_>, args: ModelField<'_>) -> Result<(), ComputeError> {
    let ModelField { shape, width, intensity, image, nodes, models, kept, out } = args;
    let ([nx, ny, nz], grid) = (shape.size, cells(shape, width).size);
    let per_intensity2 = 0.5 / (intensity * intensity);
    let (per_width, half) = (1.0 / width as f32, 0.5 * (width as f32 - 1.0));
    gpu.launch(&FIELD, "model_field")
        .constant("COMPONENTS", shape.components())
        .constant("KEPT", kept.is_some())
        .uniform(
            Uniform::new()
                .u4([nx, ny, nz, width])
                .u4(grid)
                .f4([per_intensity2, per_width, half, SPREAD])
                .f(LEAST_WEIGHT),
        )
        .input(image)
        .input(nodes)
        .input(models)
        .inputs(kept.map_or(&[], |kept| kept.field), 3)
        .optional(kept.map(|kept| kept.weight))
        .outputs(out, 3)
        .run([cover(nx, 32), cover(ny, 4), nz as u32])
}
