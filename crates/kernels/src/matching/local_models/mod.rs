//! Motion that is affine near every node, fitted to the matches around it; and the dense field of these models.
//!
//! *Paper*: after Y. Hu, Y. Li, R. Song, "Robust interpolation of correspondences for large displacement optical flow", CVPR
//! 2017, doi:10.1109/CVPR.2017.509: models travel between neighbours, and each node keeps the one that fits its matches best.
//!
//! *Energy* of a model M at node p: `Σ_q w_q |r_q|² / (|r_q|² + τ²)`, `r_q = M(x_q) − d_q` over the (2·[`reach`]+1)ᴰ nodes q
//! around; `w_q = c_q exp(−(I_q − I_p)² / 2σ²)`: matches across an edge of the image count little.
//! *Candidates*: the models of the guess at the 3ᴰ nodes around (of the next coarser grid, or of this one), and the guess here
//! moved so that it agrees with each match around; a candidate from farther away or across an edge costs a little more, so that
//! nodes without matches take the most similar neighbour's model. *Then* `REFITS` steps of reweighted least squares with the
//! ridge `RIDGE` towards the best.
//!
//! *Models* are planes of one buffer: for every component the value at the node's position, then the slopes.
//! *Nodes*: as [`super::match_nodes`] has them. *Border*: cut. *Halo*: [`reach`] nodes.

mod cpu;
#[cfg(test)]
mod parity;

use super::match_nodes::{cells, planes};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::EXPONENTIAL;
use veloxel_core::Shape;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover, line};

static FIT: ShaderSource = wgsl!(
    "local models",
    FitBindings,
    [EXPONENTIAL, include_str!("model.wgsl"), include_str!("solve.wgsl")],
    "local_models.wgsl"
);
static FIELD: ShaderSource =
    wgsl!("model field", FieldBindings, [EXPONENTIAL, include_str!("model.wgsl")], "model_field.wgsl");

bindings! {
    /// What a launch of [`LocalModels`] binds.
    struct FitBindings<'a> {
        block: FitBlock {
            size: vec4<u32>,
            guess: vec4<u32>,
            /// The scales τ², 1/2σ² and 1/window.
            scales: vec4<f32>,
            /// The ridge, and the costs `FAR` and `STEP`.
            costs: vec4<f32>,
        },
        nodes: read f32,
        guess_nodes: read f32,
        guess_models: read f32,
        out: write f32,
    }
}

bindings! {
    /// What a launch of [`ModelField`] binds.
    struct FieldBindings<'a> {
        block: FieldBlock {
            /// Voxels along x, y, z; voxels of a cell along each axis (w).
            size: vec4<u32>,
            cells: vec4<u32>,
            /// The scales 1/2σ² and 1/width, half a cell, and `SPREAD`.
            scales: vec4<f32>,
            least_weight: f32,
        },
        image: read f32,
        nodes: read f32,
        models: read f32,
        kept[kept_x, kept_y, kept_z]: read f32,
        kept_weight: may_read f32,
        out[out_x, out_y, out_z]: write f32,
    }
}
/// Number of nodes of a picture up to which each node has many threads, and up to which it has a few: more nodes keep an H200
/// busy with one thread each.
const FEW: usize = 1 << 11;
const SOME: usize = 1 << 17;
/// Number of threads of such a node, and of a workgroup.
const LANES: [usize; 2] = [32, 4];
const THREADS: usize = 64;

/// Half width of the window of nodes that a model is fitted to: 25 nodes in the plane, 27 in space.
pub const fn reach(components: usize) -> usize {
    if components == 2 { 2 } else { 1 }
}

/// Number of steps of reweighted least squares.
pub(crate) const REFITS: usize = 2;
/// Weight of the guess against a match, in the fit.
pub(crate) const RIDGE: f32 = 0.5;
/// Cost of a candidate for its distance, relative to the cost of a match that it misses.
pub(crate) const FAR: f32 = 0.01;
/// Weight of one node of distance, relative to σ² / 2 of intensity.
pub(crate) const STEP: f32 = 0.3;
/// Weight of one node of distance in the dense field.
pub(crate) const SPREAD: f32 = 0.7;
/// Least weight of a node in the dense field.
pub(crate) const LEAST_WEIGHT: f32 = 1e-9;

/// Number of planes of a buffer of models.
pub const fn model_planes(components: usize) -> usize {
    components * (components + 1)
}

/// The models that a fit begins with.
#[derive(Debug, Clone, Copy)]
pub struct Guess<'a> {
    /// Shape of the guess's grid.
    pub shape: Shape,
    /// The nodes that its models belong to.
    pub nodes: &'a Buffer,
    /// The models.
    pub models: &'a Buffer,
}

/// Scales of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// Scale τ of residuals, voxels.
    pub residual_vox: f32,
    /// Scale σ of intensities.
    pub intensity: f32,
    /// Distance of the window's outermost nodes, voxels: slopes are measured over it.
    pub window_vox: f32,
}

/// Fits a model at every node.
#[derive(Debug)]
pub struct LocalModels<'a> {
    /// Shape of the grid of nodes.
    pub shape: Shape,
    /// The scales τ and σ.
    pub scales: Scales,
    /// The nodes.
    pub nodes: &'a Buffer,
    /// Models of this grid, or of one that is half as fine.
    pub guess: Guess<'a>,
    /// The models.
    pub out: &'a mut Buffer,
}

impl Kernel for LocalModels<'_> {
    const NAME: &'static str = "local_models";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d, guess) = (self.shape.len(), self.shape.components(), self.guess);
        lengths.of("nodes", self.nodes, planes(d) * n);
        lengths.of("guess nodes", guess.nodes, planes(d) * guess.shape.len());
        lengths.of("guess models", guess.models, model_planes(d) * guess.shape.len());
        lengths.of("out", self.out, model_planes(d) * n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::local_models(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, scales, nodes, guess, out } = self;
        let [nx, ny, nz] = shape.size;
        let per_intensity2 = 0.5 / (scales.intensity * scales.intensity);
        let scales = [scales.residual_vox * scales.residual_vox, per_intensity2, 1.0 / scales.window_vox];
        let lanes = if shape.len() <= FEW { LANES[0] } else { LANES[1] };
        let (entry, groups) = match shape.components() == 2 && shape.len() <= SOME {
            true => ("models_of_pictures", line(shape.len(), THREADS / lanes)),
            false => ("local_models", [cover(nx, 8), cover(ny, 8), nz as u32]),
        };
        let block = FitBlock {
            size: shape.size.into(),
            guess: guess.shape.size.into(),
            scales: scales.into(),
            costs: [RIDGE, FAR, STEP].into(),
        };
        gpu.launch(&FIT, entry)
            .constants([("COMPONENTS", shape.components()), ("REACH", reach(shape.components()))])
            .constants([("REFITS", REFITS), ("LANES", lanes)])
            .constant("FACTOR", if guess.shape == shape { 1usize } else { 2 })
            .bind(&FitBindings { block, nodes, guess_nodes: guess.nodes, guess_models: guess.models, out })
            .run(groups)
    }
}

/// Vectors that are not replaced.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    /// A displacement.
    pub field: &'a [Buffer],
    /// Where it is more than a half, the displacement stays.
    pub weight: &'a Buffer,
}

/// Writes the dense field: at every voxel the weighted mean of the 3ᴰ nearest nodes' models, with weights that fall with the
/// distance and with the difference of intensity.
#[derive(Debug)]
pub struct ModelField<'a> {
    /// Shape of the field.
    pub shape: Shape,
    /// Voxels of a cell along each axis.
    pub width: usize,
    /// Difference of intensity at which the weight falls.
    pub intensity: f32,
    /// The image.
    pub image: &'a Buffer,
    /// The nodes of [`cells`].
    pub nodes: &'a Buffer,
    /// The models of the nodes.
    pub models: &'a Buffer,
    /// Vectors that are not replaced; none if all are.
    pub kept: Option<Kept<'a>>,
    /// Displacement, voxels.
    pub out: &'a mut [Buffer],
}

impl Kernel for ModelField<'_> {
    const NAME: &'static str = "model_field";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let count = cells(self.shape, self.width).len();
        lengths.of("image", self.image, n).of("nodes", self.nodes, planes(d) * count);
        lengths.of("models", self.models, model_planes(d) * count).field("out", self.out, d, n);
        if let Some(kept) = self.kept {
            lengths.field("kept", kept.field, d, n).of("weight", kept.weight, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::model_field(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, width, intensity, image, nodes, models, kept, out } = self;
        let [nx, ny, nz] = shape.size;
        let per_intensity2 = 0.5 / (intensity * intensity);
        let (per_width, half) = (1.0 / width as f32, 0.5 * (width as f32 - 1.0));
        let block = FieldBlock {
            size: [nx, ny, nz, width].into(),
            cells: cells(shape, width).size.into(),
            scales: [per_intensity2, per_width, half, SPREAD].into(),
            least_weight: LEAST_WEIGHT,
        };
        let (kept, kept_weight): (&[Buffer], _) =
            kept.map_or((&[], None), |kept| (kept.field, Some(kept.weight)));
        gpu.launch_in(shape.components(), &FIELD, "model_field")
            .constant("KEPT", kept_weight.is_some())
            .bind(&FieldBindings { block, image, nodes, models, kept, kept_weight, out })
            .run_over(shape.size, [32, 4])
    }
}
