//! Launches of `sparse_lucas_kanade.wgsl`: sixteen threads a point, two points a workgroup; or, where the device takes CUDA C++,
//! of `sparse_lucas_kanade.cu`, whose windows are in registers.

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
static IN_REGISTERS: ShaderSource =
    ShaderSource::cuda("sparse Lucas-Kanade", &[NAN], include_str!("sparse_lucas_kanade.cu"));
/// Threads of a workgroup.
const WIDTH: usize = 32;
/// The same in CUDA C++.
const CUDA_WIDTH: usize = 128;
/// Workgroups along x at most.
const MOST_ACROSS: usize = 32_768;

/// Threads of a point in CUDA C++: few hold several columns each, and more points share a warp.
fn cuda_lanes(rows: usize) -> usize {
    match rows {
        0..=10 => 4,
        11..=16 => 16,
        _ => 32,
    }
}

pub(super) fn track(gpu: &Launcher<'_>, args: &SparseLucasKanade<'_>) -> Result<(), ComputeError> {
    let (search, n) = (args.search, args.points[0].len());
    if n == 0 {
        return Ok(());
    }
    let rows = 2 * search.radius + 1;
    let is_in_registers = gpu.gpu().takes_cuda();
    let (width, lanes) = match is_in_registers {
        true => (CUDA_WIDTH, cuda_lanes(rows)),
        false => (WIDTH, 16),
    };
    let source = match rows {
        _ if is_in_registers => &IN_REGISTERS,
        0..=9 => &UP_TO_9,
        10..=15 => &UP_TO_15,
        16..=21 => &UP_TO_21,
        _ => &UP_TO_31,
    };
    let groups = n.div_ceil(width / lanes);
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
        .constant("WIDTH", width)
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
        for rows in [3, 9, 15, 21, 31] {
            let launch = Launch {
                source: &IN_REGISTERS,
                entry: "track",
                constants: &[("ROWS", rows as f64), ("WIDTH", CUDA_WIDTH as f64), ("GUESSED", 1.0)],
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
