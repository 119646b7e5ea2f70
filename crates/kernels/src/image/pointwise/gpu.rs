//! Launches of `pointwise.wgsl`.

use super::{CopyPart, Fill};
use crate::kernel::{Launcher, packed};
use crate::shared::{EXPONENTIAL, LINE, NAN, PACK1, PACK4, SUM};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Element, Gpu, Later, Launch, ShaderSource, Uniform, line, outputs,
    partials, sum_rows,
};

static TEXT: ShaderSource =
    ShaderSource::wgsl("pointwise", &[LINE, NAN, SUM, EXPONENTIAL, include_str!("pointwise.wgsl")]);

static COPY: [ShaderSource; 2] = [
    ShaderSource::wgsl("copy", &[PACK1, LINE, include_str!("copy.wgsl")]),
    ShaderSource::wgsl("copy, four at a time", &[PACK4, LINE, include_str!("copy.wgsl")]),
];

pub(super) fn copy(gpu: &Launcher<'_>, args: CopyPart<'_>) -> Result<(), ComputeError> {
    let CopyPart { from, first, to } = args;
    let (source, pack) = packed(&COPY, if first.is_multiple_of(4) { to.len() } else { 1 });
    let packs = to.len() / pack;
    let launch = gpu.launch(source, "copy").uniform(Uniform::new().u(packs).u(first / pack));
    launch.output(to).input(from).run(line(packs, 256))
}

/// The shader writes words: elements that are smaller fill one together.
pub(super) fn fill<T: Element>(gpu: &Launcher<'_>, args: Fill<'_, T>) -> Result<(), ComputeError> {
    let mut word = [0; size_of::<f32>()];
    word.chunks_exact_mut(size_of::<T>())
        .for_each(|part| part.copy_from_slice(bytemuck::bytes_of(&args.value)));
    let words = (args.out.len() * size_of::<T>()).div_ceil(word.len());
    let uniform = Uniform::new().u(words).f(f32::from_le_bytes(word)).f(0.0);
    gpu.launch(&TEXT, "fill").uniform(uniform).output(args.out).run(line(words, 256))
}

/// A kernel with two numbers and one buffer, in place.
pub(super) fn one(
    gpu: &dyn Gpu,
    entry: &'static str,
    [a, b]: [f32; 2],
    samples: &mut Buffer,
) -> Result<(), ComputeError> {
    let n = samples.len();
    gpu.launch(&Launch {
        source: &TEXT,
        entry,
        constants: &[],
        uniform: Uniform::new().u(n).f(a).f(b),
        buffers: &[Bind::Out(samples)],
        groups: line(n, 256),
    })
}

/// A kernel with an input and an output.
pub(super) fn two(
    gpu: &dyn Gpu,
    entry: &'static str,
    input: &Buffer,
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let n = out.len();
    gpu.launch(&Launch {
        source: &TEXT,
        entry,
        constants: &[],
        uniform: Uniform::new().u(n).f(0.0).f(0.0),
        buffers: &[Bind::Out(out), Bind::Spare, Bind::Spare, Bind::In(input)],
        groups: line(n, 256),
    })
}

pub(super) fn clear(gpu: &dyn Gpu, field: &mut [Buffer]) -> Result<(), ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "clear",
        constants: &[("COMPONENTS", field.len() as f64)],
        uniform: Uniform::new().u(n).f(0.0).f(0.0),
        buffers: &outputs(field, 3).collect::<Vec<_>>(),
        groups: line(n, 256),
    })
}

pub(super) fn norm2(
    (device, gpu): (&Device, &dyn Gpu),
    field: &[Buffer],
) -> Result<Later<f64>, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    let (groups, sums) = partials(device, n, 1)?;
    let mut buffers: Vec<_> = outputs(field, 3).collect();
    buffers.extend([Bind::Absent, Bind::Out(&sums)]);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "norm2",
        constants: &[("COMPONENTS", field.len() as f64)],
        uniform: Uniform::new().u(n).f(0.0).f(0.0),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| sum_rows::<1>(sums)[0]))
}

pub(super) fn count_known(
    (device, gpu): (&Device, &dyn Gpu),
    samples: &Buffer,
    count: usize,
) -> Result<Later<f64>, ComputeError> {
    let (groups, sums) = partials(device, count, 1)?;
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "count_known",
        constants: &[],
        uniform: Uniform::new().u(count).f(0.0).f(0.0),
        buffers: &[Bind::Spare, Bind::Spare, Bind::Spare, Bind::In(samples), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| sum_rows::<1>(sums)[0]))
}

pub(super) fn clip_length(
    (device, gpu): (&Device, &dyn Gpu),
    limit: f32,
    field: &mut [Buffer],
) -> Result<Later<f64>, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    let (groups, sums) = partials(device, n, 1)?;
    let mut buffers: Vec<_> = outputs(field, 3).collect();
    buffers.extend([Bind::Absent, Bind::Out(&sums)]);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "clip_length",
        constants: &[("COMPONENTS", field.len() as f64)],
        uniform: Uniform::new().u(n).f(limit).f(0.0),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| sum_rows::<1>(sums)[0]))
}
