//! Launches of `convolve.wgsl`: one pass an axis.

use super::Convolve;
use crate::bindings::bindings;
use crate::image::pointwise::CopyBuffer;
use crate::kernel::{Kernel, Launcher, packed, wgsl};
use crate::shared::Pack;
use crate::shared::{PACK1, PACK4, PLANE_TAPS};
use veloxel_core::Shape;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, ShaderSource, cover, line};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("convolve", PassBindings, [PACK1, include_str!("convolve.wgsl")], "along_x1.wgsl"),
    wgsl!("convolve", PassBindings, [PACK4, include_str!("convolve.wgsl")], "along_x4.wgsl"),
];

static PICTURE: ShaderSource = wgsl!("convolve", PictureBindings, [PLANE_TAPS], "picture.wgsl");

bindings! {
    /// What a launch of one pass binds.
    struct PassBindings<'a> {
        block: PassBlock {
            /// Packs from one sample of a line to the next; along x, packs per row.
            inner: u32,
            /// Samples per line.
            count: u32,
            /// The radius of a filter that is too long for `RADIUS`.
            long_radius: u32,
            /// Number of threads; along y and z, number of groups of `inner` columns.
            items: u32,
            /// Weights of the filter, the centre first.
            taps: [vec4<f32>; 5],
        },
        input: read Pack,
        output: write Pack,
        /// Weights of a long filter, centre first.
        long_taps: may_read f32,
    }
}

bindings! {
    /// What a launch of both passes of a picture binds.
    struct PictureBindings<'a> {
        block: PictureBlock {
            size: vec4<u32>,
            /// Weights of the filters, the centre first.
            taps_x: [vec4<f32>; 3],
            taps_y: [vec4<f32>; 3],
        },
        input: read f32,
        output: write f32,
    }
}
/// The largest radius of filters of such pictures, and their tiles' width and height.
const MOST_IN_ONE: usize = 8;
const TILE: [usize; 2] = [32, 16];
/// Pixels from which on a picture's passes take longer than their launches.
const LARGE_PICTURE: usize = 1 << 20;

/// The samples beyond the ends of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Border {
    /// The last sample is repeated.
    Replicate,
    /// The line is mirrored at its last sample, with the period 2 n − 2: it must have two samples.
    Mirror,
}

/// Greatest radius of a filter with weights in registers; longer filters read their weights from memory, and every sample many
/// times.
const LONGEST_IN_REGISTERS: usize = 16;
/// Threads of a workgroup.
const THREADS: usize = 128;

/// How threads share the lines along y and z.
struct Tiling {
    /// Number of outputs of a thread: for any radius, no more sums are held at a time.
    run: usize,
    /// Number of columns of a workgroup.
    wide: usize,
    /// Number of runs of a workgroup.
    high: usize,
}

/// The tiling of most images. Measured on an H200: workgroups of short runs, whose samples overlap, move 0.91 to 0.96 of what a
/// copy moves for every radius up to 10.
const SHORT_RUNS: Tiling = Tiling { run: 8, wide: 32, high: 4 };
/// The tiling along z in large volumes: it moves 0.88 to 0.94 there, and short runs 0.8, because neighbours are too far apart
/// in memory.
const LONG_RUNS: Tiling = Tiling { run: 32, wide: THREADS, high: 1 };
/// Number of samples from which on a volume is large.
const LARGE: usize = 1 << 26;

pub(super) fn convolve(gpu: &Launcher<'_>, args: Convolve<'_>) -> Result<(), ComputeError> {
    let Convolve { shape, taps, input, output } = args;
    // The order of the processor's text; like it, rows and columns of one sample are filtered as well.
    let axes = if shape.components() == 3 { &[1, 0, 2][..] } else { &[1, 0] };
    let passes: Vec<Pass<'_>> = axes
        .iter()
        .copied()
        .filter(|&axis| !taps[axis].is_identity() && (axis < 2 || shape.size[axis] > 1))
        .map(|axis| Pass { shape, axis, weights: taps[axis].weights(), border: Border::Replicate })
        .collect();
    match passes[..] {
        [y, x] if is_small_picture(shape, [x, y].map(|pass| pass.weights.len() - 1)) => {
            let [nx, ny, planes] = shape.size;
            let (taps_x, taps_y) = (quads(x.weights), quads(y.weights));
            let block = PictureBlock { size: [nx, ny].into(), taps_x, taps_y };
            gpu.launch(&PICTURE, "both_passes")
                .constant("RADIUS_X", x.weights.len() - 1)
                .constant("RADIUS_Y", y.weights.len() - 1)
                .bind(&PictureBindings { block, input, output })
                .run([cover(nx, TILE[0]), cover(ny, TILE[1]), planes as u32])
        }
        _ => run_passes(gpu, input, output, &passes, |pass, input, output| pass.run(gpu, input, output)),
    }
}

/// Runs passes one after the other, each on the output of the pass before: alternately in memory of its own and in `output`, so
/// that the last pass writes `output`.
pub(crate) fn run_passes<P>(
    gpu: &Launcher<'_>,
    input: &Buffer,
    output: &mut Buffer,
    passes: &[P],
    run: impl Fn(&P, &Buffer, &Buffer) -> Result<(), ComputeError>,
) -> Result<(), ComputeError> {
    match passes {
        [] => CopyBuffer { from: input, to: output }.run(gpu.device()),
        [only] => run(only, input, output),
        _ => {
            let between = gpu.device().scratch(input.len())?;
            let mut from = input;
            for (nth, pass) in passes.iter().enumerate() {
                let to = if (passes.len() - nth) % 2 == 1 { &*output } else { &between };
                run(pass, from, to)?;
                from = to;
            }
            Ok(())
        }
    }
}

/// Whether tiles in workgroup memory, as `picture.wgsl` has them, are faster than a pass an axis, with filters of these radii.
pub(crate) fn is_small_picture(shape: Shape, radii: [usize; 2]) -> bool {
    let is_short = radii.iter().all(|radius| *radius <= MOST_IN_ONE);
    is_short && shape.components() == 2 && shape.len() <= LARGE_PICTURE
}

/// A symmetric filter along one axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pass<'a> {
    /// Shape of the image.
    pub shape: Shape,
    /// The axis of the filter; 0 is x.
    pub axis: usize,
    /// Weights from the centre outwards.
    pub weights: &'a [f32],
    pub border: Border,
}

impl Pass<'_> {
    /// Filters `input` into `output`, which must be another buffer.
    pub fn run(&self, gpu: &Launcher<'_>, input: &Buffer, output: &Buffer) -> Result<(), ComputeError> {
        let Self { shape, axis, weights, border } = *self;
        let radius = weights.len() - 1;
        let (stride, count) = (shape.size[..axis].iter().product::<usize>(), shape.size[axis]);
        let mirror = match border {
            Border::Replicate => 0usize,
            Border::Mirror if radius < count => 1,
            Border::Mirror => 2,
        };
        let launch = |source, entry| gpu.launch(source, entry).constant("MIRROR", mirror);
        let bindings = |block| PassBindings { block, input, output, long_taps: None };
        let block = PassBlock { inner: stride, count, taps: quads(weights), ..PassBlock::default() };
        if radius > LONGEST_IN_REGISTERS {
            let long_taps = gpu.device().upload_copy(weights)?;
            let taps = Default::default();
            let block = PassBlock { long_radius: radius, items: shape.len(), taps, ..block };
            return launch(&SOURCES[0], "long_filter")
                .constant("ALONG_X", axis == 0)
                .bind(&PassBindings { long_taps: Some(&long_taps), ..bindings(block) })
                .run(line(shape.len(), THREADS));
        }
        let launch =
            |source, entry| launch(source, entry).constant("RADIUS", radius).constant("TAIL", 2 * radius);
        if axis == 0 {
            let (source, pack) = packed(&SOURCES, count);
            let threads = shape.len() / pack;
            let mut launch = launch(source, "along_x");
            if pack == 4 {
                launch = launch.constant("PACKS", 2 * radius.div_ceil(4) + 1);
            }
            let block = PassBlock { inner: count / pack, items: threads, ..block };
            return launch.bind(&bindings(block)).run(line(threads, THREADS));
        }
        let (source, pack) = packed(&SOURCES, stride);
        let (inner, outer) = (stride / pack, shape.len() / count / stride);
        let Tiling { run, wide, high } =
            if axis == 2 && shape.len() > LARGE && radius <= 10 { LONG_RUNS } else { SHORT_RUNS };
        let tiles = inner.div_ceil(wide) * count.div_ceil(run * high) * outer;
        launch(source, "along_line")
            .constant("RUN", run)
            .constant("WIDE", wide)
            .constant("HIGH", high)
            .bind(&bindings(PassBlock { inner, items: outer, ..block }))
            .run(line(THREADS * tiles, THREADS))
    }
}

/// The weights of a filter in quads; missing ones are 0.
pub(crate) fn quads<const N: usize>(weights: &[f32]) -> [vec4<f32>; N] {
    let weight = |k: usize| weights.get(k).copied().unwrap_or(0.0);
    std::array::from_fn(|quad| [0, 1, 2, 3].map(|k| weight(4 * quad + k)).into())
}
