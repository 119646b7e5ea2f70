//! Processor text of [`super::compose_flows`].

use super::{FlowComposition, Outside};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn compose_flows(cpu: &Cpu, args: &FlowComposition<'_>, out: &mut [Buffer]) {
    let (shape, components) = (args.shape, args.shape.components());
    let [nx, ny, _] = shape.size;
    let first: Vec<&[f32]> = args.first.iter().map(Buffer::host).collect();
    let second: Vec<&[f32]> = args.second.iter().map(Buffer::host).collect();
    let parts: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    cpu.split(shape.rows(), 8 * components * shape.len(), |rows| {
        for row in rows {
            for x in 0..nx {
                let i = row * nx + x;
                let voxel = [x, row % ny, row / ny];
                let mut position = [0.0; 3];
                (0..components).for_each(|c| position[c] = voxel[c] as f32 + first[c][i]);
                let found = sample(&second, shape.size, position);
                for (c, part) in parts.iter().enumerate() {
                    let composed = first[c][i] + found[c];
                    let kept = args.outside == Outside::KeepFirst && !composed.is_finite();
                    // SAFETY: every row is written by one thread.
                    let out = unsafe { part.get_mut(i..i + 1) };
                    out[0] = if kept { first[c][i] } else { composed };
                }
            }
        }
    });
}

/// The flow at a position, linear between voxels; NaN outside the grid.
fn sample(flow: &[&[f32]], size: [usize; 3], position: [f32; 3]) -> [f32; 3] {
    let mut low = [0; 3];
    let mut share = [0.0; 3];
    for a in 0..3 {
        // NaN fails the comparison: an unknown position has no vector.
        if !(position[a] >= 0.0 && position[a] <= (size[a] - 1) as f32) {
            return [f32::NAN; 3];
        }
        low[a] = (position[a] as usize).min(size[a].saturating_sub(2));
        share[a] = position[a] - low[a] as f32;
    }
    let mut sum = [0.0; 3];
    for corner in 0..8usize {
        let mut weight = 1.0;
        let mut index = 0;
        for a in (0..3).rev() {
            let up = corner >> a & 1;
            weight *= if up == 1 { share[a] } else { 1.0 - share[a] };
            index = index * size[a] + low[a] + up;
        }
        if weight > 0.0 {
            sum.iter_mut().zip(flow).for_each(|(sum, component)| *sum += weight * component[index]);
        }
    }
    sum
}
