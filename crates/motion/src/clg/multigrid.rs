//! Solves the linear system of variational flow, `A x = rhs`, in a number of sweeps that does not grow with the size.
//!
//! *Paper*: A. Bruhn, J. Weickert, T. Kohlberger, C. Schnörr, "A multigrid platform for real-time motion computation with
//! discontinuity-preserving variational methods", IJCV 70 (2006), doi:10.1007/s11263-006-6616-7, sections 3-4; the
//! smoother and its order of voxels are [`Relax`]'s.
//! *Scheme*: full multigrid: the right-hand side is averaged down, the coarsest system solved by sweeps, and each finer
//! level starts from the interpolated solution below and gets V(1,1) cycles.
//! *Coarse operators*: re-discretised with doubled spacing; tensor, ψ and w are averages over the cells.
//! *Anisotropy*: only axes whose spacing is within 1.5 of the smallest are halved (semi-coarsening), so that the strong
//! springs are always the ones a coarser grid removes.
//! *Cost*: V(1,1) is 2 sweeps, a residual and transfers: 3.4 sweeps of the finest level in 3-D with all coarser ones.
//! *Evidence*: `multigrid_takes_fewer_sweeps_than_jacobi_the_larger_the_grid` and `the_three_solvers_find_one_solution`.

use crate::clg::tolerance::Checks;
use crate::steps::buffers::fit;
use crate::steps::solving::Solving;
use std::slice::from_ref;
use veloxel_core::{Axes, Shape, choices};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{InPlace, Norm2, Operation};
use veloxel_kernels::variational::multigrid_transfer::{Prolong, Restrict, TransferTarget, coarser};
use veloxel_kernels::variational::operator::{Jacobi, Operator, Relax, ResidualNorm2, RestrictResidual};

choices! {
    /// How the linear system is solved; all three give the same answer at convergence.
    pub enum Solver {
        /// Jacobi sweeps (thiyagalingam2011 eq. 9), point-coupled, damped where the volume term needs it.
        Jacobi = "jacobi",
        /// Red-black, point-coupled successive over-relaxation (Bruhn et al. 2005).
        Sor = "sor",
        /// Full multigrid with V(1,1) cycles (Bruhn et al. 2006).
        Multigrid = "multigrid",
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// Most iterations: V-cycles, or sweeps.
    pub iterations: usize,
    /// Stop once ‖r‖/‖r₀‖ is at most this; none: always do all iterations.
    pub rtol: Option<f64>,
    /// Over-relaxation ω of SOR.
    pub omega: f32,
}

/// The coarser grids of a system and their memory.
#[derive(Debug)]
pub struct Multigrid {
    levels: Vec<CoarseGrid>,
    /// Number of levels that the present system uses; the others wait for a larger one.
    used: usize,
    terms: Terms,
}

/// One of the coarser grids.
#[derive(Debug)]
struct CoarseGrid {
    shape: Shape,
    spacing_edges: Axes<f32>,
    tensor: Field,
    /// One buffer, where ψ varies.
    diffusivity: Field,
    /// One buffer, where there is a volume-preserving term.
    volume_weight: Field,
    rhs: Field,
    x: Field,
}

/// Over-relaxed sweeps that solve the coarsest system, five to nine voxels wide: ω is the best one for eight (Young 1954),
/// and each sweep leaves less than half of the error.
const COARSEST: (f32, usize) = (1.45, 12);
/// An axis shorter than this is not halved any more: sweeps of what is left cost less than another grid.
const SHORTEST_AXIS: usize = 10;

/// Which optional terms the coarser grids need memory for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// ψ varies.
    pub diffusivity: bool,
    /// There is a volume-preserving term.
    pub volume: bool,
}

impl Multigrid {
    /// Allocates everything below the finest grid, which belongs to the caller.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn new(
        device: &Device,
        shape: Shape,
        spacing_edges: Axes<f32>,
        terms: Terms,
    ) -> Result<Self, ComputeError> {
        let mut own = Self { levels: Vec::new(), used: 0, terms };
        own.fit(device, shape, spacing_edges)?;
        Ok(own)
    }

    /// Samples below the finest grid, for each of its voxels.
    pub(crate) fn samples_per_voxel(finest: Shape, spacing: Axes<f32>, terms: Terms) -> f64 {
        let of_level = |(shape, spacing)| -> usize {
            let parts = CoarseGrid::new(shape, spacing).parts(terms).map(|(_, count)| count);
            parts.iter().sum::<usize>() * shape.len()
        };
        coarser_grids(finest, spacing).map(of_level).sum::<usize>() as f64 / finest.len() as f64
    }

    /// Takes another finest grid; nothing is allocated for a smaller one.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn fit(&mut self, device: &Device, shape: Shape, spacing: Axes<f32>) -> Result<(), ComputeError> {
        self.used = 0;
        for (shape, spacing_edges) in coarser_grids(shape, spacing) {
            if self.used == self.levels.len() {
                self.levels.push(CoarseGrid::new(shape, spacing_edges));
            }
            let level = &mut self.levels[self.used];
            (level.shape, level.spacing_edges) = (shape, spacing_edges);
            for (field, count) in level.parts(self.terms) {
                fit(device, field, count, shape.len())?;
            }
            self.used += 1;
        }
        Ok(())
    }

    /// Averages the operator's coefficients onto the coarser grids.
    fn coarsen(&mut self, device: &Device, operator: &Operator<'_>) -> Result<(), ComputeError> {
        let mut finer: Option<&CoarseGrid> = None;
        for level in &mut self.levels[..self.used] {
            let coarse_shape = level.shape;
            let (fine_shape, terms) = match finer {
                Some(f) => (f.shape, [&f.tensor[..], &f.diffusivity, &f.volume_weight].map(Some)),
                None => {
                    let Operator { shape, tensor, diffusivity, volume_weight, .. } = *operator;
                    (shape, [tensor, diffusivity.map(from_ref), volume_weight.map(from_ref)])
                }
            };
            let coarse = [&mut level.tensor, &mut level.diffusivity, &mut level.volume_weight];
            for (fine, coarse) in terms.into_iter().zip(coarse) {
                if let (Some(fine), false) = (fine, coarse.is_empty()) {
                    Restrict { fine_shape, fine, coarse_shape, coarse }.run(device)?;
                }
            }
            finer = Some(level);
        }
        Ok(())
    }

    /// Solves `operator · x = rhs` from x = 0, whatever `x` holds.
    ///
    /// # Errors
    /// [`ComputeError::Length`] if a buffer does not belong to the operator's shape.
    pub fn solve(
        &mut self,
        device: &Device,
        operator: &Operator<'_>,
        x: &mut [Buffer],
        rhs: &[Buffer],
        stopping: Stopping,
    ) -> Result<Solving, ComputeError> {
        // From x = 0 the residual is the right-hand side.
        let mut solving = Solving::from(Norm2 { field: rhs }.run(device)?);
        let trivial = solving.norms2[0].peek() == Some(&0.0);
        if trivial || self.used == 0 {
            // Else the start from the second grid overwrites what x holds.
            InPlace { operation: Operation::Fill(0.0), field: x }.run(device)?;
        }
        if trivial {
            return Ok(solving);
        }
        self.coarsen(device, operator)?;
        self.full_multigrid_start(device, operator, x, rhs)?;
        solving.sweeps += self.share_below() * (1.0 + SWEEPS_PER_CYCLE);
        let mut checks = stopping.rtol.map(Checks::new);
        for left in (0..stopping.iterations).rev() {
            let on_the_way = cycle(device, operator, x, rhs, &mut self.levels[..self.used])?;
            solving.sweeps += SWEEPS_PER_CYCLE * (1.0 + self.share_below());
            let Some(checks) = checks.as_mut() else {
                solving.norms2.extend(on_the_way);
                continue;
            };
            solving.sweeps += 1.0;
            let norm2 = ResidualNorm2 { operator: *operator, x, rhs }.run(device)?;
            if checks.end(device, &mut solving, norm2, x, left)? {
                break;
            }
        }
        Ok(solving)
    }

    /// Voxels of all coarser grids over those of the finest one.
    fn share_below(&self) -> f64 {
        let used = &self.levels[..self.used];
        let coarser: usize = used.iter().map(|l| l.shape.len()).sum();
        used.first().map_or(0.0, |first| coarser as f64 / (8.0 * first.shape.len() as f64))
    }

    /// The coarse-to-fine half of full multigrid: leaves the interpolated solution of the second grid in `x`.
    fn full_multigrid_start(
        &mut self,
        device: &Device,
        operator: &Operator<'_>,
        x: &mut [Buffer],
        rhs: &[Buffer],
    ) -> Result<(), ComputeError> {
        let levels = &mut self.levels[..self.used];
        for at in 0..levels.len() {
            let (finer, rest) = levels.split_at_mut(at);
            let (fine, fine_shape) =
                finer.last().map_or((rhs, operator.shape), |f| (f.rhs.as_slice(), f.shape));
            let CoarseGrid { shape, rhs, .. } = &mut rest[0];
            Restrict { fine_shape, fine, coarse_shape: *shape, coarse: rhs }.run(device)?;
        }
        for at in (0..levels.len()).rev() {
            let (head, below) = levels.split_at_mut(at + 1);
            let level = &mut head[at];
            match below.first() {
                Some(coarser) => {
                    coarser.prolong(level.shape, &mut level.x, TransferTarget::Nothing).run(device)?
                }
                None => InPlace { operation: Operation::Fill(0.0), field: &mut level.x }.run(device)?,
            }
            let (own, own_x, own_rhs) = level.equations(operator);
            cycle(device, &own, own_x, own_rhs, below)?;
        }
        if let Some(second) = levels.first() {
            second.prolong(operator.shape, x, TransferTarget::Nothing).run(device)?;
        }
        Ok(())
    }
}

/// Two sweeps, a residual with restriction, an interpolation: what a V(1,1) cycle moves on one grid, in sweeps.
const SWEEPS_PER_CYCLE: f64 = 3.3;

impl CoarseGrid {
    /// The level's unknowns on a finer grid.
    fn prolong<'a>(&'a self, fine_shape: Shape, fine: &'a mut [Buffer], onto: TransferTarget) -> Prolong<'a> {
        Prolong { coarse_shape: self.shape, coarse: &self.x, fine_shape, fine, onto }
    }

    fn new(shape: Shape, spacing_edges: Axes<f32>) -> Self {
        let [tensor, diffusivity, volume_weight, rhs, x] = [const { Field::new() }; 5];
        Self { shape, spacing_edges, tensor, diffusivity, volume_weight, rhs, x }
    }

    /// Every part, and how many buffers of the level's size it has.
    fn parts(&mut self, terms: Terms) -> [(&mut Field, usize); 5] {
        let (d, entries) = (self.shape.components(), self.shape.tensor_entries());
        [
            (&mut self.tensor, entries),
            (&mut self.diffusivity, usize::from(terms.diffusivity)),
            (&mut self.volume_weight, usize::from(terms.volume)),
            (&mut self.rhs, d),
            (&mut self.x, d),
        ]
    }

    /// The level's operator, and its unknowns and right-hand side apart from it.
    fn equations<'a>(&'a mut self, finest: &Operator<'_>) -> (Operator<'a>, &'a mut Field, &'a Field) {
        let operator = Operator {
            shape: self.shape,
            spacing_edges: self.spacing_edges,
            alpha: finest.alpha,
            tensor: finest.tensor.is_some().then_some(self.tensor.as_slice()),
            diffusivity: self.diffusivity.first(),
            volume_weight: self.volume_weight.first(),
        };
        (operator, &mut self.x, &self.rhs)
    }
}

/// One V(1,1) cycle; returns ‖r‖² after the first sweep, if there is a coarser grid to restrict it to.
fn cycle(
    device: &Device,
    operator: &Operator<'_>,
    x: &mut [Buffer],
    rhs: &[Buffer],
    below: &mut [CoarseGrid],
) -> Result<Option<Later<f64>>, ComputeError> {
    let Some((coarse, further)) = below.split_first_mut() else {
        let (omega, sweeps) = COARSEST;
        Relax { operator: *operator, x, rhs, omega, sweeps }.run(device)?;
        return Ok(None);
    };
    Relax { operator: *operator, x, rhs, omega: 1.0, sweeps: 1 }.run(device)?;
    let norm2 =
        RestrictResidual { operator: *operator, x, rhs, coarse_shape: coarse.shape, coarse: &mut coarse.rhs }
            .run(device)?;
    InPlace { operation: Operation::Fill(0.0), field: &mut coarse.x }.run(device)?;
    {
        let (own, own_x, own_rhs) = coarse.equations(operator);
        cycle(device, &own, own_x, own_rhs, further)?;
    }
    coarse.prolong(operator.shape, x, TransferTarget::Present).run(device)?;
    Relax { operator: *operator, x, rhs, omega: 1.0, sweeps: 1 }.run(device)?;
    Ok(Some(norm2))
}

/// The grids below a finest one, each with its spacing.
fn coarser_grids(finest: Shape, spacing: Axes<f32>) -> impl Iterator<Item = (Shape, Axes<f32>)> {
    std::iter::successors(Some((finest, spacing)), |&(shape, spacing)| {
        let long = |a: usize| a < shape.components() && shape.size[a] >= SHORTEST_AXIS;
        let finest = (0..3).filter(|&a| long(a)).map(|a| spacing[a]).fold(f32::INFINITY, f32::min);
        let halve = [0, 1, 2].map(|a| long(a) && spacing[a] <= 1.5 * finest);
        let wider = [0, 1, 2].map(|a| if halve[a] { 2.0 * spacing[a] } else { spacing[a] });
        halve.contains(&true).then(|| (coarser(shape, halve), wider))
    })
    .skip(1)
}

/// Sweeps between two checks of the residual.
const SWEEPS_PER_CHECK: usize = 8;
/// Damping under which point-coupled Jacobi converges with a volume term.
const VOLUME_DAMPING: f32 = 0.6;

/// Improves `x` towards `operator · x = rhs` by sweeps, from what it holds; `other` is as large as `x` (Jacobi needs a second copy),
/// and `begin` is ‖rhs − A x‖² where that is known.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the operator's shape.
pub fn sweep(
    device: &Device,
    operator: &Operator<'_>,
    x: &mut [Buffer],
    rhs: &[Buffer],
    mut other: Option<&mut [Buffer]>,
    stopping: Stopping,
    begin: Option<Later<f64>>,
) -> Result<Solving, ComputeError> {
    let residual = |x: &[Buffer]| ResidualNorm2 { operator: *operator, x, rhs }.run(device);
    let begin = begin.map_or_else(|| residual(x), Ok)?;
    let mut solving = Solving::from(begin);
    if solving.norms2[0].peek() == Some(&0.0) {
        return Ok(solving);
    }
    let mut checks = stopping.rtol.map(Checks::new);
    let mut done = 0;
    while done < stopping.iterations {
        let sweeps = SWEEPS_PER_CHECK.min(stopping.iterations - done);
        if let Some(next) = &mut other {
            let damping = if operator.volume_weight.is_some() { VOLUME_DAMPING } else { 1.0 };
            for _ in 0..sweeps {
                Jacobi { operator: *operator, x, rhs, out: next, damping }.run(device)?;
                x.swap_with_slice(next);
            }
        } else {
            Relax { operator: *operator, x, rhs, omega: stopping.omega, sweeps }.run(device)?;
        }
        done += sweeps;
        solving.sweeps += sweeps as f64;
        let (norm2, left) = (residual(x)?, stopping.iterations - done);
        let Some(checks) = &mut checks else {
            solving.norms2.push(norm2);
            continue;
        };
        if checks.end(device, &mut solving, norm2, x, left)? {
            break;
        }
    }
    Ok(solving)
}
