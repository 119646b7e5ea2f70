//! Launches of `median.wgsl`.

use super::{Median, WeightedMedian};
use crate::kernel::{Launcher, wgsl};
use crate::shared::EXPONENTIAL;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, ShaderSource, Uniform, cover};

const BODY: &str = include_str!("median.wgsl");
/// Windows of 3², 5², 3³ and 7² values; arrays of just their length stay in registers.
static WINDOW_9: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 5u;", EXPONENTIAL, BODY]);
static WINDOW_25: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 14u;", EXPONENTIAL, BODY]);
/// Pictures' windows of 5², a tile a workgroup.
static TILE_25: ShaderSource = wgsl!("median", ["const HALF: u32 = 0u;", EXPONENTIAL, BODY], "of_25.wgsl");
static WINDOW_27: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 15u;", EXPONENTIAL, BODY]);
static WINDOW_49: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 25u;", EXPONENTIAL, BODY]);
static ANY_WINDOW: ShaderSource = ShaderSource::wgsl("median", &["const HALF: u32 = 0u;", EXPONENTIAL, BODY]);

pub(super) fn plain(
    gpu: &Launcher<'_>,
    shape: Shape,
    radius: usize,
    field: &[Buffer],
    out: &[Buffer],
) -> Result<(), ComputeError> {
    let ([nx, ny, nz], d) = (shape.size, shape.components());
    let (source, entry, rows) = match (2 * radius + 1).pow(d as u32) {
        9 => (&WINDOW_9, "plain", 4),
        25 if nx > 4 && ny > 4 => (&TILE_25, "of_25", 8),
        25 => (&WINDOW_25, "plain", 4),
        27 => (&WINDOW_27, "plain", 4),
        49 => (&WINDOW_49, "plain", 4),
        _ => (&ANY_WINDOW, "plain", 4),
    };
    gpu.launch(source, entry)
        .constant("COMPONENTS", d)
        .constant("RADIUS", radius)
        .uniform(Uniform::new().u4([nx, ny, nz]).u4([0; 4]).f4([0.0; 4]).f4([0.0]))
        .inputs(field, 3)
        .outputs(out, 3)
        .absent(3)
        .run([cover(nx, 32), cover(ny, rows), (nz * d) as u32])
}

/// Blends the weighted median into `smooth`, the field after the plain one.
pub(super) fn weighted(
    gpu: &Launcher<'_>,
    window: WeightedMedian,
    smooth: &[Buffer],
    args: Median<'_>,
) -> Result<(), ComputeError> {
    let [nx, ny, _] = args.shape.size;
    let [begin, per_square] = window.ramp();
    let half_over = |sigma: f32| 0.5 / (sigma * sigma);
    let uniform = Uniform::new()
        .u4([nx, ny, 1])
        .u4([window.radius, window.stride.max(1), window.reach])
        .f4([half_over(window.sigma_vox), half_over(window.sigma_intensity), begin, per_square]);
    let launch = |entry| gpu.launch(&ANY_WINDOW, entry).uniform(uniform.clone()).inputs(smooth, 3);
    let groups = [cover(nx, 32), cover(ny, 4), 1];
    let near = gpu.device().zeros::<f32>(args.shape.len())?;
    launch("edges").output(&near).spare(2).absent(3).run(groups)?;
    // The window of five samples a side stays in registers.
    launch(if window.radius == 2 * window.stride { "weighted_25" } else { "weighted" })
        .constant("VOTED", args.vote.is_some())
        .outputs(args.out, 3)
        .input(args.guide)
        .optional(args.vote)
        .input(&near)
        .run(groups)
}
