//! One pyramid level of [`Clg`](crate::Clg): warps until the increments are small.

use super::diagnostics::{Compared, LevelRun, WarpRun};
use super::images::LevelImages;
use super::parameters::{ClgParams, MedianFilter, Penaliser, Regularise, Update, VolumeTerm};
use super::weights::{Weights, window};
use crate::multigrid::{Multigrid, Solver, Stopping, Terms, sweep};
use crate::pyramid::LevelGeometry;
use crate::solving::{Solving, StopReason};
use crate::{Observer, Step};
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later, Pending, fetch};
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::brightness::absolute_difference;
use veloxel_kernels::image::convolve::convolve;
use veloxel_kernels::image::gradient::{Scheme, gradients};
use veloxel_kernels::image::median::{Median, WeightedMedian, median};
use veloxel_kernels::image::pointwise::{Fill, clear, clip_length, log_change, multiply};
use veloxel_kernels::image::warp::Warp;
use veloxel_kernels::variational::compose::{self, Compose};
use veloxel_kernels::variational::confidence;
use veloxel_kernels::variational::diffusivity::{Diffusivity, diffusivity};
use veloxel_kernels::variational::jacobian::jacobian;
use veloxel_kernels::variational::motion_tensor::{MotionTensor, mismatch, motion_tensor};
use veloxel_kernels::variational::occlusion::{self, visibility};
use veloxel_kernels::variational::operator::{Operator, subtract_product, subtract_volume_target};
use veloxel_kernels::variational::robust_tensor::{Group, robust_tensor};

/// The non-local median of pictures: scales chosen on plateaus, window and votes as Sun, Roth, Black 2010.
const NON_LOCAL: WeightedMedian =
    WeightedMedian { radius: 6, stride: 3, sigma_vox: 6.0, sigma_intensity: 0.025, edge: 0.1, reach: 1 };
/// Scales of the visibility that weighs its votes.
const VISIBILITY: occlusion::Scales = occlusion::Scales { divergence: 0.3, intensity: 0.06 };

/// Where the level stands in the run, for the observer.
pub(super) struct Progress<'a> {
    pub observer: &'a dyn Observer,
    pub level: usize,
    pub levels: usize,
    /// Voxel-warps of the levels before.
    pub before: f64,
    /// Voxel-warps of this level.
    pub own: f64,
    /// Voxel-warps of all levels.
    pub all: f64,
}

impl<'a> Progress<'a> {
    /// A run over so many levels.
    pub fn new(observer: &'a dyn Observer, levels: usize) -> Self {
        Self { observer, level: 0, levels, before: 0.0, own: 0.0, all: 1.0 }
    }
    /// Goes on to the next level, which has `own` voxel-warps.
    pub fn begin(&mut self, own: f64) {
        self.level += 1;
        self.before += self.own;
        self.own = own;
    }
}

/// Warps of a level at most, where its images do not match and where they do.
#[derive(Clone, Copy)]
pub(super) struct WarpLimits {
    pub open: usize,
    pub matched: usize,
}

/// The memory of one level; nothing is allocated inside its warps.
pub(super) struct Level<'a> {
    device: &'a Device,
    params: &'a ClgParams,
    geometry: &'a LevelGeometry,
    /// The window of the mean displacement that is free once images match, and memory for that mean.
    mean: Option<(Axes<Taps>, Field)>,
    pub warped: Buffer,
    /// Spatial entries, then the right-hand side.
    system: Field,
    /// Brightness, gradient: with tt, where weights depend on the solution.
    groups: Vec<Field>,
    /// Derivatives of the fixed image, and of the warped one.
    gradients: [Field; 2],
    increment: Field,
    /// Second copy of a field: Jacobi's, or the median's.
    spare: Option<Field>,
    psi: Option<Buffer>,
    volume_weight: Option<Buffer>,
    volume_change: Option<Buffer>,
    votes: Option<Buffer>,
    multigrid: Option<Multigrid>,
}

impl<'a> Level<'a> {
    pub fn new(
        device: &'a Device,
        params: &'a ClgParams,
        geometry: &'a LevelGeometry,
        images: &LevelImages,
    ) -> Result<Self, ComputeError> {
        let shape = geometry.shape;
        let (n, d) = (shape.len(), shape.components());
        let entries = shape.tensor_entries() + d;
        let optional = |wanted: bool| wanted.then(|| device.scratch(n)).transpose();
        let by_groups = params.is_robust() || params.gamma > 0.0;
        let group_count = if by_groups { 1 + usize::from(params.gamma > 0.0) } else { 0 };
        let two = d == 2;
        let median_wanted = match params.median {
            MedianFilter::Off => false,
            MedianFilter::Plain { .. } => true,
            MedianFilter::NonLocal => two,
        };
        let gradient_count = if params.gamma > 0.0 { d } else { 0 };
        let mut volume_weight = optional(params.beta > 0.0)?;
        if let Some(weight) = volume_weight.as_mut() {
            Fill { value: params.beta, out: weight }.run(device)?;
            if let Some(mask) = images.volume_mask.as_ref().or(images.mask.as_ref()) {
                multiply(device, mask, weight)?;
            }
        }
        let psi_wanted = params.smoothness_penaliser != Penaliser::Quadratic || params.kappa > 0.0;
        Ok(Self {
            device,
            params,
            geometry,
            mean: (params.alpha_mismatch > 0.0 && params.mean_matched > 0.0)
                .then(|| device.scratch_field(d, n).map(|mean| (window(params.mean_matched), mean)))
                .transpose()?,
            warped: device.scratch(n)?,
            system: device.scratch_field(entries, n)?,
            groups: (0..group_count)
                .map(|_| device.scratch_field(entries + 1, n))
                .collect::<Result<_, _>>()?,
            gradients: [device.scratch_field(gradient_count, n)?, device.scratch_field(gradient_count, n)?],
            increment: device.scratch_field(d, n)?,
            spare: (params.solver == Solver::Jacobi || median_wanted)
                .then(|| device.scratch_field(d, n))
                .transpose()?,
            psi: optional(psi_wanted)?,
            volume_change: optional(params.beta > 0.0 && params.volume == VolumeTerm::Jacobian)?,
            votes: optional(median_wanted && params.median == MedianFilter::NonLocal)?,
            multigrid: (params.solver == Solver::Multigrid)
                .then(|| {
                    let terms = Terms { diffusivity: psi_wanted, volume: volume_weight.is_some() };
                    Multigrid::new(device, (shape, geometry.spacing_edges), terms)
                })
                .transpose()?,
            volume_weight,
        })
    }

    /// Warps and solves until the level's limit or tolerance; `displacement` is in edges.
    pub fn run(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
        limits: WarpLimits,
        progress: &Progress<'_>,
    ) -> Result<LevelRun, ComputeError> {
        let start = self.device.stamp()?;
        let shape = self.geometry.shape;
        if self.params.gamma > 0.0 {
            gradients(self.device, (shape, Scheme::Central4), &images.fixed, &mut self.gradients[0])?;
        }
        let mut reports = Vec::new();
        let adaptive = self.params.warp_tol > 0.0;
        let mut stop = if adaptive { StopReason::IterationLimit } else { StopReason::FixedCount };
        let mut compared = self.compare(images, displacement)?;
        for nth in 1.. {
            let (mut report, is_matched) = self.solve_warped(images, displacement, compared)?;
            let warps = if is_matched { limits.matched.max(limits.open) } else { limits.open };
            let trivial = report.solving.is_trivial();
            let tolerance = if adaptive { self.params.warp_tol } else { f64::NEG_INFINITY };
            let small = |report: &WarpRun| report.mean_increment_vox.peek().is_some_and(|m| *m < tolerance);
            let over = nth >= warps || trivial || small(&report);
            let mut next = if over { None } else { Some(self.compare(images, displacement)?) };
            if adaptive {
                // What the next warp needs to know comes in the same transfer as whether there is one.
                let mean: &mut dyn Pending = &mut report.mean_increment_vox;
                let mismatch2 = next.iter_mut().filter_map(|next| next.mismatch2.as_mut());
                let mismatch2 = mismatch2.map(|number| number as &mut dyn Pending);
                fetch(self.device, None, std::iter::once(mean).chain(mismatch2).collect())?;
            }
            let small = small(&report);
            let residual = report.solving.peek();
            reports.push(report);
            let done = if trivial { warps } else { nth };
            progress.observer.step(Step {
                level: progress.level,
                levels: progress.levels,
                warp: nth,
                warps,
                residual,
                done: (progress.before + done as f64 / warps as f64 * progress.own) / progress.all,
            });
            if trivial || small {
                stop = if trivial { StopReason::Trivial } else { StopReason::Converged };
                break;
            }
            match next {
                Some(next) => compared = next,
                None => break,
            }
        }
        let spacing_vox = self.geometry.spacing_vox;
        Ok(LevelRun {
            size: shape.size,
            spacing_vox,
            warps: reports,
            stop,
            span: [start, self.device.stamp()?],
        })
    }

    /// Warps, and asks how well the images match.
    fn compare(&mut self, images: &LevelImages, displacement: &[Buffer]) -> Result<Compared, ComputeError> {
        self.warp(images, displacement)?;
        let follows = self.params.alpha_mismatch > 0.0;
        Ok(Compared {
            difference: self.difference(images)?,
            mismatch2: follows.then(|| self.mismatch2(images)).transpose()?,
        })
    }

    /// Solves for the increment of the images last warped, and composes it; says whether they matched.
    fn solve_warped(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
        compared: Compared,
    ) -> Result<(WarpRun, bool), ComputeError> {
        let (device, shape) = (self.device, self.geometry.shape);
        let weights = self.weigh(compared.mismatch2)?;
        self.tensors(images, &weights)?;
        // Multigrid alone overwrites what is there; weights of the solution so far and sweeps start from it.
        if self.multigrid.is_none() || !self.groups.is_empty() || self.psi.is_some() {
            clear(device, &mut self.increment)?;
        }
        let updates = if self.params.is_robust() { self.params.lagged_updates } else { 1 };
        let mut solving = None;
        for _ in 0..updates {
            solving = Some(self.solve(images, displacement, &weights)?);
        }
        let solving = solving.expect("a warp should have at least one solve");
        let length = clip_length(device, self.params.increment_limit, &mut self.increment)?;
        let update = match self.params.update {
            Update::Add => compose::Update::Add,
            Update::Compose => compose::Update::Compose,
        };
        let spacing_edges = self.geometry.spacing_edges;
        Compose { shape, spacing_edges, update, displacement, increment: &mut self.increment }.run(device)?;
        std::mem::swap(displacement, &mut self.increment);
        self.filter(images, displacement)?;
        let voxels = shape.len() as f64;
        let (mean_increment_vox, difference) = (length.map(move |sum| sum / voxels), compared.difference);
        Ok((WarpRun { solving, mean_increment_vox, difference }, weights.is_matched))
    }

    /// Samples the moving image at the present displacement into `self.warped`.
    pub fn warp(&mut self, images: &LevelImages, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let warp = Warp {
            shape: self.geometry.shape,
            spacing_edges: self.geometry.spacing_edges,
            interpolation: self.params.interpolation.of_kernel(),
            moving_from_fixed: images.moving_from_fixed,
            moving: &images.moving,
            displacement,
            out: &mut self.warped,
        };
        warp.run(self.device)
    }

    /// Σ |I_t| of the images last warped, and number of voxels.
    pub fn difference(&self, images: &LevelImages) -> Result<Later<(f64, f64)>, ComputeError> {
        absolute_difference(self.device, (&images.fixed, &self.warped), images.mask.as_ref())
    }

    /// Mean squared distance, edges², by which the images last warped still miss each other.
    pub fn mismatch2(&self, images: &LevelImages) -> Result<Later<f64>, ComputeError> {
        let (weights, brightness) = (Weights::fixed(self.params), [(&images.fixed, &self.warped)]);
        let args = self.params.tensor_of(self.geometry, &weights, (&brightness, images.mask.as_ref()));
        mismatch(self.device, &args)
    }

    /// The motion tensors around the present displacement: into the system, or into the groups.
    fn tensors(&mut self, images: &LevelImages, weights: &Weights) -> Result<(), ComputeError> {
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        let mask = images.mask.as_ref();
        let brightness = [(&images.fixed, &self.warped)];
        let args = params.tensor_of(self.geometry, weights, (&brightness, mask));
        let Some((first, others)) = self.groups.split_first_mut() else {
            return motion_tensor(device, &args, &mut self.system);
        };
        motion_tensor(device, &args, first)?;
        if let Some(second) = others.first_mut() {
            let [fixed, warped] = &mut self.gradients;
            gradients(device, (shape, Scheme::Central4), &self.warped, warped)?;
            let pairs: Vec<_> = fixed.iter().zip(warped.iter()).collect();
            let constraint = params.constraint(params.gradient_zeta);
            let args = params.tensor_of(self.geometry, weights, (&pairs, mask));
            motion_tensor(device, &MotionTensor { constraint, ..args }, second)?;
        }
        Ok(())
    }

    /// The weights for images that miss each other so far: the only number that a warp waits for.
    fn weigh(&self, mismatch2: Option<Later<f64>>) -> Result<Weights, ComputeError> {
        let Some(mismatch2) = mismatch2 else { return Ok(Weights::fixed(self.params)) };
        let components = self.geometry.shape.components();
        Ok(Weights::matched(self.params, mismatch2.get(self.device)?, components))
    }

    /// One linear solve for the increment, with weights from the increment so far.
    fn solve(
        &mut self,
        images: &LevelImages,
        displacement: &[Buffer],
        weights: &Weights,
    ) -> Result<Solving, ComputeError> {
        let (device, params, geometry) = (self.device, self.params, self.geometry);
        let shape = geometry.shape;
        if !self.groups.is_empty() {
            let epsilon = match params.data_penaliser {
                Penaliser::Charbonnier { epsilon } => epsilon,
                Penaliser::Quadratic => f32::MAX.sqrt(),
            };
            let gains = [1.0, params.gamma];
            let groups: Vec<_> =
                self.groups.iter().zip(gains).map(|(tensor, gain)| Group { tensor, gain }).collect();
            robust_tensor(device, (shape, epsilon), (&groups, &self.increment), &mut self.system)?;
        }
        if let Some(psi) = self.psi.as_mut() {
            let args = Diffusivity {
                shape,
                spacing_edges: geometry.spacing_edges,
                epsilon: match params.smoothness_penaliser {
                    Penaliser::Charbonnier { epsilon } => Some(epsilon),
                    Penaliser::Quadratic => None,
                },
                image: (params.kappa > 0.0).then_some((params.kappa, &images.fixed)),
            };
            diffusivity(device, &args, (displacement, &self.increment), psi)?;
        }
        let (tensor, rhs) = self.system.split_at_mut(shape.tensor_entries());
        let operator = Operator {
            shape,
            spacing_edges: geometry.spacing_edges,
            alpha: weights.alpha,
            tensor: Some(tensor),
            diffusivity: self.psi.as_ref(),
            volume_weight: self.volume_weight.as_ref(),
        };
        if params.regularise == Regularise::Total {
            let regulariser = Operator {
                tensor: None,
                volume_weight: operator.volume_weight.filter(|_| params.volume == VolumeTerm::Divergence),
                ..operator
            };
            subtract_product(device, &regulariser, displacement, rhs)?;
            if let (true, Some((taps, mean))) = (weights.mean_share > 0.0, self.mean.as_mut()) {
                for (component, mean) in displacement.iter().zip(mean.iter_mut()) {
                    convolve(device, (shape, taps), component, mean)?;
                }
                let alpha = -weights.mean_share * weights.alpha;
                subtract_product(device, &Operator { alpha, volume_weight: None, ..regulariser }, mean, rhs)?;
            }
            if let Some(change) = self.volume_change.as_mut() {
                jacobian(device, (shape, geometry.spacing_edges), (displacement, None), change)?;
                log_change(device, change)?;
                subtract_volume_target(device, &operator, change, rhs)?;
            }
        }
        let stopping = Stopping {
            iterations: params.iterations,
            rtol: (params.rtol > 0.0).then_some(params.rtol),
            omega: params.omega,
        };
        let x = &mut self.increment;
        match (params.solver, self.multigrid.as_mut()) {
            (Solver::Multigrid, Some(multigrid)) => multigrid.solve(device, &operator, (x, rhs), stopping),
            (Solver::Jacobi, _) => sweep(device, &operator, (x, rhs, self.spare.as_deref_mut()), stopping),
            _ => sweep(device, &operator, (x, rhs, None), stopping),
        }
    }

    /// The median between warps.
    fn filter(&mut self, images: &LevelImages, displacement: &mut Field) -> Result<(), ComputeError> {
        let shape = self.geometry.shape;
        let kind = match self.params.median {
            MedianFilter::Plain { radius } => Median::Plain { radius },
            MedianFilter::NonLocal if self.votes.is_some() => Median::Weighted(NON_LOCAL),
            _ => return Ok(()),
        };
        if self.votes.is_some() {
            self.warp(images, displacement)?;
        }
        if let Some(votes) = self.votes.as_mut() {
            let args = (shape, self.geometry.spacing_edges, VISIBILITY);
            visibility(self.device, args, (displacement, &images.fixed, &self.warped), votes)?;
        }
        let spare = self.spare.as_mut().expect("a level with a median should have a spare field");
        median(self.device, (shape, kind), (displacement, &images.fixed, self.votes.as_ref()), spare)?;
        std::mem::swap(displacement, spare);
        Ok(())
    }

    /// The confidence at the displacement last warped to; the level's memory serves for it.
    pub fn into_confidence(
        mut self,
        images: &LevelImages,
        scales: confidence::Scales,
    ) -> Result<Buffer, ComputeError> {
        let brightness = [(&images.fixed, &self.warped)];
        let mut tensor = self.system;
        let (Some(difference), Some(mut out)) = (self.increment.pop(), self.increment.pop()) else {
            unreachable!("a displacement should have two components at least")
        };
        tensor.push(difference);
        let weights = Weights::fixed(self.params);
        let args = self.params.tensor_of(self.geometry, &weights, (&brightness, images.mask.as_ref()));
        motion_tensor(self.device, &args, &mut tensor)?;
        confidence::confidence(self.device, (self.geometry.shape, scales), &tensor, &mut out)?;
        Ok(out)
    }
}

impl ClgParams {
    /// Warps of the finest level.
    pub(super) fn finest_limits(&self) -> WarpLimits {
        WarpLimits { open: self.finest_warps, matched: self.matched_warps }
    }
}
