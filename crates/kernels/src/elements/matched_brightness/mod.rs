//! The image and the weights against which a squared difference is that of normalised cross-correlation.
//!
//! ```text
//! E(u) = min over a, b of Σ w² (a M(X + u) + b − F)² = (1 − ρ²) Σ w² (F − F̄)²
//! a = cov(F, M) / var(M) within [1/8, 8]        b = F̄ − a M̄        F' = (F − b) / a        w' = a w
//! ```
//!
//! so that the residual is `w' (M − F')`. At the best a and b the energy does not change with them: the gradient of the squared
//! difference from F' is that of E, and its Gauss-Newton matrix that of the residual with a and b held. The bounds of a keep
//! images without anything in common from being scaled to 0, and refuse a negative image. *In*: F and w; the residual `g (M −
//! F)` of the set on trial, without weights ([`super::residual`]); pixels where it is 0 are left out of the means. *Out*: F'
//! and w' of every active problem; partial sums, five for each workgroup. Intensities from 0 to 1.

use super::gpu_block::{self, ELEMENTS, Lattice, Tables};
use super::lattice::Elements;
use super::projection::Problems;
use super::state::{STATE, States};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, SUM};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static SOURCE: ShaderSource =
    wgsl!("matched_brightness", Bindings, [LINE, SUM, ELEMENTS], "matched_brightness.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            lattice: Lattice,
            /// The inverse of the residual's gain; the least gain and the greatest; the middle of the range.
            numbers: vec4<f32>,
        },
        tables: group Tables<'a>,
        fixed: read f32,
        residuals: read f32,
        weight: may_read f32,
        sums: write f32,
        matched: may_write f32,
        matched_weight: may_write f32,
    }
}

/// Number of sums that gain and offset follow from.
pub const SUMS: usize = 5;
/// The least gain and the greatest.
const GAINS: [f32; 2] = [0.125, 8.0];
/// Middle of the range of intensities: sums of squares around it lose less to rounding.
const MIDDLE: f32 = 0.5;

/// Number of partial sums of all problems.
pub fn sums_len(elements: &Elements) -> usize {
    elements.problems * SUMS * reduction_groups(elements.shape.len())
}

/// Matches the fixed image to the moving one under the displacement on trial.
#[derive(Debug)]
pub struct MatchedBrightness<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The fixed image F: all problems' pixels.
    pub fixed: &'a Buffer,
    /// The weights w of all problems' pixels; none for 1 everywhere.
    pub weight: Option<&'a Buffer>,
    /// The residual `g (M − F)`: two sets.
    pub residual: &'a Buffer,
    /// The gain g.
    pub gain: f32,
    /// A work buffer of [`sums_len`].
    pub sums: &'a mut Buffer,
    /// The matched image F'.
    pub matched: &'a mut Buffer,
    /// The matched weights w'.
    pub matched_weight: &'a mut Buffer,
}

impl Kernel for MatchedBrightness<'_> {
    const NAME: &'static str = "matched_brightness";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.elements.pixels();
        lengths.of("state", self.state, STATE * self.elements.problems).of("fixed", self.fixed, n);
        lengths.optional("weight", self.weight, n).of("residual", self.residual, 2 * n);
        lengths.of("sums", self.sums, sums_len(self.elements));
        lengths.of("matched", self.matched, n).of("matched weight", self.matched_weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (n, problems) = (self.elements.shape.len(), self.elements.problems);
        let state = States(self.state.host());
        let takes = |problem: usize| state.is_active(problem);
        let (fixed, residual, per_gain) = (self.fixed.host(), self.residual.host(), 1.0 / self.gain);
        let weight = self.weight.map(|weight| weight.host());
        let squared = |i: usize| weight.map_or(1.0, |weight| weight[i] * weight[i]);
        let groups = reduction_groups(n);
        let sums = self.sums.host_mut();
        for (which, sums) in sums.chunks_exact_mut(problems * groups).enumerate() {
            let value = |problem: usize, i: usize| {
                let f = fixed[problem * n + i] - MIDDLE;
                let r = residual[state.trial(problem) * n + i];
                let m = f + per_gain * r;
                let p = if r == 0.0 { 0.0 } else { squared(problem * n + i) };
                [p, p * f, p * m, (p * m) * m, (p * m) * f][which]
            };
            Problems { cpu, elements: self.elements, takes: &takes }.partial_sums(n, value, sums);
        }
        let (nx, sums) = (self.elements.shape.size[0], &*sums);
        for problem in (0..problems).filter(|&problem| takes(problem)) {
            let total = |which: usize| {
                let begin = (which * problems + problem) * groups;
                sums[begin..begin + groups].iter().fold(0.0, |sum, part| sum + part)
            };
            let (gain, offset) = best(std::array::from_fn(total));
            let per_best = 1.0 / gain;
            let out = [&mut *self.matched, self.matched_weight];
            let out = out.map(|out| &mut out.host_mut()[problem * n..(problem + 1) * n]);
            cpu.split_rows(out, nx, 4 * n, |row, [matched, weights]| {
                for ((i, matched), out) in (problem * n + row * nx..).zip(matched).zip(weights) {
                    *matched = MIDDLE + per_best * (fixed[i] - MIDDLE - offset);
                    *out = gain * weight.map_or(1.0, |weight| weight[i]);
                }
            });
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let e = self.elements;
        let launch =
            |entry| gpu_block::launch(gpu, &SOURCE, entry, e).constant("WEIGHTED", self.weight.is_some());
        let sums = Bindings {
            block: Block {
                lattice: Lattice::without_smoothness(e),
                numbers: [1.0 / self.gain, GAINS[0], GAINS[1], MIDDLE].into(),
            },
            tables: Tables::of(e, self.state),
            fixed: self.fixed,
            residuals: self.residual,
            weight: self.weight,
            sums: self.sums,
            matched: None,
            matched_weight: None,
        };
        let groups = gpu_block::groups(e, e.shape.len());
        launch("brightness_sums").bind(&sums).run(groups)?;
        let (matched, matched_weight) = (Some(&*self.matched), Some(&*self.matched_weight));
        launch("match_brightness").bind(&Bindings { matched, matched_weight, ..sums }).run(groups)
    }
}

/// Gain and offset with the least residual, about the middle of the range.
fn best([count, f, m, mm, mf]: [f32; SUMS]) -> (f32, f32) {
    if count <= 0.0 {
        return (1.0, 0.0);
    }
    let per_count = 1.0 / count;
    let (mean_f, mean_m) = (per_count * f, per_count * m);
    let variance = per_count * mm - mean_m * mean_m;
    let covariance = per_count * mf - mean_m * mean_f;
    let gain = if variance > 0.0 { (covariance / variance).clamp(GAINS[0], GAINS[1]) } else { 1.0 };
    (gain, mean_f - gain * mean_m)
}
