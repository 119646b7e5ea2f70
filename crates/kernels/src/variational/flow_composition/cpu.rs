//! CPU text of [`FlowComposition`].

use super::{FlowComposition, Outside};
use std::array::from_fn;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn compose_flows<const D: usize>(cpu: &Cpu, args: FlowComposition<'_>) {
    let FlowComposition { shape, first, second, outside, out } = args;
    let [nx, ny, _] = shape.size;
    let second: [&[f32]; D] = from_fn(|c| second[c].host());
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    cpu.split(shape.rows(), 8 * D * shape.len(), |rows| {
        for row in rows {
            let span = row * nx..(row + 1) * nx;
            let first: [&[f32]; D] = from_fn(|c| &first[c].host()[span.clone()]);
            // SAFETY: every row is written by one thread.
            let out: [&mut [f32]; D] = from_fn(|c| unsafe { out[c].get_mut(span.clone()) });
            for x in 0..nx {
                let (own, voxel) = (first.map(|line| line[x]), [x, row % ny, row / ny]);
                let found = sample(second, shape.size, from_fn(|c| voxel[c] as f32 + own[c]));
                for c in 0..D {
                    let composed = own[c] + found[c];
                    let kept = outside == Outside::KeepFirst && !composed.is_finite();
                    out[c][x] = if kept { own[c] } else { composed };
                }
            }
        }
    });
}

/// The flow at a position, linear between voxels; NaN outside the grid.
fn sample<const D: usize>(flow: [&[f32]; D], size: [usize; 3], position: [f32; D]) -> [f32; D] {
    let mut base = 0;
    let mut shares = [[0.0; 2]; D];
    for a in (0..D).rev() {
        // NaN fails the comparison: an unknown position has no vector.
        if !(position[a] >= 0.0 && position[a] <= (size[a] - 1) as f32) {
            return [f32::NAN; D];
        }
        let low = (position[a] as usize).min(size[a].saturating_sub(2));
        let share = position[a] - low as f32;
        shares[a] = [1.0 - share, share];
        base = base * size[a] + low;
    }
    let strides = [1, size[0], size[0] * size[1]];
    let mut sum = [0.0; D];
    for corner in 0..1usize << D {
        let (mut weight, mut index) = (1.0, base);
        for a in (0..D).rev() {
            let up = corner >> a & 1;
            weight *= shares[a][up];
            index += up * strides[a];
        }
        if weight > 0.0 {
            (0..D).for_each(|c| sum[c] += weight * flow[c][index]);
        }
    }
    sum
}
