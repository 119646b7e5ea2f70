//! One pyramid level of [`LucasKanade`](crate::LucasKanade): warps, sums and solves.

use super::parameters::{LucasKanadeParams, SharedInWindow, WindowShape};
use crate::steps::buffers::{fit, written};
use crate::steps::choices::{IncrementUpdate, Interpolation, MedianFilter};
use crate::steps::image_pyramids::LevelImages;
use crate::steps::level_account;
use crate::steps::level_account::{Increments, LevelDiagnostics, LevelRun, over_levels};
use crate::steps::level_by_level::{Certainty, LevelTask};
use crate::steps::level_steps::{ConfidenceScales, PooledData, TRUNCATE};
use crate::steps::pyramid::LevelGeometry;
use crate::steps::settling::Turn;
use crate::steps::solving::StopReason;
use serde::Serialize;
use veloxel_core::{Axes, DiagnosticCell, DiagnosticCurves, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::median::MedianKind;
use veloxel_kernels::image::pointwise::{CopyBuffer, InPlace, Operation};
use veloxel_kernels::image::warp::{Border, VoxelAffine};
use veloxel_kernels::image::window_sum::WindowSum;
use veloxel_kernels::matching::least_eigenvalue::{LeastEigenvalue, MaskedWindows};
use veloxel_kernels::matching::local_solve::LocalSolve;
use veloxel_kernels::matching::local_step::{self, LocalStep, Terms};
use veloxel_kernels::variational::motion_tensor::MotionTensor;
use veloxel_kernels::variational::operator::{Operator, SubtractProduct};
use veloxel_kernels::variational::robust_tensor::{ConstraintGroup, RobustTensor};
use veloxel_kernels::{Kernel, Taps};

/// Second difference of the flow that is a motion edge for the non-local median, edges: a third of that of [`mod@crate::clg`], since
/// windows blur them.
const MOTION_EDGE: f32 = 0.03;
/// Eigenvalue of a window below which its residual tells little, in pictures, whose windows the confidence averages, and in volumes.
const DETERMINACY: [f32; 2] = [0.001, 0.02];

/// The memory of a run, made for its largest level and kept.
#[derive(Debug, Default)]
pub struct Memory {
    warped: Field,
    pub(super) increment: Field,
    /// Spatial entries, the right-hand side, tt.
    tensor: Field,
    /// The tensor of gradient constancy: spatial entries, the right-hand side, tt.
    gradient_tensor: Field,
    /// Derivatives of the fixed and of the warped image.
    gradients: [Field; 2],
    spare: Field,
    votes: Field,
}

impl Memory {
    /// Every part, and how many buffers of a level's size it has.
    pub fn parts(&mut self, params: &LucasKanadeParams, shape: Shape) -> [(&mut Field, usize); 8] {
        let (d, entries) = (shape.components(), shape.tensor_entries() + shape.components());
        let has_gradients = params.gamma > 0.0;
        let of_gradients = |count: usize| if has_gradients { count } else { 0 };
        let spare = if has_gradients || params.epsilon > 0.0 { entries } else { d };
        let has_votes = params.median == MedianFilter::NonLocal && d == 2;
        let [of_fixed, of_warped] = &mut self.gradients;
        [
            (&mut self.increment, d),
            (&mut self.warped, 1),
            (&mut self.tensor, entries + 1),
            (&mut self.gradient_tensor, of_gradients(entries + 1)),
            (of_fixed, of_gradients(d)),
            (of_warped, of_gradients(d)),
            (&mut self.spare, spare),
            (&mut self.votes, usize::from(has_votes)),
        ]
    }
}

/// One level, with the memory that is lent to it.
pub(super) struct LucasKanadeLevel<'a> {
    device: &'a Device,
    params: &'a LucasKanadeParams,
    geometry: &'a LevelGeometry,
    images: &'a LevelImages,
    memory: &'a mut Memory,
}

impl<'a> LucasKanadeLevel<'a> {
    pub fn new(
        params: &'a LucasKanadeParams,
        task: LevelTask<'a>,
        memory: &'a mut Memory,
    ) -> Result<Self, ComputeError> {
        let LevelTask { device, geometry, images, .. } = task;
        for (field, count) in memory.parts(params, geometry.shape) {
            fit(device, field, count, geometry.shape.len())?;
        }
        Ok(Self { device, params, geometry, images, memory })
    }

    /// Iterates until the limit or the tolerance; `displacement` is in edges.
    pub fn run(
        &mut self,
        displacement: &mut Field,
        iterations: usize,
    ) -> Result<LevelRun<Increments<Iterations>>, ComputeError> {
        let start = self.device.stamp()?;
        let (shape, tolerance) = (self.geometry.shape, self.params.tolerance);
        if self.params.gamma > 0.0 && self.in_one().is_none() {
            let out = &mut self.memory.gradients[0];
            Gradient { shape, scheme: Scheme::Central4, image: &self.images.fixed, out }.run(self.device)?;
        }
        let mut means = Vec::new();
        let mut stop = if tolerance > 0.0 { StopReason::IterationLimit } else { StopReason::FixedCount };
        for nth in 1..=iterations {
            let mut mean = self.iterate(displacement)?;
            let turn = Turn { nth, full: self.params.full_iterations };
            turn.settle(self.device, &self.memory.increment, displacement)?;
            if tolerance > 0.0 {
                veloxel_gpu::fetch(self.device, None, vec![&mut mean])?;
            }
            let is_small = mean.peek().is_some_and(|mean| *mean < tolerance);
            means.push(mean);
            if is_small {
                stop = StopReason::Converged;
                break;
            }
        }
        let spacing_vox = self.geometry.spacing_vox;
        let settled =
            Box::new(move |mean_increments_vox| Iterations { spacing_vox, mean_increments_vox, stop });
        let span = [start, self.device.stamp()?];
        Ok(LevelRun { size: shape.size, own: Increments { means, settled }, span })
    }

    /// One iteration; returns the mean length of the increment, voxels. The displacement before it is left in the memory of
    /// increments.
    fn iterate(&mut self, displacement: &mut Field) -> Result<Later<f64>, ComputeError> {
        let (device, params, shape) = (self.device, self.params, self.geometry.shape);
        if let Some(terms) = self.in_one() {
            let step = LocalStep {
                shape,
                spacing_edges: self.geometry.spacing_edges,
                terms,
                fixed: &self.images.fixed,
                moving: &self.images.moving,
                displacement,
                out: &mut self.memory.increment,
                memory: &mut [],
            };
            let length = step.run(device)?;
            std::mem::swap(displacement, &mut self.memory.increment);
            self.filter(displacement)?;
            let voxels = shape.len() as f64;
            return Ok(length.map(move |sum| sum / voxels));
        }
        self.warp(displacement)?;
        self.constraints()?;
        if params.shared == SharedInWindow::Displacement {
            self.constrain_displacement(displacement)?;
        }
        self.sum_windows()?;
        if params.shared == SharedInWindow::Displacement {
            self.subtract_present(displacement)?;
        }
        let ridge = params.ridge * self.window_weight();
        let Memory { tensor, increment, .. } = &mut *self.memory;
        LocalSolve { shape, ridge, tensor, increment }.run(device)?;
        let fields = [&mut *displacement, increment];
        let length = self.geometry.join(device, fields, params.increment_limit, params.update)?;
        self.filter(displacement)?;
        Ok(length)
    }

    /// What an iteration finds vectors by, if a GPU can make all of it in one launch.
    fn in_one(&self) -> Option<Terms> {
        let (params, images, shape) = (self.params, self.images, self.geometry.shape);
        let WindowShape::Box { radius } = params.window else { return None };
        let is_plain = images.mask.is_none()
            && images.cut.is_none()
            && params.epsilon == 0.0
            && params.update == IncrementUpdate::Add
            && params.shared == SharedInWindow::Increment
            && params.interpolation == Interpolation::Linear
            && images.moving_shape == shape
            && images.moving_from_fixed == VoxelAffine::IDENTITY;
        let [brightness, gradients] =
            [params.zeta, params.gradient_zeta].map(|zeta| params.normalise.constraint(zeta));
        let ridge = params.ridge * self.window_weight();
        let (gamma, limit) = (params.gamma, params.increment_limit);
        let terms = Terms { radius, brightness, gradients, gamma, ridge, limit };
        (self.device.is_gpu() && is_plain && local_step::is_supported(shape, radius)).then_some(terms)
    }

    /// Samples the moving image at the present displacement.
    fn warp(&mut self, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let out = &mut self.memory.warped[0];
        self.images.warp(self.device, self.geometry, Border::Centres, displacement, out)
    }

    /// The constraints of every voxel: spatial entries and right-hand side.
    fn constraints(&mut self) -> Result<(), ComputeError> {
        let (device, params, images, shape) = (self.device, self.params, self.images, self.geometry.shape);
        let (d, entries) = (shape.components(), shape.tensor_entries() + shape.components());
        let alone = &isotropic(&Taps::gaussian(0.0, 1.0));
        let mask = images.mask.as_ref();
        let memory = &mut *self.memory;
        let brightness = [(&images.fixed, &memory.warped[0])];
        let [of_brightness, of_gradients] =
            [params.zeta, params.gradient_zeta].map(|zeta| params.normalise.constraint(zeta));
        let term = self.geometry.data_term(Scheme::Central4, of_brightness, &brightness, mask);
        if memory.gradient_tensor.is_empty() && params.epsilon == 0.0 {
            return MotionTensor { term, taps: alone, out: &mut memory.tensor[..entries] }.run(device);
        }
        MotionTensor { term, taps: alone, out: &mut memory.tensor }.run(device)?;
        if !memory.gradient_tensor.is_empty() {
            let [fixed, warped] = &mut memory.gradients;
            Gradient { shape, scheme: Scheme::Central4, image: &memory.warped[0], out: warped }
                .run(device)?;
            let pairs: Vec<_> = fixed.iter().zip(warped.iter()).collect();
            let term = self.geometry.data_term(Scheme::Central4, of_gradients, &pairs, mask);
            MotionTensor { term, taps: alone, out: &mut memory.gradient_tensor }.run(device)?;
        }
        let groups: Vec<_> = [(&memory.tensor, 1.0), (&memory.gradient_tensor, params.gamma)]
            .into_iter()
            .filter(|(tensor, _)| !tensor.is_empty())
            .map(|(tensor, gain)| ConstraintGroup { tensor, gain })
            .collect();
        InPlace { operation: Operation::Fill(0.0), field: &mut memory.increment }.run(device)?;
        let epsilon = if params.epsilon > 0.0 { params.epsilon } else { f32::MAX.sqrt() };
        let (increment, out) = (&memory.increment[..d], &mut memory.spare[..entries]);
        RobustTensor { shape, epsilon, groups: &groups, increment, out }.run(device)?;
        memory.tensor.iter_mut().zip(&mut memory.spare).for_each(|(tensor, sum)| std::mem::swap(tensor, sum));
        Ok(())
    }

    /// Turns constraints on the increment into those on the displacement: every voxel's own one is added to its right-hand side.
    fn constrain_displacement(&mut self, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let (device, field) = (self.device, &mut self.memory.increment);
        for (from, to) in displacement.iter().zip(field.iter_mut()) {
            CopyBuffer { from, to }.run(device)?;
        }
        InPlace { operation: Operation::Rescale { gain: -1.0, offset: 0.0 }, field }.run(device)?;
        let Memory { tensor, increment, .. } = &mut *self.memory;
        subtract_product(device, self.geometry, tensor, increment)
    }

    /// Leaves of every window's equations for the displacement those for the increment.
    fn subtract_present(&mut self, displacement: &[Buffer]) -> Result<(), ComputeError> {
        subtract_product(self.device, self.geometry, &mut self.memory.tensor, displacement)
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
            WindowShape::Gaussian { .. } => 1.0,
            WindowShape::Box { radius } => {
                (2.0 * radius as f32 + 1.0).powi(self.geometry.shape.components() as i32)
            }
        }
    }

    /// The median between iterations.
    fn filter(&mut self, displacement: &mut Field) -> Result<(), ComputeError> {
        let median = self.params.median;
        let in_space = (median == MedianFilter::NonLocal).then_some(MedianKind::Plain { radius: 1 });
        let Some(kind) = median.of_kernel(self.geometry.shape.components(), MOTION_EDGE).or(in_space) else {
            return Ok(());
        };
        let Memory { warped, spare, votes, .. } = &mut *self.memory;
        let rest = spare.split_off(displacement.len());
        self.geometry.median(self.device, kind, self.images, [displacement, spare], [warped, votes])?;
        spare.extend(rest);
        Ok(())
    }

    /// Warps; how well the images match then, and the confidence of the displacement, which becomes NaN where a window has no weight.
    pub(crate) fn conclude(mut self, displacement: &mut Field) -> Result<Certainty, ComputeError> {
        self.warp(displacement)?;
        let Self { device, params, geometry, images, memory } = self;
        let (shape, mask) = (geometry.shape, images.mask.as_ref());
        let after = images.difference(device, &memory.warped[0])?;
        let brightness = [(&images.fixed, &memory.warped[0])];
        let constraint = params.normalise.constraint(params.zeta);
        let term = geometry.data_term(Scheme::Central4, constraint, &brightness, mask);
        // The window itself, and how many voxels it pools in volumes.
        let (taps, width) = match params.window {
            WindowShape::Gaussian { sigma } => (Taps::gaussian(sigma, TRUNCATE), 3.5 * sigma as f32),
            WindowShape::Box { radius } => (Taps::mean(radius), (2 * radius + 1) as f32),
        };
        MotionTensor { term, taps: &isotropic(&taps), out: &mut memory.tensor }.run(device)?;
        let half = params.half_eigenvalue;
        let [in_pictures, determinacy] = DETERMINACY;
        let scales = ConfidenceScales {
            bend: 0.0,
            shared_vox: 0.0,
            data: match shape.components() {
                2 => PooledData::of_picture(in_pictures),
                _ => PooledData { window: None, determinacy, pooled: width.powi(3) },
            },
            contrast: half,
            half_eigenvalue: mask.is_none().then_some(half),
        };
        let mut confidence =
            geometry.confidence(device, displacement, &mut memory.tensor, &mut memory.warped[0], scales)?;
        if let Some(mask) = mask {
            let weight_sum = &mask_sum(device, params.window, shape, mask)?;
            let (tensor, windows) = (&memory.tensor, Some(MaskedWindows { weight_sum, displacement }));
            LeastEigenvalue { shape, half, tensor, windows, confidence: &mut confidence }.run(device)?;
        }
        Ok(Certainty { confidence, after: Some(after) })
    }
}

/// Takes the product of the spatial entries and a field from the right-hand side.
fn subtract_product(
    device: &Device,
    geometry: &LevelGeometry,
    tensor: &mut [Buffer],
    x: &[Buffer],
) -> Result<(), ComputeError> {
    let shape = geometry.shape;
    let (entries, rhs) = tensor.split_at_mut(shape.tensor_entries());
    let operator = Operator { tensor: Some(entries), ..geometry.laplacian(0.0) };
    SubtractProduct { operator, x, target: &mut rhs[..shape.components()] }.run(device)?;
    Ok(())
}

/// Sums the samples of every window in place; the other buffer is overwritten.
fn window_sum(
    device: &Device,
    window: WindowShape,
    shape: Shape,
    [samples, between]: [&mut Buffer; 2],
) -> Result<(), ComputeError> {
    let input = &*samples;
    match window {
        WindowShape::Gaussian { sigma } => {
            let taps = &isotropic(&Taps::gaussian(sigma, TRUNCATE));
            Convolve { shape, taps, input, output: between }.run(device)?;
        }
        WindowShape::Box { radius } => {
            WindowSum { shape, radius: [radius; 3], input, output: between }.run(device)?
        }
    }
    std::mem::swap(samples, between);
    Ok(())
}

/// The sum of the mask's weights in every window, out to the end of a box window, or to where a Gaussian one is cut.
fn mask_sum(
    device: &Device,
    window: WindowShape,
    shape: Shape,
    mask: &Buffer,
) -> Result<Buffer, ComputeError> {
    let radius: Axes<usize> = match window {
        WindowShape::Gaussian { sigma } => [Taps::gaussian(sigma, TRUNCATE).radius(); 3],
        WindowShape::Box { radius } => [radius; 3],
    };
    written(device, shape.len(), |output| WindowSum { shape, radius, input: mask, output }.run(device))
}

/// The iterations of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Iterations {
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// Mean |δ| of each iteration over the grid, voxels of this level.
    mean_increments_vox: Vec<f64>,
    /// Why the iterations ended.
    stop: StopReason,
}

impl LevelDiagnostics for Iterations {
    const COLUMNS: &[&'static str] = &["iterations", "last mean |δ|", "stopped"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        vec![
            DiagnosticCell::Count(self.mean_increments_vox.len()),
            DiagnosticCell::Number(self.mean_increments_vox.last().copied().unwrap_or(f64::NAN)),
            DiagnosticCell::Text(self.stop.text().to_owned()),
        ]
    }

    fn curves(levels: &[level_account::LevelReport<Self>]) -> Vec<DiagnosticCurves> {
        let labels = DiagnosticCurves {
            title: "Increment",
            x_label: "iteration, coarse to fine",
            y_label: "mean |δ|, voxels of the level",
            is_logarithmic: true,
            ..Default::default()
        };
        vec![over_levels(levels, |level| level.mean_increments_vox.clone(), labels)]
    }
}
