//! Confidence-weighted bilateral mean of a field: every vector becomes the mean of the vectors around it that are near, are
//! certain, and look alike in a guiding image.
//!
//! ```text
//! d'(x) = Σ_y g(y) (c(y) + ε) d(y) / Σ_y g(y) (c(y) + ε)        g(y) = exp(−|x − y|²/2σ² − (I(x) − I(y))²/2τ²)
//! s(x)  = Σ_y g(y) c(y) / Σ_y g(y)                              the support: the mean confidence around x
//! ```
//!
//! *Paper*: the future work of "GPU-accelerated optical flow and face clustering", GPGPU 2011, section 6.1; the kernel is
//! that of C. Tomasi, R. Manduchi, "Bilateral filtering for gray and color images", ICCV 1998.
//! *Unknown vectors* (NaN) add only their g to the support. Where the support of an unknown vector is at least `fill_from`, and
//! its own weight is above 0, it becomes known, with the confidence `fill_share · s`. A known vector keeps its confidence, which
//! weighs as 0 where it is below 0, as a correlation may be.
//! *Window*: `2 r + 1` voxels an axis, cut at the border. *Units*: the field's; the guide's for τ. *Halo*: r.

mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{EXPONENTIAL, NAN};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("bilateral field", Bindings, [NAN, EXPONENTIAL], "bilateral_field.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            radius: vec4<u32>,
            /// The exponents −1/2σ² and −1/2τ², the support that fills, and the confidence over it.
            factors: vec4<f32>,
        },
        field[field_x, field_y, field_z]: read f32,
        confidence: read f32,
        guide: read f32,
        weight: may_read f32,
        out[out_x, out_y, out_z]: write f32,
        out_confidence: write f32,
    }
}

/// The number ε, which every vector has as weight besides its confidence.
pub(crate) const LEAST_CONFIDENCE: f32 = 1e-3;

/// The window and what is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bilateral {
    /// Radius r, voxels.
    pub radius: usize,
    /// Spatial standard deviation σ, voxels.
    pub sigma_vox: f32,
    /// Standard deviation τ of the guide's values, units of the guide.
    pub sigma_guide: f32,
    /// Support from which on an unknown vector is filled.
    pub fill_from: f32,
    /// Confidence of a filled vector over its support.
    pub fill_share: f32,
}

impl Bilateral {
    /// The exponents −1/2σ² and −1/2τ².
    fn exponents(&self) -> [f32; 2] {
        [self.sigma_vox, self.sigma_guide].map(|sigma| -0.5 / (sigma * sigma))
    }

    /// The radius r along axes of more than one voxel, 0 along others.
    fn radii(&self, shape: Shape) -> Axes<usize> {
        [0, 1, 2].map(|a| if shape.size[a] > 1 { self.radius } else { 0 })
    }
}

/// Refines a field.
#[derive(Debug)]
pub struct BilateralField<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// The window.
    pub window: Bilateral,
    /// The field; NaN where unknown.
    pub field: &'a [Buffer],
    /// The confidence c, at most 1.
    pub confidence: &'a Buffer,
    /// The guiding image I.
    pub guide: &'a Buffer,
    /// Vectors may be filled where this is above 0; none for everywhere.
    pub weight: Option<&'a Buffer>,
    /// The refined field.
    pub out: &'a mut [Buffer],
    /// Confidence of the refined field.
    pub out_confidence: &'a mut Buffer,
}

impl Kernel for BilateralField<'_> {
    const NAME: &'static str = "bilateral_field";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("field", self.field, d, n).of("confidence", self.confidence, n);
        lengths.of("guide", self.guide, n).optional("weight", self.weight, n);
        lengths.field("out", self.out, d, n).of("out_confidence", self.out_confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::bilateral_field(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let ([nx, ny, nz], window) = (self.shape.size, self.window);
        let [near, alike] = window.exponents();
        let block = Block {
            size: self.shape.size.into(),
            radius: window.radii(self.shape).into(),
            factors: [near, alike, window.fill_from, window.fill_share].into(),
        };
        let Self { field, confidence, guide, weight, out, out_confidence, .. } = self;
        gpu.launch(&SOURCE, "bilateral_field")
            .constant("COMPONENTS", self.shape.components())
            .constant("MASKED", weight.is_some())
            .bind(&Bindings { block, field, confidence, guide, weight, out, out_confidence })
            .run([cover(nx, 32), cover(ny, 8), nz as u32])
    }
}
