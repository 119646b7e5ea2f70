//! Launches of `sparse_lucas_kanade.wgsl`: sixteen threads a point, two points a workgroup; or, where the device takes CUDA C++,
//! of `sparse_lucas_kanade.cu`, a warp for as many points as it has lanes for.

use super::SparseLucasKanade;
use crate::kernel::Launcher;
use crate::phase::gabor::MOST_LEVELS;
use crate::shared::NAN;
use veloxel_gpu::{ComputeError, ShaderSource, Uniform};

const BODY: &str = include_str!("sparse_lucas_kanade.wgsl");
/// Windows of so many pixels a side at most, whose samples and derivatives fit the workgroup's memory.
static UP_TO_9: ShaderSource = ShaderSource::wgsl(
    "sparse Lucas-Kanade",
    &["const AREA: u32 = 81u;\nconst AROUND: u32 = 121u;\n", NAN, BODY],
);
static UP_TO_15: ShaderSource = ShaderSource::wgsl(
    "sparse Lucas-Kanade",
    &["const AREA: u32 = 225u;\nconst AROUND: u32 = 289u;\n", NAN, BODY],
);
static UP_TO_21: ShaderSource = ShaderSource::wgsl(
    "sparse Lucas-Kanade",
    &["const AREA: u32 = 441u;\nconst AROUND: u32 = 529u;\n", NAN, BODY],
);
static UP_TO_31: ShaderSource = ShaderSource::wgsl(
    "sparse Lucas-Kanade",
    &["const AREA: u32 = 961u;\nconst AROUND: u32 = 1089u;\n", NAN, BODY],
);
static FOR_WARPS: ShaderSource =
    ShaderSource::cuda("sparse Lucas-Kanade", &[NAN], include_str!("sparse_lucas_kanade.cu"));
/// Threads of a workgroup: a warp.
const WIDTH: usize = 32;
/// Threads of a point.
const LANES: usize = 16;
/// Workgroups along x at most.
const MOST_ACROSS: usize = 32_768;

/// The same in CUDA C++: each has three columns of a window, or two of the largest ones.
fn cuda_lanes(rows: usize) -> usize {
    rows.div_ceil(if rows > 21 { 2 } else { 3 })
}

pub(super) fn track(gpu: &Launcher<'_>, args: &SparseLucasKanade<'_>) -> Result<(), ComputeError> {
    let (search, n) = (args.search, args.points[0].len());
    if n == 0 {
        return Ok(());
    }
    let rows = 2 * search.radius + 1;
    let takes_cuda = gpu.gpu().takes_cuda();
    let lanes = if takes_cuda { cuda_lanes(rows) } else { LANES };
    let source = match rows {
        _ if takes_cuda => &FOR_WARPS,
        0..=9 => &UP_TO_9,
        10..=15 => &UP_TO_15,
        16..=21 => &UP_TO_21,
        _ => &UP_TO_31,
    };
    let groups = n.div_ceil(WIDTH / lanes);
    let across = groups.min(MOST_ACROSS);
    let [finest_limit, coarse_limit] = search.limits_px2();
    let head = Uniform::new().u4([n, args.levels.count(), search.iterations, across]).f4([
        finest_limit,
        coarse_limit,
        search.least_eigenvalue,
        search.radius as f32,
    ]);
    let level = |l: usize| match l < args.levels.count() {
        true => [args.levels.size(l)[0], args.levels.size(l)[1], args.levels.start(l)],
        false => [1, 1, 0],
    };
    let uniform = (0..MOST_LEVELS).fold(head, |uniform, l| uniform.u4(level(l)));
    gpu.launch(source, "track")
        .constant("ROWS", rows)
        .constant("WIDTH", WIDTH)
        .constant("GUESSED", args.guesses.is_some())
        .uniform(uniform)
        .input(args.pyramids[0])
        .input(args.pyramids[1])
        .input(args.points[0])
        .input(args.points[1])
        .optional(args.guesses.map(|g| g[0]))
        .optional(args.guesses.map(|g| g[1]))
        .output(args.moved[0])
        .output(args.moved[1])
        .output(args.error)
        .output(args.fate)
        .run([across as u32, groups.div_ceil(across) as u32, 1])
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use veloxel_gpu::nvrtc::{ComputeCapability, Nvrtc};
    use veloxel_gpu::{Bind, Launch};
    use veloxel_testkit::every_device::here;

    #[test]
    fn windows_stay_in_registers_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        for rows in [3, 5, 9, 15, 21, 23, 31] {
            let launch = Launch {
                source: &FOR_WARPS,
                entry: "track",
                constants: &[("ROWS", rows as f64), ("WIDTH", WIDTH as f64), ("GUESSED", 1.0)],
                uniform: (0..2 + MOST_LEVELS).fold(Uniform::new(), |uniform, _| uniform.u4([0; 4])),
                buffers: &[Bind::Absent; 10],
                groups: [1; 3],
            };
            let text = veloxel_gpu::cuda_source(&launch).expect("a text");
            let resources = nvrtc.resources(&text.source, "track", ComputeCapability::new(9, 0));
            let resources = resources.unwrap_or_else(|error| panic!("{rows}: {error}"));
            assert_eq!(resources.spill_bytes, 0, "{rows}, {resources:?}");
        }
    }
}
