//! Processor text of [`super::ForwardBackwardCheck`].

use super::{ForwardBackwardCheck, Matches};
use crate::shared::gather::corner_of;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn forward_backward_check(cpu: &Cpu, args: ForwardBackwardCheck<'_>) {
    let ForwardBackwardCheck { size: [nx, ny], threshold_px, matches, confidence, out, confidence_out } =
        args;
    let n = nx * ny;
    let components = matches.components();
    let [forward, backward] = matches.buffers().map(|b| b.host());
    let pair = Pair { size: [nx, ny], is_flow: matches!(matches, Matches::Flow { .. }), forward, backward };
    let confidence = confidence.host();
    let most2 = threshold_px * threshold_px;
    let mut planes: Vec<Shared<'_>> = out.host_mut().chunks_exact_mut(n).map(Shared::new).collect();
    let sure = planes.len();
    planes.push(Shared::new(confidence_out.host_mut()));
    cpu.split(ny, 8 * n, |rows| {
        for y in rows {
            // SAFETY: every row is written by one thread.
            let mut out: Vec<&mut [f32]> =
                planes.iter().map(|p| unsafe { p.get_mut(y * nx..(y + 1) * nx) }).collect();
            for x in 0..nx {
                let here = y * nx + x;
                let square = pair.distance2(x, y);
                let returns = square < most2;
                for (c, out) in out[..components].iter_mut().enumerate() {
                    out[x] = if returns { forward[c * n + here] } else { f32::NAN };
                }
                out[sure][x] = if returns { confidence[here] / (1.0 + square) } else { 0.0 };
            }
        }
    });
}

/// Estimates there and back.
struct Pair<'a> {
    size: [usize; 2],
    is_flow: bool,
    forward: &'a [f32],
    backward: &'a [f32],
}

impl Pair<'_> {
    /// Squared distance from a pixel to where the way there and back ends; NaN where nothing is known.
    fn distance2(&self, x: usize, y: usize) -> f32 {
        let Self { size: [nx, ny], is_flow, forward, backward } = *self;
        let (n, here) = (nx * ny, y * nx + x);
        let there = if is_flow { [forward[here], forward[n + here]] } else { [-forward[here], 0.0] };
        if there[0].is_nan() {
            return f32::NAN;
        }
        let [(x0, x1, wx), (y0, y1, wy)] = corner_of([x, y], there, [nx, ny]);
        let (mut sum, mut total) = ([0.0; 2], 0.0);
        let corners = [
            (y0 * nx + x0, (1.0 - wx) * (1.0 - wy)),
            (y0 * nx + x1, wx * (1.0 - wy)),
            (y1 * nx + x0, (1.0 - wx) * wy),
            (y1 * nx + x1, wx * wy),
        ];
        for (corner, weight) in corners {
            let back =
                if is_flow { [backward[corner], backward[n + corner]] } else { [backward[n + corner], 0.0] };
            if !back[0].is_nan() {
                sum = [sum[0] + weight * back[0], sum[1] + weight * back[1]];
                total += weight;
            }
        }
        if total > 0.0 {
            let rest = [there[0] + sum[0] / total, there[1] + sum[1] / total];
            rest[0] * rest[0] + rest[1] * rest[1]
        } else {
            f32::NAN
        }
    }
}
