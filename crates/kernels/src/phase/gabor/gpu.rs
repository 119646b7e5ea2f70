//! Launches of `pyramid.wgsl` and `gabor.wgsl`.

use super::features::Directions;
use super::levels::MOST_LEVELS;
use super::{Bank, Form, Levels, LocalPhaseOutputs, Picture, Sums};
use crate::shared::{ARCTANGENT, NAN};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, line};

static PYRAMID: ShaderSource = ShaderSource::wgsl("gabor pyramid", &[include_str!("pyramid.wgsl")]);
static LOCAL_PHASE: ShaderSource = ShaderSource::wgsl(
    "gabor",
    &[NAN, ARCTANGENT, include_str!("features.wgsl"), include_str!("gabor.wgsl")],
);

/// A workgroup's part of a level.
const TILE: [usize; 2] = [32, 16];

pub(super) fn pyramid(
    gpu: &dyn Gpu,
    levels: &Levels,
    pictures: &[&Picture],
    out: &[&mut Buffer],
) -> Result<(), ComputeError> {
    // Two images of one form share their launches.
    if let [a, b] = pictures
        && std::mem::discriminant(&a.0) != std::mem::discriminant(&b.0)
    {
        let one = |k: usize| pyramid(gpu, levels, &pictures[k..=k], &out[k..=k]);
        return one(0).and_then(|()| one(1));
    }
    let first = match pictures[0].0 {
        Form::Samples(_) => 1,
        Form::Bytes(_) => 2,
    };
    for level in 1..levels.count().max(2) {
        let is_first = level == 1;
        // A single level: it is written, and nothing is halved.
        let coarser = if level < levels.count() { levels.size(level) } else { [0, 0] };
        let [fx, fy] = levels.size(level - 1);
        let picture = |k: usize| match pictures.get(k).filter(|_| is_first) {
            Some(Picture(Form::Samples(samples))) => Bind::input(samples),
            Some(Picture(Form::Bytes(bytes))) => Bind::input(bytes),
            None => Bind::Absent,
        };
        gpu.launch(&Launch {
            source: &PYRAMID,
            entry: "halve",
            constants: &[("FIRST", if is_first { f64::from(first) } else { 0.0 })],
            uniform: Uniform::new()
                .u4([fx, fy, coarser[0], coarser[1]])
                .u4([levels.start(level - 1), levels.start(level.min(levels.count()))]),
            buffers: &[
                picture(0),
                picture(1),
                Bind::Out(&*out[0]),
                out.get(1).map_or(Bind::Spare, |b| Bind::output(b)),
            ],
            groups: [cover(fx.div_ceil(2), 32), cover(fy.div_ceil(2), 8), out.len() as u32],
        })?;
    }
    Ok(())
}

pub(super) fn local_phase(
    gpu: &dyn Gpu,
    (levels, bank): (&Levels, &Bank),
    image: &Buffer,
    out: &LocalPhaseOutputs<'_>,
) -> Result<(), ComputeError> {
    let mut uniform = Uniform::new();
    let mut groups = 0;
    for level in 0..MOST_LEVELS {
        if level < levels.count() {
            let [nx, ny] = levels.size(level);
            uniform = uniform.u4([nx, ny, levels.start(level), groups]);
            groups += nx.div_ceil(TILE[0]) * ny.div_ceil(TILE[1]);
        } else {
            uniform = uniform.u4([0, 0, 0, usize::MAX]);
        }
    }
    for weights in &bank.filters.weights {
        let [a, b, c, d, e, f] = *weights;
        uniform = uniform.f4([a, b, c, d]).f4([e, f]);
    }
    let Directions { once, twice } = Directions::new();
    for [cos, sin] in [once, twice] {
        let pairs = cos.as_chunks::<2>().0.iter().zip(sin.as_chunks::<2>().0);
        uniform = pairs.fold(uniform, |uniform, (c, s)| uniform.f4([c[0], s[0], c[1], s[1]]));
    }
    let [step, most] = bank.rounding.map_or([1.0; 2], |form| [form.step, form.most]);
    uniform = uniform.f4([step, 1.0 / step, most, bank.least_magnitude * bank.least_magnitude]);
    let map = |m: usize| out.features.as_ref().map_or(Bind::Spare, |maps| Bind::Out(&maps[m]));
    let phases = out.phases.as_deref().map_or(Bind::Spare, Bind::output);
    let flag = |is_on: bool| f64::from(u8::from(is_on));
    gpu.launch(&Launch {
        source: &LOCAL_PHASE,
        entry: "local_phase",
        constants: &[
            ("PHASES", flag(out.phases.is_some())),
            ("FEATURES", flag(out.features.is_some())),
            ("FIXED", flag(bank.rounding.is_some())),
            ("PLAIN", flag(bank.sums == Sums::Plain)),
        ],
        uniform: uniform.u(groups).f(bank.filters.diagonal_constant),
        buffers: &[Bind::In(image), phases, map(0), map(1), map(2)],
        groups: line(groups, 1),
    })
}
