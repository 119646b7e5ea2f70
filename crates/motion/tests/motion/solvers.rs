//! The linear solvers: they agree at convergence, and multigrid converges on every size.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

use crate::measure;

use measure::{cpu, estimate, mean_difference_vox, smooth};
use veloxel_core::{Axes, Dimension, Grid, Shape, SolveStatus};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm, MotionTensor};
use veloxel_kernels::variational::operator::Operator;
use veloxel_motion::clg::multigrid::{Multigrid, Solver, Stopping, Terms, sweep};
use veloxel_motion::steps::choices::MedianFilter;
use veloxel_motion::steps::solving::{Solved, StopReason};
use veloxel_motion::{ClgParams, ClgPreset};
use veloxel_phantoms::Noise;
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};

/// α of every system here: the `fast` preset's.
const ALPHA: f32 = 0.1;

/// A system as the method meets it: the motion tensor of a phantom, its right-hand side, and what else is asked for.
struct System {
    shape: Shape,
    spacing_edges: Axes<f32>,
    tensor: Field,
    rhs: Field,
    volume_weight: Option<Buffer>,
    diffusivity: Option<Buffer>,
}

/// The optional terms of a system.
#[derive(Clone, Copy)]
struct Asked {
    beta: f32,
    varying_diffusivity: bool,
}

const PLAIN: Asked = Asked { beta: 0.0, varying_diffusivity: false };

impl System {
    fn new(device: &Device, grid: &Grid, asked: Asked) -> Self {
        // The sinusoid's wavelength is measured in the grid's shortest axis: of one voxel it cannot be.
        let flat = grid.size()[..grid.dimension().count()].contains(&1);
        let motion = if flat { MotionKind::Shift } else { MotionKind::Sinusoid };
        let phantom = Case { motion, texture: TextureKind::Smooth, noise: Noise::None }.build(grid);
        let shape = Shape::of(grid);
        let smallest = grid.spacing_mm()[..shape.components()].iter().copied().fold(f64::INFINITY, f64::min);
        let spacing_edges = grid.spacing_mm().map(|h| (h / smallest) as f32);
        let (fixed, moving) = (
            device.upload(phantom.fixed.into_data()).unwrap(),
            device.upload(phantom.moving.into_data()).unwrap(),
        );
        let mut tensor = device
            .zeros_field(shape.tensor_entries() + shape.components(), shape.len())
            .expect("memory should be there");
        let term = DataTerm {
            shape,
            spacing_edges,
            scheme: Scheme::Central4,
            constraint: Constraint::Normalised { zeta: 0.1 },
            pairs: &[(&fixed, &moving)],
            weight: None,
        };
        let taps = isotropic(&Taps::gaussian(1.0, 2.5));
        MotionTensor { term, taps: &taps, out: &mut tensor }
            .run(device)
            .expect("buffers should belong to the shape");
        let rhs = tensor.split_off(shape.tensor_entries());
        // ψ between 0.1 and 1, changing over a few voxels: what a robust penaliser makes of motion edges.
        let psi = |i: usize| 0.55 + 0.45 * (0.7 * i as f32).sin();
        Self {
            shape,
            spacing_edges,
            tensor,
            rhs,
            volume_weight: (asked.beta > 0.0).then(|| device.upload(vec![asked.beta; shape.len()]).unwrap()),
            diffusivity: asked
                .varying_diffusivity
                .then(|| device.upload((0..shape.len()).map(psi).collect()).unwrap()),
        }
    }

    fn operator(&self) -> Operator<'_> {
        Operator {
            shape: self.shape,
            spacing_edges: self.spacing_edges,
            alpha: ALPHA,
            tensor: Some(&self.tensor),
            diffusivity: self.diffusivity.as_ref(),
            volume_weight: self.volume_weight.as_ref(),
        }
    }

    fn zero(&self, device: &Device) -> Field {
        device.zeros_field(self.shape.components(), self.shape.len()).expect("memory should be there")
    }

    fn sweeps(&self, device: &Device, stopping: Stopping, solver: Solver) -> (Field, Solved) {
        let (mut x, mut other) = (self.zero(device), self.zero(device));
        let other = (solver == Solver::Jacobi).then_some(other.as_mut_slice());
        let solved = sweep(device, &self.operator(), &mut x, &self.rhs, other, stopping, None)
            .and_then(|solving| solving.settle(device))
            .expect("buffers should belong to the shape");
        (x, solved)
    }

    fn multigrid(&self, device: &Device, stopping: Stopping) -> (Field, Solved) {
        let terms = Terms { diffusivity: self.diffusivity.is_some(), volume: self.volume_weight.is_some() };
        let mut method =
            Multigrid::new(device, self.shape, self.spacing_edges, terms).expect("memory should be there");
        let mut x = self.zero(device);
        let solved = method
            .solve(device, &self.operator(), &mut x, &self.rhs, stopping)
            .and_then(|solving| solving.settle(device))
            .expect("buffers should belong to the shape");
        (x, solved)
    }
}

/// Until the residual has fallen to `rtol`.
fn until(rtol: f64, iterations: usize, omega: f32) -> Stopping {
    Stopping { iterations, rtol: Some(rtol), omega }
}

fn image(nx: usize, ny: usize) -> Grid {
    Grid::image(nx, ny).expect("the size should be possible")
}

fn volume(nx: usize, ny: usize, nz: usize) -> Grid {
    Grid::volume(nx, ny, nz).expect("the size should be possible")
}

fn spaced(grid: Grid, spacing_mm: [f64; 3]) -> Grid {
    grid.with_spacing_mm(spacing_mm).expect("the spacing should be possible")
}

/// The residual falls with every cycle and is at most 1e-3 after `cycles`.
fn converges(grid: &Grid, asked: Asked, cycles: usize) -> Result<(), String> {
    let device = cpu(1);
    let (_, solved) = System::new(&device, grid, asked).multigrid(&device, until(1e-3, cycles, 1.0));
    let history: Vec<String> = solved.relative_residuals.iter().map(|r| format!("{r:.1e}")).collect();
    let what = format!("{} spaced {:?}: {history:?}", grid.size_text(), grid.spacing_mm());
    // Trivial: a single voxel has no gradient, so its right-hand side is zero.
    if solved.stop != StopReason::Converged && (grid.len() > 1 || solved.stop != StopReason::Trivial) {
        return Err(format!("not converged: {what}"));
    }
    if solved.relative_residuals.windows(2).any(|w| w[1] >= w[0]) {
        return Err(format!("the residual rises: {what}"));
    }
    Ok(())
}

fn all_converge(grids: &[Grid], asked: Asked, cycles: usize) {
    let failed: Vec<String> = grids.iter().filter_map(|g| converges(g, asked, cycles).err()).collect();
    assert!(failed.is_empty(), "β = {}: {failed:#?}", asked.beta);
}

/// Odd, even, one more and one less than powers of two, mixed, and anisotropic.
fn images() -> Vec<Grid> {
    let mut grids: Vec<Grid> = [17, 33, 65, 40, 63, 64, 129].map(|n| image(n, n)).into();
    grids.extend([image(17, 64), image(65, 40), image(63, 33), image(5, 90), image(128, 31)]);
    grids.extend([spaced(image(64, 33), [1.0, 2.0, 1.0]), spaced(image(40, 40), [3.0, 1.0, 1.0])]);
    grids
}

/// As [`images`].
fn volumes() -> Vec<Grid> {
    let mut grids: Vec<Grid> = [17, 33, 40].map(|n| volume(n, n, n)).into();
    grids.extend([volume(17, 32, 20), volume(33, 18, 9), volume(31, 24, 17), volume(5, 40, 21)]);
    grids.extend([
        spaced(volume(40, 33, 17), [1.0, 1.0, 2.5]),
        spaced(volume(17, 24, 33), [3.0, 1.0, 1.0]),
        spaced(volume(24, 25, 26), [0.8, 1.2, 2.0]),
    ]);
    grids
}

#[test]
fn multigrid_converges_on_images_of_every_size() {
    all_converge(&images(), PLAIN, 8);
}

#[test]
fn multigrid_converges_on_volumes_of_every_size() {
    all_converge(&volumes(), PLAIN, 8);
}

#[test]
#[ignore = "slow: seven large volumes"]
fn multigrid_converges_on_large_volumes_of_every_size() {
    all_converge(&[63, 64, 65, 80, 97, 127, 129].map(|n| volume(n, n, n)), PLAIN, 8);
}

#[test]
fn multigrid_converges_where_axes_are_one_voxel_long() {
    let images = [(64, 1), (1, 33), (1, 1), (2, 2), (3, 1)].map(|(nx, ny)| image(nx, ny));
    let volumes = [[33, 40, 1], [40, 1, 17], [1, 33, 24], [1, 1, 65], [2, 3, 2], [1, 1, 1]]
        .map(|[nx, ny, nz]| volume(nx, ny, nz));
    all_converge(&images, PLAIN, 8);
    all_converge(&volumes, PLAIN, 8);
}

#[test]
fn multigrid_converges_with_a_volume_term() {
    // Up to β = α the volume term costs nothing. Beyond that the motions that keep volumes are smooth curls which
    // point-wise sweeps and averaging see badly (as in nearly incompressible elasticity): 18 cycles at β = 10 α.
    for (beta, cycles) in [(ALPHA, 8), (10.0 * ALPHA, 20)] {
        let asked = Asked { beta, ..PLAIN };
        all_converge(&images(), asked, cycles);
        all_converge(&volumes(), asked, cycles);
    }
}

#[test]
fn multigrid_approaches_the_solution_however_large_the_volume_term() {
    let device = cpu(1);
    for grid in [image(33, 40), volume(17, 20, 18)] {
        let system = System::new(&device, &grid, Asked { beta: 100.0 * ALPHA, ..PLAIN });
        let (_, solved) = system.multigrid(&device, until(1e-9, 20, 1.0));
        let residuals = &solved.relative_residuals;
        assert!(residuals.windows(2).all(|w| w[1] < w[0]), "{}: {residuals:?}", grid.size_text());
        assert!(residuals[20] < 0.2, "{}: {residuals:?}", grid.size_text());
    }
}

#[test]
fn multigrid_converges_where_smoothness_varies() {
    let asked = Asked { beta: 0.0, varying_diffusivity: true };
    all_converge(&images(), asked, 8);
    all_converge(&volumes(), asked, 8);
}

/// ‖a − b‖ / ‖a‖ over all components.
fn relative_difference(device: &Device, a: &[Buffer], b: &[Buffer]) -> f64 {
    let (mut difference, mut length) = (0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        for (a, b) in device.read(a).unwrap().into_iter().zip(device.read(b).unwrap()) {
            difference += f64::from(a - b).powi(2);
            length += f64::from(a).powi(2);
        }
    }
    (difference / length).sqrt()
}

#[test]
fn the_three_solvers_find_one_solution() {
    let device = cpu(1);
    let grids = [
        image(40, 33),
        spaced(image(33, 24), [1.0, 2.0, 1.0]),
        volume(17, 20, 18),
        spaced(volume(16, 17, 15), [0.8, 1.2, 2.0]),
    ];
    for grid in grids {
        for beta in [0.0, 0.1, 1.0] {
            for varying_diffusivity in [false, true] {
                let system = System::new(&device, &grid, Asked { beta, varying_diffusivity });
                // 1e-5 is what sums of a dozen 32-bit numbers per voxel can reach in all three.
                let (by_cycles, a) = system.multigrid(&device, until(1e-5, 100, 1.0));
                let (by_jacobi, b) = system.sweeps(&device, until(1e-5, 4000, 1.0), Solver::Jacobi);
                let (by_sor, c) = system.sweeps(&device, until(1e-5, 4000, 1.5), Solver::Sor);
                let what = format!("{}, β = {beta}, ψ varies: {varying_diffusivity}", grid.size_text());
                for solved in [a, b, c] {
                    assert_eq!(solved.stop, StopReason::Converged, "{what}: {solved:?}");
                }
                // The smallest eigenvalue over the mean one is some hundredths here: so much larger may the error be.
                for other in [by_jacobi, by_sor] {
                    let difference = relative_difference(&device, &by_cycles, &other);
                    assert!(difference < 1e-3, "{what}: {difference}");
                }
            }
        }
    }
}

/// A whole estimate with each solver, every solve to convergence.
fn estimates_agree(dimension: Dimension, size: usize, params: ClgParams) {
    let phantom = smooth(MotionKind::Twist, dimension, size);
    let by = |solver, omega| {
        let params = ClgParams { solver, omega, iterations: 3000, rtol: 1e-4, ..params.clone() };
        let output = estimate(&phantom.fixed, &phantom.moving, &params);
        assert_eq!(output.statistics.status, SolveStatus::Done, "{solver:?}");
        output.flow
    };
    let multigrid = by(Solver::Multigrid, 1.0);
    let everywhere = veloxel_core::Mask::everywhere(phantom.grid().clone());
    for other in [by(Solver::Jacobi, 1.0), by(Solver::Sor, 1.7)] {
        let difference = mean_difference_vox(&multigrid, &other, &everywhere);
        // Each solve is exact to 1e-4 of an increment of at most a voxel, and later warps correct earlier ones.
        assert!(difference < 1e-3, "{} voxel, β = {}", difference, params.beta);
    }
}

#[test]
fn estimates_of_images_do_not_depend_on_the_solver() {
    for beta in [0.0, 0.1] {
        let fixed_count =
            ClgParams { beta, warp_tol: 0.0, ..ClgParams::preset(ClgPreset::Fast, Dimension::Three) };
        estimates_agree(Dimension::Two, 48, fixed_count);
        // Without the median, whose thresholds turn rounding errors into choices.
        let median = MedianFilter::Off;
        let robust = ClgParams { beta, median, ..ClgParams::preset(ClgPreset::Fast, Dimension::Two) };
        estimates_agree(Dimension::Two, 48, robust);
    }
}

#[test]
fn estimates_of_volumes_do_not_depend_on_the_solver() {
    for beta in [0.0, 0.1] {
        let params = ClgParams { beta, ..ClgParams::preset(ClgPreset::Fast, Dimension::Three) };
        estimates_agree(Dimension::Three, 24, params);
    }
}

#[test]
fn multigrid_takes_fewer_sweeps_than_jacobi_the_larger_the_grid() {
    // Where the images hold little, smoothness has to carry motion far: there the sweeps of Jacobi grow with the size.
    let device = cpu(1);
    let gain = |n: usize| {
        let mut system = System::new(&device, &image(n, n), PLAIN);
        for component in system.tensor.iter_mut().chain(&mut system.rhs) {
            let faint = device.read(component).unwrap().into_iter().map(|v| 0.01 * v).collect();
            *component = device.upload(faint).unwrap();
        }
        let (_, cycles) = system.multigrid(&device, until(1e-3, 20, 1.0));
        let (_, sweeps) = system.sweeps(&device, until(1e-3, 20_000, 1.0), Solver::Jacobi);
        assert_eq!((cycles.stop, sweeps.stop), (StopReason::Converged, StopReason::Converged));
        sweeps.sweeps / cycles.sweeps
    };
    let (small, large) = (gain(32), gain(128));
    assert!(large > 20.0 && large >= small, "{small} on 32², {large} on 128²");
}
