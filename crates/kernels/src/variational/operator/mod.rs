//! The linear operator of variational flow, and everything that runs over it: `A = J + α L_ψ + G_w`.
//!
//! Acting on a planar field `δ` (edges) of `D` components,
//! * `J` is the motion tensor, a symmetric `D × D` block at each voxel ([`super::motion_tensor`]);
//! * `L_ψ` is the diffusion operator: for each pair of neighbours along axis `a` a spring of weight
//!   `α/s_a² · (ψ_i + ψ_j)/2`, none across the border (thiyagalingam2011 eq. 8-9: |N| counts neighbours inside);
//! * `G_w` is the volume-preserving term: the gradient of `Σ_i w_i ⟨(div δ)²⟩`, where `div` at voxel `i` is built from
//!   one-sided differences and `⟨·⟩` averages over all `2^D` choices of side. That average is symmetric under flips,
//!   compact, without checkerboard modes, and a sum of squares: `A` is symmetric and positive semi-definite by
//!   construction. Written out: springs along the component's own axis, plus central mixed differences.
//!
//! *Shapes*: every buffer belongs to the shape; `spacing_edges` is the voxel spacing in units of the smallest edge.
//! *Border*: natural (Neumann) in every term. *Halo*: 1 voxel.

mod along_x;
mod bindings;
mod gauss_seidel_fused;
mod gpu;
mod half_rows;
mod over_relaxed;
#[cfg(test)]
mod parity;
mod relax;
mod residual;
mod row;
mod stencil;
mod system;
mod view;
mod volume;
mod wavefront;

pub(crate) use residual::norm2_of;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use bindings::{ProductBindings, ResidualBindings, TargetBindings, TargetBlock};
use gpu::{
    PRODUCT_GENERAL, PRODUCT_ROWS, RESIDUAL_GENERAL, RESIDUAL_ROWS, RESTRICT_ROWS, VOLUME_TARGET, sum, tiled,
};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, line};
use view::{Pass, View};

/// The operator's coefficients, borrowed from the method that owns them.
#[derive(Debug, Clone, Copy)]
pub struct Operator<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges (the smallest is 1).
    pub spacing_edges: Axes<f32>,
    /// Smoothness weight α, per edge².
    pub alpha: f32,
    /// The tensor `J`: entries 11, 12, 22 or 11, 12, 13, 22, 23, 33; none for the regulariser alone.
    pub tensor: Option<&'a [Buffer]>,
    /// Relative smoothness weight ψ of each voxel; none for 1 everywhere.
    pub diffusivity: Option<&'a Buffer>,
    /// Weight w of the volume-preserving term at each voxel (β inside the mask, 0 outside); none without that term.
    pub volume_weight: Option<&'a Buffer>,
}

impl Operator<'_> {
    /// The factor α / s² along each axis: the spring between two voxels where ψ is 1.
    fn springs(&self) -> Axes<f32> {
        self.spacing_edges.map(|s| self.alpha / (s * s))
    }
    /// Requires that the coefficients and these fields belong to the shape.
    fn check(&self, lengths: &mut Lengths, fields: &[(&'static str, &[Buffer])]) {
        let n = self.shape.len();
        if let Some(tensor) = self.tensor {
            lengths.field("tensor", tensor, self.shape.tensor_entries(), n);
        }
        lengths.optional("diffusivity", self.diffusivity, n).optional("volume_weight", self.volume_weight, n);
        for (name, field) in fields {
            lengths.field(name, field, self.shape.components(), n);
        }
    }
}

/// Over-relaxed, point-coupled Gauss-Seidel sweeps on `A x = rhs`, in place.
///
/// The block at a voxel is solved at once; each voxel's neighbours are all of another colour, so the result does not depend
/// on the number of threads. Plain sweeps (ω ≤ 1) take rows with even `y + z` before the others and within a row even `x`
/// before odd: a row is finished while it is in the cache. Over-relaxed ones take voxels with even `x + y + z` before the
/// others (red-black). With a volume-preserving term, which couples diagonal neighbours, there are four colours.
#[derive(Debug)]
pub struct Relax<'a> {
    /// The operator A.
    pub operator: Operator<'a>,
    /// The unknowns, improved in place.
    pub x: &'a mut [Buffer],
    /// The right-hand side.
    pub rhs: &'a [Buffer],
    /// Over-relaxation ω.
    pub omega: f32,
    /// Number of sweeps.
    pub sweeps: usize,
}

impl Kernel for Relax<'_> {
    const NAME: &'static str = "relax";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        self.operator.check(lengths, &[("x", self.x), ("rhs", self.rhs)]);
    }
    fn on_cpu(self, cpu: &Cpu) {
        match over_relaxed::is_supported(&self) {
            true => over_relaxed::relax(cpu, self),
            false => by_dimension!(self.operator.shape, relax::relax(cpu, self)),
        }
    }
    fn on_gpu(mut self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::relax(gpu, &mut self)
    }
}

/// One damped, point-coupled Jacobi sweep on `A x = rhs`: `out = x + damping · D⁻¹ (rhs − A x)`, D the diagonal blocks.
///
/// Damping 1 and no volume term is thiyagalingam2011 eq. 9, with the block solved at once.
#[derive(Debug)]
pub struct Jacobi<'a> {
    /// The operator A.
    pub operator: Operator<'a>,
    /// The unknowns.
    pub x: &'a [Buffer],
    /// The right-hand side.
    pub rhs: &'a [Buffer],
    /// The improved unknowns.
    pub out: &'a mut [Buffer],
    /// Share of the correction that is applied.
    pub damping: f32,
}

impl Kernel for Jacobi<'_> {
    const NAME: &'static str = "jacobi";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        self.operator.check(lengths, &[("x", self.x), ("rhs", self.rhs), ("out", self.out)]);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.operator.shape, relax::jacobi(cpu, self))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let view = View::of(self.operator);
        let source = if view.rows { &RESIDUAL_ROWS } else { &RESIDUAL_GENERAL };
        let pass = Pass { omega: self.damping, ..Pass::default() };
        let (block, coefficients) = (view.block(&pass), view.coefficients());
        let Self { x, rhs, out, .. } = self;
        let bindings = ResidualBindings { block, x, rhs, coefficients, out };
        let launch = view.launch(gpu, source, "jacobi").bind(&bindings);
        if view.rows {
            let (launch, groups) = tiled(launch, view.packs());
            launch.run(groups)
        } else {
            launch.run(line(self.operator.shape.len(), 256))
        }
    }
}

/// Computes `target −= A x`; returns the squared norm of the result.
#[derive(Debug)]
pub struct SubtractProduct<'a> {
    /// The operator A.
    pub operator: Operator<'a>,
    /// The unknowns.
    pub x: &'a [Buffer],
    /// The right-hand side, the residual afterwards.
    pub target: &'a mut [Buffer],
}

impl Kernel for SubtractProduct<'_> {
    const NAME: &'static str = "subtract_product";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        self.operator.check(lengths, &[("x", self.x), ("target", self.target)]);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        Later::known(by_dimension!(self.operator.shape, residual::subtract_product(cpu, self)))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        let view = View::of(self.operator);
        let source = if view.rows { &PRODUCT_ROWS } else { &PRODUCT_GENERAL };
        let (block, coefficients) = (view.block(&Pass::default()), view.coefficients());
        let bindings = ProductBindings { block, x: self.x, rhs: self.target, coefficients };
        sum(view.launch(gpu, source, Self::NAME).bind(&bindings), &view, view.packs())
    }
}

/// Computes ‖rhs − A x‖² without storing the residual.
#[derive(Debug)]
pub struct ResidualNorm2<'a> {
    /// The operator A.
    pub operator: Operator<'a>,
    /// The unknowns.
    pub x: &'a [Buffer],
    /// The right-hand side.
    pub rhs: &'a [Buffer],
}

impl Kernel for ResidualNorm2<'_> {
    const NAME: &'static str = "residual_norm2";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        self.operator.check(lengths, &[("x", self.x), ("rhs", self.rhs)]);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        Later::known(by_dimension!(self.operator.shape, residual::norm2(cpu, self)))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        let view = View::of(self.operator);
        let source = if view.rows { &RESIDUAL_ROWS } else { &RESIDUAL_GENERAL };
        let (block, coefficients) = (view.block(&Pass::default()), view.coefficients());
        let bindings = ResidualBindings { block, x: self.x, rhs: self.rhs, coefficients, out: &[] };
        sum(view.launch(gpu, source, Self::NAME).bind(&bindings), &view, view.packs())
    }
}

/// Computes the mean of `rhs − A x` over the fine cells of each coarse cell; returns ‖rhs − A x‖² of the fine grid.
///
/// A coarse cell holds two fine cells along each axis where the sizes differ (three at an odd end).
#[derive(Debug)]
pub struct RestrictResidual<'a> {
    /// The operator A.
    pub operator: Operator<'a>,
    /// The unknowns.
    pub x: &'a [Buffer],
    /// The right-hand side.
    pub rhs: &'a [Buffer],
    /// Shape of the coarse grid.
    pub coarse_shape: Shape,
    /// The residual on the coarse grid.
    pub coarse: &'a mut [Buffer],
}

impl Kernel for RestrictResidual<'_> {
    const NAME: &'static str = "restrict_residual";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        self.operator.check(lengths, &[("x", self.x), ("rhs", self.rhs)]);
        let coarse = self.coarse_shape;
        lengths.field("coarse", self.coarse, coarse.components(), coarse.len());
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        Later::known(by_dimension!(self.operator.shape, residual::restrict(cpu, self)))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        let (operator, coarse) = (self.operator, self.coarse_shape.size);
        let halves_x = coarse[0] < operator.shape.size[0];
        let view = if halves_x { View::of(operator) } else { View::general(operator) };
        let source = if view.rows { &RESTRICT_ROWS } else { &RESIDUAL_GENERAL };
        let (block, coefficients) = (view.block(&Pass { coarse, ..Pass::default() }), view.coefficients());
        let bindings = ResidualBindings { block, x: self.x, rhs: self.rhs, coefficients, out: self.coarse };
        let launch = view.launch(gpu, source, Self::NAME).bind(&bindings);
        // Two coarse cells a thread are one pack of fine ones.
        let width = if view.rows { view.packs()[0] } else { coarse[0] };
        sum(launch, &view, [width, coarse[1], coarse[2]])
    }
}

/// Computes `rhs_a −= ∂_aᵀ (w c)`: the gradient of `Σ w ⟨(div δ + c)²⟩ / 2` at δ = 0, for a target volume change `−c`.
#[derive(Debug)]
pub struct SubtractVolumeTarget<'a> {
    /// The operator, of which shape, spacing and volume weight are used.
    pub operator: Operator<'a>,
    /// The volume change c.
    pub change: &'a Buffer,
    /// The right-hand side.
    pub rhs: &'a mut [Buffer],
}

impl Kernel for SubtractVolumeTarget<'_> {
    const NAME: &'static str = "subtract_volume_target";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        self.operator.check(lengths, &[("rhs", self.rhs)]);
        lengths.of("change", self.change, self.operator.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.operator.shape, volume::subtract_target(cpu, self))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let operator = self.operator;
        let Some(volume_weight) = operator.volume_weight else { return Ok(()) };
        let half = operator.spacing_edges.map(|s| 0.5 / s).into();
        let block = TargetBlock { size: operator.shape.size.into(), half };
        gpu.launch_in(operator.shape.components(), &VOLUME_TARGET, Self::NAME)
            .bind(&TargetBindings { block, volume_weight, change: self.change, rhs: self.rhs })
            .run(line(operator.shape.len(), 256))
    }
}
