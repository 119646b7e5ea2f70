//! Launches of `convolve.wgsl`: one pass an axis.

use crate::gpu::{Bind, Gpu, LINE, Launch, PACK1, PACK4, Text, Uniform, line};
use crate::{Axes, Buffer, ComputeError, Device, Shape, Taps};

static TEXT1: Text = Text {
    name: "convolve",
    parts: &[LINE, PACK1, include_str!("convolve.wgsl"), include_str!("along_x1.wgsl")],
};
static TEXT4: Text = Text {
    name: "convolve",
    parts: &[LINE, PACK4, include_str!("convolve.wgsl"), include_str!("along_x4.wgsl")],
};

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
/// Longer filters along y and z take samples one by one: four at a time do not fit into registers.
const LONGEST_IN_PACKS: usize = 10;
/// Fewer threads leave a large GPU waiting for memory.
const ENOUGH_THREADS: usize = 1 << 17;
/// Outputs of a thread along y and z, at most and at least.
const RUNS: [usize; 2] = [64, 8];

pub(super) fn convolve(
    device_and_gpu: (&Device, &dyn Gpu),
    (shape, taps): (Shape, &Axes<Taps>),
    input: &Buffer,
    output: &mut Buffer,
) -> Result<(), ComputeError> {
    let (device, _) = device_and_gpu;
    let filters: Vec<Filter<'_>> = (0..shape.components())
        .filter(|&axis| !taps[axis].is_identity() && shape.size[axis] > 1)
        .map(|axis| (axis, taps[axis].weights()))
        .collect();
    let run = |filter, input: &Buffer, output: &Buffer| {
        pass(device_and_gpu, (shape, filter, Border::Replicate), input, output)
    };
    match filters[..] {
        [] => crate::kernels::pointwise::copy(device, input, output),
        [only] => run(only, input, output),
        [first, second] => {
            let between = device.zeros(shape.len())?;
            run(first, input, &between)?;
            run(second, &between, output)
        }
        [first, second, third, ..] => {
            let between = device.zeros(shape.len())?;
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
    let mirror = f64::from(u8::from(border == Border::Mirror));
    if radius > LONGEST_IN_REGISTERS {
        let long_taps = device.upload_copy(weights)?;
        return gpu.launch(&Launch {
            text: &TEXT1,
            entry: "long_filter",
            constants: &[("MIRROR", mirror)],
            uniform: block([stride, count, radius, shape.len()], &[]),
            buffers: &[Bind::In(input), Bind::Out(output), Bind::In(&long_taps)],
            groups: line(shape.len(), 256),
        });
    }
    let size_of_packs = if axis == 0 { count } else { stride };
    let short = axis == 0 || radius <= LONGEST_IN_PACKS;
    let (text, pack) = if size_of_packs % 4 == 0 && short { (&TEXT4, 4) } else { (&TEXT1, 1) };
    let mut constants = vec![("RADIUS", radius as f64), ("TAIL", 2.0 * radius as f64), ("MIRROR", mirror)];
    if pack == 4 {
        constants.push(("PACKS", (2 * radius.div_ceil(4) + 1) as f64));
    }
    let (entry, numbers) = if axis == 0 {
        ("along_x", [count / pack, count, 1, shape.len() / pack])
    } else {
        let lines = shape.len() / count / pack;
        let run = run_length(lines, count);
        ("along_line", [stride / pack, count, run, lines * count.div_ceil(run)])
    };
    gpu.launch(&Launch {
        text,
        entry,
        constants: &constants,
        uniform: block(numbers, weights),
        buffers: &[Bind::In(input), Bind::Out(output)],
        groups: line(numbers[3], 256),
    })
}

/// Outputs of a thread: as many as leave enough threads.
fn run_length(lines: usize, count: usize) -> usize {
    let [most, least] = RUNS;
    let mut run = most;
    while run > least && lines * count.div_ceil(run) < ENOUGH_THREADS {
        run /= 2;
    }
    run
}

fn block([inner, count, run, items]: [usize; 4], weights: &[f32]) -> Uniform {
    let mut taps = [0.0; 20];
    taps[..weights.len()].copy_from_slice(weights);
    let head = Uniform::new().u(inner).u(count).u(run).u(items);
    taps.chunks_exact(4).fold(head, |block, t| block.f4([t[0], t[1], t[2], t[3]]))
}
