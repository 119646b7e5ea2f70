//! Launches of `jacobian.wgsl`.

use super::report;
use crate::shared::{NAN, PACK1, PACK4, SIDES1, SIDES4, TILE_SUM};
use veloxel_core::{Axes, JacobianReport, Shape};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, cover, inputs,
};

const BODY: &str = include_str!("jacobian.wgsl");
static TEXT1: ShaderSource = ShaderSource::wgsl("jacobian", &[NAN, TILE_SUM, PACK1, SIDES1, BODY]);
static TEXT4: ShaderSource = ShaderSource::wgsl("jacobian", &[NAN, TILE_SUM, PACK4, SIDES4, BODY]);

/// Planes that a thread marches through; neighbours in them are looked up once.
const DEPTH: usize = 16;

pub(super) fn jacobian(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, spacing_edges): (Shape, Axes<f32>),
    (displacement, weight): (&[Buffer], Option<&Buffer>),
    out: &Buffer,
) -> Result<Later<JacobianReport>, ComputeError> {
    let [nx, ny, nz] = shape.size;
    let (text, pack) = if nx.is_multiple_of(4) { (&TEXT4, 4) } else { (&TEXT1, 1) };
    // Measured: workgroups of 128 threads wait less for each other.
    let width = if nx / pack > 16 { 32 } else { 16 };
    let height = 128 / width;
    let groups = [cover(nx / pack, width), cover(ny, height), cover(nz, DEPTH)];
    let sums = device.zeros(6 * groups.iter().product::<u32>() as usize)?;
    let mut buffers: Vec<_> = inputs(displacement, 3).collect();
    buffers.extend([Bind::optional(weight), Bind::Out(out), Bind::Out(&sums)]);
    gpu.launch(&Launch {
        source: text,
        entry: "jacobian",
        constants: &[
            ("COMPONENTS", shape.components() as f64),
            ("WEIGHTED", f64::from(u8::from(weight.is_some()))),
            ("WIDTH", width as f64),
            ("HEIGHT", height as f64),
            ("DEPTH", DEPTH as f64),
        ],
        uniform: Uniform::new().u4([nx / pack, ny, nz]).f4(spacing_edges.map(|s| 1.0 / s)),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| {
        let mut total = [0.0; 4];
        let mut extremes = [f32::INFINITY, f32::NEG_INFINITY];
        for group in sums.chunks_exact(6) {
            total.iter_mut().zip(group).for_each(|(t, &s)| *t += f64::from(s));
            extremes = [extremes[0].min(group[4]), extremes[1].max(group[5])];
        }
        report(total, extremes)
    }))
}
