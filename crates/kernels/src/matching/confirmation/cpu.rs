//! Processor text of [`super::Confirmation`] and [`super::Visible`].

use super::{Confirmation, NOWHERE, REACH_VOX, Verdict, Visible};
use std::array::from_fn;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::Cpu;

/// The cell of a position between voxels.
struct Cell<const D: usize> {
    base: usize,
    /// To the upper neighbour along each axis.
    steps: [usize; D],
    weights: [f32; D],
}

/// Where a voxel goes; none outside of the image.
fn target<const D: usize>(shape: Shape, voxel: Axes<usize>, vector: [f32; D]) -> Option<Cell<D>> {
    let strides = [1, shape.size[0], shape.size[0] * shape.size[1]];
    let mut cell = Cell { base: 0, steps: [0; D], weights: [0.0; D] };
    for a in 0..D {
        let (at, last) = (voxel[a] as f32 + vector[a], (shape.size[a] - 1) as f32);
        // NaN fails the comparison.
        if !(at >= -REACH_VOX && at <= last + REACH_VOX) {
            return None;
        }
        let clamped = at.clamp(0.0, last);
        let low = (clamped as usize).min(shape.size[a].max(2) - 2);
        cell.base += low * strides[a];
        cell.steps[a] = ((low + 1).min(shape.size[a] - 1) - low) * strides[a];
        cell.weights[a] = clamped - low as f32;
    }
    Some(cell)
}

impl<const D: usize> Cell<D> {
    fn sample(&self, samples: &[f32]) -> f32 {
        let lerp = |a: f32, b: f32, weight: f32| a + weight * (b - a);
        let along_x = |at: usize| lerp(samples[at], samples[at + self.steps[0]], self.weights[0]);
        let plane = |at: usize| lerp(along_x(at), along_x(at + self.steps[1]), self.weights[1]);
        match D {
            2 => plane(self.base),
            _ => lerp(plane(self.base), plane(self.base + self.steps[D - 1]), self.weights[D - 1]),
        }
    }
}

pub(super) fn confirmation<const D: usize>(cpu: &Cpu, args: Confirmation<'_>) {
    let Confirmation { shape, tolerance, forward, backward, verdict, out } = args;
    let [nx, ny, _] = shape.size;
    let (forward, backward): ([&[f32]; D], [&[f32]; D]) =
        (from_fn(|c| forward[c].host()), from_fn(|c| backward[c].host()));
    cpu.split_rows([out.host_mut()], nx, 8 * D * shape.len(), |row, [out]| {
        for (x, out) in out.iter_mut().enumerate() {
            let own = forward.map(|component| component[row * nx + x]);
            let Some(cell) = target(shape, [x, row % ny, row / ny], own) else {
                *out = if verdict == Verdict::Confirmed { 0.0 } else { NOWHERE };
                continue;
            };
            let (mut distance2, mut length2) = (0.0, 0.0);
            for c in 0..D {
                let left = own[c] + cell.sample(backward[c]);
                distance2 += left * left;
                length2 += own[c] * own[c];
            }
            let most = tolerance.least_vox + tolerance.share * length2.sqrt();
            *out = match verdict {
                // NaN fails the comparison.
                Verdict::Confirmed => f32::from(u8::from(distance2 <= most * most)),
                Verdict::Doubt { .. } if distance2.is_nan() => NOWHERE,
                Verdict::Doubt { most: at_most } => (distance2.sqrt() / most).min(at_most) / at_most,
            };
        }
    });
}

pub(super) fn visible<const D: usize>(cpu: &Cpu, args: Visible<'_>) {
    let Visible { shape, forward, confirmed, confirmed_back, out } = args;
    let [nx, ny, _] = shape.size;
    let forward: [&[f32]; D] = from_fn(|c| forward[c].host());
    let (confirmed, back) = (confirmed.host(), confirmed_back.host());
    cpu.split_rows([out.host_mut()], nx, 8 * shape.len(), |row, [out]| {
        for (x, out) in out.iter_mut().enumerate() {
            let index = row * nx + x;
            let own = forward.map(|component| component[index]);
            let owned =
                target(shape, [x, row % ny, row / ny], own).is_some_and(|cell| cell.sample(back) > 0.5);
            *out = if confirmed[index] < 0.5 && owned { 0.0 } else { 1.0 };
        }
    });
}
