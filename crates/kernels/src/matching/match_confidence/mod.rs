//! How far a match may be trusted: from its agreement with its neighbours, and from how well the windows match.
//!
//! ```text
//! e² = K * (|d − K * d|² + κ (1 − max(q, 0) r))        confidence = 1 / (1 + e² / h²), 0 where q ≤ 0.02
//! ```
//!
//! with the displacement d in edges (the smallest voxel edge), its mean under a Gaussian window K, the normalised
//! cross-correlation q of the windows as they are matched, and the distinctness r. [`MatchError`] writes the bracket,
//! convolutions make e² of it, and [`MatchConfidence`] makes the confidence of e²: where the window around a voxel holds no
//! weight, the displacement becomes NaN and the confidence 0. *Border* of the window: cut. *Halo*: none; the window's radius
//! where there is a weight.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("match confidence", Bindings, [NAN], "match_confidence.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// Half width of the windows.
            radius: vec4<u32>,
            /// The factors κ and 1/h².
            factor: f32,
        },
        /// The error, or the confidence.
        out: write f32,
        quality: read f32,
        /// The distinctness, or the weight.
        share: may_read f32,
        displacement[d_x, d_y, d_z]: read f32,
        mean[mean_x, mean_y, mean_z]: read f32,
        flow[flow_x, flow_y, flow_z]: write f32,
    }
}

/// Correlation that rounding alone may leave in flat windows.
pub(crate) const LEAST_QUALITY: f32 = 0.02;

/// Writes the squared error that a displacement and its windows suggest, before it is averaged.
#[derive(Debug)]
pub struct MatchError<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// Its mean K * d, edges.
    pub mean: &'a [Buffer],
    /// The quality q.
    pub quality: &'a Buffer,
    /// The distinctness r; none for 1 everywhere.
    pub distinctness: Option<&'a Buffer>,
    /// Squared error κ per unit of mismatch, edges².
    pub per_mismatch: f32,
    /// The squared error, edges².
    pub out: &'a mut Buffer,
}

/// Makes the confidence of e².
#[derive(Debug)]
pub struct MatchConfidence<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Half width of the windows.
    pub radius: Axes<usize>,
    /// Weight of every voxel; none for 1 everywhere.
    pub weight: Option<&'a Buffer>,
    /// The quality q.
    pub quality: &'a Buffer,
    /// The error h that halves the confidence, edges.
    pub half_edges: f32,
    /// The displacement d, which becomes NaN where the window holds no weight.
    pub displacement: &'a mut [Buffer],
    /// The averaged e², edges², on input; the confidence afterwards.
    pub error_to_confidence: &'a mut Buffer,
}

impl Kernel for MatchError<'_> {
    const NAME: &'static str = "match_error";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n).field("mean", self.mean, d, n);
        lengths.of("quality", self.quality, n).optional("distinctness", self.distinctness, n);
        lengths.of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let components = self.displacement.iter().zip(self.mean);
        let components: Vec<_> = components.map(|(d, mean)| (d.host(), mean.host())).collect();
        let (quality, distinctness) = (self.quality.host(), self.distinctness.map(Buffer::host));
        cpu.split_samples(self.out.host_mut(), 6, |range, out| {
            out.fill(0.0);
            for (d, mean) in &components {
                for ((out, d), mean) in out.iter_mut().zip(&d[range.clone()]).zip(&mean[range.clone()]) {
                    *out += (d - mean) * (d - mean);
                }
            }
            for (i, out) in range.clone().zip(out.iter_mut()) {
                let share = distinctness.map_or(1.0, |distinctness| distinctness[i]);
                *out += self.per_mismatch * (1.0 - quality[i].max(0.0) * share);
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let block = Block { size: self.shape.size.into(), factor: self.per_mismatch, ..Block::default() };
        let Self { out, quality, distinctness: share, displacement, mean, .. } = self;
        gpu.launch_in(self.shape.components(), &SOURCE, "match_error")
            .constants([("DISTINCT", share.is_some()), ("MASKED", false)])
            .bind(&Bindings { block, out, quality, share, displacement, mean, flow: &[] })
            .run_over(self.shape.size, [64, 4])
    }
}

impl Kernel for MatchConfidence<'_> {
    const NAME: &'static str = "match_confidence";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.optional("weight", self.weight, n).of("quality", self.quality, n);
        lengths.field("displacement", self.displacement, d, n);
        lengths.of("error_to_confidence", self.error_to_confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (quality, weight) = (self.quality.host(), self.weight.map(Buffer::host));
        let per_half2 = 1.0 / (self.half_edges * self.half_edges);
        let components: Vec<Shared<'_>> =
            self.displacement.iter_mut().map(|c| Shared::new(c.host_mut())).collect();
        cpu.split_samples(self.error_to_confidence.host_mut(), 4, |range, out| {
            for (i, out) in range.zip(out) {
                if weight.is_some_and(|weight| !has_weight(weight, self.shape, self.radius, i)) {
                    *out = 0.0;
                    for component in &components {
                        // SAFETY: every sample belongs to one range.
                        unsafe { component.get_mut(i..i + 1) }.fill(f32::NAN);
                    }
                    continue;
                }
                let confidence = 1.0 / (1.0 + out.max(0.0) * per_half2);
                *out = if quality[i] > LEAST_QUALITY { confidence } else { 0.0 };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let per_half2 = 1.0 / (self.half_edges * self.half_edges);
        let (size, radius) = (self.shape.size.into(), self.radius.into());
        let block = Block { size, radius, factor: per_half2 };
        let Self { error_to_confidence: out, quality, weight: share, displacement: flow, .. } = self;
        gpu.launch_in(self.shape.components(), &SOURCE, "match_confidence")
            .constants([("DISTINCT", false), ("MASKED", share.is_some())])
            .bind(&Bindings { block, out, quality, share, displacement: &[], mean: &[], flow })
            .run_over(self.shape.size, [64, 4])
    }
}

/// Whether the window around a voxel holds any weight.
fn has_weight(weight: &[f32], shape: Shape, radius: Axes<usize>, i: usize) -> bool {
    let [nx, ny, nz] = shape.size;
    let at = [i % nx, i / nx % ny, i / (nx * ny)];
    let cut = |a: usize, count: usize| at[a].saturating_sub(radius[a])..(at[a] + radius[a] + 1).min(count);
    cut(2, nz).any(|z| cut(1, ny).any(|y| cut(0, nx).any(|x| weight[(z * ny + y) * nx + x] > 0.0)))
}
