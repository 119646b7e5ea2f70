//! Launches of `pointwise.wgsl` and `copy.wgsl`.

use super::{CopyPart, CountKnown, Fill, InPlace, Mix, Multiply, Operation, Paste};
use crate::kernel::{Launcher, packed};
use crate::shared::{EXPONENTIAL, LINE, NAN, PACK1, PACK4, SUM};
use veloxel_gpu::{Buffer, ComputeError, Element, Later, ShaderSource, Uniform, line};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("pointwise", &[LINE, NAN, SUM, EXPONENTIAL, include_str!("pointwise.wgsl")]);

static COPY: [ShaderSource; 2] = [
    ShaderSource::wgsl("copy", &[PACK1, LINE, include_str!("copy.wgsl")]),
    ShaderSource::wgsl("copy, four at a time", &[PACK4, LINE, include_str!("copy.wgsl")]),
];

pub(super) fn copy(gpu: &Launcher<'_>, args: CopyPart<'_>) -> Result<(), ComputeError> {
    let CopyPart { from, first, to } = args;
    let (source, pack) = packed(&COPY, if first.is_multiple_of(4) { to.len() } else { 1 });
    let packs = to.len() / pack;
    let launch = gpu.launch(source, "copy").uniform(Uniform::new().u(packs).u(first / pack).u(0));
    launch.output(to).input(from).run(line(packs, 256))
}

pub(super) fn paste(gpu: &Launcher<'_>, args: Paste<'_>) -> Result<(), ComputeError> {
    let Paste { from, to, first } = args;
    let (source, pack) = packed(&COPY, if first.is_multiple_of(4) { from.len() } else { 1 });
    let packs = from.len() / pack;
    let launch = gpu.launch(source, "copy").uniform(Uniform::new().u(packs).u(0).u(first / pack));
    launch.output(to).input(from).run(line(packs, 256))
}

pub(super) fn in_place(gpu: &Launcher<'_>, args: InPlace<'_>) -> Result<(), ComputeError> {
    let n = args.field.first().map_or(0, Buffer::len);
    let (operation, [a, b]) = match args.operation {
        Operation::Fill(value) => (0usize, [value, 0.0]),
        Operation::MapAffine { gain, offset } => (1, [gain, offset]),
        Operation::Rescale { gain, offset } => (2, [gain, offset]),
        Operation::LogChange => (3, [0.0; 2]),
    };
    gpu.launch(&SOURCE, "in_place")
        .constant("COMPONENTS", args.field.len())
        .constant("OPERATION", operation)
        .uniform(Uniform::new().u(n).f(a).f(b))
        .outputs(args.field, 3)
        .run(line(n, 256))
}

/// The shader writes words: elements that are smaller fill one together.
pub(super) fn fill<T: Element>(gpu: &Launcher<'_>, args: Fill<'_, T>) -> Result<(), ComputeError> {
    let mut word = [0; size_of::<f32>()];
    word.chunks_exact_mut(size_of::<T>())
        .for_each(|part| part.copy_from_slice(bytemuck::bytes_of(&args.value)));
    let words = (args.out.len() * size_of::<T>()).div_ceil(word.len());
    gpu.launch(&SOURCE, "in_place")
        .constant("COMPONENTS", 1usize)
        .constant("OPERATION", 0usize)
        .uniform(Uniform::new().u(words).f(f32::from_le_bytes(word)).f(0.0))
        .output(args.out)
        .spare(2)
        .run(line(words, 256))
}

pub(super) fn multiply(gpu: &Launcher<'_>, args: Multiply<'_>) -> Result<(), ComputeError> {
    let n = args.out.len();
    let launch = gpu.launch(&SOURCE, "multiply").uniform(Uniform::new().u(n).f(0.0).f(0.0));
    launch.output(args.out).spare(2).input(args.factor).run(line(n, 256))
}

/// A kernel that adds a number of every vector of a field.
pub(super) fn total_of_field(
    gpu: &Launcher<'_>,
    entry: &'static str,
    field: &[Buffer],
    limit: f32,
) -> Result<Later<f64>, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    gpu.launch(&SOURCE, entry)
        .constant("COMPONENTS", field.len())
        .uniform(Uniform::new().u(n).f(limit).f(0.0))
        .outputs(field, 3)
        .absent(1)
        .sums(n, |[sum]| sum)
}

pub(super) fn count_known(gpu: &Launcher<'_>, args: CountKnown<'_>) -> Result<Later<f64>, ComputeError> {
    let launch = gpu.launch(&SOURCE, "count_known").uniform(Uniform::new().u(args.count).f(0.0).f(0.0));
    launch.spare(3).input(args.samples).sums(args.count, |[count]| count)
}

pub(super) fn mix(gpu: &Launcher<'_>, args: Mix<'_>) -> Result<(), ComputeError> {
    let n = args.out.len();
    let launch = gpu.launch(&SOURCE, "mix_samples").uniform(Uniform::new().u(n).f(args.share).f(0.0));
    launch.output(args.out).spare(2).input(args.with).run(line(n, 256))
}
