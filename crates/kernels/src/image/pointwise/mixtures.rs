//! Mixtures of two buffers, by one share or by a share of each voxel.

use super::{Bindings, Block, SOURCE};
use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_gpu::{Buffer, ComputeError, Cpu, line};

/// Mixes two buffers: `out ← out + share · (with − out)`; where one of them is unknown (NaN) the other one is taken.
#[derive(Debug)]
pub struct Mix<'a> {
    /// The other samples, as many as `out` has.
    pub with: &'a Buffer,
    /// Share of `with`: 0 leaves `out` as it is.
    pub share: f32,
    /// The samples that are mixed in place.
    pub out: &'a mut Buffer,
}

impl Kernel for Mix<'_> {
    const NAME: &'static str = "mix";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.with.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (share, with) = (self.share, self.with.host());
        cpu.split_samples(self.out.host_mut(), 1, |range, out| {
            for (o, &w) in out.iter_mut().zip(&with[range]) {
                let mixed = *o + share * (w - *o);
                let known = if o.is_nan() { w } else { mixed };
                *o = if w.is_nan() { *o } else { known };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        let block = Block { count: n, a: self.share, b: 0.0 };
        gpu.launch(&SOURCE, "mix_samples")
            .bind(&Bindings::of_samples(block, self.out, self.with))
            .run(line(n, 256))
    }
}

/// Samples that are left together where their whole change stays.
const PART: usize = 256;

/// Takes a change back in part: `out ← out + (1 − kept) · (with − out)`, voxel by voxel; a share of 1 leaves `out` bit by bit.
#[derive(Debug)]
pub struct MixByVoxel<'a> {
    /// The samples before the change, as many as `out` has.
    pub with: &'a Buffer,
    /// The share of the change that stays at each voxel.
    pub kept: &'a Buffer,
    /// The samples after it, which are mixed in place.
    pub out: &'a mut Buffer,
}

impl Kernel for MixByVoxel<'_> {
    const NAME: &'static str = "mix_by_voxel";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.with.len()).of("kept", self.kept, self.with.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (with, kept) = (self.with.host(), self.kept.host());
        cpu.split_samples(self.out.host_mut(), 1, |range, out| {
            let before = with[range.clone()].chunks(PART);
            for ((out, with), kept) in out.chunks_mut(PART).zip(before).zip(kept[range].chunks(PART)) {
                if kept.iter().fold(false, |any, share| any | (*share != 1.0)) {
                    for ((o, &w), &kept) in out.iter_mut().zip(with).zip(kept) {
                        *o = if kept == 1.0 { *o } else { *o + (1.0 - kept) * (w - *o) };
                    }
                }
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        let block = Block { count: n, ..Block::default() };
        let samples = Bindings::of_samples(block, self.out, self.with);
        gpu.launch(&SOURCE, "mix_by_voxel")
            .bind(&Bindings { shares: Some(self.kept), ..samples })
            .run(line(n, 256))
    }
}
