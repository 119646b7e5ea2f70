//! The check of an estimate against the other image's estimate: a pixel whose path does not return to it becomes unknown.
//!
//! A pixel's match is looked up in the estimate of the other image (bilinear over what is known there); the two should cancel.
//! *Units*: pixels. *Out*: the estimate, NaN where the path there and back ends further from the pixel than the threshold or
//! where an estimate is unknown; the confidence times `1/(1 + r²)`, r that distance, 0 where unknown. *Halo*: the motion.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::gather::corner_of;
use crate::shared::rows::split_rows;
use crate::shared::{CORNER, NAN};
use veloxel_gpu::wgsl::vec2;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource =
    wgsl!("forward_backward_check", Bindings, [NAN, CORNER], "forward_backward_check.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec2<u32>,
            /// The squared threshold, pixels².
            most2: f32,
        },
        forward: read f32,
        backward: read f32,
        confidence: read f32,
        out: write f32,
        confidence_out: write f32,
    }
}

/// Two estimates of each other's images.
#[derive(Debug, Clone, Copy)]
pub enum Matches<'a> {
    /// Two planes each: the motion from the first image to the second, and the motion back.
    Flow {
        /// The motion on the first image.
        forward: &'a Buffer,
        /// The motion on the second image.
        backward: &'a Buffer,
    },
    /// Two planes of disparity, the left image's and the right image's.
    Disparity(&'a Buffer),
}

impl<'a> Matches<'a> {
    /// Number of planes of an estimate.
    fn components(self) -> usize {
        match self {
            Self::Flow { .. } => 2,
            Self::Disparity(_) => 1,
        }
    }
    fn buffers(self) -> [&'a Buffer; 2] {
        match self {
            Self::Flow { forward, backward } => [forward, backward],
            Self::Disparity(both) => [both, both],
        }
    }
}

/// Writes the estimate of the first image where the other one confirms it, and its confidence.
#[derive(Debug)]
pub struct ForwardBackwardCheck<'a> {
    /// Width and height `(nx, ny)` of both images.
    pub size: [usize; 2],
    /// The greatest distance between a pixel and the end of its path there and back, pixels.
    pub threshold_px: f32,
    /// The estimates.
    pub matches: Matches<'a>,
    /// Confidence of the estimates: one plane, or two of which the first counts.
    pub confidence: &'a Buffer,
    /// The estimate of the first image, NaN where it is not confirmed: a plane a component.
    pub out: &'a mut Buffer,
    /// Confidence of the result, one plane.
    pub confidence_out: &'a mut Buffer,
}

impl Kernel for ForwardBackwardCheck<'_> {
    const NAME: &'static str = "forward_backward_check";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.size[0] * self.size[1];
        let [forward, backward] = self.matches.buffers();
        let planes = if self.confidence.len() == 2 * n { 2 } else { 1 };
        lengths
            .of("forward", forward, 2 * n)
            .of("backward", backward, 2 * n)
            .of("confidence", self.confidence, planes * n)
            .of("out", self.out, self.matches.components() * n)
            .of("confidence_out", self.confidence_out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { size: [nx, ny], threshold_px, matches, .. } = self;
        let (n, components) = (nx * ny, matches.components());
        let [forward, backward] = matches.buffers().map(|b| b.host());
        let is_flow = matches!(matches, Matches::Flow { .. });
        let pair = Pair { size: [nx, ny], is_flow, forward, backward };
        let (confidence, most2) = (self.confidence.host(), threshold_px * threshold_px);
        let mut planes: Vec<&mut [f32]> = self.out.host_mut().chunks_exact_mut(n).collect();
        planes.push(self.confidence_out.host_mut());
        split_rows(cpu, planes, nx, 8 * n, |y, mut out| {
            for x in 0..nx {
                let here = y * nx + x;
                let square = pair.distance2(x, y);
                let returns = square < most2;
                for (c, out) in out[..components].iter_mut().enumerate() {
                    out[x] = if returns { forward[c * n + here] } else { f32::NAN };
                }
                out[components][x] = if returns { confidence[here] / (1.0 + square) } else { 0.0 };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny], [forward, backward]) = (self.size, self.matches.buffers());
        let most2 = self.threshold_px * self.threshold_px;
        let block = Block { size: [nx, ny].into(), most2 };
        let Self { confidence, out, confidence_out, .. } = self;
        gpu.launch(&SOURCE, "forward_backward_check")
            .constant("COMPONENTS", self.matches.components())
            .bind(&Bindings { block, forward, backward, confidence, out, confidence_out })
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}

/// The estimates there and back.
struct Pair<'a> {
    size: [usize; 2],
    is_flow: bool,
    forward: &'a [f32],
    backward: &'a [f32],
}

impl Pair<'_> {
    /// Squared distance from a pixel to the end of its path there and back; NaN where an estimate is unknown.
    #[inline(always)]
    fn distance2(&self, x: usize, y: usize) -> f32 {
        let Self { size: [nx, ny], is_flow, forward, backward } = *self;
        let (n, here) = (nx * ny, y * nx + x);
        let there = if is_flow { [forward[here], forward[n + here]] } else { [-forward[here], 0.0] };
        if there[0].is_nan() {
            return f32::NAN;
        }
        let [(x0, x1, wx), (y0, y1, wy)] = corner_of([x, y], there, [nx, ny]);
        let (mut sum, mut total) = ([0.0; 2], 0.0);
        let corners = [
            (y0 * nx + x0, (1.0 - wx) * (1.0 - wy)),
            (y0 * nx + x1, wx * (1.0 - wy)),
            (y1 * nx + x0, (1.0 - wx) * wy),
            (y1 * nx + x1, wx * wy),
        ];
        for (corner, weight) in corners {
            let back =
                if is_flow { [backward[corner], backward[n + corner]] } else { [backward[n + corner], 0.0] };
            if !back[0].is_nan() {
                sum = [sum[0] + weight * back[0], sum[1] + weight * back[1]];
                total += weight;
            }
        }
        if total > 0.0 {
            let rest = [there[0] + sum[0] / total, there[1] + sum[1] / total];
            rest[0] * rest[0] + rest[1] * rest[1]
        } else {
            f32::NAN
        }
    }
}
