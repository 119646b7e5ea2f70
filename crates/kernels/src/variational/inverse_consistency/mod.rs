//! The confidence of a flow, lowered where the path there and back does not end where it began.
//!
//! *In*: the residual r of the composed flows, voxels; a confidence. *Out*, in place: `c ← c / (1 + |r|² / h²)`, 0 where r is
//! unknown; and Σ |r| with the number of voxels where it is known. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::group_sums::group_totals;
use crate::shared::{LINE, NAN, SUM};
use multiversion::multiversion;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource};

static SOURCE: ShaderSource =
    wgsl!("inverse consistency", Bindings, [LINE, NAN, SUM], "inverse_consistency.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, per_half2: f32, },
        residual[residual_x, residual_y, residual_z]: read f32,
        confidence: write f32,
    } -> sums: f32
}

/// Lowers the confidence by the residual; returns Σ |r| and the number of voxels where r is known.
#[derive(Debug)]
pub struct WeighByResidual<'a> {
    /// The residual r, voxels.
    pub residual: &'a [Buffer],
    /// The length h of r at which the confidence halves, voxels.
    pub half_vox: f32,
    /// The confidence c, lowered in place.
    pub confidence: &'a mut Buffer,
}

impl Kernel for WeighByResidual<'_> {
    const NAME: &'static str = "weigh_by_residual";
    type Output = Later<(f64, f64)>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.field("residual", self.residual, self.residual.len(), self.confidence.len());
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        let Self { residual, half_vox, confidence } = self;
        let (n, per_half2) = (confidence.len(), 1.0 / (half_vox * half_vox));
        let residual: Vec<&[f32]> = residual.iter().map(Buffer::host).collect();
        let out = Shared::new(confidence.host_mut());
        let sums = group_totals(cpu, n, 4, |items, sums| {
            // SAFETY: ranges are disjoint.
            let out = unsafe { out.get_mut(items.clone()) };
            let part = |c: usize| &residual[c][items.clone()];
            match residual.len() {
                2 => weigh([0, 1].map(part), per_half2, sums, out),
                _ => weigh([0, 1, 2].map(part), per_half2, sums, out),
            }
        });
        Later::known(<[f64; 2]>::into(sums))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let n = self.confidence.len();
        let block = Block { count: n, per_half2: 1.0 / (self.half_vox * self.half_vox) };
        let Self { residual, confidence, .. } = self;
        gpu.launch_in(residual.len(), &SOURCE, "weigh_by_residual")
            .bind(&Bindings { block, residual, confidence })
            .sums(n, <(f64, f64)>::from)
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weigh<const D: usize>(
    residual: [&[f32]; D],
    per_half2: f32,
    [sums, counts]: [&mut [f32]; 2],
    out: &mut [f32],
) {
    let n = out.len();
    let (residual, sums, counts) = (residual.map(|r| &r[..n]), &mut sums[..n], &mut counts[..n]);
    for i in 0..n {
        let mut length2 = residual[0][i] * residual[0][i];
        for r in &residual[1..] {
            length2 += r[i] * r[i];
        }
        let known = !length2.is_nan();
        out[i] = if known { out[i] / (1.0 + length2 * per_half2) } else { 0.0 };
        sums[i] += if known { length2.sqrt() } else { 0.0 };
        counts[i] += if known { 1.0 } else { 0.0 };
    }
}
