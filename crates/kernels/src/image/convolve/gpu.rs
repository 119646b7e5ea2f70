//! Launches of `convolve.wgsl`: one pass an axis.

use crate::image::pointwise::CopyBuffer;
use crate::kernel::Kernel;
use crate::shared::taps::Taps;
use crate::shared::{PACK1, PACK4};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Bind, Buffer, ComputeError, Device, Gpu, Launch, ShaderSource, Uniform, line};

static TEXT1: ShaderSource =
    ShaderSource::wgsl("convolve", &[PACK1, include_str!("convolve.wgsl"), include_str!("along_x1.wgsl")]);
static TEXT4: ShaderSource =
    ShaderSource::wgsl("convolve", &[PACK4, include_str!("convolve.wgsl"), include_str!("along_x4.wgsl")]);

/// What stands beyond the ends of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Border {
    /// The last sample.
    Replicate,
    /// The line mirrored at its last sample, with the period 2 n − 2: it must have two samples.
    Mirror,
}

/// A symmetric filter along one axis: weights from the centre outwards.
pub(crate) type Filter<'a> = (usize, &'a [f32]);

/// Longer filters read their weights from memory, and every sample many times.
const LONGEST_IN_REGISTERS: usize = 16;
/// Threads of a workgroup.
const THREADS: usize = 128;
/// How threads share the lines along y and z.
struct Tiling {
    /// Outputs of a thread: whatever the radius, no more sums are under way.
    run: usize,
    /// Columns of a workgroup.
    wide: usize,
    /// Runs of a workgroup.
    high: usize,
}

/// Measured on an H200: workgroups of short runs, whose samples overlap, move 0.91 to 0.96 of what a copy moves for every
/// radius up to 10.
const SHORT_RUNS: Tiling = Tiling { run: 8, wide: 32, high: 4 };
/// Along z in large volumes these move 0.88 to 0.94, and short runs 0.8: neighbours are too far apart in memory.
const LONG_RUNS: Tiling = Tiling { run: 32, wide: THREADS, high: 1 };
/// Samples of a large volume.
const LARGE: usize = 1 << 26;

pub(super) fn convolve(
    device_and_gpu: (&Device, &dyn Gpu),
    (shape, taps): (Shape, &Axes<Taps>),
    input: &Buffer,
    output: &mut Buffer,
) -> Result<(), ComputeError> {
    let (device, _) = device_and_gpu;
    // The order of the processor's text; like it, rows and columns of one sample are filtered as well.
    let axes = if shape.components() == 3 { &[1, 0, 2][..] } else { &[1, 0] };
    let filters: Vec<Filter<'_>> = axes
        .iter()
        .copied()
        .filter(|&axis| !taps[axis].is_identity() && (axis < 2 || shape.size[axis] > 1))
        .map(|axis| (axis, taps[axis].weights()))
        .collect();
    let run = |filter, input: &Buffer, output: &Buffer| {
        pass(device_and_gpu, (shape, filter, Border::Replicate), input, output)
    };
    match filters[..] {
        [] => CopyBuffer { from: input, to: output }.run(device),
        [only] => run(only, input, output),
        [first, second] => {
            let between = device.scratch(shape.len())?;
            run(first, input, &between)?;
            run(second, &between, output)
        }
        [first, second, third, ..] => {
            let between = device.scratch(shape.len())?;
            run(first, input, output)?;
            run(second, output, &between)?;
            run(third, &between, output)
        }
    }
}

/// Filters `input` along one axis into `output`, which is another buffer.
pub(crate) fn pass(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, (axis, weights), border): (Shape, Filter<'_>, Border),
    input: &Buffer,
    output: &Buffer,
) -> Result<(), ComputeError> {
    let radius = weights.len() - 1;
    let (stride, count) = (shape.size[..axis].iter().product::<usize>(), shape.size[axis]);
    let mirror = match border {
        Border::Replicate => 0.0,
        Border::Mirror if radius < count => 1.0,
        Border::Mirror => 2.0,
    };
    let launch = |text, entry, constants: &[(&'static str, f64)], uniform, buffers: &[Bind<'_>], threads| {
        gpu.launch(&Launch {
            source: text,
            entry,
            constants,
            uniform,
            buffers,
            groups: line(threads, THREADS),
        })
    };
    let mut constants = vec![("MIRROR", mirror)];
    let mut buffers = vec![Bind::In(input), Bind::Out(output)];
    if radius > LONGEST_IN_REGISTERS {
        let long_taps = device.upload_copy(weights)?;
        buffers.push(Bind::In(&long_taps));
        let block = block([stride, count, radius, shape.len()], &[]);
        constants.push(("ALONG_X", f64::from(u8::from(axis == 0))));
        return launch(&TEXT1, "long_filter", &constants, block, &buffers, shape.len());
    }
    constants.extend([("RADIUS", radius as f64), ("TAIL", 2.0 * radius as f64)]);
    if axis == 0 {
        let (text, pack) = if count % 4 == 0 { (&TEXT4, 4) } else { (&TEXT1, 1) };
        if pack == 4 {
            constants.push(("PACKS", (2 * radius.div_ceil(4) + 1) as f64));
        }
        let threads = shape.len() / pack;
        let block = block([count / pack, count, 0, threads], weights);
        return launch(text, "along_x", &constants, block, &buffers, threads);
    }
    let (text, pack) = if stride % 4 == 0 { (&TEXT4, 4) } else { (&TEXT1, 1) };
    let (inner, outer) = (stride / pack, shape.len() / count / stride);
    let Tiling { run, wide, high } =
        if axis == 2 && shape.len() > LARGE && radius <= 10 { LONG_RUNS } else { SHORT_RUNS };
    constants.extend([("RUN", run as f64), ("WIDE", wide as f64), ("HIGH", high as f64)]);
    let tiles = inner.div_ceil(wide) * count.div_ceil(run * high) * outer;
    launch(
        text,
        "along_line",
        &constants,
        block([inner, count, 0, outer], weights),
        &buffers,
        THREADS * tiles,
    )
}

fn block([inner, count, long_radius, items]: [usize; 4], weights: &[f32]) -> Uniform {
    let mut taps = [0.0; 20];
    taps[..weights.len()].copy_from_slice(weights);
    let head = Uniform::new().u(inner).u(count).u(long_radius).u(items);
    taps.chunks_exact(4).fold(head, |block, t| block.f4([t[0], t[1], t[2], t[3]]))
}
