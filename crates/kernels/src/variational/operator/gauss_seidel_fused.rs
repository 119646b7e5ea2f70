//! Launches of `gauss_seidel_fused.cu`: both passes of a sweep at once, where the device takes CUDA C++ and the grid is large.

use super::Relax;
use super::bindings::{FusedBindings, FusedBlock};
use super::view::View;
use crate::image::pointwise::Fill;
use crate::kernel::{Kernel, Launcher};
use crate::shared::{PACK4, SIDES4};
use veloxel_gpu::{Bindings as _, ComputeError, ShaderSource};

static GAUSS_SEIDEL_FUSED: ShaderSource = ShaderSource::cuda(
    "gauss_seidel_fused",
    FusedBindings::DECLARATION,
    &[
        "const COMPONENTS: u32 = 3u; const TENSOR: u32 = 1u;",
        PACK4,
        SIDES4,
        include_str!("shaders/solve.wgsl"),
    ],
    include_str!("shaders/gauss_seidel_fused.cu"),
);

/// Number of voxels below which two passes find the field in the cache as well.
const LEAST: usize = 1 << 24;
/// Number of threads of a multiprocessor: more would leave too few registers for each.
const THREADS: usize = 512;
/// Number of tiles that a large GPU works on at a time.
const AT_A_TIME: usize = 264;
/// Number of workgroups: more than any device runs at a time; those that begin late find no tile left.
const WORKGROUPS: u32 = 1024;
/// Index of the tiles' first flag.
const FLAGS: usize = 32;

/// Whether this launch makes sweeps of the operator faster. The operator must be relaxed by rows that one workgroup can hold.
pub(super) fn pays(gpu: &Launcher<'_>, view: &View<'_>) -> bool {
    let operator = view.operator;
    let full = operator.shape.components() == 3 && operator.tensor.is_some();
    gpu.gpu().takes_cuda() && gpu.device().gpus() == 1 && full && operator.shape.len() >= LEAST
}

/// Makes one sweep, for springs that are the same everywhere, with a tensor, in three dimensions, over rows of whole packs.
pub(super) fn sweep(gpu: &Launcher<'_>, view: &View<'_>, args: &Relax<'_>) -> Result<(), ComputeError> {
    let plan = Plan::of(view);
    let mut state = gpu.device().scratch(plan.state)?;
    Fill { value: 0u32, out: &mut state }.run(gpu.device())?;
    let (block, tensor) = (plan.block(view, args.omega), args.operator.tensor.unwrap_or_default());
    gpu.launch(&GAUSS_SEIDEL_FUSED, "gauss_seidel_fused")
        .constants(plan.constants)
        .bind(&FusedBindings { block, x: args.x, rhs: args.rhs, tensor, state: &state })
        .run([WORKGROUPS, 1, 1])
}

/// How the grid is cut into tiles.
struct Plan {
    constants: [(&'static str, f64); 3],
    /// Number of planes between the passes.
    lag: usize,
    /// Number of words of the launch's state.
    state: usize,
}

impl Plan {
    fn of(view: &View<'_>) -> Self {
        let [width, ny, nz] = view.packs();
        let height = (256 / width).clamp(1, ny.div_ceil(2));
        let tiles = ny.div_ceil(2 * height);
        // Of a multiprocessor.
        let groups = (THREADS / (width * height).next_multiple_of(32)).max(1);
        Self {
            constants: [("WIDTH", width as f64), ("HEIGHT", height as f64), ("GROUPS", groups as f64)],
            // What the second pass waits for was begun a round of all multiprocessors before.
            lag: (1 + AT_A_TIME / tiles).max(2),
            state: FLAGS + tiles * nz,
        }
    }
    fn block(&self, view: &View<'_>, omega: f32) -> FusedBlock {
        let (size, spring) = (view.packs().into(), view.operator.springs().into());
        FusedBlock { size, spring, omega, lag: self.lag }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Operator;
    use super::*;
    use veloxel_core::{Dimension, Shape};
    #[cfg(feature = "gpu")]
    use veloxel_gpu::{
        BoundBuffer, Launch,
        nvrtc::{ComputeCapability, Nvrtc},
        wgsl::Block,
    };
    use veloxel_gpu::{Buffer, Device, DeviceKind};
    use veloxel_phantoms::signed_noise as noise;
    use veloxel_testkit::every_device::here;

    const SIZES: [[usize; 3]; 12] = [
        [4, 1, 1],
        [4, 3, 2],
        [8, 600, 5],
        [24, 18, 16],
        [36, 15, 13],
        [100, 41, 30],
        [128, 64, 1],
        [128, 128, 70],
        [256, 63, 33],
        [512, 40, 21],
        [1020, 9, 11],
        [1024, 6, 40],
    ];

    fn shape(size: [usize; 3]) -> Shape {
        Shape { size, dimension: Dimension::Three }
    }

    fn operator<'a>(shape: Shape, tensor: &'a [Buffer]) -> Operator<'a> {
        let spacing_edges = [1.0, 1.5, 1.2];
        Operator {
            shape,
            spacing_edges,
            alpha: 0.3,
            tensor: Some(tensor),
            diffusivity: None,
            volume_weight: None,
        }
    }

    /// Tensor, right-hand side and field.
    fn system(device: &Device, n: usize) -> [Vec<Buffer>; 3] {
        let diagonal = |e: usize| [0, 3, 5].contains(&e);
        let entry = |e: usize| {
            let samples = noise(n, e as u64).into_iter();
            samples.map(|v| if diagonal(e) { 1.5 + 0.5 * v } else { 0.3 * v }).collect()
        };
        let field = |seed: u64| (0..3).map(|c| device.upload(noise(n, seed + c)).unwrap()).collect();
        [(0..6).map(|e| device.upload(entry(e)).unwrap()).collect(), field(10), field(20)]
    }

    #[test]
    fn fused_sweeps_are_the_processors_on_cuda() {
        let device = here("cuda", Device::named("cuda", 1));
        let DeviceKind::Gpu(gpu) = device.kind() else { unreachable!("CUDA devices are GPUs") };
        let cpu = Device::cpu(2).unwrap();
        for size in SIZES {
            let shape = shape(size);
            let swept = [&device, &cpu].map(|on| {
                let [tensor, rhs, mut x] = system(on, shape.len());
                let operator = operator(shape, &tensor);
                // Launches that repeat are replayed.
                for _ in 0..8 {
                    let args = Relax { operator, x: &mut x, rhs: &rhs, omega: 1.0, sweeps: 1 };
                    if on.is_gpu() {
                        sweep(&Launcher::new(on, &**gpu), &View::of(operator), &args).unwrap();
                    } else {
                        args.run(on).unwrap();
                    }
                }
                x.into_iter().map(|b| on.download(b).unwrap()).collect::<Vec<_>>()
            });
            assert!(swept[0] == swept[1], "{size:?}");
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn the_text_keeps_its_registers_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        let (hopper, turing) = (ComputeCapability::new(9, 0), ComputeCapability::new(7, 5));
        for (size, architecture) in
            [([4, 3, 2], hopper), ([256; 3], hopper), ([512; 3], hopper), ([1020; 3], turing)]
        {
            let operator = operator(shape(size), &[]);
            let view = View::of(operator);
            let plan = Plan::of(&view);
            let launch = Launch {
                source: &GAUSS_SEIDEL_FUSED,
                entry: "gauss_seidel_fused",
                constants: &plan.constants,
                uniform: &Block::bytes_of::<FusedBlock>(&plan.block(&view, 1.0)),
                buffers: &[BoundBuffer::Absent; 13],
                groups: [WORKGROUPS, 1, 1],
                nearby_bytes: None,
            };
            let text = veloxel_gpu::cuda_source(&launch).unwrap();
            let resources = nvrtc.resources(&text.source, "gauss_seidel_fused", architecture);
            let resources = resources.unwrap_or_else(|error| panic!("{size:?}: {error}"));
            assert_eq!(resources.spill_bytes, 0, "{size:?}, {resources:?}");
        }
    }
}
