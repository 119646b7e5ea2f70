//! Launches of `gauss_seidel_fused.cu`: both passes of a sweep at once, where the device takes CUDA C++ and the grid is large.

use super::gpu::{MOST_PACKS, View, three};
use crate::Kernel;
use crate::image::pointwise::Fill;
use veloxel_gpu::{Bind, Buffer, ComputeError, Device, Gpu, Launch, ShaderSource, Uniform, inputs, outputs};

static GAUSS_SEIDEL_FUSED: ShaderSource =
    ShaderSource::cuda("gauss_seidel_fused", &[include_str!("gauss_seidel_fused.cu")]);

/// Voxels below which two passes find the field in the cache as well.
const LEAST: usize = 1 << 24;
/// Threads of a multiprocessor: more would leave each too few registers.
const THREADS: usize = 512;
/// Tiles that a large GPU works on at a time.
const AT_A_TIME: usize = 264;
/// Workgroups: more than run at a time, whatever the device; those that begin late find no tile left.
const WORKGROUPS: u32 = 1024;
/// Where the tiles' flags begin, in numbers.
const FLAGS: usize = 32;

/// Whether sweeps of this operator are faster so. Asked of operators that are relaxed by rows.
pub(super) fn pays(gpu: &dyn Gpu, view: &View<'_>) -> bool {
    let operator = view.operator;
    let whole = view.rows && view.packs()[0] <= MOST_PACKS;
    let full = operator.shape.components() == 3 && operator.tensor.is_some();
    gpu.takes_cuda() && whole && full && operator.shape.len() >= LEAST
}

/// One sweep of springs that are the same everywhere, with a tensor, in three dimensions, over rows of whole packs.
pub(super) fn sweep(
    (device, gpu): (&Device, &dyn Gpu),
    view: &View<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    omega: f32,
) -> Result<(), ComputeError> {
    let plan = Plan::of(view);
    let mut state = device.scratch(plan.state)?;
    Fill { value: 0u32, out: &mut state }.run(device)?;
    let tensor = inputs(view.operator.tensor.unwrap_or_default(), 6);
    let field = three(outputs(x, 3)).into_iter().chain(three(inputs(rhs, 3)));
    let buffers: Vec<_> = field.chain(tensor).chain([Bind::Out(&state)]).collect();
    gpu.launch(&plan.launch(view, omega, &buffers))
}

/// How the grid is cut into tiles.
struct Plan {
    constants: [(&'static str, f64); 3],
    /// Planes between the passes.
    lag: usize,
    /// Numbers of the launch's state.
    state: usize,
}

impl Plan {
    fn of(view: &View<'_>) -> Self {
        let [packs, ny, nz] = view.packs();
        let height = (256 / packs).clamp(1, ny.div_ceil(2));
        let tiles = ny.div_ceil(2 * height);
        let groups = (THREADS / (packs * height).next_multiple_of(32)).max(1);
        Self {
            constants: [("WIDTH", packs as f64), ("HEIGHT", height as f64), ("GROUPS", groups as f64)],
            // What the second pass waits for was begun a round of all multiprocessors before.
            lag: (1 + AT_A_TIME / tiles).max(2),
            state: FLAGS + tiles * nz,
        }
    }
    fn launch<'a>(&'a self, view: &View<'_>, omega: f32, buffers: &'a [Bind<'a>]) -> Launch<'a> {
        Launch {
            source: &GAUSS_SEIDEL_FUSED,
            entry: "gauss_seidel_fused",
            constants: &self.constants,
            uniform: Uniform::new().u4(view.packs()).f4(view.springs()).f(omega).u(self.lag),
            buffers,
            groups: [WORKGROUPS, 1, 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Operator, relax};
    use super::*;
    use veloxel_core::{Dimension, Shape};
    use veloxel_gpu::Kind;
    #[cfg(feature = "gpu")]
    use veloxel_gpu::nvrtc::Nvrtc;
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

    /// Numbers of (−1, 1), the same for the same seed.
    fn noise(n: usize, seed: u64) -> Vec<f32> {
        let mut state = 0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0xd134_2543_de82_ef95);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
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
        let Kind::Gpu(gpu) = device.kind() else { unreachable!("CUDA devices are GPUs") };
        let cpu = Device::cpu(2).unwrap();
        for size in SIZES {
            let shape = shape(size);
            let swept = [&device, &cpu].map(|on| {
                let [tensor, rhs, mut x] = system(on, shape.len());
                let operator = operator(shape, &tensor);
                // Launches that repeat are replayed.
                for _ in 0..8 {
                    if on.is_gpu() {
                        sweep((on, &**gpu), &View::of(&operator), (&x, &rhs), 1.0).unwrap();
                    } else {
                        relax(on, &operator, (&mut x, &rhs), (1.0, 1)).unwrap();
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
        for (size, architecture) in
            [([4, 3, 2], (9, 0)), ([256; 3], (9, 0)), ([512; 3], (9, 0)), ([1020; 3], (7, 5))]
        {
            let operator = operator(shape(size), &[]);
            let view = View::of(&operator);
            let plan = Plan::of(&view);
            let buffers = [Bind::Absent; 13];
            let text = veloxel_gpu::cuda_source(&plan.launch(&view, 1.0, &buffers)).unwrap();
            let compiled = nvrtc.compile_with_resources(&text.source, "gauss_seidel_fused", architecture);
            let (compiled, resources) = compiled.unwrap_or_else(|error| panic!("{size:?}: {error}"));
            assert_eq!(resources.spill_bytes, 0, "{size:?}, {resources:?}, {}", compiled.log);
        }
    }
}
