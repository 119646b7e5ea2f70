//! Launches of `transfer.wgsl`.

use crate::shared::LINE;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, inputs, line, outputs};

static TEXT: ShaderSource = ShaderSource::wgsl("multigrid transfer", &[LINE, include_str!("transfer.wgsl")]);

/// Channels that a launch takes.
const MOST_CHANNELS: usize = 6;

fn transfer(
    gpu: &dyn Gpu,
    entry: &'static str,
    (from, to): (&[Buffer], &[Buffer]),
    (fine, coarse, anew): (Shape, Shape, bool),
) -> Result<(), ComputeError> {
    let items = if entry == "prolong_add" { fine.len() } else { coarse.len() };
    for (from, to) in from.chunks(MOST_CHANNELS).zip(to.chunks(MOST_CHANNELS)) {
        let buffers: Vec<_> = inputs(from, MOST_CHANNELS).chain(outputs(to, MOST_CHANNELS)).collect();
        gpu.launch(&Launch {
            source: &TEXT,
            entry,
            constants: &[("CHANNELS", from.len() as f64), ("ANEW", f64::from(u8::from(anew)))],
            uniform: Uniform::new().u4(fine.size).u4(coarse.size),
            buffers: &buffers,
            groups: line(items, 256),
        })?;
    }
    Ok(())
}

pub(super) fn restrict(
    gpu: &dyn Gpu,
    (fine, from): (&[Buffer], Shape),
    (coarse, to): (&[Buffer], Shape),
) -> Result<(), ComputeError> {
    transfer(gpu, "restrict_mean", (fine, coarse), (from, to, false))
}

pub(super) fn prolong_add(
    gpu: &dyn Gpu,
    (coarse, from): (&[Buffer], Shape),
    (fine, to): (&[Buffer], Shape),
    anew: bool,
) -> Result<(), ComputeError> {
    transfer(gpu, "prolong_add", (coarse, fine), (to, from, anew))
}
