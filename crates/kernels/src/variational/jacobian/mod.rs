//! The determinant of `I + ∇d`, voxel by voxel, and its statistics.
//!
//! *In*: a planar displacement in edges. *Out*: det − 1 (exact for small changes in `f32`), and sums over the grid.
//! Derivatives are central, one-sided at the border. *Halo*: 1 voxel.

use crate::bindings::bindings;
use crate::image::convolve::cpu::pad_row;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, packed, wgsl};
use crate::shared::Pack;
use crate::shared::lanes::{LANES, Lanes, Pack as _};
use crate::shared::rows::{beside, replicated};
use crate::shared::{NAN, PACK1, PACK4, SIDES1, SIDES4, TILE_SUM};
use multiversion::multiversion;
use veloxel_core::{Axes, JacobianReport, Shape};
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, cover};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("jacobian", Bindings, [NAN, TILE_SUM, PACK1, SIDES1], "jacobian.wgsl"),
    wgsl!("jacobian", Bindings, [NAN, TILE_SUM, PACK4, SIDES4], "jacobian.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Packs per row, rows per plane, planes.
            size: vec4<u32>,
            /// The factor 1 / spacing, per axis.
            per_edge: vec4<f32>,
        },
        displacement[d_x, d_y, d_z]: read Pack,
        weight: may_read Pack,
        out: write Pack,
        sums: write f32,
    }
}
/// Number of planes that a thread marches through; neighbours in them are looked up once.
const DEPTH: usize = 16;

/// Writes det(I + ∇d) − 1 and returns the statistics of det.
///
/// Voxels whose stencil holds a NaN do not count and give NaN.
#[derive(Debug)]
pub struct Jacobian<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// Only voxels where this is above 0 count in the statistics; none if all count.
    pub weight: Option<&'a Buffer>,
    /// The determinant minus 1.
    pub out: &'a mut Buffer,
}

impl Kernel for Jacobian<'_> {
    const NAME: &'static str = "jacobian";
    type Output = Later<JacobianReport>;

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n);
        lengths.of("out", self.out, n).optional("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(by_dimension!(self.shape, jacobian(cpu, self)).report())
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let [nx, ny, nz] = self.shape.size;
        let (source, pack) = packed(&SOURCES, nx);
        // Measured: workgroups of 128 threads wait less for each other.
        let width = if nx / pack > 16 { 32 } else { 16 };
        let height = 128 / width;
        let groups = [cover(nx / pack, width), cover(ny, height), cover(nz, DEPTH)];
        let sums = gpu.device().zeros(6 * groups.iter().product::<u32>() as usize)?;
        let per_edge = self.spacing_edges.map(|s| 1.0 / s).into();
        let block = Block { size: [nx / pack, ny, nz].into(), per_edge };
        let Self { displacement, weight, out, .. } = self;
        gpu.launch_in(self.shape.components(), source, "jacobian")
            .constant("WEIGHTED", weight.is_some())
            .constants([("WIDTH", width), ("HEIGHT", height), ("DEPTH", DEPTH)])
            .bind(&Bindings { block, displacement, weight, out, sums: &sums })
            .run(groups)?;
        Ok(Later::on_device(sums, |groups| {
            let mut total = Statistics::NONE;
            for group in groups.chunks_exact(6) {
                total.sums.iter_mut().zip(group).for_each(|(t, &s)| *t += f64::from(s));
                total = total.with([group[4], group[5]]);
            }
            total.report()
        }))
    }
}

/// Sums over the voxels that count, and the extremes of det.
struct Statistics {
    /// Number of voxels, number of folded ones, Σ |det − 1|, Σ div².
    sums: [f64; 4],
    min: f32,
    max: f32,
}

impl Statistics {
    /// The statistics of no voxel.
    const NONE: Self = Self { sums: [0.0; 4], min: f32::INFINITY, max: f32::NEG_INFINITY };

    /// These statistics with further extremes.
    fn with(self, [min, max]: [f32; 2]) -> Self {
        Self { min: self.min.min(min), max: self.max.max(max), ..self }
    }

    fn report(self) -> JacobianReport {
        let [count, folded, absolute, divergence2] = self.sums;
        if count == 0.0 {
            return JacobianReport { min: 1.0, max: 1.0, ..Default::default() };
        }
        JacobianReport {
            min: self.min.into(),
            max: self.max.into(),
            share_folded: folded / count,
            mean_abs_minus_one: absolute / count,
            divergence_rms: (divergence2 / count).sqrt(),
        }
    }
}

fn jacobian<const D: usize>(cpu: &Cpu, args: Jacobian<'_>) -> Statistics {
    let Jacobian { shape, spacing_edges: spacing, displacement, weight, out } = args;
    let nx = shape.size[0];
    let shared = Shared::new(out.host_mut());
    let mut extremes = vec![[f32::INFINITY, f32::NEG_INFINITY]; shape.rows()];
    let slots = Shared::new(&mut extremes);
    let sums = cpu.sum(shape.rows(), 4 * shape.len(), |rows| {
        with_scratch((D + 1) * nx + 2 * D, |scratch| {
            let (scale_x, padded) = scratch.split_at_mut(nx);
            scale_x.fill(0.5 / spacing[0]);
            for end in [0, nx - 1] {
                scale_x[end] = if nx == 1 { 0.0 } else { 1.0 / spacing[0] };
            }
            let mut sums = [0.0; 4];
            for row in rows {
                let span = |row: usize| row * nx..(row + 1) * nx;
                let around = Around::<D>::of(shape, row, spacing, displacement);
                for (component, line) in displacement.iter().zip(padded.chunks_exact_mut(nx + 2)) {
                    pad_row(&component.host()[span(row)], 1, line);
                }
                let weight = weight.map(|w| &w.host()[span(row)]);
                // SAFETY: every row is written by one thread.
                let out = unsafe { shared.get_mut(span(row)) };
                let (add, extreme) = jacobian_row(&around, padded, scale_x, weight, out);
                sums.iter_mut().zip(add).for_each(|(s, a)| *s += f64::from(a));
                // SAFETY: one thread a row.
                let slot = unsafe { slots.get_mut(row..row + 1) };
                slot[0] = extreme;
            }
            sums
        })
    });
    extremes.into_iter().fold(Statistics { sums, ..Statistics::NONE }, Statistics::with)
}

/// The rows beside a row: for each component y − 1, y + 1, z − 1, z + 1; beyond the border the row itself.
struct Around<'a, const D: usize> {
    near: [[&'a [f32]; 4]; D],
    /// The reciprocal of the distance between them, along y and z.
    scale: [f32; 2],
}

impl<'a, const D: usize> Around<'a, D> {
    fn of(shape: Shape, row: usize, spacing: Axes<f32>, displacement: &'a [Buffer]) -> Self {
        let nx = shape.size[0];
        let mut around = Self { near: [[&[]; 4]; D], scale: [0.0; 2] };
        for axis in [1, 2] {
            let steps = beside(shape, row, axis).iter().flatten().count();
            around.scale[axis - 1] = if steps == 0 { 0.0 } else { 1.0 / (steps as f32 * spacing[axis]) };
            for (near, component) in around.near.iter_mut().zip(displacement) {
                for (near, to) in near[2 * axis - 2..].iter_mut().zip(replicated(shape, row, axis)) {
                    *near = &component.host()[to * nx..][..nx];
                }
            }
        }
        around
    }
}

/// Computes one row: det − 1, the four sums, and the extremes of det.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn jacobian_row<const D: usize>(
    around: &Around<'_, D>,
    padded: &[f32],
    scale_x: &[f32],
    weight: Option<&[f32]>,
    out: &mut [f32],
) -> ([f32; 4], [f32; 2]) {
    let n = out.len();
    let mut sums = [Lanes::splat(0.0); 4];
    let (mut min, mut max) = (Lanes::splat(f32::INFINITY), Lanes::splat(f32::NEG_INFINITY));
    for x in (0..n).step_by(LANES) {
        let zero = Lanes::splat(0.0);
        let mut g = [[zero; 3]; 3];
        for c in 0..D {
            let line = &padded[c * (n + 2)..(c + 1) * (n + 2)];
            let along = Lanes::load_or_zero(line, x + 2) - Lanes::load_or_zero(line, x);
            g[c][0] = along * Lanes::load_or_zero(scale_x, x);
            for axis in 1..D {
                let [low, high] = [around.near[c][2 * axis - 2], around.near[c][2 * axis - 1]];
                let difference = Lanes::load_or_zero(high, x) - Lanes::load_or_zero(low, x);
                g[c][axis] = difference * Lanes::splat(around.scale[axis - 1]);
            }
        }
        let change = det_minus_one(&g);
        change.store_what_fits(out, x);
        let weight = weight.map_or(Lanes::splat(1.0), |w| Lanes::load_or_zero(w, x));
        let divergence = g[0][0] + g[1][1] + g[2][2];
        let left = (n - x) as f32;
        for k in 0..LANES {
            let (change, divergence) = (change.0[k], divergence.0[k]);
            let counts = !change.is_nan() & (weight.0[k] > 0.0) & ((k as f32) < left);
            sums[0].0[k] += if counts { 1.0 } else { 0.0 };
            sums[1].0[k] += if counts & (change <= -1.0) { 1.0 } else { 0.0 };
            sums[2].0[k] += if counts { change.abs() } else { 0.0 };
            sums[3].0[k] += if counts { divergence * divergence } else { 0.0 };
            let det = 1.0 + change;
            min.0[k] = if counts & (det < min.0[k]) { det } else { min.0[k] };
            max.0[k] = if counts & (det > max.0[k]) { det } else { max.0[k] };
        }
    }
    let least = min.0.into_iter().fold(f32::INFINITY, f32::min);
    let most = max.0.into_iter().fold(f32::NEG_INFINITY, f32::max);
    (sums.map(|s| s.0.iter().sum()), [least, most])
}

/// The number det(I + g) − 1 = tr g + (sum of principal 2 × 2 minors) + det g, which has no cancellation against 1.
#[inline(always)]
fn det_minus_one(g: &[[Lanes; 3]; 3]) -> Lanes {
    let [[a, b, c], [d, e, f], [h, i, j]] = *g;
    // From left to right, as the shader. In 2-D all that holds a third axis is 0.
    let minors = a + j + e + a * e - b * d + a * j - c * h + e * j - f * i;
    minors + a * (e * j - f * i) - b * (d * j - f * h) + c * (d * i - e * h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use veloxel_core::Dimension;
    use veloxel_gpu::Device;

    #[test]
    fn a_linear_map_has_its_determinant() {
        let device = Device::cpu(2).unwrap();
        let shape = Shape { size: [21, 7, 6], dimension: Dimension::Three };
        let m = [[0.1, 0.2, 0.0], [-0.1, 0.05, 0.3], [0.0, 0.1, -0.2f32]];
        let spacing = [1.0, 2.0, 1.5];
        let field: Vec<Buffer> = m
            .iter()
            .map(|r| {
                let at = |i: usize| {
                    r[0] * (i % 21) as f32 + r[1] * 2.0 * (i / 21 % 7) as f32 + r[2] * 1.5 * (i / 147) as f32
                };
                device.upload((0..shape.len()).map(at).collect()).unwrap()
            })
            .collect();
        let mut out = device.zeros(shape.len()).unwrap();
        let kernel =
            Jacobian { shape, spacing_edges: spacing, displacement: &field, weight: None, out: &mut out };
        let report = kernel.run(&device).unwrap().get(&device).unwrap();
        let expected = det_minus_one(&m.map(|r| r.map(Lanes::splat))).0[0];
        assert!(
            (report.min - 1.0 - f64::from(expected)).abs() < 1e-5 && (report.max - report.min).abs() < 1e-5
        );
        assert_eq!(report.share_folded, 0.0);
    }
}
