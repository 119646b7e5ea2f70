//! Fixed-point numbers: samples are rounded to a step and clamped to the largest number.
//!
//! *Units*: the samples'. NaN stays. Halves go up. A step that is a power of two rounds exactly. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, NAN};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("quantise", Bindings, [LINE, NAN], "quantise.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, step: f32, per_step: f32, most: f32, },
        samples: write f32,
    }
}

/// A fixed-point format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedPoint {
    /// Value of the last bit.
    pub step: f32,
    /// The largest number; the least one is its negative.
    pub most: f32,
}

impl FixedPoint {
    /// The number of the format that is next to `number`; NaN stays.
    #[inline(always)]
    pub(crate) fn rounded(self, number: f32) -> f32 {
        let whole = (number * (1.0 / self.step) + 0.5).floor() * self.step;
        let whole = if whole > self.most { self.most } else { whole };
        if whole < -self.most { -self.most } else { whole }
    }
}

/// Rounds samples in place.
#[derive(Debug)]
pub struct Quantise<'a> {
    /// The format.
    pub form: FixedPoint,
    /// The samples, rounded in place.
    pub samples: &'a mut Buffer,
}

impl Kernel for Quantise<'_> {
    const NAME: &'static str = "quantise";
    type Output = ();

    fn check(&self, _: &mut Lengths) {}
    fn on_cpu(self, cpu: &Cpu) {
        cpu.split_samples(self.samples.host_mut(), 1, |_, part| {
            part.iter_mut().filter(|sample| !sample.is_nan()).for_each(|s| *s = self.form.rounded(*s));
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (n, FixedPoint { step, most }) = (self.samples.len(), self.form);
        let block = Block { count: n, step, per_step: 1.0 / step, most };
        gpu.launch(&SOURCE, "quantise").bind(&Bindings { block, samples: self.samples }).run(line(n, 256))
    }
}
