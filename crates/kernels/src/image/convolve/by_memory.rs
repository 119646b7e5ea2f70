//! The smoothing of [`Convolve`](super::Convolve), to the same bits, by one way through a GPU's memory or another: for benchmarks alone, which
//! compare them as the paper's Figures 7a to 9 do (Thiyagalingam et al. 2011, sections 4.2 and 5.2).
//!
//! *In, out, border, order*: as [`Convolve`](super::Convolve). *Halo*: the radius of each filter, at most [`MOST_RADIUS`]. Every thread makes one
//! output at a time; the ways differ in where it finds the 2 r + 1 samples.
//! A processor has one way, and takes it.

use super::cpu;
use super::gpu::{quads, run_passes};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::taps::Taps;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Bindings as _, Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("convolve by memory", Bindings, [], "by_memory.wgsl");
static PAST_FIRST_CACHE: ShaderSource = ShaderSource::cuda(
    "convolve past the first cache",
    Bindings::DECLARATION,
    &[],
    include_str!("past_first_cache.cu"),
);

bindings! {
    /// What a launch of one pass binds.
    struct Bindings<'a> {
        block: Block {
            /// Samples from one of a line to the next.
            inner: u32,
            /// Samples per line.
            count: u32,
            /// Along x, lines; along y and z, groups of `inner` lines.
            lines: u32,
            /// Weights of the filter, the centre first.
            taps: [vec4<f32>; 5],
        },
        input: read f32,
        output: write f32,
    }
}

/// The greatest radius of a filter.
pub const MOST_RADIUS: usize = 16;
/// Outputs of a workgroup along x; its columns and outputs along y and z, and its threads along the line.
const LONG: usize = 128;
const ACROSS: usize = 32;
const ALONG: usize = 32;
const HIGH: usize = 8;

/// Where the threads of a GPU find the samples that their filters share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPath {
    /// In the device's memory, through its caches.
    Cached,
    /// In workgroup memory, to which a workgroup copies its tile first.
    Workgroup,
    /// In the device's memory, past the first cache: CUDA alone.
    PastFirstCache,
}

/// Smooths an image by one way through memory.
#[derive(Debug)]
pub struct ConvolveByMemory<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// A filter for each axis; in 2-D the third one is not used.
    pub taps: &'a Axes<Taps>,
    /// The way.
    pub path: MemoryPath,
    /// The image.
    pub input: &'a Buffer,
    /// The smoothed image.
    pub output: &'a mut Buffer,
}

impl Kernel for ConvolveByMemory<'_> {
    const NAME: &'static str = "convolve by memory";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        for taps in &self.taps[..self.shape.components()] {
            lengths.count("taps", taps.weights().len(), 1..=MOST_RADIUS + 1);
        }
        lengths.of("input", self.input, n).of("output", self.output, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::convolve(cpu, self.shape, self.taps, self.input.host(), self.output.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, taps, path, input, output } = self;
        let axes = &[1, 0, 2][..shape.components()];
        let axes: Vec<usize> = axes.iter().copied().filter(|&axis| !taps[axis].is_identity()).collect();
        run_passes(gpu, input, output, &axes, |&axis, input, output| {
            pass(gpu, Pass { shape, axis, weights: taps[axis].weights(), path }, [input, output])
        })
    }
}

/// A filter along one axis.
struct Pass<'a> {
    shape: Shape,
    axis: usize,
    weights: &'a [f32],
    path: MemoryPath,
}

fn pass(gpu: &Launcher<'_>, pass: Pass<'_>, [input, output]: [&Buffer; 2]) -> Result<(), ComputeError> {
    let Pass { shape, axis, weights, path } = pass;
    let (inner, count) = (shape.size[..axis].iter().product::<usize>(), shape.size[axis]);
    let lines = shape.len() / count / inner;
    let (entry, tiles, [width, height]) = match axis {
        0 => ("along_x", count.div_ceil(LONG) * lines, [LONG, 1]),
        _ => ("along_line", inner.div_ceil(ACROSS) * count.div_ceil(ALONG) * lines, [ACROSS, HIGH]),
    };
    let launch = |source| gpu.launch(source, entry).constant("RADIUS", weights.len() - 1);
    let launch = match path {
        MemoryPath::Cached | MemoryPath::Workgroup => {
            launch(&SOURCE).constant("HELD", path == MemoryPath::Workgroup)
        }
        MemoryPath::PastFirstCache if gpu.gpu().takes_cuda() => {
            launch(&PAST_FIRST_CACHE).constant("WIDTH", width).constant("HEIGHT", height)
        }
        MemoryPath::PastFirstCache => {
            let device = gpu.gpu().info().name;
            return Err(ComputeError::Lacks { device, what: "loads past its first cache" });
        }
    };
    let block = Block { inner, count, lines, taps: quads(weights) };
    launch.bind(&Bindings { block, input, output }).run(line(tiles, 1))
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use veloxel_gpu::nvrtc::{ComputeCapability, Nvrtc};
    use veloxel_gpu::{BoundBuffer, Launch, cuda_source};
    use veloxel_testkit::every_device::here;

    #[test]
    fn texts_stay_in_registers_with_nvrtc() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        let of_wgsl = |held| [("RADIUS", 7.0), ("HELD", held)].to_vec();
        let by_hand = |width, height| [("RADIUS", 7.0), ("WIDTH", width), ("HEIGHT", height)].to_vec();
        for (source, entry, constants) in [
            (&SOURCE, "along_x", of_wgsl(0.0)),
            (&SOURCE, "along_x", of_wgsl(1.0)),
            (&SOURCE, "along_line", of_wgsl(0.0)),
            (&SOURCE, "along_line", of_wgsl(1.0)),
            (&PAST_FIRST_CACHE, "along_x", by_hand(128.0, 1.0)),
            (&PAST_FIRST_CACHE, "along_line", by_hand(32.0, 8.0)),
        ] {
            let launch = Launch {
                source,
                entry,
                constants: &constants,
                uniform: &[0; 96],
                buffers: &[BoundBuffer::Absent; 2],
                groups: [1; 3],
                nearby_bytes: None,
            };
            let text = cuda_source(&launch).unwrap();
            let resources = nvrtc.resources(&text.source, entry, ComputeCapability::new(9, 0));
            let resources = resources.unwrap_or_else(|error| panic!("{entry}, {constants:?}: {error}"));
            assert_eq!(resources.spill_bytes, 0, "{entry}, {constants:?}: {resources:?}");
            let is_held = constants.contains(&("HELD", 1.0));
            assert!(!is_held || resources.shared_bytes > 0, "{entry}, {constants:?}: {resources:?}");
        }
    }
}
