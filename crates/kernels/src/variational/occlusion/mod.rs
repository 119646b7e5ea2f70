//! How likely a pixel is seen in both images: `o = exp(−min(div d, 0)² / 2σ_d² − I_t² / 2σ_i²)`.
//!
//! (Sun, Roth, Black 2010, after Sand & Teller 2008.) Pixels that others move onto, or whose intensity is not found again,
//! get little weight in the weighted median. *In*: displacement in edges, fixed and warped image. *Out*: [0, 1].
//! *Outside* (warped is NaN): [`OUTSIDE`]. *Border*: one-sided differences. *Halo*: 1 voxel.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{EXPONENTIAL, NAN};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("occlusion", &[NAN, EXPONENTIAL, include_str!("occlusion.wgsl")]);

/// Visibility of a pixel that is not in the moving image at all.
pub const OUTSIDE: f32 = 0.05;

/// Divergence and difference of intensity at which a pixel counts as hidden.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// σ_d, edges per edge.
    pub divergence: f32,
    /// σ_i, mapped intensities.
    pub intensity: f32,
}

/// Writes the visibility of every voxel.
#[derive(Debug)]
pub struct Visibility<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// σ_d and σ_i.
    pub scales: Scales,
    /// d, edges.
    pub displacement: &'a [Buffer],
    /// The fixed image.
    pub fixed: &'a Buffer,
    /// The moving image seen from the fixed grid, NaN outside.
    pub warped: &'a Buffer,
    /// o.
    pub out: &'a mut Buffer,
}

impl Kernel for Visibility<'_> {
    const NAME: &'static str = "visibility";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n).of("fixed", self.fixed, n);
        lengths.of("warped", self.warped, n).of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::visibility(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (shape, [nx, ny, nz]) = (self.shape, self.shape.size);
        let Scales { divergence, intensity } = self.scales;
        let scales = [0.5 / divergence.powi(2), 0.5 / intensity.powi(2), OUTSIDE];
        gpu.launch(&SOURCE, "visibility")
            .constant("COMPONENTS", shape.components())
            .uniform(Uniform::new().u4(shape.size).f4(self.spacing_edges.map(|s| 1.0 / s)).f4(scales))
            .inputs(self.displacement, 3)
            .input(self.fixed)
            .input(self.warped)
            .output(self.out)
            .run([cover(nx, 64), cover(ny, 4), nz as u32])
    }
}
