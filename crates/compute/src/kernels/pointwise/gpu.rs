//! Launches of `pointwise.wgsl`.

use crate::gpu::{
    Bind, EXPONENTIAL, Gpu, LINE, Launch, NAN, PACK1, PACK4, SUM, Text, Uniform, line, outputs, partials,
};
use crate::later::sum_rows;
use crate::{Buffer, ComputeError, Device, Later};

static TEXT: Text =
    Text { name: "pointwise", parts: &[LINE, NAN, SUM, EXPONENTIAL, include_str!("pointwise.wgsl")] };

static COPY: [Text; 2] = [
    Text { name: "copy", parts: &[PACK1, LINE, include_str!("copy.wgsl")] },
    Text { name: "copy, four at a time", parts: &[PACK4, LINE, include_str!("copy.wgsl")] },
];

pub(super) fn copy_part(
    gpu: &dyn Gpu,
    (input, first): (&Buffer, usize),
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let n = out.len();
    let whole_packs = n.is_multiple_of(4) && first.is_multiple_of(4);
    let (text, size) = if whole_packs { (&COPY[1], 4) } else { (&COPY[0], 1) };
    let (packs, first) = (n / size, first / size);
    gpu.launch(&Launch {
        text,
        entry: "copy",
        constants: &[],
        uniform: Uniform::new().u(packs).u(first),
        buffers: &[Bind::Out(out), Bind::In(input)],
        groups: line(packs, 256),
    })
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
        text: &TEXT,
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
        text: &TEXT,
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
        text: &TEXT,
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
        text: &TEXT,
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
        text: &TEXT,
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
        text: &TEXT,
        entry: "clip_length",
        constants: &[("COMPONENTS", field.len() as f64)],
        uniform: Uniform::new().u(n).f(limit).f(0.0),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| sum_rows::<1>(sums)[0]))
}
