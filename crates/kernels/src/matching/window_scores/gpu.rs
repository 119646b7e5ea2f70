//! Launch of `window_scores.wgsl`.

use super::{Measure, Output, Search, WindowScores};
use crate::kernel::Launcher;
use veloxel_gpu::{Bind, Buffer, ComputeError, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource = ShaderSource::wgsl("window scores", &[include_str!("window_scores.wgsl")]);

static DENSE_NCC: ShaderSource = ShaderSource::wgsl("window scores", &[include_str!("dense_ncc.wgsl")]);
/// The largest half window and the farthest candidate of these, pixels, and their tiles' width and height.
const DENSE_NCC_MOST: usize = 2;
const TILE: [usize; 2] = [32, 8];

pub(super) fn window_scores(gpu: &Launcher<'_>, args: &WindowScores<'_>) -> Result<(), ComputeError> {
    let (search, nodes, floor) = (args.search, args.nodes.size, args.measure.floor());
    let uniform = Uniform::new()
        .u4(args.shape.size)
        .u4(nodes)
        .u4(search.radius)
        .u4(search.reach)
        .f(1.0 / search.voxels() as f32)
        .f(floor * floor)
        .f(args.gain);
    if let Some((fixed, moving)) = of_dense_ncc(args) {
        return gpu
            .launch(&DENSE_NCC, "dense_ncc")
            .constant("RADIUS", search.radius[0])
            .constant("REACH", search.reach[0])
            .constant("LINES", if search.reach[0] < 2 { 2 * search.reach[0] + 1 } else { 1 })
            .uniform(uniform)
            .output(args.scores)
            .input(fixed)
            .input(moving)
            .run([cover(nodes[0], TILE[0]), cover(nodes[1], TILE[1]), 1]);
    }
    let pair = |k: usize| args.pairs.get(k);
    let fixed = (0..3).map(|k| Bind::optional(pair(k).map(|(fixed, _)| *fixed)));
    let moving = (0..3).map(|k| Bind::optional(pair(k).map(|(_, moving)| *moving)));
    let lines = search.widths()[1] * search.widths()[2];
    gpu.launch(&SOURCE, "window_scores")
        .constant("MEASURE", u32::from(args.measure.index()))
        .constant("MASKED", args.weight.is_some())
        .constant("CHANNELS", args.pairs.len())
        .constant("ADD", args.output == Output::Add)
        .uniform(uniform)
        .output(args.scores)
        .bind(fixed)
        .bind(moving)
        .optional(args.weight)
        .run([cover(nodes[0], 32), cover(nodes[1], 8), (nodes[2] * lines) as u32])
}

/// The images, where `dense_ncc.wgsl` can score them: blocks around every pixel of a picture, alike along both axes.
fn of_dense_ncc<'a>(args: &WindowScores<'a>) -> Option<(&'a Buffer, &'a Buffer)> {
    let Search { radius: [rx, ry, _], reach: [x, y, _] } = args.search;
    let is_dense = args.shape == args.nodes && args.shape.components() == 2 && args.weight.is_none();
    let is_small = (1..=DENSE_NCC_MOST).contains(&rx) && x <= DENSE_NCC_MOST && [rx, x] == [ry, y];
    match (args.measure, args.output, args.pairs) {
        (Measure::Ncc { .. }, Output::Overwrite, [pair]) if is_dense && is_small => Some(*pair),
        _ => None,
    }
}
