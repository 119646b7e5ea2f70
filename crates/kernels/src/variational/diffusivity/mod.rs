//! Relative smoothness weight of each voxel: `ψ = exp(−κ |∇f|) / √(|∇d|² / ε² + 1)` or either factor alone.
//!
//! The penaliser is Charbonnier's on the total displacement, lagged and scaled to 1 for smooth fields; the exponential
//! lets motion break where the fixed image does (Alvarez et al. 1999).
//! `|∇d|²` is the mean of the squared forward and backward differences, summed over axes and components: symmetric
//! under flips. *Units*: displacements in edges, ε edges per edge, κ edges per intensity. *Border*: natural. *Halo*: 1 (2).

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, packed};
use crate::shared::{EXPONENTIAL, PACK1, PACK4, SIDES1, SIDES4};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover, tile};

const BODY: &str = include_str!("diffusivity.wgsl");
static SOURCES: [ShaderSource; 2] = [
    ShaderSource::wgsl("diffusivity", &[PACK1, SIDES1, EXPONENTIAL, BODY, include_str!("slope1.wgsl")]),
    ShaderSource::wgsl("diffusivity", &[PACK4, SIDES4, EXPONENTIAL, BODY, include_str!("slope4.wgsl")]),
];

/// Planes that a GPU thread marches through; neighbours in them are looked up once.
const DEPTH: usize = 16;

/// An image at whose edges motion may break.
#[derive(Debug, Clone, Copy)]
pub struct ImageEdges<'a> {
    /// κ, edges per intensity.
    pub kappa: f32,
    /// f.
    pub image: &'a Buffer,
}

/// Writes ψ for the displacement `base + increment`.
#[derive(Debug)]
pub struct Diffusivity<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// ε of the Charbonnier penaliser; none for quadratic smoothness.
    pub epsilon: Option<f32>,
    /// The image whose edges motion may follow; none for smoothness across them.
    pub edges: Option<ImageEdges<'a>>,
    /// The displacement so far, edges.
    pub base: &'a [Buffer],
    /// The present increment, edges.
    pub increment: &'a [Buffer],
    /// ψ.
    pub out: &'a mut Buffer,
}

impl Kernel for Diffusivity<'_> {
    const NAME: &'static str = "diffusivity";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("base", self.base, d, n).field("increment", self.increment, d, n);
        lengths.of("out", self.out, n).optional("image", self.edges.map(|edges| edges.image), n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::diffusivity(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [nx, ny, nz] = self.shape.size;
        let (source, pack) = packed(&SOURCES, nx);
        let [width, height] = tile(nx / pack);
        let share = |s: f32| self.epsilon.map_or(0.0, |epsilon| 0.5 / (s * epsilon).powi(2));
        let [share_x, share_y, share_z] = self.spacing_edges.map(share);
        let [sx, sy, sz] = self.spacing_edges.map(|s| 1.0 / s);
        let kappa = self.edges.map_or(0.0, |edges| edges.kappa);
        let uniform = Uniform::new().u4([nx / pack, ny, nz]).f4([share_x, share_y, share_z, 1.0 / 12.0]);
        gpu.launch(source, "diffusivity")
            .constant("COMPONENTS", self.shape.components())
            .constant("ROBUST", self.epsilon.is_some())
            .constant("EDGES", self.edges.is_some())
            .constant("WIDTH", width)
            .constant("HEIGHT", height)
            .constant("DEPTH", DEPTH)
            .uniform(uniform.f4([sx, sy, sz, kappa]))
            .inputs(self.base, 3)
            .inputs(self.increment, 3)
            .optional(self.edges.map(|edges| edges.image))
            .output(self.out)
            .run([cover(nx / pack, width), cover(ny, height), cover(nz, DEPTH)])
    }
}
