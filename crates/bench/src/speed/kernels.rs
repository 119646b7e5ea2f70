//! The share of the copy rate that each hot kernel reaches: the bytes that it must move once, over its time.

use crate::{BenchError, Figure};
use std::time::{Duration, Instant};
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::pointwise::{CopyBuffer, Operation};
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use veloxel_kernels::variational::compose::{Compose, UpdateRule};
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm, Mismatch, MotionTensor};
use veloxel_kernels::variational::operator::{Jacobi, Operator, Relax, RestrictResidual, SubtractProduct};
use veloxel_phantoms::uniform;

/// Fewest and most launches of a timing, and number of timings, of which the median counts.
const LAUNCHES: usize = 20;
const MOST_LAUNCHES: usize = 300;
const LOOKS: usize = 7;
/// Time of one timing on a GPU, so that the host's share at both ends, a tenth of a millisecond on the host's clock, does not
/// count.
const LOOK_MS: f64 = 30.0;
/// Time that a GPU computes before the first timing.
const WARM_UP: Duration = Duration::from_millis(300);

/// `kernels`: the table for 256³ and, on a GPU, 512³.
pub(crate) fn kernels(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    let sizes: &[usize] = match device.is_gpu() {
        true if device.free_bytes().is_none_or(|free| free > 32 << 30) => &[256, 512],
        true => &[256],
        false => &[128],
    };
    for &size in sizes {
        match Workbench::new(device, size) {
            Ok(mut bench) => bench.measure(&mut figures)?,
            // A software device has limits that a graphics card has not: smaller volumes will do.
            Err(ComputeError::BufferTooLarge { .. }) => continue,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(figures)
}

/// Volumes of noise that look like those of a run.
struct Workbench<'a> {
    device: &'a Device,
    size: usize,
    shape: Shape,
    volumes: Field,
    tensor: Field,
    displacement: Field,
}

/// The figures of one size, beside the rate at which it is copied.
struct Table<'f> {
    figures: &'f mut Vec<Figure>,
    size: usize,
    volume_bytes: f64,
    /// Rate of a copy, bytes a millisecond, in and out.
    copy_rate: f64,
}

impl Table<'_> {
    /// Adds the time of a kernel that must move this many volumes once, with the share of the copy's rate that it must reach.
    fn add(&mut self, name: &str, moved: f64, bar: Option<f64>, ms: f64) {
        let Self { size, volume_bytes, copy_rate, .. } = *self;
        self.figures.push(Figure::new(format!("{size}³ {name}"), ms, "ms"));
        let share = moved * volume_bytes / ms / copy_rate;
        let share = Figure::new(format!("{size}³ {name}, over copy"), share, "");
        self.figures.push(match bar {
            Some(bar) => share.at_least(bar),
            None => share,
        });
    }
}

impl<'a> Workbench<'a> {
    fn new(device: &'a Device, size: usize) -> Result<Self, ComputeError> {
        let shape = Shape { size: [size; 3], dimension: Dimension::Three };
        let noise = noise(shape.len());
        let scaled = |gain: f32, offset: f32| -> Result<Buffer, ComputeError> {
            let mut buffer = device.upload_copy(&noise)?;
            Operation::MapAffine { gain, offset }.on(&mut buffer).run(device)?;
            Ok(buffer)
        };
        let volumes: Field = (0..13).map(|k| scaled(0.1 + 0.05 * k as f32, 0.2)).collect::<Result<_, _>>()?;
        // 11, 12, 13, 22, 23, 33 of a definite tensor.
        let tensor = [(0.3, 1.0), (0.1, 0.0), (0.1, 0.1), (0.3, 0.9), (0.1, 0.0), (0.3, 0.8)];
        let tensor = tensor.into_iter().map(|(g, o)| scaled(g, o)).collect::<Result<_, _>>()?;
        // A motion as smooth as real ones: neighbours are found where neighbours stand.
        let smooth = |c: usize| {
            let wave = |i: usize| {
                let p = [i % size, i / size % size, i / (size * size)];
                3.0 * (std::f32::consts::TAU * p[(c + 1) % 3] as f32 / 128.0).sin()
            };
            device.upload((0..shape.len()).map(wave).collect())
        };
        let displacement = (0..3).map(smooth).collect::<Result<_, _>>()?;
        Ok(Self { device, size, shape, volumes, tensor, displacement })
    }

    /// Measures all kernels; later ones use the volumes as earlier ones left them.
    fn measure(&mut self, figures: &mut Vec<Figure>) -> Result<(), BenchError> {
        let Self { device, size, volumes, .. } = self;
        let volume_bytes = 4.0 * self.shape.len() as f64;
        let (from, to) = volumes.split_at_mut(1);
        let mut launch = || CopyBuffer { from: &from[0], to: &mut to[0] }.run(device);
        warm_up(device, &mut launch)?;
        let copy_rate = 2.0 * volume_bytes / median_ms(device, launch)?;
        figures.push(Figure::new(format!("{size}³ copy"), copy_rate / 1e6, "GB/s"));
        let mut table = Table { figures, size: *size, volume_bytes, copy_rate };
        self.measure_operator(&mut table)?;
        self.measure_images(&mut table)?;
        self.measure_composition(&mut table)?;
        self.measure_tensor(&mut table)
    }

    fn measure_operator(&mut self, table: &mut Table<'_>) -> Result<(), BenchError> {
        let (device, shape) = (self.device, self.shape);
        let operator = Operator {
            shape,
            spacing_edges: [1.0; 3],
            alpha: 0.1,
            tensor: Some(&self.tensor),
            diffusivity: None,
            volume_weight: None,
        };
        let (x, rest) = self.volumes.split_at_mut(3);
        let (rhs, out) = rest.split_at_mut(3);
        let out = &mut out[..3];
        table.add(
            "Jacobi sweep",
            15.0,
            Some(0.85),
            median_ms(device, || Jacobi { operator, x, rhs, out, damping: 1.0 }.run(device))?,
        );
        table.add(
            "Gauss-Seidel sweep",
            15.0,
            Some(0.85),
            median_ms(device, || Relax { operator, x, rhs, omega: 1.0, sweeps: 1 }.run(device))?,
        );
        table.add(
            "residual, restricted",
            12.0 + 3.0 / 8.0,
            None,
            median_ms(device, || {
                let coarse_shape = Shape { size: [self.size / 2; 3], ..shape };
                let mut small = device.scratch_field(3, coarse_shape.len())?;
                RestrictResidual { operator, x, rhs, coarse_shape, coarse: &mut small }.run(device).map(drop)
            })?,
        );
        let regulariser = Operator { tensor: None, ..operator };
        table.add(
            "regulariser's product",
            9.0,
            None,
            median_ms(device, || {
                SubtractProduct { operator: regulariser, x, target: out }.run(device).map(drop)
            })?,
        );
        Ok(())
    }

    fn measure_images(&mut self, table: &mut Table<'_>) -> Result<(), BenchError> {
        let (device, shape) = (self.device, self.shape);
        let gaussian = isotropic(&Taps::gaussian(7.0 / 3.0, 3.0));
        let (from, to) = self.volumes[IMAGES..].split_at_mut(1);
        table.add(
            "Gaussian, 15 taps, three passes",
            6.0,
            Some(0.80),
            median_ms(device, || {
                Convolve { shape, taps: &gaussian, input: &from[0], output: &mut to[0] }.run(device)
            })?,
        );
        for (interpolation, name, bar) in [
            (Interpolation::Linear, "warp, linear", Some(0.70)),
            (Interpolation::CubicSpline, "warp, cubic spline", None),
        ] {
            let warp = || {
                Warp {
                    shape,
                    moving_shape: shape,
                    spacing_edges: [1.0; 3],
                    interpolation,
                    border: Border::Centres,
                    cut: None,
                    moving_from_fixed: VoxelAffine::IDENTITY,
                    moving: &from[0],
                    displacement: &self.displacement,
                    out: &mut to[0],
                }
                .run(device)
            };
            table.add(name, 5.0, bar, median_ms(device, warp)?);
        }
        table.add(
            "spline coefficients",
            6.0,
            None,
            median_ms(device, || SplineCoefficients { shape, samples: &mut to[0] }.run(device))?,
        );
        Ok(())
    }

    fn measure_composition(&mut self, table: &mut Table<'_>) -> Result<(), BenchError> {
        let (device, shape, steps) = (self.device, self.shape, &mut self.volumes[..3]);
        // Small steps, as a run composes them: what stood there is noise, and would gather from everywhere.
        for (step, smooth) in steps.iter_mut().zip(&self.displacement) {
            CopyBuffer { from: smooth, to: step }.run(device)?;
            Operation::MapAffine { gain: 1e-3, offset: 0.0 }.on(step).run(device)?;
        }
        let still = device.zeros_field(3, shape.len())?;
        table.add(
            "composition",
            9.0,
            None,
            median_ms(device, || {
                let (spacing_edges, update) = ([1.0; 3], UpdateRule::Compose);
                Compose { shape, spacing_edges, update, displacement: &still, increment: steps }.run(device)
            })?,
        );
        Ok(())
    }

    fn measure_tensor(&mut self, table: &mut Table<'_>) -> Result<(), BenchError> {
        let (device, shape) = (self.device, self.shape);
        let taps = isotropic(&Taps::gaussian(1.0, 2.5));
        let term = DataTerm {
            shape,
            spacing_edges: [1.0; 3],
            scheme: Scheme::Central4,
            constraint: Constraint::Normalised { zeta: 0.1 },
            pairs: &[(&self.volumes[IMAGES], &self.volumes[IMAGES + 2])],
            weight: None,
        };
        let mut system = device.zeros_field(9, shape.len())?;
        // Two images in, nine products smoothed along x and y out; those in and out again along z.
        table.add(
            "motion tensor, ρ 1",
            2.0 + 9.0 + 18.0,
            Some(0.80),
            median_ms(device, || MotionTensor { term, taps: &taps, out: &mut system }.run(device))?,
        );
        table.add("mismatch", 2.0, None, median_ms(device, || Mismatch { term }.run(device).map(|_| ()))?);
        Ok(())
    }
}

/// Index of the first volume that stands for an image; the volumes before it are fields of the solver.
const IMAGES: usize = 9;

/// Launches until the clocks of an idle device are up.
fn warm_up(
    device: &Device,
    launch: &mut (impl FnMut() -> Result<(), ComputeError> + Send),
) -> Result<(), ComputeError> {
    let start = Instant::now();
    while device.is_gpu() && start.elapsed() < WARM_UP {
        device.time_ms(|| (0..LAUNCHES).try_for_each(|_| launch()))?;
    }
    Ok(())
}

/// The median of several timings of one launch.
fn median_ms(
    device: &Device,
    mut launch: impl FnMut() -> Result<(), ComputeError> + Send,
) -> Result<f64, ComputeError> {
    let mut look = |launches: usize| -> Result<f64, ComputeError> {
        Ok(device.time_ms(|| (0..launches).try_for_each(|_| launch()))? / launches as f64)
    };
    let launches = match look(1)? {
        _ if !device.is_gpu() => 2,
        _ => ((LOOK_MS / look(LAUNCHES)?) as usize).clamp(LAUNCHES, MOST_LAUNCHES),
    };
    let mut looks = (0..LOOKS).map(|_| look(launches)).collect::<Result<Vec<_>, _>>()?;
    looks.sort_by(f64::total_cmp);
    Ok(looks[LOOKS / 2])
}

/// Deterministic noise in [0, 1).
fn noise(len: usize) -> Vec<f32> {
    (0..len as u64).map(|i| uniform(1, i) as f32).collect()
}
