//! How wrong a vector may be: the square of its expected error, `e² = R + s² tr (J + α' I)⁻¹ / N`, edges².
//!
//! *Roughness* R comes from the field alone: the squared fourth difference `(1, −4, 6, −4, 1)` of every component, summed over
//! components, over 70, which is the sum of its squared weights, and averaged over the axes. Where errors are independent from
//! sample to sample R is their mean square; motion that is a cubic along the axes gives 0; motion boundaries give large values.
//! Samples lie some edges apart, because errors of a smoothed field vary over a few voxels.
//! *Variance* is that of the least-squares estimate from the data alone: s² is the squared mismatch J_tt, `tr (J + α' I)⁻¹`
//! grows as the data determine less, and N is the number of voxels whose data the smoothness pools.
//!
//! *In*: the final field in edges; the warped image there, and entries and tt of the tensor from [`super::motion_tensor`], or of
//! means of it over a window. *Out*: e², at least 0. *Where the warped image is NaN* (outside) the quality of a vector is unknown: e² is the same everywhere.
//! *Border*: the nearest fourth difference whose samples lie inside. *Halo*: two steps. An axis of fewer than five voxels has
//! no fourth difference and is left out.

#[cfg(test)]
mod parity;

use crate::bindings::{bindings, block, slots};
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::with_scratch;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

/// WGSL of the error of a voxel; it needs [`NAN`].
pub(crate) const EXPECTED_ERROR: &str = include_str!("expected_error.wgsl");
static SOURCE: ShaderSource = wgsl!("expected error", Bindings, [NAN, EXPECTED_ERROR], "each_voxel.wgsl");

block! {
    /// Numbers that [`EXPECTED_ERROR`] needs.
    pub(crate) struct ErrorBlock {
        size: vec4<u32>,
        /// Voxels from sample to sample of a fourth difference, per axis; 0 for an axis without one.
        steps: vec4<u32>,
        /// Factor of the squared differences; α'; α' over the number of components; factor of tt.
        factors: vec4<f32>,
        /// The squared error e² outside.
        outside2: f32,
    }
}

slots! {
    /// The buffers of [`EXPECTED_ERROR`].
    pub(crate) struct ErrorBuffers<'a> {
        warped_to_error: write f32,
        displacement[d_x, d_y, d_z]: read f32,
        tt: read f32,
        /// The tensor's entries 11, 12, 22, or 11, 12, 13, 22, 23, 33.
        tensor[j_0, j_1, j_2, j_3, j_4, j_5]: read f32,
    }
}

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { error: ErrorBlock, },
        buffers: group ErrorBuffers<'a>,
    }
}

/// Writes e² of every voxel.
#[derive(Debug)]
pub struct ExpectedError<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// Distance of the samples of the fourth difference, edges: rounded to voxels, at least one, and as far as the axis has room.
    pub step_edges: f32,
    /// The number α' that smoothness adds to the eigenvalues of J; above 0.
    pub determinacy: f32,
    /// The number N of voxels whose data are pooled.
    pub pooled: f32,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// The spatial entries of the tensor.
    pub tensor: &'a [Buffer],
    /// Its entry tt.
    pub tt: &'a Buffer,
    /// The error e of a vector that leads outside, edges.
    pub outside_edges: f32,
    /// The warped image on input; e², edges², afterwards.
    pub warped_to_error: &'a mut Buffer,
}

/// The sum of the squared weights of a fourth difference.
const SQUARED_WEIGHTS: f32 = 70.0;

impl ExpectedError<'_> {
    /// Voxels from sample to sample of the fourth difference along every axis; 0 for an axis that is too short or does not
    /// count.
    fn steps(&self) -> Axes<usize> {
        let wanted = self.spacing_edges.map(|s| (self.step_edges / s).round().max(1.0) as usize);
        let most = |a: usize| if a < self.shape.components() { (self.shape.size[a] - 1) / 4 } else { 0 };
        [0, 1, 2].map(|a| wanted[a].min(most(a)))
    }
    /// The numbers that [`EXPECTED_ERROR`] needs.
    pub(crate) fn block(&self) -> ErrorBlock {
        let Factors { gain, determinacy, share, per_pooled, outside2 } = self.factors();
        let factors = [gain, determinacy, share, per_pooled].into();
        ErrorBlock { size: self.shape.size.into(), steps: self.steps().into(), factors, outside2 }
    }
    /// The buffers of [`EXPECTED_ERROR`].
    pub(crate) fn buffers(&self) -> ErrorBuffers<'_> {
        let Self { displacement, tensor, tt, .. } = *self;
        ErrorBuffers { warped_to_error: self.warped_to_error, displacement, tt, tensor }
    }
    fn factors(&self) -> Factors {
        let axes = self.steps().iter().filter(|step| **step > 0).count();
        let share = self.determinacy / self.shape.components() as f32;
        Factors {
            gain: 1.0 / (SQUARED_WEIGHTS * axes.max(1) as f32),
            determinacy: self.determinacy,
            share,
            per_pooled: 1.0 / (share * self.pooled),
            outside2: self.outside_edges * self.outside_edges,
        }
    }
}

/// The factors of the terms.
#[derive(Clone, Copy)]
struct Factors {
    /// Factor of the sum of the squared fourth differences.
    gain: f32,
    /// The number α'.
    determinacy: f32,
    /// The number α' over the number of components: `tr (J + α' I)⁻¹` times it lies in 0..1.
    share: f32,
    /// Factor of the product of tt and that trace.
    per_pooled: f32,
    /// The squared error outside.
    outside2: f32,
}

impl Kernel for ExpectedError<'_> {
    const NAME: &'static str = "expected_error";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries();
        lengths.field("displacement", self.displacement, d, n).field("tensor", self.tensor, entries, n);
        lengths.of("tt", self.tt, n);
        lengths.of("warped_to_error", self.warped_to_error, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (shape, steps, factors) = (self.shape, self.steps(), self.factors());
        let [nx, ny, nz] = shape.size;
        let displacement: Vec<&[f32]> = self.displacement.iter().map(Buffer::host).collect();
        let tensor: Vec<&[f32]> = self.tensor.iter().map(Buffer::host).collect();
        cpu.split_rows([self.warped_to_error.host_mut()], nx, 8 * shape.len(), |row, [out]| {
            with_scratch(nx, |squares| {
                squares.fill(0.0);
                // Rows from one to the next along y and z.
                let across = [(row % ny, ny, 1, steps[1]), (row / ny, nz, ny, steps[2])];
                for component in &displacement {
                    let line = |row: usize| &component[row * nx..][..nx];
                    add_along_row(line(row), steps[0], squares);
                    for (at, count, stride, step) in across.into_iter().filter(|(.., step)| *step > 0) {
                        let first = row - at * stride + (centre(at, count, step) - 2 * step) * stride;
                        add_squares([0, 1, 2, 3, 4].map(|k| line(first + k * step * stride)), squares);
                    }
                }
                let entry = |c: usize| &tensor[c][row * nx..][..nx];
                let tt = &self.tt.host()[row * nx..][..nx];
                match shape.components() {
                    2 => add_variance([0, 1, 2].map(entry), [tt, squares], factors, out),
                    _ => add_variance([0, 1, 2, 3, 4, 5].map(entry), [tt, squares], factors, out),
                }
            });
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu.launch_in(self.shape.components(), &SOURCE, "expected_error")
            .bind(&Bindings { block: Block { error: self.block() }, buffers: self.buffers() })
            .run_over(self.shape.size, [64, 4])
    }
}

impl Factors {
    /// The variance from tt, the minors and the determinant of J + α' I.
    #[inline(always)]
    fn variance(self, tt: f32, minors: f32, determinant: f32) -> f32 {
        let open = if determinant > 0.0 { (self.share * minors / determinant).clamp(0.0, 1.0) } else { 1.0 };
        tt * open * self.per_pooled
    }

    /// The squared error from the warped image, the sum of squared differences and the variance.
    #[inline(always)]
    fn squared_error(self, warped: f32, squares: f32, variance: f32) -> f32 {
        if warped.is_nan() { self.outside2 } else { squares * self.gain + variance }
    }
}

/// The centre of the nearest fourth difference that lies inside.
fn centre(at: usize, count: usize, step: usize) -> usize {
    at.clamp(2 * step, count - 1 - 2 * step)
}

/// Adds the squared fourth differences along a row.
fn add_along_row(line: &[f32], step: usize, out: &mut [f32]) {
    if step == 0 {
        return;
    }
    let (border, inside) = (2 * step, line.len() - 4 * step);
    let lines = [0, 1, 2, 3, 4].map(|k| &line[k * step..][..inside]);
    for (end, i) in [(0..border, 0), (border + inside..line.len(), inside - 1)] {
        let mut square = [0.0];
        add_squares(lines.map(|line| &line[i..=i]), &mut square);
        out[end].iter_mut().for_each(|sum| *sum += square[0]);
    }
    add_squares(lines, &mut out[border..border + inside]);
}

/// Adds the squared fourth differences of five lines.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_squares([a, b, c, d, e]: [&[f32]; 5], out: &mut [f32]) {
    let n = out.len();
    let (a, b, c, d, e) = (&a[..n], &b[..n], &c[..n], &d[..n], &e[..n]);
    for i in 0..n {
        let (near, far) = (b[i] + d[i] - 2.0 * c[i], a[i] + e[i] - 2.0 * c[i]);
        let fourth = far - 4.0 * near;
        out[i] += fourth * fourth;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_variance<const E: usize>(
    tensor: [&[f32]; E],
    tt_and_squares: [&[f32]; 2],
    factors: Factors,
    out: &mut [f32],
) {
    let n = out.len();
    let j = tensor.map(|entry| &entry[..n]);
    let [tt, squares] = tt_and_squares.map(|row| &row[..n]);
    for i in 0..n {
        let mut entries = [0.0; E];
        for e in 0..E {
            entries[e] = j[e][i];
        }
        let (minors, determinant) = minors_and_determinant(entries, factors.determinacy);
        let variance = factors.variance(tt[i], minors, determinant);
        out[i] = factors.squared_error(out[i], squares[i], variance);
    }
}

/// For `J + α' I` with these entries, the sum of the principal minors of one order less, and the determinant.
#[inline(always)]
fn minors_and_determinant<const E: usize>(j: [f32; E], a: f32) -> (f32, f32) {
    if E == 3 {
        let (p, q, r) = (j[0] + a, j[1], j[2] + a);
        return (p + r, p * r - q * q);
    }
    let (p, q, r) = (j[0] + a, j[1], j[2]);
    let (s, t, u) = (j[3] + a, j[4], j[5] + a);
    let minors = s * u - t * t + p * u - r * r + p * s - q * q;
    (minors, p * (s * u - t * t) + q * (r * t - q * u) + r * (q * t - r * s))
}
