//! Launches of `median.wgsl`.

use super::{Median, WeightedMedian};
use crate::bindings::bindings;
use crate::kernel::{Launcher, wgsl};
use crate::shared::EXPONENTIAL;
use std::slice::from_ref;
use veloxel_core::Shape;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, ShaderSource, cover};

const BODY: &str = include_str!("median.wgsl");
/// Sources for windows of 3², 5², 3³ and 7² values; arrays of exactly that length stay in registers.
static WINDOW_9: ShaderSource = wgsl!("median", Bindings, ["const HALF: u32 = 5u;", EXPONENTIAL, BODY]);
static WINDOW_25: ShaderSource = wgsl!("median", Bindings, ["const HALF: u32 = 14u;", EXPONENTIAL, BODY]);
/// The source for pictures' windows of 5², a tile a workgroup.
static TILE_25: ShaderSource =
    wgsl!("median", Bindings, ["const HALF: u32 = 0u;", EXPONENTIAL, BODY], "of_25.wgsl");
static WINDOW_27: ShaderSource = wgsl!("median", Bindings, ["const HALF: u32 = 15u;", EXPONENTIAL, BODY]);
static WINDOW_49: ShaderSource = wgsl!("median", Bindings, ["const HALF: u32 = 25u;", EXPONENTIAL, BODY]);
static ANY_WINDOW: ShaderSource = wgsl!("median", Bindings, ["const HALF: u32 = 0u;", EXPONENTIAL, BODY]);

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// The weighted median's window: radius, stride, reach.
            window: vec4<u32>,
            /// The weighted median's scales: ½/σ² of distance (x) and of intensity (y), the squared second difference at which
            /// an edge begins (z), and the share of an edge per unit above that (w).
            scales: vec4<f32>,
        },
        field[in_x, in_y, in_z]: read f32,
        out[out_x, out_y, out_z]: write f32,
        guide: may_read f32,
        vote: may_read f32,
        near: may_read f32,
    }
}

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
    let block = Block { size: shape.size.into(), ..Block::default() };
    gpu.launch(source, entry)
        .constant("COMPONENTS", d)
        .constant("RADIUS", radius)
        .bind(&Bindings { block, field, out, guide: None, vote: None, near: None })
        .run([cover(nx, 32), cover(ny, rows), (nz * d) as u32])
}

/// Blends the weighted median into `smooth`, the field that the plain median made.
pub(super) fn weighted(
    gpu: &Launcher<'_>,
    window: WeightedMedian,
    smooth: &[Buffer],
    args: Median<'_>,
) -> Result<(), ComputeError> {
    let [nx, ny, _] = args.shape.size;
    let [begin, per_square] = window.ramp();
    let half_over = |sigma: f32| 0.5 / (sigma * sigma);
    let scales = [half_over(window.sigma_vox), half_over(window.sigma_intensity), begin, per_square].into();
    let steps = [window.radius, window.stride.max(1), window.reach].into();
    let block = Block { size: [nx, ny, 1].into(), window: steps, scales };
    let groups = [cover(nx, 32), cover(ny, 4), 1];
    let near = gpu.device().zeros::<f32>(args.shape.len())?;
    let edges = from_ref(&near);
    gpu.launch(&ANY_WINDOW, "edges")
        .bind(&Bindings { block, field: smooth, out: edges, guide: None, vote: None, near: None })
        .run(groups)?;
    let Median { out, guide, vote, .. } = args;
    // The window of five samples a side stays in registers.
    let entry = if window.radius == 2 * window.stride { "weighted_25" } else { "weighted" };
    let (guide, near) = (Some(guide), Some(&near));
    gpu.launch(&ANY_WINDOW, entry)
        .constant("VOTED", vote.is_some())
        .bind(&Bindings { block, field: smooth, out, guide, vote, near })
        .run(groups)
}
