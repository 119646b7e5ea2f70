//! Transfers between a grid and the next coarser one of a multigrid hierarchy.
//!
//! A coarse cell holds two fine cells along each axis where the sizes differ (`n_c = ⌊n / 2⌋`; three at an odd end) and is a
//! mean of the cells it holds, so coarse tensors and right-hand sides are densities like the fine ones. A cell too many at the
//! end makes the coarse springs there a little stiff, which only slows the correction; a cell too few would make them too soft,
//! and the correction overshoot.
//! *Restriction*: that mean. *Prolongation*: linear between the centres of coarse cells (¾, ¼), constant at the border.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use crate::shared::rows::{add, sum_of_four};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::with_scratch;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line, tile};

/// WGSL of the fine cells of a coarse one.
pub(crate) const CELLS: &str = include_str!("cells.wgsl");
static SOURCE: ShaderSource = wgsl!("multigrid transfer", Bindings, [LINE, CELLS], "transfer.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { fine: vec4<u32>, coarse: vec4<u32>, },
        from[in0, in1, in2, in3, in4, in5]: read f32,
        to[out0, out1, out2, out3, out4, out5]: write f32,
    }
}

/// Planes of the coarse grid on either side of a share of it that are read with that share of the fine grid: the nearest one, half
/// a plane by which a share of an odd number of planes is shifted, and a plane by which shares of workgroups differ.
const NEARBY_PLANES: usize = 3;
/// Most channels of a launch.
const MOST_CHANNELS: usize = 6;

/// The next coarser size along the axes chosen.
pub fn coarser(shape: Shape, halve: Axes<bool>) -> Shape {
    let size = [0, 1, 2].map(|a| if halve[a] { (shape.size[a] / 2).max(1) } else { shape.size[a] });
    Shape { size, ..shape }
}

/// Takes means: `coarse` becomes the mean of `fine` over each coarse cell, channel by channel.
#[derive(Debug)]
pub struct Restrict<'a> {
    /// Shape of the fine grid.
    pub fine_shape: Shape,
    /// Channels on the fine grid.
    pub fine: &'a [Buffer],
    /// Shape of the [coarser] grid.
    pub coarse_shape: Shape,
    /// As many channels on the coarse grid.
    pub coarse: &'a mut [Buffer],
}

impl Kernel for Restrict<'_> {
    const NAME: &'static str = "restrict";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let channels = self.fine.len();
        lengths.field("fine", self.fine, channels, self.fine_shape.len());
        lengths.field("coarse", self.coarse, channels, self.coarse_shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        for (fine, coarse) in self.fine.iter().zip(self.coarse) {
            restrict(cpu, fine.host(), self.fine_shape, coarse.host_mut(), self.coarse_shape);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (fine, coarse) = (self.fine.chunks(MOST_CHANNELS), self.coarse.chunks(MOST_CHANNELS));
        let block = Block { fine: self.fine_shape.size.into(), coarse: self.coarse_shape.size.into() };
        fine.zip(coarse).try_for_each(|(fine, coarse)| {
            gpu.launch(&SOURCE, "restrict_mean")
                .constant("CHANNELS", fine.len())
                .constant("ANEW", false)
                .bind(&Bindings { block, from: fine, to: coarse })
                .run(line(self.coarse_shape.len(), 256))
        })
    }
}

/// The field that a prolongation adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferTarget {
    /// The content of the fine grid.
    Present,
    /// Zero.
    Nothing,
}

/// Interpolates linearly, `fine += P coarse` or `fine = P coarse`, for up to three components.
#[derive(Debug)]
pub struct Prolong<'a> {
    /// Shape of the coarse grid.
    pub coarse_shape: Shape,
    /// Components on the coarse grid.
    pub coarse: &'a [Buffer],
    /// Shape of the fine grid.
    pub fine_shape: Shape,
    /// As many components on the fine grid.
    pub fine: &'a mut [Buffer],
    /// What the interpolated components are added to.
    pub onto: TransferTarget,
}

impl Kernel for Prolong<'_> {
    const NAME: &'static str = "prolong";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let components = self.coarse.len();
        lengths.field("coarse", self.coarse, components.min(3), self.coarse_shape.len());
        lengths.field("fine", self.fine, components, self.fine_shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        for (coarse, fine) in self.coarse.iter().zip(self.fine) {
            let fine = fine.host_mut();
            if self.onto == TransferTarget::Nothing {
                fine.fill(0.0);
            }
            prolong_add(cpu, coarse.host(), self.coarse_shape, fine, self.fine_shape);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let block = Block { fine: self.fine_shape.size.into(), coarse: self.coarse_shape.size.into() };
        let plane = self.coarse_shape.size[0] * self.coarse_shape.size[1];
        let [width, height] = tile(self.fine_shape.size[0]);
        gpu.launch(&SOURCE, "prolong_add")
            .constant("CHANNELS", self.coarse.len())
            .constant("ANEW", self.onto == TransferTarget::Nothing)
            .bind(&Bindings { block, from: self.coarse, to: self.fine })
            .constants([("WIDTH", width), ("HEIGHT", height)])
            .reads_nearby(NEARBY_PLANES * plane * size_of::<f32>())
            .run_over(self.fine_shape.size, [width, height])
    }
}

/// The fine cells of coarse cell `cell` along an axis.
pub(crate) fn cells(cell: usize, fine: usize, coarse: usize) -> Range<usize> {
    if fine == coarse {
        cell..cell + 1
    } else {
        2 * cell..if cell + 1 == coarse { fine } else { 2 * cell + 2 }
    }
}

/// Adds `share ·` mean of the row's cells to `out`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(crate) fn add_pairs(fine: &[f32], share: f32, out: &mut [f32]) {
    if fine.len() == out.len() {
        for (o, &f) in out.iter_mut().zip(fine) {
            *o += share * f;
        }
        return;
    }
    let half = 0.5 * share;
    let (pairs, last) = fine.split_at(2 * out.len() - 2);
    let mean = last.iter().sum::<f32>() / last.len() as f32;
    for (o, pair) in out.iter_mut().zip(pairs.chunks_exact(2)) {
        *o += half * (pair[0] + pair[1]);
    }
    out[out.len() - 1] += share * mean;
}

fn restrict(cpu: &Cpu, fine: &[f32], from: Shape, coarse: &mut [f32], to: Shape) {
    let ([nx, ny, nz], [cx, cy, cz]) = (from.size, to.size);
    cpu.split_rows([coarse], cx, from.len(), |row, [out]| {
        out.fill(0.0);
        let (ys, zs) = (cells(row % cy, ny, cy), cells(row / cy, nz, cz));
        let share = 1.0 / (ys.len() * zs.len()) as f32;
        for z in zs {
            for y in ys.clone() {
                add_pairs(&fine[(z * ny + y) * nx..][..nx], share, out);
            }
        }
    });
}

/// The two coarse cells around a fine cell and the weight of the nearer one.
fn neighbours(cell: usize, fine: usize, coarse: usize) -> (usize, usize, f32) {
    if fine == coarse {
        return (cell, cell, 1.0);
    }
    let near = cell / 2;
    if near >= coarse {
        // The third cell of an odd end lies beyond the last centre.
        return (coarse - 1, coarse - 1, 1.0);
    }
    let far = if cell.is_multiple_of(2) { near.saturating_sub(1) } else { (near + 1).min(coarse - 1) };
    (near, far, 0.75)
}

fn prolong_add(cpu: &Cpu, coarse: &[f32], from: Shape, fine: &mut [f32], to: Shape) {
    let ([cx, cy, cz], [nx, ny, nz]) = (from.size, to.size);
    cpu.split_rows([fine], nx, to.len(), |row, [out]| {
        with_scratch(cx + 2, |line| {
            let ((y0, y1, wy), (z0, z1, wz)) = (neighbours(row % ny, ny, cy), neighbours(row / ny, nz, cz));
            let line_of = |y: usize, z: usize| &coarse[(z * cy + y) * cx..][..cx];
            let weights = [wy * wz, (1.0 - wy) * wz, wy * (1.0 - wz), (1.0 - wy) * (1.0 - wz)];
            let lines = [line_of(y0, z0), line_of(y1, z0), line_of(y0, z1), line_of(y1, z1)];
            sum_of_four(lines, weights, &mut line[1..=cx]);
            line[0] = line[1];
            line[cx + 1] = line[cx];
            if nx == cx {
                add(&line[1..], out);
            } else {
                spread(line, out);
            }
        });
    });
}

/// Adds a padded coarse row to a fine one.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn spread(line: &[f32], out: &mut [f32]) {
    for (i, pair) in out.chunks_exact_mut(2).enumerate() {
        pair[0] += 0.75 * line[i + 1] + 0.25 * line[i];
        pair[1] += 0.75 * line[i + 1] + 0.25 * line[i + 2];
    }
    // The third cell of an odd end lies beyond the last centre.
    let last = out.len() - 1;
    if last.is_multiple_of(2) {
        out[last] += line[last / 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn constants_survive_both_ways_on_odd_sizes() {
        let (fine, coarse) = (
            Shape { size: [7, 5, 6], dimension: Dimension::Three },
            Shape { size: [3, 2, 6], dimension: Dimension::Three },
        );
        let cpu = Cpu::new(2).unwrap();
        let mut down = vec![0.0; coarse.len()];
        restrict(&cpu, &vec![3.0; fine.len()], fine, &mut down, coarse);
        assert!(down.iter().all(|v| (v - 3.0f32).abs() < 1e-6));
        let mut up = vec![1.0; fine.len()];
        prolong_add(&cpu, &down, coarse, &mut up, fine);
        assert!(up.iter().all(|v| (v - 4.0f32).abs() < 1e-6));
    }

    /// What [`PreparedLaunch::reads_nearby`](crate::kernel::PreparedLaunch::reads_nearby) promises of prolongations, however
    /// workgroups are divided.
    #[test]
    fn coarse_cells_lie_near_the_share_of_the_workgroups_that_read_them() {
        for size in [[5, 7, 2], [64, 5, 9], [96, 96, 96], [75, 50, 41], [130, 90, 3], [40, 30, 1]] {
            let fine = Shape { size, dimension: Dimension::Three };
            for halve in [[true; 3], [true, true, false], [false, false, true], [true, false, true]] {
                let coarse = coarser(fine, halve);
                let ([nx, ny, nz], [cx, cy, cz]) = (fine.size, coarse.size);
                let height = tile(nx)[1];
                let rows = ny.div_ceil(height);
                let plane = (cx * cy) as f64;
                // Shares of workgroups differ from equal ones by one plane of these at most.
                let least = (NEARBY_PLANES - 1) as f64 * plane;
                for (z, y) in (0..nz).flat_map(|z| (0..ny).map(move |y| (z, y))) {
                    let [ys, zs] = [(y, ny, cy), (z, nz, cz)].map(|(at, n, c)| {
                        let (near, far, _) = neighbours(at, n, c);
                        [near.min(far), near.max(far)]
                    });
                    let first = ((zs[0] * cy + ys[0]) * cx) as f64;
                    let end = ((zs[1] * cy + ys[1] + 1) * cx) as f64;
                    let share = |row: usize| row as f64 / (rows * nz) as f64 * coarse.len() as f64;
                    let row = z * rows + y / height;
                    assert!(
                        first >= share(row) - least && end <= share(row + 1) + least,
                        "{size:?} {halve:?}: {first} to {end} of {} to {}",
                        share(row),
                        share(row + 1)
                    );
                }
            }
        }
    }

    #[test]
    fn the_mean_is_kept_on_even_sizes() {
        let (fine, coarse) = (
            Shape { size: [8, 6, 1], dimension: Dimension::Two },
            Shape { size: [4, 3, 1], dimension: Dimension::Two },
        );
        let input: Vec<f32> = (0..fine.len()).map(|i| (i as f32).cos()).collect();
        let mut down = vec![0.0; coarse.len()];
        restrict(&Cpu::new(1).unwrap(), &input, fine, &mut down, coarse);
        let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
        assert!((mean(&input) - mean(&down)).abs() < 1e-6);
    }
}
