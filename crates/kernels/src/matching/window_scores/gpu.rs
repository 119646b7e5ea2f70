//! Launch of `window_scores.wgsl`.

use super::{Output, WindowScores};
use crate::kernel::Launcher;
use veloxel_gpu::{Bind, ComputeError, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource = ShaderSource::wgsl("window scores", &[include_str!("window_scores.wgsl")]);

pub(super) fn window_scores(gpu: &Launcher<'_>, args: &WindowScores<'_>) -> Result<(), ComputeError> {
    let (search, nodes, floor) = (args.search, args.nodes.size, args.measure.floor());
    let pair = |k: usize| args.pairs.get(k);
    let fixed = (0..3).map(|k| Bind::optional(pair(k).map(|(fixed, _)| *fixed)));
    let moving = (0..3).map(|k| Bind::optional(pair(k).map(|(_, moving)| *moving)));
    let lines = search.widths()[1] * search.widths()[2];
    gpu.launch(&SOURCE, "window_scores")
        .constant("MEASURE", u32::from(args.measure.index()))
        .constant("MASKED", args.weight.is_some())
        .constant("CHANNELS", args.pairs.len())
        .constant("ADD", args.output == Output::Add)
        .uniform(
            Uniform::new()
                .u4(args.shape.size)
                .u4(nodes)
                .u4(search.radius)
                .u4(search.reach)
                .f(1.0 / search.voxels() as f32)
                .f(floor * floor)
                .f(args.gain),
        )
        .output(args.scores)
        .bind(fixed)
        .bind(moving)
        .optional(args.weight)
        .run([cover(nodes[0], 32), cover(nodes[1], 8), (nodes[2] * lines) as u32])
}
