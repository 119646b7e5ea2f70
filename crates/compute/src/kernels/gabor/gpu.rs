//! Launches of `pyramid.wgsl` and `gabor.wgsl`.

use super::levels::MOST_LEVELS;
use super::{Filters, Form, Levels, Picture};
use crate::gpu::{Bind, Gpu, Launch, Text, Uniform, cover, line};
use crate::{Buffer, ComputeError};

static PYRAMID: Text = Text { name: "gabor pyramid", parts: &[include_str!("pyramid.wgsl")] };
static RESPONSES: Text = Text { name: "gabor", parts: &[include_str!("gabor.wgsl")] };

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
        && a.form != b.form
    {
        let one = |k: usize| pyramid(gpu, levels, &pictures[k..=k], &out[k..=k]);
        return one(0).and_then(|()| one(1));
    }
    let first = match pictures[0].form {
        Form::Samples => 1,
        Form::Bytes => 2,
    };
    for level in 1..levels.count().max(2) {
        let is_first = level == 1;
        // A single level: it is written, and nothing is halved.
        let coarser = if level < levels.count() { levels.size(level) } else { [0, 0] };
        let [fx, fy] = levels.size(level - 1);
        let picture = |k: usize| {
            if is_first { Bind::optional(pictures.get(k).map(|p| &p.buffer)) } else { Bind::Absent }
        };
        gpu.launch(&Launch {
            text: &PYRAMID,
            entry: "halve",
            constants: &[("FIRST", if is_first { f64::from(first) } else { 0.0 })],
            uniform: Uniform::new()
                .u4([fx, fy, coarser[0], coarser[1]])
                .u4([levels.start(level - 1), levels.start(level.min(levels.count()))]),
            buffers: &[
                picture(0),
                picture(1),
                Bind::Out(&*out[0]),
                out.get(1).map_or(Bind::Spare, |b| Bind::Out(b)),
            ],
            groups: [cover(fx.div_ceil(2), 32), cover(fy.div_ceil(2), 8), out.len() as u32],
        })?;
    }
    Ok(())
}

pub(super) fn responses(
    gpu: &dyn Gpu,
    (levels, filters): (&Levels, &Filters),
    image: &Buffer,
    out: &Buffer,
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
    for weights in &filters.weights {
        let [a, b, c, d, e, f] = *weights;
        uniform = uniform.f4([a, b, c, d]).f4([e, f]);
    }
    gpu.launch(&Launch {
        text: &RESPONSES,
        entry: "responses",
        constants: &[],
        uniform: uniform.u(groups).f(filters.diagonal_constant),
        buffers: &[Bind::In(image), Bind::Out(out)],
        groups: line(groups, 1),
    })
}
