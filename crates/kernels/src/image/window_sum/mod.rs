//! Sums over windows: `out(x) = Σ in(x + k)` for every `k` with `|k_a| ≤ r_a`, a box of `2 r + 1` samples an axis.
//!
//! *In, out*: one buffer each of the shape, any unit. *Border*: the window is cut, what lies outside counts nothing.
//! *Halo*: r samples. *Order*: along x, then y, then z.
//! Sums of 1, 2, 4, … neighbours are made of each other, and the window of those that its width is a sum of, from the first
//! sample on: `5 = 1 + 4`. The cost grows with the logarithm of the width (8 additions for 3 samples an axis, 12 for 33), no
//! error is carried along a line as in running sums, and every device finds the same bits.
//! GPUs find short windows sample by sample, long ones as processors do, in the memory of workgroups.

pub(crate) mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// Half a window at most, samples.
pub const MOST_RADIUS: usize = 127;

/// Sums the samples around each.
#[derive(Debug)]
pub struct WindowSum<'a> {
    /// Of the samples.
    pub shape: Shape,
    /// Half the window along each axis, at most [`MOST_RADIUS`]; in 2-D the third one is not used.
    pub radius: Axes<usize>,
    /// The samples.
    pub input: &'a Buffer,
    /// The sums.
    pub output: &'a mut Buffer,
}

impl Kernel for WindowSum<'_> {
    const NAME: &'static str = "window_sum";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.of("input", self.input, n).of("output", self.output, n);
        for radius in self.radius {
            lengths.count("radius", radius, 0..=MOST_RADIUS);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::window_sum(cpu, self.shape, self.radius, self.input.host(), self.output.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::window_sum(gpu, self)
    }
}
