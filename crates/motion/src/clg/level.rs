//! One pyramid level of [`Clg`](crate::Clg): warps until the increments are small.

use super::diagnostics::{AskedTolerances, Compared, PendingWarps, WarpRun};
use super::parameters::{ClgParams, RegularisedField, VolumeTerm};
use super::weights::{Matching, Weights, window};
use super::workspace::Workspace;
use crate::clg::multigrid::{Solver, Stopping, sweep};
use crate::method::shared_scalars::{ScalarKey, SharedScalars};
use crate::steps::image_pyramids::LevelImages;
use crate::steps::level_account::LevelRun;
use crate::steps::level_steps::ConfidenceScales;
use crate::steps::pyramid::LevelGeometry;
use crate::steps::settling::Turn;
use crate::steps::solving::{Solving, StopReason};
use veloxel_core::{Axes, Counter};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::convolve::Convolve;
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::median::MedianKind;
use veloxel_kernels::image::pointwise::{InPlace, Multiply, Operation};
use veloxel_kernels::variational::diffusivity::{Diffusivity, ImageEdges};
use veloxel_kernels::variational::jacobian::Jacobian;
use veloxel_kernels::variational::motion_tensor::MotionTensor;
use veloxel_kernels::variational::operator::{Operator, SubtractProduct, SubtractVolumeTarget};
use veloxel_kernels::variational::robust_tensor::{ConstraintGroup, RobustTensor};
use veloxel_kernels::{Kernel, Taps};

/// Second difference of the flow that is a motion edge for the non-local median, edges.
const MOTION_EDGE: f32 = 0.1;
/// In volumes: the window over which smoothness shares what is known of vectors, voxels. Wider ones rank phantoms a little better still, and
/// thin walls beside what stands still worse.
const SHARED_VOX: f64 = 1.0;

/// The place of the level in the run, for reports of progress.
pub(super) struct Progress {
    pub level: usize,
    pub levels: usize,
    /// Voxel-warps of the levels before.
    pub before: f64,
    /// Voxel-warps of this level.
    pub own: f64,
    /// Voxel-warps of all levels.
    pub all: f64,
}

impl Progress {
    /// A run over so many levels.
    pub fn new(levels: usize) -> Self {
        Self { level: 0, levels, before: 0.0, own: 0.0, all: 1.0 }
    }
    /// Goes on to the next level, which has `own` voxel-warps.
    pub fn begin(&mut self, own: f64) {
        self.level += 1;
        self.before += self.own;
        self.own = own;
    }
    /// How much of the run is done with a share of this level.
    fn share(&self, of_level: f64) -> f64 {
        (self.before + of_level * self.own) / self.all
    }
    /// Where the run is, at a warp of this level.
    fn counters(&self, warp: Counter) -> [Option<Counter>; 2] {
        [Some(Counter { what: "level", now: self.level, of: self.levels }), Some(warp)]
    }
}

/// What the increment is when a solve begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Increment {
    Zero,
    SoFar,
}

/// Warps of a level at most, where its images do not match and where they do.
#[derive(Clone, Copy)]
pub(super) struct WarpLimits {
    pub open: usize,
    pub matched: usize,
}

/// One level, with the memory that is lent to it.
pub(super) struct ClgLevel<'a> {
    pub device: &'a Device,
    pub params: &'a ClgParams,
    pub geometry: &'a LevelGeometry,
    pub memory: &'a mut Workspace,
    /// The window of the mean displacement that is free once images match.
    mean_window: Axes<Taps>,
    /// The shared scalars that the mismatch is one of, and the key of the next one.
    shared: Option<(&'a mut SharedScalars, ScalarKey)>,
    matching: Matching,
}

impl<'a> ClgLevel<'a> {
    pub fn new(
        device: &'a Device,
        params: &'a ClgParams,
        geometry: &'a LevelGeometry,
        memory: &'a mut Workspace,
        images: &LevelImages,
    ) -> Result<Self, ComputeError> {
        memory.fit(device, params, geometry)?;
        if let Some(weight) = memory.volume_weight.first_mut() {
            Operation::Fill(params.beta * params.beta_factor).on(weight).run(device)?;
            if let Some(mask) = images.volume_mask.as_ref().or(images.mask.as_ref()) {
                Multiply { factor: mask, out: weight }.run(device)?;
            }
        }
        let mean_window = window(params.mean_matched);
        Ok(Self { device, params, geometry, memory, mean_window, shared: None, matching: Matching::Open })
    }

    /// The same level, deciding by shared scalars whose keys hold this level.
    pub(crate) fn deciding(self, level: usize, shared: &'a mut SharedScalars) -> Self {
        Self { shared: Some((shared, ScalarKey { level, nth: 0 })), ..self }
    }

    /// The number to decide by, where this one was measured.
    pub fn number(&mut self, measured: f64) -> f64 {
        let Some((shared, key)) = &mut self.shared else { return measured };
        let number = shared.number(*key, measured);
        key.nth += 1;
        number
    }

    /// Warps and solves until the level's limit or tolerance; `displacement` is in edges.
    pub fn run(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
        limits: WarpLimits,
        progress: &Progress,
    ) -> Result<LevelRun<PendingWarps>, ComputeError> {
        let start = self.device.stamp()?;
        if self.params.gamma > 0.0 {
            let (shape, out) = (self.geometry.shape, &mut self.memory.gradients[0]);
            Gradient { shape, scheme: Scheme::Central4, image: &images.fixed, out }.run(self.device)?;
        }
        let mut compared = self.compare_first(images, displacement)?;
        let mut reports = Vec::new();
        let adaptive = self.params.warp_tol > 0.0;
        let mut stop = if adaptive { StopReason::IterationLimit } else { StopReason::FixedCount };
        for nth in 1.. {
            let (mut report, is_matched) = self.solve_warped(images, displacement, compared)?;
            let turn = Turn { nth, full: self.params.full_warps };
            turn.settle(self.device, &self.memory.increment, displacement)?;
            let warps = if is_matched { limits.matched.max(limits.open) } else { limits.open };
            let trivial = report.solving.is_trivial();
            let tolerance = if adaptive { self.params.warp_tol } else { f64::NEG_INFINITY };
            let small = |report: &WarpRun| report.mean_increment_vox.peek().is_some_and(|m| *m < tolerance);
            let over = nth >= warps || trivial || small(&report);
            let mut next = self.compare_next(images, displacement, &mut report, over)?;
            let gains = nth == 1 || self.gains(&mut report, next.as_mut())?;
            let small = small(&report);
            let residual = report.solving.peek();
            reports.push(report);
            let done = if trivial { warps } else { nth } as f64 / warps as f64;
            let counters = progress.counters(Counter { what: "warp", now: nth, of: warps });
            self.device.control().step_of_solver(progress.share(done), counters, residual)?;
            if trivial || small {
                stop = if trivial { StopReason::Trivial } else { StopReason::Converged };
                break;
            }
            if !gains {
                std::mem::swap(displacement, &mut self.memory.increment);
                stop = StopReason::NoGain;
                break;
            }
            match next {
                Some(next) => compared = next,
                None => break,
            }
        }
        let span = [start, self.device.stamp()?];
        let (spacing_vox, asked) = (self.geometry.spacing_vox, AskedTolerances::of(self.params));
        let own = PendingWarps { spacing_vox, warps: reports, stop, asked };
        Ok(LevelRun { size: self.geometry.shape.size, own, span })
    }

    /// Solves for the increment of the images last warped, and composes it; says whether they matched. The displacement before
    /// is left in the memory of increments.
    fn solve_warped(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
        compared: Compared,
    ) -> Result<(WarpRun, bool), ComputeError> {
        let device = self.device;
        let weights = self.weigh(compared.mismatch2)?;
        self.tensors(images, &weights)?;
        let Workspace { multigrid, groups: [first_group, _], diffusivity, increment, .. } = &mut *self.memory;
        // Multigrid alone overwrites what is there; weights of the solution so far and sweeps start from it.
        if multigrid.is_none() || !first_group.is_empty() || !diffusivity.is_empty() {
            InPlace { operation: Operation::Fill(0.0), field: increment }.run(device)?;
        }
        let updates = if self.params.is_robust() { self.params.lagged_updates } else { 1 };
        let mut solving = None;
        for _ in 0..updates {
            let increment = if solving.is_none() { Increment::Zero } else { Increment::SoFar };
            solving = Some(self.solve(images, displacement, &weights, increment)?);
        }
        let solving = solving.expect("a warp should have at least one solve");
        let ClgParams { increment_limit, update, regularise, .. } = *self.params;
        if regularise == RegularisedField::Increment {
            self.filter_increment(images, displacement)?;
        }
        let fields = [&mut *displacement, &mut self.memory.increment];
        let mean_increment_vox = self.geometry.join(device, fields, increment_limit, update)?;
        if regularise == RegularisedField::Total {
            self.filter(images, displacement)?;
        }
        let difference = compared.difference;
        Ok((WarpRun { solving, mean_increment_vox, difference, taken: None }, weights.is_matched))
    }

    /// The motion tensors around the present displacement: into the system, or into the groups.
    fn tensors(&mut self, images: &LevelImages, weights: &Weights) -> Result<(), ComputeError> {
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        let mask = images.mask.as_ref();
        let Workspace { warped, system, groups: [first, second], gradients, .. } = &mut *self.memory;
        let brightness = [(&images.fixed, &warped[0])];
        let term = params.data_term(self.geometry, weights.zeta, &brightness, mask);
        let taps = &weights.taps;
        if first.is_empty() {
            return MotionTensor { term, taps, out: system }.run(device);
        }
        MotionTensor { term, taps, out: first }.run(device)?;
        if !second.is_empty() {
            let [of_fixed, of_warped] = gradients;
            let scheme = Scheme::Central4;
            Gradient { shape, scheme, image: &warped[0], out: of_warped }.run(device)?;
            let pairs: Vec<_> = of_fixed.iter().zip(of_warped.iter()).collect();
            let term = params.data_term(self.geometry, params.gradient_zeta, &pairs, mask);
            MotionTensor { term, taps, out: second }.run(device)?;
        }
        Ok(())
    }

    /// The weights for images that miss each other so far: the only number that a warp waits for.
    fn weigh(&mut self, mismatch2: Option<Later<f64>>) -> Result<Weights, ComputeError> {
        let Some(mismatch2) = mismatch2 else { return Ok(Weights::fixed(self.params)) };
        let components = self.geometry.shape.components();
        let mismatch2 = self.number(mismatch2.get(self.device)?);
        let (weights, matching) = self.matching.next(self.params, mismatch2, components);
        self.matching = matching;
        Ok(weights)
    }

    /// One linear solve for the increment, with weights from the increment so far.
    fn solve(
        &mut self,
        images: &LevelImages,
        displacement: &[Buffer],
        weights: &Weights,
        increment: Increment,
    ) -> Result<Solving, ComputeError> {
        self.reweigh(images, displacement)?;
        let mut begin = None;
        if self.params.regularise == RegularisedField::Total {
            begin = Some(self.subtract_total(displacement, weights)?);
        }
        if self.subtract_volume_change(displacement, weights)? {
            begin = None;
        }
        // With a tolerance the first norm is measured again, by the kernel that measures the later ones.
        begin = begin.filter(|_| increment == Increment::Zero && self.params.rtol == 0.0);
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        let stopping = Stopping {
            iterations: params.iterations,
            rtol: (params.rtol > 0.0).then_some(params.rtol),
            omega: params.omega,
        };
        let memory = &mut *self.memory;
        let (tensor, rhs) = memory.system.split_at_mut(shape.tensor_entries());
        let (diffusivity, volume_weight) = (memory.diffusivity.first(), memory.volume_weight.first());
        let operator = Operator {
            tensor: Some(tensor),
            diffusivity,
            volume_weight,
            ..self.geometry.laplacian(weights.alpha)
        };
        let x = &mut memory.increment;
        if let Some(multigrid) = &mut memory.multigrid {
            return multigrid.solve(device, &operator, x, rhs, stopping);
        }
        let other = (params.solver == Solver::Jacobi).then_some(&mut memory.spare[..]);
        sweep(device, &operator, x, rhs, other, stopping, begin)
    }

    /// Weights of robust penalisers at the increment so far: of the data terms, and of the springs.
    fn reweigh(&mut self, images: &LevelImages, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        let memory = &mut *self.memory;
        let weighed = memory.groups.iter().zip([1.0, params.gamma]).filter(|(tensor, _)| !tensor.is_empty());
        let groups: Vec<_> = weighed.map(|(tensor, gain)| ConstraintGroup { tensor, gain }).collect();
        if !groups.is_empty() {
            let epsilon = params.data_penaliser.epsilon().unwrap_or(f32::MAX.sqrt());
            let (increment, out) = (&memory.increment, &mut memory.system);
            RobustTensor { shape, epsilon, groups: &groups, increment, out }.run(device)?;
        }
        let Some(out) = memory.diffusivity.first_mut() else { return Ok(()) };
        let edges = ImageEdges { kappa: params.kappa, image: &images.fixed };
        let kernel = Diffusivity {
            shape,
            spacing_edges: self.geometry.spacing_edges,
            epsilon: params.smoothness_penaliser.epsilon(),
            edges: (params.kappa > 0.0).then_some(edges),
            base: displacement,
            increment: &memory.increment,
            out,
        };
        kernel.run(device)
    }

    /// What smoothness and divergence of the displacement so far put on the right-hand side, and the squared norm of that.
    fn subtract_total(
        &mut self,
        displacement: &[Buffer],
        weights: &Weights,
    ) -> Result<Later<f64>, ComputeError> {
        let (device, params, geometry) = (self.device, self.params, self.geometry);
        let shape = geometry.shape;
        let memory = &mut *self.memory;
        let rhs = &mut memory.system[shape.tensor_entries()..];
        let smoothness =
            Operator { diffusivity: memory.diffusivity.first(), ..geometry.laplacian(weights.alpha) };
        let divergence = memory.volume_weight.first().filter(|_| params.volume == VolumeTerm::Divergence);
        let operator = Operator { volume_weight: divergence, ..smoothness };
        let mut norm2 = SubtractProduct { operator, x: displacement, target: rhs }.run(device)?;
        let mean = &mut memory.mean;
        if weights.mean_share > 0.0 && !mean.is_empty() {
            for (input, output) in displacement.iter().zip(mean.iter_mut()) {
                Convolve { shape, taps: &self.mean_window, input, output }.run(device)?;
            }
            let alpha = -weights.mean_share * weights.alpha;
            let operator = Operator { alpha, ..smoothness };
            norm2 = SubtractProduct { operator, x: mean, target: rhs }.run(device)?;
        }
        Ok(norm2)
    }

    /// What the change of volume so far, ln det(I + ∇d0), puts on the right-hand side, whatever smoothness acts on: a motion of
    /// steps that change no volume to first order changes it all the same. Whether it put anything there.
    fn subtract_volume_change(
        &mut self,
        displacement: &[Buffer],
        weights: &Weights,
    ) -> Result<bool, ComputeError> {
        let (device, geometry) = (self.device, self.geometry);
        let (shape, spacing_edges) = (geometry.shape, geometry.spacing_edges);
        let memory = &mut *self.memory;
        let rhs = &mut memory.system[shape.tensor_entries()..];
        let Some(change) = memory.volume_change.first_mut() else { return Ok(false) };
        Jacobian { shape, spacing_edges, displacement, weight: None, out: change }.run(device)?;
        Operation::LogChange.on(change).run(device)?;
        let (diffusivity, volume_weight) = (memory.diffusivity.first(), memory.volume_weight.first());
        let operator = Operator { diffusivity, volume_weight, ..geometry.laplacian(weights.alpha) };
        SubtractVolumeTarget { operator, change, rhs }.run(device)?;
        Ok(true)
    }

    /// The median between warps.
    fn filter(&mut self, images: &LevelImages, displacement: &mut Field) -> Result<(), ComputeError> {
        let Some(kind) = self.median_kind() else { return Ok(()) };
        let Workspace { warped, spare, votes, .. } = &mut *self.memory;
        self.geometry.median(self.device, kind, images, [displacement, spare], [warped, votes])
    }

    /// Filters the increment by the median, where smoothness acts on increments: a median of the displacement would flatten its bends
    /// anew in every warp, and no smoothness would hold against it.
    fn filter_increment(
        &mut self,
        images: &LevelImages,
        displacement: &[Buffer],
    ) -> Result<(), ComputeError> {
        let Some(kind) = self.median_kind() else { return Ok(()) };
        let Workspace { warped, spare, votes, increment, .. } = &mut *self.memory;
        let fields = [increment, spare];
        self.geometry.median_of_increment(self.device, kind, images, displacement, fields, [warped, votes])
    }

    fn median_kind(&self) -> Option<MedianKind> {
        self.params.median.of_kernel(self.geometry.shape.components(), MOTION_EDGE)
    }

    /// The confidence at the displacement last warped to; the level's memory serves for it. The images' memory is free before
    /// more is taken.
    /// `bend` is the weight of the field's bend among the errors.
    pub fn confidence(
        self,
        images: LevelImages,
        displacement: &[Buffer],
        bend: f32,
    ) -> Result<Buffer, ComputeError> {
        let (device, memory, geometry) = (self.device, self.memory, self.geometry);
        let weights = Weights::fixed(self.params);
        let brightness = [(&images.fixed, &memory.warped[0])];
        let term = self.params.data_term(geometry, weights.zeta, &brightness, images.mask.as_ref());
        // The tensor needs one entry more than the system has.
        let difference = memory.increment.pop().expect("a displacement should have components");
        memory.system.push(difference);
        MotionTensor { term, taps: &weights.taps, out: &mut memory.system }.run(device)?;
        drop(images);
        let scales = ConfidenceScales {
            bend,
            shared_vox: if geometry.shape.components() == 3 { SHARED_VOX } else { 0.0 },
            ..ConfidenceScales::of_smoothness(self.params.alpha, geometry.shape.components())
        };
        let out =
            geometry.confidence(device, displacement, &mut memory.system, &mut memory.warped[0], scales)?;
        memory.increment.extend(memory.system.pop());
        Ok(out)
    }
}
