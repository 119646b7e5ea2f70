//! Multigrid against Jacobi on the linear system of a heart with a flat background.

use crate::{BenchError, Figure};
use veloxel_core::{Dimension, Grid, Shape};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm, MotionTensor};
use veloxel_kernels::variational::operator::Operator;
use veloxel_motion::clg::multigrid::{Multigrid, Stopping, Terms, sweep};
use veloxel_motion::{ClgParams, ClgPreset};
use veloxel_phantoms::{HeartParams, HeartPhantom, Noise};

const SIZE: usize = 128;
const RTOL: f64 = 1e-3;
/// Number of sweeps at which Jacobi gives up.
const MOST_SWEEPS: usize = 20_000;

/// `multigrid`: work to the same residual, in sweeps over the finest grid.
pub(crate) fn multigrid(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let grid = Grid::volume(SIZE, SIZE, SIZE).and_then(|g| g.with_spacing_mm([112.0 / SIZE as f64; 3]))?;
    let heart = HeartPhantom::new(HeartParams { grid, noise: Noise::None, ..HeartParams::default() })?;
    let muscle = [heart.muscle(0), heart.muscle(1)];
    // Outside the muscle there is nothing to see: smoothness alone fills it, which is what makes sweeps slow.
    let flattened = [0, 1].map(|t| {
        let mut frame = heart.frame(t);
        frame
            .data_mut()
            .iter_mut()
            .zip(muscle[t].data())
            .filter(|(_, inside)| !**inside)
            .for_each(|(v, _)| *v = 0.2);
        frame.into_data()
    });
    let [fixed, moving] = flattened.map(|samples| device.upload(samples));
    let (fixed, moving) = (fixed?, moving?);
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let shape = Shape { size: [SIZE; 3], dimension: Dimension::Three };
    let taps = isotropic(&Taps::gaussian(params.rho, 2.5));
    let pairs = [(&fixed, &moving)];
    let mut system = device.zeros_field(9, shape.len())?;
    let term = DataTerm {
        shape,
        spacing_edges: [1.0; 3],
        scheme: Scheme::Central4,
        constraint: Constraint::Normalised { zeta: params.zeta },
        pairs: &pairs,
        weight: None,
    };
    MotionTensor { term, taps: &taps, out: &mut system }.run(device)?;
    let rhs = system.split_off(6);
    let operator = Operator {
        shape,
        spacing_edges: [1.0; 3],
        alpha: params.alpha,
        tensor: Some(&system),
        diffusivity: None,
        volume_weight: None,
    };
    let stopping = |iterations| Stopping { iterations, rtol: Some(RTOL), omega: 1.0 };
    let mut x = device.zeros_field(3, shape.len())?;
    let mut other = device.zeros_field(3, shape.len())?;
    let mut solver = Multigrid::new(device, shape, [1.0; 3], Terms::default())?;
    let multigrid =
        device.scope(|| solver.solve(device, &operator, &mut x, &rhs, stopping(100))?.settle(device))?;
    let jacobi = device.scope(|| {
        sweep(device, &operator, &mut x, &rhs, Some(&mut other), stopping(MOST_SWEEPS), None)?.settle(device)
    })?;
    let reached = |solved: &veloxel_motion::steps::solving::Solved| {
        solved.relative_residuals.last().copied().unwrap_or(1.0)
    };
    Ok(vec![
        Figure::new("multigrid to residual 1e-3 on 128³", multigrid.sweeps, "sweep-equivalents"),
        Figure::new("residual reached by multigrid", reached(&multigrid), "").at_most(RTOL),
        Figure::new("Jacobi to residual 1e-3 on 128³", jacobi.sweeps, "sweeps"),
        Figure::new("residual reached by Jacobi", reached(&jacobi), ""),
        Figure::new("Jacobi over multigrid", jacobi.sweeps / multigrid.sweeps, "×").at_least(20.0),
    ])
}
