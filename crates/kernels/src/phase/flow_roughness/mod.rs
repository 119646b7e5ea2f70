//! Lowers the confidence of a flow where it is rough: `1/c ← 1/c + R/h²`, with `h = ½` pixel.
//!
//! R is the squared fourth difference `(1, −4, 6, −4, 1)` of both components, over 70, the sum of its squared weights, averaged over the
//! axes: where errors are independent from sample to sample R is their mean square, and motion that is a cubic along the axes gives 0.
//! Samples lie four pixels apart, since errors of a median's neighbours are alike.
//! With `c = 1/(1 + e²/h²)` the squared error e² that a confidence stands for grows by R.
//!
//! *Units*: pixels. *In*: a flow after its medians; its confidence, which is changed in place. *Unknown*: an axis with an unknown sample
//! counts as an error of half a pixel; a confidence of 0 stays. *Border*: the nearest fourth difference whose samples lie inside;
//! an axis of fewer than five pixels has none and counts for nothing. *Halo*: 8 pixels.
//! *Evidence*: the tests beside this file; AUSE of `phase` in docs/confidence.md.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::NAN;
use veloxel_gpu::wgsl::vec2;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("flow roughness", Bindings, [NAN], "flow_roughness.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec2<u32>,
            /// Pixels from sample to sample along each axis; 0 for one that is too short.
            steps: vec2<u32>,
            /// Factor of an axis' squared differences, and what stands for them where a sample is unknown.
            share: f32,
            unknown2: f32,
            per_half2: f32,
        },
        flow: read f32,
        confidence: write f32,
    }
}

/// Pixels that a confidence depends on.
pub const FLOW_ROUGHNESS_PX: usize = 2 * STEP_PX;
/// Distance of the samples, pixels.
const STEP_PX: usize = 4;
/// The sum of the squared weights of a fourth difference.
const SQUARED_WEIGHTS: f32 = 70.0;
/// The error that halves a confidence, and that unknown samples count as, pixels.
const HALF_PX: f32 = 0.5;

/// Lowers confidences.
#[derive(Debug)]
pub struct FlowRoughness<'a> {
    /// Width and height `(nx, ny)`.
    pub size: [usize; 2],
    /// The flow, pixels, NaN where unknown: the plane of x, then that of y.
    pub flow: &'a Buffer,
    /// Its confidence, in [0, 1].
    pub confidence: &'a mut Buffer,
}

impl FlowRoughness<'_> {
    fn block(&self) -> Block {
        let steps = self.size.map(|count| STEP_PX.min((count - 1) / 4));
        let axes = steps.iter().filter(|&&step| step > 0).count().max(1) as f32;
        let (half2, share) = (HALF_PX * HALF_PX, 1.0 / (SQUARED_WEIGHTS * axes));
        let [size, steps] = [self.size, steps].map(Into::into);
        Block { size, steps, share, unknown2: half2 / axes, per_half2: 1.0 / half2 }
    }
}

impl Kernel for FlowRoughness<'_> {
    const NAME: &'static str = "flow_roughness";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.size[0] * self.size[1];
        lengths.of("flow", self.flow, 2 * n).of("confidence", self.confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let [nx, ny] = self.size;
        let Block { share, unknown2, per_half2, .. } = self.block();
        let steps = self.size.map(|count| STEP_PX.min((count - 1) / 4));
        let planes: [&[f32]; 2] = self.flow.host().split_at(nx * ny).into();
        cpu.split_rows([self.confidence.host_mut()], nx, 12 * nx * ny, |y, [confidence]| {
            let along = |[at, count, stride, step]: [usize; 4], here: usize| {
                if step == 0 {
                    return 0.0;
                }
                let centre = at.clamp(2 * step, count - 1 - 2 * step);
                let first = here - at * stride + (centre - 2 * step) * stride;
                let [one, other] = planes.map(|plane| fourth2(plane, first, step * stride));
                let square = one + other;
                if square.is_nan() { unknown2 } else { square * share }
            };
            for (x, sure) in confidence.iter_mut().enumerate() {
                let here = y * nx + x;
                let sum = along([x, nx, 1, steps[0]], here) + along([y, ny, nx, steps[1]], here);
                *sure /= 1.0 + sum * *sure * per_half2;
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (block, [nx, ny]) = (self.block(), self.size);
        let Self { flow, confidence, .. } = self;
        gpu.launch(&SOURCE, "flow_roughness").bind(&Bindings { block, flow, confidence }).run([
            cover(nx, 32),
            cover(ny, 4),
            1,
        ])
    }
}

/// The squared fourth difference of five samples from `first` on, `step` apart.
#[inline(always)]
fn fourth2(plane: &[f32], first: usize, step: usize) -> f32 {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| plane[first + k * step]);
    let (near, far) = (b + d - 2.0 * c, a + e - 2.0 * c);
    let fourth = far - 4.0 * near;
    fourth * fourth
}
