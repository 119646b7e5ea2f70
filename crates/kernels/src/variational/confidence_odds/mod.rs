//! The odds of a confidence, `o = c / (1 − c)`, and back: their squares are averaged over neighbours in between.
//!
//! With `c = 1 / (1 + e²/h²)` ([`super::confidence`]) the odds are h²/e², what is known of a vector: where smoothness holds a field
//! together, a vector is as sure as those around it that data hold.
//! *In*: a confidence in [0, 1]. *Out*: o², at most [`MOST_ODDS`]²; and from the mean m of such squares, and the trace t of the tensor of
//! [`super::confidence`], the confidence `t / (t + τ) · √m / (1 + √m)`: 0 without data or contrast, whatever lies around. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

/// The greatest odds that count: those of an error of a hundredth of h.
pub const MOST_ODDS: f32 = 1e4;
/// The least 1 − c that odds are divided by: a confidence of 1 divides by nothing else, and [`MOST_ODDS`] bounds it long before.
const LEAST_DOUBT: f32 = 1e-30;

static SOURCE: ShaderSource = wgsl!("squared_odds", Bindings, [LINE], "squared_odds.wgsl");
static BACK: ShaderSource = wgsl!("confidence_of_odds", BackBindings, [LINE], "confidence_of_odds.wgsl");

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

bindings! {
    /// What the way back binds.
    struct BackBindings<'a> {
        block: BackBlock {
            count: u32,
            contrast: f32,
        },
        squared_odds: read f32,
        out: write f32,
        /// The tensor's diagonal.
        j_xx: read f32,
        j_yy: read f32,
        j_zz: may_read f32,
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
    /// The mean m of o².
    pub squared_odds: &'a Buffer,
    /// The trace τ at which the confidence halves because there is too little contrast; above 0.
    pub contrast: f32,
    /// The diagonal of the tensor, an entry an axis.
    pub diagonal: &'a [&'a Buffer],
    /// The confidence.
    pub out: &'a mut Buffer,
}

impl Kernel for ConfidenceOfOdds<'_> {
    const NAME: &'static str = "confidence_of_odds";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.squared_odds.len();
        lengths.count("diagonal", self.diagonal.len(), 2..=3);
        for entry in self.diagonal {
            lengths.of("diagonal", entry, n);
        }
        lengths.of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (squared, contrast) = (self.squared_odds.host(), self.contrast);
        let diagonal: Vec<&[f32]> = self.diagonal.iter().map(|entry| entry.host()).collect();
        cpu.split_samples(self.out.host_mut(), 3, |range, out| {
            for (i, out) in range.zip(out) {
                let trace = diagonal[0][i] + diagonal[1][i] + diagonal.get(2).map_or(0.0, |third| third[i]);
                let odds = squared[i].max(0.0).sqrt();
                *out = trace / (trace + contrast) * (odds / (1.0 + odds));
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (j_xx, j_yy, j_zz) = (self.diagonal[0], self.diagonal[1], self.diagonal.get(2).copied());
        let block = BackBlock { count: self.out.len(), contrast: self.contrast };
        let (squared_odds, out) = (self.squared_odds, &*self.out);
        gpu.launch_in(self.diagonal.len(), &BACK, "confidence_of_odds")
            .bind(&BackBindings { block, squared_odds, out, j_xx, j_yy, j_zz })
            .run(line(block.count, 256))
    }
}
