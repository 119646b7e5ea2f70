//! One pyramid level of [`Clg`](crate::Clg): warps until the increments are small.

use crate::clg_parameters::{
    ClgParams, Derivatives, Interpolation, MedianFilter, Normalisation, Penaliser, Regularise, Update,
    VolumeTerm,
};
use crate::coarse_to_fine::LevelGeometry;
use crate::multigrid::{Multigrid, Solved, Solver, Stopping, Terms, sweep};
use crate::{Observer, Step};
use veloxel_compute::kernels::brightness::absolute_difference;
use veloxel_compute::kernels::compose::{self, compose};
use veloxel_compute::kernels::confidence;
use veloxel_compute::kernels::convolve::{convolve, isotropic};
use veloxel_compute::kernels::diffusivity::{Diffusivity, diffusivity};
use veloxel_compute::kernels::gradient::{Scheme, gradient};
use veloxel_compute::kernels::jacobian::jacobian;
use veloxel_compute::kernels::median::{Median, WeightedMedian, median};
use veloxel_compute::kernels::motion_tensor::{Constraint, MotionTensor, mismatch, motion_tensor};
use veloxel_compute::kernels::occlusion::{self, visibility};
use veloxel_compute::kernels::operator::{Operator, subtract_product, subtract_volume_target};
use veloxel_compute::kernels::pointwise::{clip_length, fill, log_change, multiply};
use veloxel_compute::kernels::robust_tensor::{Group, robust_tensor};
use veloxel_compute::kernels::warp::{self, VoxelAffine, Warp, warp};
use veloxel_compute::{Axes, Buffer, ComputeError, Device, Field, Taps};
use veloxel_core::{LevelReport, StopReason, WarpReport};

/// K_ρ is cut here, in standard deviations.
const TRUNCATE: f64 = 2.5;
/// Share of σ² below which the mean squared mismatch counts as a match: half of σ.
const MATCHED_SHARE: f64 = 0.25;
/// How much of the mean is free once images match; the rest of first order fills what no data reach.
const MEAN_SHARE: f32 = 0.9;
/// Share of that below which no mismatch is told from rounding.
const LEAST_SHARE: f64 = 0.02;
/// The non-local median of pictures: scales chosen on plateaus, window and votes as Sun, Roth, Black 2010.
const NON_LOCAL: WeightedMedian =
    WeightedMedian { radius: 6, stride: 3, sigma_vox: 6.0, sigma_intensity: 0.025, edge: 0.1, reach: 1 };
/// Scales of the visibility that weighs its votes.
const VISIBILITY: occlusion::Scales = occlusion::Scales { divergence: 0.3, intensity: 0.06 };

/// The images of a level.
pub(crate) struct LevelImages<'a> {
    pub fixed: &'a Buffer,
    /// Samples, or spline coefficients.
    pub moving: &'a Buffer,
    /// 1 where data count.
    pub mask: Option<&'a Buffer>,
    /// From fixed to moving voxels of this level.
    pub moving_from_fixed: VoxelAffine,
}

/// Where the level stands in the run, for the observer.
pub(crate) struct Progress<'a> {
    pub observer: &'a dyn Observer,
    pub level: usize,
    pub levels: usize,
    /// Voxel-warps of the levels before, of one warp here, and of all.
    pub work: (f64, f64, f64),
}

/// The memory of one level; nothing is allocated inside its warps.
pub(crate) struct Level<'a> {
    device: &'a Device,
    params: &'a ClgParams,
    geometry: &'a LevelGeometry,
    /// K_ρ, and the one for images that match.
    taps: [Axes<Taps>; 2],
    /// The window of the mean motion that is free once images match, and memory for that mean.
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

/// Whether the warped images match, and so which of the level's two windows a tensor is averaged in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Match {
    /// Not yet: ρ; the total displacement is smoothed.
    Open = 0,
    /// To half of σ: the window for images that match; the displacement is smoothed around its mean.
    Close = 1,
}

/// What the mismatch decides for a warp.
#[derive(Clone, Copy)]
struct Weights {
    /// α.
    alpha: f32,
    /// ζ of the brightness constraint.
    zeta: f32,
    /// Which window.
    matched: Match,
}

impl<'a> Level<'a> {
    pub fn new(
        device: &'a Device,
        params: &'a ClgParams,
        geometry: &'a LevelGeometry,
        volume_mask: Option<&Buffer>,
    ) -> Result<Self, ComputeError> {
        let shape = geometry.shape;
        let (n, d) = (shape.len(), shape.components());
        let entries = shape.tensor_entries() + d;
        let optional = |wanted: bool| wanted.then(|| device.zeros(n)).transpose();
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
            fill(device, params.beta, weight);
            if let Some(mask) = volume_mask {
                multiply(device, mask, weight)?;
            }
        }
        let psi_wanted = params.smoothness_penaliser != Penaliser::Quadratic || params.kappa > 0.0;
        Ok(Self {
            device,
            params,
            geometry,
            taps: [params.rho, params.rho_matched].map(|rho| isotropic(&Taps::gaussian(rho, TRUNCATE))),
            mean: (params.alpha_mismatch > 0.0 && params.mean_matched > 0.0)
                .then(|| -> Result<_, ComputeError> {
                    let taps = isotropic(&Taps::gaussian(params.mean_matched, TRUNCATE));
                    Ok((taps, device.zeros_field(d, n)?))
                })
                .transpose()?,
            warped: device.zeros(n)?,
            system: device.zeros_field(entries, n)?,
            groups: (0..group_count).map(|_| device.zeros_field(entries + 1, n)).collect::<Result<_, _>>()?,
            gradients: [device.zeros_field(gradient_count, n)?, device.zeros_field(gradient_count, n)?],
            increment: device.zeros_field(d, n)?,
            spare: (params.solver == Solver::Jacobi || median_wanted)
                .then(|| device.zeros_field(d, n))
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
        images: &LevelImages<'_>,
        displacement: &mut Field,
        (warps, progress): (usize, &Progress<'_>),
    ) -> Result<LevelReport, ComputeError> {
        let start = std::time::Instant::now();
        let shape = self.geometry.shape;
        if self.params.gamma > 0.0 {
            for (axis, out) in self.gradients[0].iter_mut().enumerate() {
                gradient(self.device, (shape, axis, Scheme::Central4), images.fixed, out)?;
            }
        }
        let mut reports = Vec::new();
        let mut stop =
            if self.params.warp_tol > 0.0 { StopReason::IterationLimit } else { StopReason::FixedCount };
        for nth in 1..=warps {
            let report = self.warp_and_solve(images, displacement)?;
            let residual = report.relative_residuals.last().copied().unwrap_or(1.0);
            let (mean, trivial) = (report.mean_increment_vox, report.stop == StopReason::Trivial);
            reports.push(report);
            let (before, one, all) = progress.work;
            let done = if nth == warps || trivial { warps } else { nth };
            progress.observer.step(Step {
                level: progress.level,
                levels: progress.levels,
                warp: nth,
                warps,
                residual,
                done: (before + done as f64 * one) / all,
            });
            if trivial || (self.params.warp_tol > 0.0 && mean < self.params.warp_tol) {
                stop = if trivial { StopReason::Trivial } else { StopReason::Converged };
                break;
            }
        }
        Ok(LevelReport {
            size: shape.size,
            spacing_vox: self.geometry.spacing_vox,
            warps: reports,
            stop,
            time_ms: start.elapsed().as_secs_f64() * 1e3,
        })
    }

    fn warp_and_solve(
        &mut self,
        images: &LevelImages<'_>,
        displacement: &mut Field,
    ) -> Result<WarpReport, ComputeError> {
        let (device, shape) = (self.device, self.geometry.shape);
        self.warp(images, displacement)?;
        let (sum, count) = absolute_difference(device, (images.fixed, &self.warped), images.mask)?;
        let weights = self.weigh(images)?;
        self.tensors(images, weights)?;
        self.increment.iter_mut().for_each(|b| fill(device, 0.0, b));
        let updates = if self.params.is_robust() { self.params.lagged_updates } else { 1 };
        let mut solved = None;
        for _ in 0..updates {
            solved = Some(self.solve(images, displacement, weights)?);
        }
        let Solved { relative_residuals, stop, .. } = solved.expect("a warp should have at least one solve");
        let length = clip_length(device, self.params.increment_limit, &mut self.increment)?;
        let update = match self.params.update {
            Update::Add => compose::Update::Add,
            Update::Compose => compose::Update::Compose,
        };
        compose(device, (shape, self.geometry.spacing_edges), (update, displacement), &mut self.increment)?;
        std::mem::swap(displacement, &mut self.increment);
        self.filter(images, displacement)?;
        Ok(WarpReport {
            relative_residuals,
            mean_increment_vox: length / shape.len() as f64,
            mean_abs_difference: if count > 0.0 { sum / count } else { 0.0 },
            stop,
        })
    }

    /// Samples the moving image at the present displacement into `self.warped`.
    pub fn warp(&mut self, images: &LevelImages<'_>, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let args = Warp {
            shape: self.geometry.shape,
            spacing_edges: self.geometry.spacing_edges,
            interpolation: match self.params.interpolation {
                Interpolation::Linear => warp::Interpolation::Linear,
                Interpolation::CubicSpline => warp::Interpolation::CubicSpline,
            },
            moving_from_fixed: images.moving_from_fixed,
            moving: images.moving,
            displacement,
        };
        warp(self.device, &args, &mut self.warped)
    }

    /// The motion tensors around the present displacement: into the system, or into the groups.
    fn tensors(&mut self, images: &LevelImages<'_>, weights: Weights) -> Result<(), ComputeError> {
        let (device, shape) = (self.device, self.geometry.shape);
        let brightness = [(images.fixed, &self.warped)];
        let taps = &self.taps[weights.matched as usize];
        let Some((first, others)) = self.groups.split_first_mut() else {
            let mut args = self.params.tensor_of(self.geometry, taps, (&brightness, images.mask));
            if self.params.normalise == Normalisation::Distance {
                args.constraint = Constraint::Normalised { zeta: weights.zeta };
            }
            return motion_tensor(device, &args, &mut self.system);
        };
        let args = self.params.tensor_of(self.geometry, taps, (&brightness, images.mask));
        motion_tensor(device, &args, first)?;
        if let Some(second) = others.first_mut() {
            let [fixed, warped] = &mut self.gradients;
            for (axis, out) in warped.iter_mut().enumerate() {
                gradient(device, (shape, axis, Scheme::Central4), &self.warped, out)?;
            }
            let pairs: Vec<_> = fixed.iter().zip(warped.iter()).collect();
            let mut args = self.params.tensor_of(self.geometry, taps, (&pairs, images.mask));
            if self.params.normalise == Normalisation::Distance {
                args.constraint = Constraint::Normalised { zeta: self.params.gradient_zeta };
            }
            motion_tensor(device, &args, second)?;
        }
        Ok(())
    }

    /// The weights for the mismatch m at hand.
    ///
    /// The weight of smoothness over that of data is the variance of data over that of motion: α ∝ m². Once images match,
    /// m is what noise and sampling leave: ζ, the contrast that noise alone makes, is proportional to it, and the window
    /// that balances the variance m²/ρᵈ it averages away with the bend ρ⁴ it flattens is ρ ∝ m^(2/(d + 4)).
    fn weigh(&mut self, images: &LevelImages<'_>) -> Result<Weights, ComputeError> {
        let params = self.params;
        let fixed = Weights { alpha: params.alpha, zeta: params.zeta, matched: Match::Open };
        if params.alpha_mismatch == 0.0 {
            return Ok(fixed);
        }
        let share = self.mismatch(images)? / params.alpha_mismatch.powi(2);
        let alpha_share = (share as f32).clamp(params.alpha_floor, 1.0);
        if share >= MATCHED_SHARE {
            return Ok(Weights { alpha: params.alpha * alpha_share, ..fixed });
        }
        let below = (share / MATCHED_SHARE).max(LEAST_SHARE);
        let exponent = 1.0 / (self.geometry.shape.components() as f64 + 4.0);
        let rho = params.rho_matched * below.powf(exponent);
        self.taps[Match::Close as usize] = isotropic(&Taps::gaussian(rho, TRUNCATE));
        Ok(Weights {
            alpha: params.alpha_matched * alpha_share,
            zeta: params.zeta * below.sqrt() as f32,
            matched: Match::Close,
        })
    }

    /// Mean squared distance, edges², by which the images last warped still miss each other.
    pub fn mismatch(&self, images: &LevelImages<'_>) -> Result<f64, ComputeError> {
        let brightness = [(images.fixed, &self.warped)];
        mismatch(
            self.device,
            &self.params.tensor_of(self.geometry, &self.taps[0], (&brightness, images.mask)),
        )
    }

    /// One linear solve for the increment, with weights from the increment so far.
    fn solve(
        &mut self,
        images: &LevelImages<'_>,
        displacement: &[Buffer],
        weights: Weights,
    ) -> Result<Solved, ComputeError> {
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
                image: (params.kappa > 0.0).then_some((params.kappa, images.fixed)),
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
            // The mean is nearly free: what is smoothed is d0 + δ − 0.9 K * d0, and a bend much longer than K costs little.
            if let (Match::Close, Some((taps, mean))) = (weights.matched, self.mean.as_mut()) {
                for (component, mean) in displacement.iter().zip(mean.iter_mut()) {
                    convolve(device, (shape, taps), component, mean)?;
                }
                let given_back =
                    Operator { alpha: -MEAN_SHARE * weights.alpha, volume_weight: None, ..regulariser };
                subtract_product(device, &given_back, mean, rhs)?;
            }
            if let Some(change) = self.volume_change.as_mut() {
                jacobian(device, (shape, geometry.spacing_edges), (displacement, None), change)?;
                log_change(device, change);
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
    fn filter(&mut self, images: &LevelImages<'_>, displacement: &mut Field) -> Result<(), ComputeError> {
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
            visibility(self.device, args, (displacement, images.fixed, &self.warped), votes)?;
        }
        let spare = self.spare.as_mut().expect("a level with a median should have a spare field");
        median(self.device, (shape, kind), (displacement, images.fixed, self.votes.as_ref()), spare)?;
        std::mem::swap(displacement, spare);
        Ok(())
    }

    /// The confidence at the displacement last warped to, and the warped image; the level's memory serves for both.
    pub fn into_confidence(
        mut self,
        images: &LevelImages<'_>,
        scales: confidence::Scales,
    ) -> Result<(Buffer, Buffer), ComputeError> {
        let brightness = [(images.fixed, &self.warped)];
        let mut tensor = self.system;
        let (Some(difference), Some(mut out)) = (self.increment.pop(), self.increment.pop()) else {
            unreachable!("a displacement should have two components at least")
        };
        tensor.push(difference);
        let args = self.params.tensor_of(self.geometry, &self.taps[0], (&brightness, images.mask));
        motion_tensor(self.device, &args, &mut tensor)?;
        confidence::confidence(self.device, (self.geometry.shape, scales), &tensor, &mut out)?;
        Ok((self.warped, out))
    }
}

impl ClgParams {
    /// The brightness constraint's tensor on a level.
    pub(crate) fn tensor_of<'a>(
        &self,
        geometry: &LevelGeometry,
        taps: &'a Axes<Taps>,
        (pairs, weight): (&'a [(&'a Buffer, &'a Buffer)], Option<&'a Buffer>),
    ) -> MotionTensor<'a> {
        MotionTensor {
            shape: geometry.shape,
            spacing_edges: geometry.spacing_edges,
            scheme: match self.derivatives {
                Derivatives::Forward => Scheme::Forward,
                Derivatives::Central4 => Scheme::Central4,
            },
            constraint: match self.normalise {
                Normalisation::Off => Constraint::Plain,
                Normalisation::Distance => Constraint::Normalised { zeta: self.zeta },
            },
            taps,
            pairs,
            weight,
        }
    }
}
