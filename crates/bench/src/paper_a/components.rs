//! The cost of each part of a run (Figure 6), and of the transfers between host and device (Figure 7b).

use super::scene::{Scene, smooth_motion};
use super::settings::{ALPHA, BETA, TAPS, window};
use crate::BenchError;
use crate::experiments::middle;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm, MotionTensor};
use veloxel_kernels::variational::operator::{Jacobi, Operator, ResidualNorm2};

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    /// The transfer of one volume from host to device.
    TransferIn,
    /// Smoothing of one volume, three passes of 15 taps.
    Smoothing,
    /// Derivatives and their products, without the window.
    Derivatives,
    /// Derivatives, products and their window: everything that a warp needs.
    Tensor,
    /// One Jacobi iteration, with its share of the residual.
    Iteration,
    /// Linear interpolation of the moving image.
    Warp,
    /// The transfer of one volume from device to host.
    TransferOut,
}

impl Component {
    pub const ALL: [Self; 7] = [
        Self::TransferIn,
        Self::Smoothing,
        Self::Derivatives,
        Self::Tensor,
        Self::Iteration,
        Self::Warp,
        Self::TransferOut,
    ];
    /// The components that every device has.
    pub(crate) const COMPUTED: [Self; 5] =
        [Self::Smoothing, Self::Derivatives, Self::Tensor, Self::Iteration, Self::Warp];
    pub const fn name(self) -> &'static str {
        match self {
            Self::TransferIn => "transfer in, one volume",
            Self::Smoothing => "Gaussian smoothing, one volume",
            Self::Derivatives => "derivatives and products",
            Self::Tensor => "motion tensor: these, smoothed",
            Self::Iteration => "solver, one iteration",
            Self::Warp => "warp",
            Self::TransferOut => "transfer out, one volume",
        }
    }
}

/// Milliseconds of each component; none for transfers of a processor.
#[derive(Debug, Default)]
pub(super) struct Costs([Option<f64>; Component::ALL.len()]);

impl Costs {
    pub fn ms(&self, component: Component) -> Option<f64> {
        self.0[component as usize]
    }
    fn set(&mut self, component: Component, ms: f64) {
        self.0[component as usize] = Some(ms);
    }
}

/// Iterations between two residuals of a solve.
const ITERATIONS_PER_CHECK: f64 = 8.0;
/// Time from which on a processor's work is timed once, without a warm-up, ms.
pub(super) const LONG_MS: f64 = 500.0;
/// Number of timings on a GPU and on a processor.
const LOOKS: usize = 7;
const FEW_LOOKS: usize = 3;
/// Time of one timing, for which launches are repeated, and the most repetitions.
const LOOK_MS: f64 = 50.0;
const LAUNCHES: f64 = 20.0;

/// Measures all components of a pair.
pub(super) fn costs(device: &Device, scene: &Scene) -> Result<Costs, BenchError> {
    let shape = scene.shape();
    let mut costs = Costs::default();
    if device.is_gpu() {
        let samples = scene.fixed.data();
        let ms = launch_ms(device, || device.upload_copy(samples).map(drop))?;
        costs.set(Component::TransferIn, ms);
        let buffer = device.upload_copy(samples)?;
        costs.set(Component::TransferOut, launch_ms(device, || device.read(&buffer).map(drop))?);
    }
    let (fixed, moving) = (device.upload_copy(scene.fixed.data())?, device.upload_copy(scene.moving.data())?);
    let displacement: Field =
        (0..3).map(|c| device.upload(smooth_motion(scene.size, c))).collect::<Result<_, _>>()?;
    let mut warped = touched(device, shape.len())?;
    let warp = || {
        Warp {
            shape,
            moving_shape: shape,
            spacing_edges: [1.0; 3],
            interpolation: Interpolation::Linear,
            border: Border::Centres,
            cut: None,
            moving_from_fixed: VoxelAffine::IDENTITY,
            moving: &moving,
            displacement: &displacement,
            out: &mut warped,
        }
        .run(device)
    };
    costs.set(Component::Warp, launch_ms(device, warp)?);
    let taps = isotropic(&window(TAPS));
    let mut smoothed = touched(device, shape.len())?;
    let smooth = || Convolve { shape, taps: &taps, input: &fixed, output: &mut smoothed }.run(device);
    costs.set(Component::Smoothing, launch_ms(device, smooth)?);
    drop((smoothed, moving));
    let system = costs.measure_tensor(device, shape, [&fixed, &warped])?;
    drop(fixed);
    costs.measure_iteration(device, shape, displacement, system, warped)?;
    Ok(costs)
}

impl Costs {
    /// Measures the motion tensor of a pair without and with its window; returns the tensor.
    fn measure_tensor(
        &mut self,
        device: &Device,
        shape: Shape,
        pair: [&Buffer; 2],
    ) -> Result<Field, BenchError> {
        let mut system: Field = (0..9).map(|_| touched(device, shape.len())).collect::<Result<_, _>>()?;
        for (component, taps) in [
            (Component::Derivatives, isotropic(&Taps::gaussian(0.0, 1.0))),
            // Last: the solver goes on with its tensor.
            (Component::Tensor, isotropic(&window(TAPS))),
        ] {
            let term = DataTerm {
                shape,
                spacing_edges: [1.0; 3],
                scheme: Scheme::TwoSided,
                constraint: Constraint::Plain,
                pairs: &[(pair[0], pair[1])],
                weight: None,
            };
            let launch = || MotionTensor { term, taps: &taps, out: &mut system }.run(device);
            self.set(component, launch_ms(device, launch)?);
        }
        Ok(system)
    }

    /// Measures an iteration over a motion tensor; the third buffer becomes the weight of the volume.
    fn measure_iteration(
        &mut self,
        device: &Device,
        shape: Shape,
        mut displacement: Field,
        mut system: Field,
        mut volume_weight: Buffer,
    ) -> Result<(), BenchError> {
        Operation::Fill(BETA).on(&mut volume_weight).run(device)?;
        let rhs = system.split_off(6);
        let operator = Operator {
            shape,
            spacing_edges: [1.0; 3],
            alpha: ALPHA,
            tensor: Some(&system),
            diffusivity: None,
            volume_weight: Some(&volume_weight),
        };
        let mut other: Field = (0..3).map(|_| touched(device, shape.len())).collect::<Result<_, _>>()?;
        let sweep = launch_ms(device, || {
            Jacobi { operator, x: &displacement, rhs: &rhs, out: &mut other, damping: DAMPING }
                .run(device)?;
            displacement.swap_with_slice(&mut other);
            Ok(())
        })?;
        let residual = || ResidualNorm2 { operator, x: &displacement, rhs: &rhs }.run(device).map(drop);
        let check = launch_ms(device, residual)?;
        self.set(Component::Iteration, sweep + check / ITERATIONS_PER_CHECK);
        Ok(())
    }
}

/// Memory whose pages the system has mapped, because it was written to.
pub(super) fn touched(device: &Device, len: usize) -> Result<Buffer, ComputeError> {
    let mut buffer = device.scratch(len)?;
    Operation::Fill(0.0).on(&mut buffer).run(device)?;
    Ok(buffer)
}

/// Damping of Jacobi's method with a volume term, so that it converges.
const DAMPING: f32 = 0.6;

/// The median of several timings of one launch, after a warm-up.
pub(super) fn launch_ms(
    device: &Device,
    mut launch: impl FnMut() -> Result<(), ComputeError> + Send,
) -> Result<f64, ComputeError> {
    let mut look = |launches: usize| -> Result<f64, ComputeError> {
        let ms = device.time_ms(|| (0..launches).try_for_each(|_| launch()))?;
        Ok(ms / launches as f64)
    };
    let first = look(1)?;
    if !device.is_gpu() && first > LONG_MS {
        return Ok(first);
    }
    // The first launch on a GPU may have compiled its kernel.
    let second = look(1)?;
    let launches = (LOOK_MS / second.max(1e-3)).clamp(1.0, LAUNCHES) as usize;
    let looks = if device.is_gpu() { LOOKS } else { FEW_LOOKS };
    let mut times = (0..looks).map(|_| look(launches)).collect::<Result<Vec<_>, _>>()?;
    Ok(middle(&mut times))
}
