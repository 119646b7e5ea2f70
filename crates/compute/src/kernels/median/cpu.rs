//! Processor text of [`super::median`](fn@super::median).

use super::Median;
use crate::device::Cpu;
use crate::rows::Shared;
use crate::{Buffer, Shape};
use std::ops::Range;

pub(super) fn median(
    cpu: &Cpu,
    (shape, kind): (Shape, Median),
    (field, guide, vote): (&[Buffer], &[f32], Option<&[f32]>),
    out: &mut [Buffer],
) {
    let [nx, ny, _] = shape.size;
    let inputs: Vec<&[f32]> = field.iter().map(Buffer::host).collect();
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    cpu.split(shape.rows(), 16 * shape.len(), |rows| {
        let mut window = Window::default();
        for row in rows {
            let (y, z) = (row % ny, row / ny);
            // SAFETY: every row is written by one thread.
            let mut lines: Vec<&mut [f32]> =
                out.iter().map(|o| unsafe { o.get_mut(row * nx..(row + 1) * nx) }).collect();
            match kind {
                Median::Plain { radius } => {
                    plain_row((shape, radius), &inputs, (y, z), &mut lines, &mut window)
                }
                Median::Weighted { radius, sigma_vox, sigma_intensity, edge_vox } => {
                    plain_row((shape, 2), &inputs, (y, z), &mut lines, &mut window);
                    window.weights(radius, sigma_vox);
                    for x in 0..nx {
                        if varies(shape, &inputs, (x, y), edge_vox) {
                            window.gather((shape, radius, sigma_intensity), (guide, vote), (x, y));
                            for (input, line) in inputs.iter().zip(lines.iter_mut()) {
                                line[x] = window.weighted_median(input);
                            }
                        }
                    }
                }
            }
        }
    });
}

/// The part of a window that lies inside.
fn cut(at: usize, radius: usize, count: usize) -> Range<usize> {
    at.saturating_sub(radius)..(at + radius + 1).min(count)
}

/// Whether any component varies by more than `edge` within two voxels of a pixel.
fn varies(shape: Shape, inputs: &[&[f32]], (x, y): (usize, usize), edge: f32) -> bool {
    let [nx, ny, _] = shape.size;
    inputs.iter().any(|input| {
        let centre = input[y * nx + x];
        cut(y, 2, ny).any(|yy| cut(x, 2, nx).any(|xx| (input[yy * nx + xx] - centre).abs() > edge))
    })
}

/// Reused memory of one thread.
#[derive(Default)]
struct Window {
    values: Vec<f32>,
    spatial: Vec<f32>,
    votes: Vec<(usize, f32)>,
    sorted: Vec<(f32, f32)>,
}

fn plain_row(
    (shape, radius): (Shape, usize),
    inputs: &[&[f32]],
    (y, z): (usize, usize),
    lines: &mut [&mut [f32]],
    window: &mut Window,
) {
    let [nx, ny, nz] = shape.size;
    let (ys, zs) = (cut(y, radius, ny), if shape.components() == 3 { cut(z, radius, nz) } else { 0..1 });
    for (input, line) in inputs.iter().zip(lines.iter_mut()) {
        for (x, out) in line.iter_mut().enumerate() {
            window.values.clear();
            for z in zs.clone() {
                for y in ys.clone() {
                    let start = (z * ny + y) * nx;
                    window.values.extend_from_slice(&input[start..][cut(x, radius, nx)]);
                }
            }
            let middle = window.values.len() / 2;
            *out = *window.values.select_nth_unstable_by(middle, f32::total_cmp).1;
        }
    }
}

impl Window {
    /// Spatial weights of the full window.
    fn weights(&mut self, radius: usize, sigma: f32) {
        let side = 2 * radius + 1;
        if self.spatial.len() == side * side {
            return;
        }
        let r = radius as f32;
        self.spatial = (0..side * side)
            .map(|i| {
                let (dx, dy) = ((i % side) as f32 - r, (i / side) as f32 - r);
                (-(dx * dx + dy * dy) / (2.0 * sigma * sigma)).exp()
            })
            .collect();
    }

    /// Where the window's voxels lie and what their votes weigh.
    fn gather(
        &mut self,
        (shape, radius, sigma): (Shape, usize, f32),
        (guide, vote): (&[f32], Option<&[f32]>),
        (x, y): (usize, usize),
    ) {
        let [nx, ny, _] = shape.size;
        let side = 2 * radius + 1;
        let scale = -0.5 / (sigma * sigma);
        let centre = guide[y * nx + x];
        self.votes.clear();
        for yy in cut(y, radius, ny) {
            for xx in cut(x, radius, nx) {
                let i = yy * nx + xx;
                let difference = guide[i] - centre;
                let spatial = self.spatial[(yy + radius - y) * side + xx + radius - x];
                let weight = spatial * (scale * difference * difference).exp() * vote.map_or(1.0, |v| v[i]);
                self.votes.push((i, weight));
            }
        }
    }

    /// The weighted median of the gathered voxels.
    fn weighted_median(&mut self, input: &[f32]) -> f32 {
        self.sorted.clear();
        self.sorted.extend(self.votes.iter().map(|&(i, w)| (input[i], w)));
        let mut rest = &mut self.sorted[..];
        let mut below = 0.0;
        let half = 0.5 * rest.iter().map(|v| v.1).sum::<f32>();
        // Quickselect by weight: halve the candidates until one is left.
        while rest.len() > 1 {
            let middle = rest.len() / 2;
            rest.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
            let lower: f32 = rest[..middle].iter().map(|v| v.1).sum();
            if below + lower > half {
                rest = &mut rest[..middle];
            } else {
                below += lower;
                rest = &mut rest[middle..];
                if rest.len() == 1 || below + rest[0].1 >= half && is_least(rest) {
                    break;
                }
            }
        }
        rest[0].0
    }
}

/// Whether the first candidate is the smallest: `select_nth` left it in its place.
fn is_least(rest: &[(f32, f32)]) -> bool {
    rest.iter().all(|v| v.0 >= rest[0].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_votes_give_the_median() {
        let input: Vec<f32> = vec![5.0, 1.0, 4.0, 2.0, 3.0];
        let mut window = Window { votes: (0..5).map(|i| (i, 1.0)).collect(), ..Default::default() };
        assert_eq!(window.weighted_median(&input), 3.0);
    }

    #[test]
    fn a_heavy_vote_wins() {
        let input = vec![5.0, 1.0, 4.0, 2.0, 3.0];
        let mut window = Window::default();
        for heavy in 0..5 {
            window.votes = (0..5).map(|i| (i, if i == heavy { 10.0 } else { 1.0 })).collect();
            assert_eq!(window.weighted_median(&input), input[heavy]);
        }
    }
}
