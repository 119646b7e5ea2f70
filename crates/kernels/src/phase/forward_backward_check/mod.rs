//! The check of an estimate against the one from the other image back: what does not return is unknown.
//!
//! A pixel's match is looked up in the estimate of the other image (bilinear over what is known there); the two should cancel.
//! *Units*: pixels. *Out*: the estimate, NaN where the way there and back ends further from the pixel than the threshold or
//! where nothing is known; the confidence times `1/(1 + r²)`, r that distance, 0 where unknown. *Halo*: the motion.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{CORNER, NAN};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("forward_backward_check", &[NAN, CORNER, include_str!("forward_backward_check.wgsl")]);

/// Two estimates of each other's images.
#[derive(Debug, Clone, Copy)]
pub enum Matches<'a> {
    /// Two planes each: motion from the first image to the second, and back.
    Flow {
        /// On the first image.
        forward: &'a Buffer,
        /// On the second.
        backward: &'a Buffer,
    },
    /// Two planes of disparity, the left image's and the right image's.
    Disparity(&'a Buffer),
}

impl<'a> Matches<'a> {
    /// Planes of what is checked.
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
    /// `(nx, ny)` of both images.
    pub size: [usize; 2],
    /// The greatest distance between a pixel and the end of the way there and back.
    pub threshold_px: f32,
    /// The estimates.
    pub matches: Matches<'a>,
    /// Of the estimates: one plane, or two of which the first counts.
    pub confidence: &'a Buffer,
    /// The estimate of the first image, NaN where it is not confirmed: a plane a component.
    pub out: &'a mut Buffer,
    /// One plane.
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
        cpu::forward_backward_check(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny], [forward, backward]) = (self.size, self.matches.buffers());
        gpu.launch(&SOURCE, "forward_backward_check")
            .constant("COMPONENTS", self.matches.components())
            .uniform(Uniform::new().u(nx).u(ny).f(self.threshold_px * self.threshold_px))
            .input(forward)
            .input(backward)
            .input(self.confidence)
            .output(self.out)
            .output(self.confidence_out)
            .run([cover(nx, 32), cover(ny, 4), 1])
    }
}
