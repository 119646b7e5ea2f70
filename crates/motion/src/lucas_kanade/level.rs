//! One pyramid level of [`LucasKanade`](crate::LucasKanade): warps, sums and solves.

use super::diagnostics::PendingIterations;
use super::parameters::{LucasKanadeParams, Window};
use crate::clg::parameters::{Interpolation, MedianFilter, Normalisation, Update};
use crate::image_pyramids::LevelImages;
use crate::level_account::LevelRun;
use crate::pyramid::LevelGeometry;
use crate::solving::StopReason;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::median::{Median, MedianKind, WeightedMedian};
use veloxel_kernels::image::pointwise::{ClipLength, InPlace, Operation};
use veloxel_kernels::image::warp::{Border, VoxelAffine, Warp};
use veloxel_kernels::image::window_sum::WindowSum;
use veloxel_kernels::matching::least_eigenvalue::{LeastEigenvalue, MaskedWindows};
use veloxel_kernels::matching::local_solve::LocalSolve;
use veloxel_kernels::matching::local_step::{self, LocalStep, Terms};
use veloxel_kernels::variational::compose::{self, Compose};
use veloxel_kernels::variational::expected_error::ExpectedError;
use veloxel_kernels::variational::field_confidence::FieldConfidence;
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm, MotionTensor};
use veloxel_kernels::variational::occlusion::{self, Visibility};
use veloxel_kernels::variational::robust_tensor::{Group, RobustTensor};
use veloxel_kernels::{Kernel, Taps};

/// The non-local median of pictures, as in [`mod@crate::clg`]; motion edges count from a third of its size on, since windows
/// blur them.
const NON_LOCAL: WeightedMedian =
    WeightedMedian { radius: 6, stride: 3, sigma_vox: 6.0, sigma_intensity: 0.025, edge: 0.03, reach: 1 };
/// Scales of the visibility that weighs its votes.
const VISIBILITY: occlusion::Scales = occlusion::Scales { divergence: 0.3, intensity: 0.06 };
/// Gaussian windows are cut here, in standard deviations.
const TRUNCATE: f64 = 2.5;

/// Distance of the samples that tell whether the field is rough, edges.
const ROUGHNESS_STEP_EDGES: f32 = 4.0;
/// Error expected of a vector that leads out of the image, edges.
const OUTSIDE_ERROR_EDGES: f32 = 1.0;
/// Standard deviation of the window that expected errors are averaged over, voxels.
const CONFIDENCE_WINDOW_VOX: f64 = 1.0;
/// Expected error at which the confidence is halved, edges.
const HALF_CONFIDENCE_EDGES: f32 = 0.5;
/// Eigenvalue of a window below which its residual tells little.
const DETERMINACY: f32 = 0.02;

/// The memory of a run, made for its largest level and kept.
#[derive(Debug, Default)]
pub(super) struct Memory {
    warped: Field,
    increment: Field,
    /// Spatial entries, the right-hand side, tt.
    tensor: Field,
    /// Of gradient constancy, likewise.
    gradient_tensor: Field,
    /// Of the fixed and the warped image.
    gradients: [Field; 2],
    spare: Field,
    votes: Field,
}

impl Memory {
    /// The increment, with the size of a level.
    pub fn increment(
        &mut self,
        device: &Device,
        geometry: &LevelGeometry,
    ) -> Result<&mut Field, ComputeError> {
        fit(device, &mut self.increment, geometry.shape.components(), geometry.shape.len())?;
        Ok(&mut self.increment)
    }
}

/// Gives a field so many components of so many samples.
fn fit(device: &Device, field: &mut Field, count: usize, len: usize) -> Result<(), ComputeError> {
    field.truncate(count);
    field.iter_mut().try_for_each(|component| device.fit(component, len))?;
    while field.len() < count {
        field.push(device.scratch(len)?);
    }
    Ok(())
}

/// One level, with the memory that is lent to it.
pub(super) struct Level<'a> {
    device: &'a Device,
    params: &'a LucasKanadeParams,
    geometry: &'a LevelGeometry,
    memory: &'a mut Memory,
}

impl<'a> Level<'a> {
    pub fn new(
        device: &'a Device,
        params: &'a LucasKanadeParams,
        geometry: &'a LevelGeometry,
        memory: &'a mut Memory,
    ) -> Result<Self, ComputeError> {
        let shape = geometry.shape;
        let (d, n, entries) = (shape.components(), shape.len(), shape.tensor_entries() + shape.components());
        memory.increment(device, geometry)?;
        let has_gradients = params.gamma > 0.0;
        let is_robust = has_gradients || params.epsilon > 0.0;
        fit(device, &mut memory.warped, 1, n)?;
        fit(device, &mut memory.tensor, entries + 1, n)?;
        fit(device, &mut memory.gradient_tensor, if has_gradients { entries + 1 } else { 0 }, n)?;
        for gradients in &mut memory.gradients {
            fit(device, gradients, if has_gradients { d } else { 0 }, n)?;
        }
        let spare = if is_robust { entries } else { d.max(1) };
        fit(device, &mut memory.spare, spare, n)?;
        let has_votes = params.median == MedianFilter::NonLocal && d == 2;
        fit(device, &mut memory.votes, usize::from(has_votes), n)?;
        Ok(Self { device, params, geometry, memory })
    }

    /// Iterates until the limit or the tolerance; `displacement` is in edges.
    pub fn run(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
        iterations: usize,
    ) -> Result<LevelRun<PendingIterations>, ComputeError> {
        let start = self.device.stamp()?;
        let (shape, tolerance) = (self.geometry.shape, self.params.tolerance);
        if self.params.gamma > 0.0 && self.in_one(images).is_none() {
            let out = &mut self.memory.gradients[0];
            Gradient { shape, scheme: Scheme::Central4, image: &images.fixed, out }.run(self.device)?;
        }
        let mut increments = Vec::new();
        let mut stop = if tolerance > 0.0 { StopReason::IterationLimit } else { StopReason::FixedCount };
        for _ in 0..iterations {
            let mut mean = self.iterate(images, displacement)?;
            if tolerance > 0.0 {
                let device = self.device;
                veloxel_gpu::fetch(device, None, vec![&mut mean])?;
                let is_small = mean.peek().is_some_and(|mean| *mean < tolerance);
                increments.push(mean);
                if is_small {
                    stop = StopReason::Converged;
                    break;
                }
            } else {
                increments.push(mean);
            }
        }
        let spacing_vox = self.geometry.spacing_vox;
        let own = PendingIterations { spacing_vox, increments, stop };
        Ok(LevelRun { size: shape.size, own, span: [start, self.device.stamp()?] })
    }

    /// One iteration; returns the mean length of the increment, voxels.
    fn iterate(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
    ) -> Result<Later<f64>, ComputeError> {
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        let voxels = shape.len() as f64;
        if let Some(terms) = self.in_one(images) {
            let step = LocalStep {
                shape,
                spacing_edges: self.geometry.spacing_edges,
                terms,
                images: [&images.fixed, &images.moving],
                displacement,
                out: &mut self.memory.increment,
                memory: &mut [],
            };
            let length = step.run(device)?;
            std::mem::swap(displacement, &mut self.memory.increment);
            self.filter(images, displacement)?;
            return Ok(length.map(move |sum| sum / voxels));
        }
        self.warp(images, displacement)?;
        self.constraints(images)?;
        self.sum_windows()?;
        let ridge = params.ridge * self.window_weight();
        let memory = &mut *self.memory;
        let tensor = &memory.tensor;
        LocalSolve { shape, ridge, tensor, increment: &mut memory.increment }.run(device)?;
        let limit = params.increment_limit;
        let length = ClipLength { limit, field: &mut memory.increment }.run(device)?;
        let update = match params.update {
            Update::Add => compose::Update::Add,
            Update::Compose => compose::Update::Compose,
        };
        let spacing_edges = self.geometry.spacing_edges;
        let increment = &mut memory.increment;
        Compose { shape, spacing_edges, update, displacement, increment }.run(device)?;
        std::mem::swap(displacement, &mut memory.increment);
        self.filter(images, displacement)?;
        Ok(length.map(move |sum| sum / voxels))
    }

    /// What an iteration finds vectors by, if a GPU can make all of it in one launch.
    fn in_one(&self, images: &LevelImages) -> Option<Terms> {
        let (params, shape) = (self.params, self.geometry.shape);
        let Window::Box { radius } = params.window else { return None };
        let is_plain = images.mask.is_none()
            && images.cut.is_none()
            && params.epsilon == 0.0
            && params.update == Update::Add
            && params.interpolation == Interpolation::Linear
            && images.moving_shape == shape
            && images.moving_from_fixed == VoxelAffine::IDENTITY;
        let constraints = [params.zeta, params.gradient_zeta].map(|zeta| constraint(params, zeta));
        let ridge = params.ridge * self.window_weight();
        let terms = Terms { radius, constraints, gamma: params.gamma, ridge, limit: params.increment_limit };
        (self.device.is_gpu() && is_plain && local_step::takes(shape, radius)).then_some(terms)
    }

    /// Samples the moving image at the present displacement.
    fn warp(&mut self, images: &LevelImages, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let warp = Warp {
            shape: self.geometry.shape,
            moving_shape: images.moving_shape,
            spacing_edges: self.geometry.spacing_edges,
            interpolation: self.params.interpolation.of_kernel(),
            border: Border::Centres,
            cut: images.cut,
            moving_from_fixed: images.moving_from_fixed,
            moving: &images.moving,
            displacement,
            out: &mut self.memory.warped[0],
        };
        warp.run(self.device)
    }

    /// Warps; Σ |I_t| then, and number of voxels.
    pub fn compare(
        &mut self,
        images: &LevelImages,
        displacement: &[Buffer],
    ) -> Result<Later<(f64, f64)>, ComputeError> {
        self.warp(images, displacement)?;
        let weight = images.mask.as_ref();
        AbsoluteDifference { fixed: &images.fixed, warped: &self.memory.warped[0], weight }.run(self.device)
    }

    /// The constraints of every voxel: spatial entries and right-hand side.
    fn constraints(&mut self, images: &LevelImages) -> Result<(), ComputeError> {
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        let (d, entries) = (shape.components(), shape.tensor_entries() + shape.components());
        let alone = &isotropic(&Taps::gaussian(0.0, 1.0));
        let mask = images.mask.as_ref();
        let memory = &mut *self.memory;
        let brightness = [(&images.fixed, &memory.warped[0])];
        let term = data_term(params, self.geometry, &brightness, params.zeta, mask);
        if memory.gradient_tensor.is_empty() && params.epsilon == 0.0 {
            return MotionTensor { term, taps: alone, out: &mut memory.tensor[..entries] }.run(device);
        }
        MotionTensor { term, taps: alone, out: &mut memory.tensor }.run(device)?;
        if !memory.gradient_tensor.is_empty() {
            let [fixed, warped] = &mut memory.gradients;
            Gradient { shape, scheme: Scheme::Central4, image: &memory.warped[0], out: warped }
                .run(device)?;
            let pairs: Vec<_> = fixed.iter().zip(warped.iter()).collect();
            let term = data_term(params, self.geometry, &pairs, params.gradient_zeta, mask);
            MotionTensor { term, taps: alone, out: &mut memory.gradient_tensor }.run(device)?;
        }
        let groups: Vec<_> = [(&memory.tensor, 1.0), (&memory.gradient_tensor, params.gamma)]
            .into_iter()
            .filter(|(tensor, _)| !tensor.is_empty())
            .map(|(tensor, gain)| Group { tensor, gain })
            .collect();
        InPlace { operation: Operation::Fill(0.0), field: &mut memory.increment }.run(device)?;
        let epsilon = if params.epsilon > 0.0 { params.epsilon } else { f32::MAX.sqrt() };
        let (increment, out) = (&memory.increment[..d], &mut memory.spare[..entries]);
        RobustTensor { shape, epsilon, groups: &groups, increment, out }.run(device)?;
        memory.tensor.iter_mut().zip(&mut memory.spare).for_each(|(tensor, sum)| std::mem::swap(tensor, sum));
        Ok(())
    }

    /// Sums the constraints of every window.
    fn sum_windows(&mut self) -> Result<(), ComputeError> {
        let (shape, memory) = (self.geometry.shape, &mut *self.memory);
        let between = &mut memory.spare[0];
        for channel in &mut memory.tensor[..shape.tensor_entries() + shape.components()] {
            window_sum(self.device, self.params.window, shape, [channel, between])?;
        }
        Ok(())
    }

    /// What a window's weights sum up to.
    fn window_weight(&self) -> f32 {
        match self.params.window {
            Window::Gaussian { .. } => 1.0,
            Window::Box { radius } => {
                (2.0 * radius as f32 + 1.0).powi(self.geometry.shape.components() as i32)
            }
        }
    }

    /// The median between iterations.
    fn filter(&mut self, images: &LevelImages, displacement: &mut Field) -> Result<(), ComputeError> {
        let (shape, d) = (self.geometry.shape, self.geometry.shape.components());
        let kind = match self.params.median {
            MedianFilter::Off => return Ok(()),
            MedianFilter::Plain { radius } => MedianKind::Plain { radius },
            MedianFilter::NonLocal if d == 2 => MedianKind::Weighted(NON_LOCAL),
            MedianFilter::NonLocal => MedianKind::Plain { radius: 1 },
        };
        if !self.memory.votes.is_empty() {
            self.warp(images, displacement)?;
            let kernel = Visibility {
                shape,
                spacing_edges: self.geometry.spacing_edges,
                scales: VISIBILITY,
                displacement,
                fixed: &images.fixed,
                warped: &self.memory.warped[0],
                out: &mut self.memory.votes[0],
            };
            kernel.run(self.device)?;
        }
        let memory = &mut *self.memory;
        let (guide, vote, out) = (&images.fixed, memory.votes.first(), &mut memory.increment);
        Median { shape, kind, field: displacement, guide, vote, out }.run(self.device)?;
        std::mem::swap(displacement, &mut memory.increment);
        Ok(())
    }

    /// The confidence at the displacement last warped to, which becomes NaN where a window has no weight.
    pub fn confidence(self, images: &LevelImages, displacement: &mut Field) -> Result<Buffer, ComputeError> {
        let (device, params, memory, shape) = (self.device, self.params, self.memory, self.geometry.shape);
        let brightness = [(&images.fixed, &memory.warped[0])];
        let term = data_term(params, self.geometry, &brightness, params.zeta, images.mask.as_ref());
        // The window itself, and how many voxels it pools.
        let (taps, width) = match params.window {
            Window::Gaussian { sigma } => (Taps::gaussian(sigma, TRUNCATE), 3.5 * sigma as f32),
            Window::Box { radius } => (Taps::mean(radius), (2 * radius + 1) as f32),
        };
        let pooled = width.powi(shape.components() as i32);
        MotionTensor { term, taps: &isotropic(&taps), out: &mut memory.tensor }.run(device)?;
        let tensor = &memory.tensor;
        let errors = ExpectedError {
            shape,
            spacing_edges: self.geometry.spacing_edges,
            step_edges: ROUGHNESS_STEP_EDGES,
            determinacy: DETERMINACY,
            pooled,
            displacement,
            tensor,
            outside_edges: OUTSIDE_ERROR_EDGES,
            warped_to_error: &mut memory.warped[0],
        };
        let mut confidence = device.scratch(shape.len())?;
        let half = params.half_eigenvalue;
        let kernel = FieldConfidence {
            errors,
            taps: &isotropic(&Taps::gaussian(CONFIDENCE_WINDOW_VOX, TRUNCATE)),
            contrast: half,
            half_edges: HALF_CONFIDENCE_EDGES,
            half_eigenvalue: images.mask.is_none().then_some(half),
            out: &mut confidence,
        };
        kernel.run(device)?;
        if let Some(mask) = &images.mask {
            let weight_sum = &mask_sum(device, params.window, shape, mask)?;
            let windows = Some(MaskedWindows { weight_sum, displacement });
            LeastEigenvalue { shape, half, tensor, windows, confidence: &mut confidence }.run(device)?;
        }
        Ok(confidence)
    }
}

/// The linearised constancy of images, or of their derivatives, on a level; ζ as in [`Constraint::Normalised`].
fn data_term<'a>(
    params: &LucasKanadeParams,
    geometry: &LevelGeometry,
    pairs: &'a [(&'a Buffer, &'a Buffer)],
    zeta: f32,
    weight: Option<&'a Buffer>,
) -> DataTerm<'a> {
    let constraint = constraint(params, zeta);
    let (shape, spacing_edges, scheme) = (geometry.shape, geometry.spacing_edges, Scheme::Central4);
    DataTerm { shape, spacing_edges, scheme, constraint, pairs, weight }
}

fn constraint(params: &LucasKanadeParams, zeta: f32) -> Constraint {
    match params.normalise {
        Normalisation::Off => Constraint::Plain,
        Normalisation::Distance => Constraint::Normalised { zeta },
    }
}

/// Sums the samples of every window in place; the other buffer is overwritten.
fn window_sum(
    device: &Device,
    window: Window,
    shape: Shape,
    [samples, between]: [&mut Buffer; 2],
) -> Result<(), ComputeError> {
    let input = &*samples;
    match window {
        Window::Gaussian { sigma } => {
            let taps = &isotropic(&Taps::gaussian(sigma, TRUNCATE));
            Convolve { shape, taps, input, output: between }.run(device)?;
        }
        Window::Box { radius } => {
            WindowSum { shape, radius: [radius; 3], input, output: between }.run(device)?
        }
    }
    std::mem::swap(samples, between);
    Ok(())
}

/// Of every window, the sum of the mask's weights, out to where a box window ends or a Gaussian one is cut.
fn mask_sum(device: &Device, window: Window, shape: Shape, mask: &Buffer) -> Result<Buffer, ComputeError> {
    let radius: Axes<usize> = match window {
        Window::Gaussian { sigma } => [Taps::gaussian(sigma, TRUNCATE).radius(); 3],
        Window::Box { radius } => [radius; 3],
    };
    let mut output = device.scratch(shape.len())?;
    WindowSum { shape, radius, input: mask, output: &mut output }.run(device)?;
    Ok(output)
}
