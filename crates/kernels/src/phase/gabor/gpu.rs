//! Launches of `pyramid.wgsl` and `gabor.wgsl`.

use super::features::Directions;
use super::levels::MOST_LEVELS;
use super::{Bank, Levels, LocalPhase, Picture, Sums};
use crate::bindings::bindings;
use crate::kernel::{Launcher, wgsl};
use crate::shared::{ARCTANGENT, NAN};
use std::mem::discriminant;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{AnyBuffer, Buffer, ComputeError, ShaderSource, cover, line};

static PYRAMID: ShaderSource = wgsl!("gabor pyramid", PyramidBindings, [], "pyramid.wgsl");
static LOCAL_PHASE: ShaderSource =
    wgsl!("gabor", PhaseBindings, [NAN, ARCTANGENT, include_str!("features.wgsl")], "gabor.wgsl");

bindings! {
    /// What a launch of `pyramid.wgsl` binds.
    struct PyramidBindings<'a> {
        block: PyramidBlock {
            /// Width and height of the finer level (x, y) and of the coarser one (z, w).
            size: vec4<u32>,
            /// Index of the first pixel of the finer level (x) and of the coarser one (y).
            start: vec4<u32>,
        },
        picture_a: may_read u32 as any,
        picture_b: may_read u32 as any,
        pyramid_a: write f32,
        pyramid_b: may_write f32,
    }
}

bindings! {
    /// What a launch of `gabor.wgsl` binds.
    struct PhaseBindings<'a> {
        block: PhaseBlock {
            /// Width and height (x, y), first pixel (z) and first workgroup (w) of each level; an unused level has a first
            /// workgroup after all others.
            levels: [vec4<u32>; MOST_LEVELS],
            /// Weights of the one-dimensional filters: eight floats each, of which six are used.
            taps: [vec4<f32>; 18],
            /// Cosines and sines of the angles of lanes 2k and 2k + 1 (`once`), and of twice these angles (`twice`).
            once: [vec4<f32>; 4],
            twice: [vec4<f32>; 4],
            /// Fixed point: step (x), steps per unit (y) and largest value (z); smallest squared magnitude of a response that
            /// has a phase (w).
            limits: vec4<f32>,
            /// Number of workgroups.
            count: u32,
            /// The response of the diagonal filters to a constant image, as a share of the Gaussian's response.
            diagonal_constant: f32,
        },
        image: read f32,
        phases: may_write vec4<u32> as u16,
        features[energy, orientation, phase]: write f32,
    }
}

/// Width and height of a workgroup's part of a level.
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
            Some(Picture::Samples(samples)) => Some(&**samples as &dyn AnyBuffer),
            Some(Picture::Bytes(bytes)) => Some(&**bytes as &dyn AnyBuffer),
            None => None,
        };
        let starts = [levels.start(level - 1), levels.start(level.min(levels.count()))];
        let size = [fx, fy, coarser[0], coarser[1]].into();
        let bindings = PyramidBindings {
            block: PyramidBlock { size, start: starts.into() },
            picture_a: picture(0),
            picture_b: picture(1),
            pyramid_a: &*out[0],
            pyramid_b: out.get(1).map(|out| &**out),
        };
        gpu.launch(&PYRAMID, "halve")
            .constant("FIRST", if is_first { form } else { 0usize })
            .bind(&bindings)
            .run([cover(fx.div_ceil(2), 32), cover(fy.div_ceil(2), 8), out.len() as u32])?;
    }
    Ok(())
}

pub(super) fn local_phase(gpu: &Launcher<'_>, args: LocalPhase<'_>) -> Result<(), ComputeError> {
    let LocalPhase { levels, bank, image, out } = args;
    let block = block_of(levels, bank);
    let phases = out.phases.as_deref();
    let features = out.features.as_deref().map_or(&[][..], |maps| &maps[..]);
    gpu.launch(&LOCAL_PHASE, "local_phase")
        .constant("PHASES", phases.is_some())
        .constant("FEATURES", !features.is_empty())
        .constant("FIXED", bank.rounding.is_some())
        .constant("PLAIN", bank.sums == Sums::Plain)
        .bind(&PhaseBindings { block, image, phases, features })
        .run(line(block.count, 1))
}

/// The uniform block of `gabor.wgsl`, with the workgroups of all levels.
fn block_of(levels: &Levels, bank: &Bank) -> PhaseBlock {
    let mut count = 0;
    let places = std::array::from_fn(|level| {
        if level >= levels.count() {
            return [0, 0, 0, usize::MAX].into();
        }
        let ([nx, ny], first_group) = (levels.size(level), count);
        count += nx.div_ceil(TILE[0]) * ny.div_ceil(TILE[1]);
        [nx, ny, levels.start(level), first_group].into()
    });
    let taps = bank.filters.weights.map(|[a, b, c, d, e, f]| [[a, b, c, d].into(), [e, f].into()]);
    let Directions { once, twice } = Directions::new();
    let [once, twice] = [once, twice].map(|[cos, sin]| {
        std::array::from_fn(|k| [cos[2 * k], sin[2 * k], cos[2 * k + 1], sin[2 * k + 1]].into())
    });
    let [step, most] = bank.rounding.map_or([1.0; 2], |form| [form.step, form.most]);
    PhaseBlock {
        levels: places,
        taps: std::array::from_fn(|quad| taps[quad / 2][quad % 2]),
        once,
        twice,
        limits: [step, 1.0 / step, most, bank.least_magnitude * bank.least_magnitude].into(),
        count,
        diagonal_constant: bank.filters.diagonal_constant,
    }
}
