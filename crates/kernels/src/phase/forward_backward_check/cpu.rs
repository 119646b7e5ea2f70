//! Processor text of [`super::forward_backward_check`](fn@super::forward_backward_check).

use super::Matches;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn forward_backward_check(
    cpu: &Cpu,
    ([nx, ny], threshold_px): ([usize; 2], f32),
    (matches, confidence): (Matches<'_>, &[f32]),
    (out, confidence_out): (&mut [f32], &mut [f32]),
) {
    let n = nx * ny;
    let components = matches.components();
    let [forward, backward] = matches.buffers().map(|b| b.host());
    let most2 = threshold_px * threshold_px;
    let mut planes: Vec<Shared<'_>> = out.chunks_exact_mut(n).map(Shared::new).collect();
    let sure = planes.len();
    planes.push(Shared::new(confidence_out));
    cpu.split(ny, 8 * n, |rows| {
        for y in rows {
            // SAFETY: every row is written by one thread.
            let mut out: Vec<&mut [f32]> =
                planes.iter().map(|p| unsafe { p.get_mut(y * nx..(y + 1) * nx) }).collect();
            for x in 0..nx {
                let here = y * nx + x;
                // Where the match lies, and what is known of the way back from there.
                let there = match matches {
                    Matches::Flow { .. } => [forward[here], forward[n + here]],
                    Matches::Disparity(_) => [-forward[here], 0.0],
                };
                let at = [x as f32 + there[0], y as f32 + there[1]];
                let mut square = f32::NAN;
                if !there[0].is_nan() {
                    let cells = [(at[0], nx), (at[1], ny)].map(|(at, count)| {
                        let last = (count - 1) as f32;
                        let clamped = if at > 0.0 { if at < last { at } else { last } } else { 0.0 };
                        let low = (clamped as usize).min(count.max(2) - 2);
                        (low, (low + 1).min(count - 1), clamped - low as f32)
                    });
                    let [(x0, x1, wx), (y0, y1, wy)] = cells;
                    let (mut sum, mut total) = ([0.0; 2], 0.0);
                    let corners = [
                        (y0 * nx + x0, (1.0 - wx) * (1.0 - wy)),
                        (y0 * nx + x1, wx * (1.0 - wy)),
                        (y1 * nx + x0, (1.0 - wx) * wy),
                        (y1 * nx + x1, wx * wy),
                    ];
                    for (corner, weight) in corners {
                        let back = match matches {
                            Matches::Flow { .. } => [backward[corner], backward[n + corner]],
                            Matches::Disparity(_) => [backward[n + corner], 0.0],
                        };
                        if !back[0].is_nan() {
                            sum = [sum[0] + weight * back[0], sum[1] + weight * back[1]];
                            total += weight;
                        }
                    }
                    if total > 0.0 {
                        let rest = [there[0] + sum[0] / total, there[1] + sum[1] / total];
                        square = rest[0] * rest[0] + rest[1] * rest[1];
                    }
                }
                let returns = square < most2;
                for (c, out) in out[..components].iter_mut().enumerate() {
                    out[x] = if returns { forward[c * n + here] } else { f32::NAN };
                }
                out[sure][x] = if returns { confidence[here] / (1.0 + square) } else { 0.0 };
            }
        }
    });
}
