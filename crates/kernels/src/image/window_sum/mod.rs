//! Sums over windows: `out(x) = Σ in(x + k)` for every `k` with `|k_a| ≤ r_a`, a box of `2 r + 1` samples an axis.
//!
//! *In, out*: one buffer each of the shape, any unit. *Border*: the window is cut, samples outside count as 0.
//! *Halo*: r samples. *Order*: along x, then y, then z. Sums of 1, 2, 4, … neighbours are made of each other, and the window's
//! sum is made of those whose widths add up to its own, from the first sample on: `5 = 1 + 4`. The cost grows with the
//! logarithm of the width (8 additions for 3 samples an axis, 12 for 33), no error is carried along a line as in running sums,
//! and every device computes the same bits. GPUs sum short windows sample by sample, and long ones as processors do, in the
//! memory of workgroups.

pub(crate) mod cpu;
#[cfg(test)]
mod parity;

use super::convolve::run_passes;
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover, line};

static SOURCE: ShaderSource = wgsl!("window sum", Bindings, [LINE], "window_sum.wgsl");

static LONG: ShaderSource = wgsl!("long window sum", Bindings, [], "long.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Number of samples, or of lines of them.
            items: u32,
            /// Distance from a sample to the next one along the axis.
            stride: u32,
            /// Number of samples along the axis.
            length: u32,
        },
        input: read f32,
        output: write f32,
    }
}

/// Greatest half width of a window, samples.
pub const MOST_RADIUS: usize = 127;

/// Half width of a window from which on sums are made of each other in the memory of a workgroup.
const LONG_FROM: usize = 24;
/// Number of samples that the memory of a workgroup holds.
const HELD: usize = 4096;
/// Number of lines that the memory holds parts of: along x; along y and z, where lines lie side by side, for windows of up to
/// half of that length; and for longer windows.
const LINES: [usize; 3] = [2, 16, 8];
/// Most workgroups along an axis.
const MOST_GROUPS: usize = 65_535;

/// Sums the samples around each sample.
#[derive(Debug)]
pub struct WindowSum<'a> {
    /// Shape of the samples.
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
        let (shape, axes) = (self.shape, 0..self.shape.components());
        let passes: Vec<usize> = axes.filter(|&axis| self.radius[axis] > 0).collect();
        run_passes(gpu, self.input, self.output, &passes, |&axis, input, output| {
            let (radius, length) = (self.radius[axis], shape.size[axis]);
            let stride = shape.size[..axis].iter().product::<usize>();
            let launch = |source, entry, items| {
                let block = Block { items, stride, length };
                gpu.launch(source, entry).constant("RADIUS", radius).bind(&Bindings { block, input, output })
            };
            if radius < LONG_FROM {
                return launch(&SOURCE, "window_sum", shape.len()).run(line(shape.len(), 256));
            }
            let lines = shape.len() / length;
            let held = match axis {
                0 => LINES[0],
                _ if 4 * radius <= HELD / LINES[1] => LINES[1],
                _ => LINES[2],
            };
            let groups = lines.div_ceil(held);
            let rows = groups.div_ceil(MOST_GROUPS);
            launch(&LONG, "long_window", lines)
                .constant("LINES", held)
                .constant("STEP", if axis == 0 { 1 } else { held })
                .run([cover(groups, rows), cover(length, HELD / held - 2 * radius), rows as u32])
        })
    }
}
