//! Launches of `pyramid.wgsl` and `gabor.wgsl`.

use super::features::Directions;
use super::levels::MOST_LEVELS;
use super::{Bank, Levels, LocalPhase, Picture, Sums};
use crate::kernel::{Launcher, wgsl};
use crate::shared::{ARCTANGENT, NAN};
use std::mem::discriminant;
use veloxel_gpu::{Bind, Buffer, ComputeError, ShaderSource, Uniform, cover, line};

static PYRAMID: ShaderSource = wgsl!("gabor pyramid", [], "pyramid.wgsl");
static LOCAL_PHASE: ShaderSource =
    wgsl!("gabor", [NAN, ARCTANGENT, include_str!("features.wgsl")], "gabor.wgsl");

/// A workgroup's part of a level.
const TILE: [usize; 2] = [32, 16];

pub(super) fn pyramid(
    gpu: &Launcher<'_>,
    levels: &Levels,
    pictures: &[&Picture],
    out: &[&mut Buffer],
) -> Result<(), ComputeError> {
    // Two images of one form share their launches.
    if let [a, b] = pictures
        && discriminant(*a) != discriminant(*b)
    {
        let one = |k: usize| pyramid(gpu, levels, &pictures[k..=k], &out[k..=k]);
        return one(0).and_then(|()| one(1));
    }
    let form = match pictures[0] {
        Picture::Samples(_) => 1,
        Picture::Bytes(_) => 2,
    };
    for level in 1..levels.count().max(2) {
        let is_first = level == 1;
        // A single level: it is written, and nothing is halved.
        let coarser = if level < levels.count() { levels.size(level) } else { [0, 0] };
        let [fx, fy] = levels.size(level - 1);
        let picture = |k: usize| match pictures.get(k).filter(|_| is_first) {
            Some(Picture::Samples(samples)) => Bind::input(&**samples),
            Some(Picture::Bytes(bytes)) => Bind::input(&**bytes),
            None => Bind::Absent,
        };
        let starts = [levels.start(level - 1), levels.start(level.min(levels.count()))];
        gpu.launch(&PYRAMID, "halve")
            .constant("FIRST", if is_first { form } else { 0usize })
            .uniform(Uniform::new().u4([fx, fy, coarser[0], coarser[1]]).u4(starts))
            .bind_each([picture(0), picture(1)])
            .output(&*out[0])
            .bind_each([out.get(1).map_or(Bind::Spare, |b| Bind::output(*b))])
            .run([cover(fx.div_ceil(2), 32), cover(fy.div_ceil(2), 8), out.len() as u32])?;
    }
    Ok(())
}

pub(super) fn local_phase(gpu: &Launcher<'_>, args: LocalPhase<'_>) -> Result<(), ComputeError> {
    let LocalPhase { levels, bank, image, out } = args;
    let (uniform, groups) = uniform_of(levels, bank);
    let phases = out.phases.as_deref();
    let features = out.features.as_deref().map_or(&[][..], |maps| &maps[..]);
    gpu.launch(&LOCAL_PHASE, "local_phase")
        .constant("PHASES", phases.is_some())
        .constant("FEATURES", !features.is_empty())
        .constant("FIXED", bank.rounding.is_some())
        .constant("PLAIN", bank.sums == Sums::Plain)
        .uniform(uniform)
        .input(image)
        .bind_each([phases.map_or(Bind::Spare, Bind::output)])
        .outputs(features, 3)
        .run(line(groups, 1))
}

/// The uniform block of `gabor.wgsl`, and the workgroups of all levels.
fn uniform_of(levels: &Levels, bank: &Bank) -> (Uniform, usize) {
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
    (uniform.u(groups).f(bank.filters.diagonal_constant), groups)
}
