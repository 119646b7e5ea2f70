//! The odds of a confidence, `o = c / (1 − c)`, and back: their squares are averaged over neighbours in between.
//!
//! With `c = 1 / (1 + e²/h²)` ([`super::confidence`]) the odds are h²/e², what is known of a vector: where smoothness holds a field
//! together, a vector is as sure as those around it that data hold.
//! *In*: a confidence in [0, 1]. *Out*: o², at most [`MOST_ODDS`]²; and from the mean of such squares the confidence √o² / (1 + √o²), 0 where it
//! was 0, as without data or contrast. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

/// More is as good: an error of a hundredth of h.
pub const MOST_ODDS: f32 = 1e4;
/// So that nothing is divided by 0; far below what [`MOST_ODDS`] leaves.
const LEAST_DOUBT: f32 = 1e-30;

static SOURCE: ShaderSource = wgsl!("confidence_odds", Bindings, [LINE], "confidence_odds.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            count: u32,
            most: f32,
            least_doubt: f32,
        },
        input: read f32,
        out: write f32,
    }
}

/// The squared odds of a confidence.
#[derive(Debug)]
pub struct SquaredOdds<'a> {
    /// The confidence c.
    pub confidence: &'a Buffer,
    /// o².
    pub out: &'a mut Buffer,
}

impl Kernel for SquaredOdds<'_> {
    const NAME: &'static str = "squared_odds";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.confidence.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let confidence = self.confidence.host();
        cpu.split_samples(self.out.host_mut(), 2, |range, out| {
            for (out, c) in out.iter_mut().zip(&confidence[range]) {
                let odds = (c / (1.0 - c).max(LEAST_DOUBT)).min(MOST_ODDS);
                *out = odds * odds;
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let block = Block { count: self.out.len(), most: MOST_ODDS, least_doubt: LEAST_DOUBT };
        gpu.launch(&SOURCE, "squared_odds")
            .bind(&Bindings { block, input: self.confidence, out: self.out })
            .run(line(block.count, 256))
    }
}

/// The confidence of squared odds.
#[derive(Debug)]
pub struct ConfidenceOfOdds<'a> {
    /// The mean of o².
    pub squared_odds: &'a Buffer,
    /// What it was, and becomes; 0 stays.
    pub confidence: &'a mut Buffer,
}

impl Kernel for ConfidenceOfOdds<'_> {
    const NAME: &'static str = "confidence_of_odds";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("confidence", self.confidence, self.squared_odds.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let squared = self.squared_odds.host();
        cpu.split_samples(self.confidence.host_mut(), 2, |range, confidence| {
            for (c, squared) in confidence.iter_mut().zip(&squared[range]) {
                let odds = squared.max(0.0).sqrt();
                *c = if *c > 0.0 { odds / (1.0 + odds) } else { 0.0 };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let block = Block { count: self.confidence.len(), most: MOST_ODDS, least_doubt: LEAST_DOUBT };
        gpu.launch(&SOURCE, "confidence_of_odds")
            .bind(&Bindings { block, input: self.squared_odds, out: self.confidence })
            .run(line(block.count, 256))
    }
}
