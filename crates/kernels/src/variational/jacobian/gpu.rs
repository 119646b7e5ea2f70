//! Launches of `jacobian.wgsl`.

use super::{Jacobian, Statistics};
use crate::kernel::{Launcher, packed};
use crate::shared::{NAN, PACK1, PACK4, SIDES1, SIDES4, TILE_SUM};
use veloxel_core::JacobianReport;
use veloxel_gpu::{ComputeError, Later, ShaderSource, Uniform, cover};

const BODY: &str = include_str!("jacobian.wgsl");
static SOURCES: [ShaderSource; 2] = [
    ShaderSource::wgsl("jacobian", &[NAN, TILE_SUM, PACK1, SIDES1, BODY]),
    ShaderSource::wgsl("jacobian", &[NAN, TILE_SUM, PACK4, SIDES4, BODY]),
];

/// Planes that a thread marches through; neighbours in them are looked up once.
const DEPTH: usize = 16;

pub(super) fn jacobian(
    gpu: &Launcher<'_>,
    args: Jacobian<'_>,
) -> Result<Later<JacobianReport>, ComputeError> {
    let [nx, ny, nz] = args.shape.size;
    let (source, pack) = packed(&SOURCES, nx);
    // Measured: workgroups of 128 threads wait less for each other.
    let width = if nx / pack > 16 { 32 } else { 16 };
    let height = 128 / width;
    let groups = [cover(nx / pack, width), cover(ny, height), cover(nz, DEPTH)];
    let sums = gpu.device().zeros(6 * groups.iter().product::<u32>() as usize)?;
    gpu.launch(source, "jacobian")
        .constant("COMPONENTS", args.shape.components())
        .constant("WEIGHTED", args.weight.is_some())
        .constant("WIDTH", width)
        .constant("HEIGHT", height)
        .constant("DEPTH", DEPTH)
        .uniform(Uniform::new().u4([nx / pack, ny, nz]).f4(args.spacing_edges.map(|s| 1.0 / s)))
        .inputs(args.displacement, 3)
        .optional(args.weight)
        .output(args.out)
        .output(&sums)
        .run(groups)?;
    Ok(Later::on_device(sums, |groups| {
        let mut total = Statistics::NONE;
        for group in groups.chunks_exact(6) {
            total.sums.iter_mut().zip(group).for_each(|(t, &s)| *t += f64::from(s));
            (total.min, total.max) = (total.min.min(group[4]), total.max.max(group[5]));
        }
        total.report()
    }))
}
