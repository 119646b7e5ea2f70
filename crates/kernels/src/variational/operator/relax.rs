//! Processor text of [`Relax`] and [`Jacobi`].

use super::row::{Purpose, Voxels};
use super::system::System;
use super::wavefront::{PassUpdate, follow};
use super::{Jacobi, Relax};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, components, components_mut, ranges_mut};

/// The voxels that one pass updates; the passes of a sweep together update every voxel once.
#[derive(Clone, Copy)]
enum Pass {
    /// Rows with this parity of `y + z`: even x, then odd x, while the row is in the cache.
    Rows(usize),
    /// Voxels with this parity of `x + y + z`: the consistent order that over-relaxation needs (Young 1954).
    Chequer(usize),
    /// Voxels with the second parity of `x + z`, in rows with the first parity of `y + z`: the four colours that mixed
    /// differences need, which couple (y, z) to (y ± 1, z ± 1).
    Quarter(usize, usize),
}

impl Pass {
    fn takes_row(self, y: usize, z: usize) -> bool {
        match self {
            Self::Rows(parity) | Self::Quarter(parity, _) => (y + z) % 2 == parity,
            Self::Chequer(_) => true,
        }
    }
    /// Number of rows from one that the pass takes to the next of the same plane.
    fn stride(self) -> usize {
        if matches!(self, Self::Chequer(_)) { 1 } else { 2 }
    }
    fn voxels(self, y: usize, z: usize) -> Voxels {
        match self {
            Self::Rows(_) => Voxels::EvenThenOdd,
            Self::Chequer(colour) => Voxels::OfParity((colour + y + z) % 2),
            Self::Quarter(_, colour) => Voxels::OfParity((colour + z) % 2),
        }
    }
}

pub(super) fn relax<const D: usize>(cpu: &Cpu, args: Relax<'_>) {
    let Relax { operator, x, rhs, omega, sweeps } = args;
    let passes: &[Pass] = if operator.volume_weight.is_some() {
        &[Pass::Quarter(0, 0), Pass::Quarter(0, 1), Pass::Quarter(1, 0), Pass::Quarter(1, 1)]
    } else if omega > 1.0 {
        &[Pass::Chequer(0), Pass::Chequer(1)]
    } else {
        &[Pass::Rows(0), Pass::Rows(1)]
    };
    let rhs = components::<D>(rhs).map(Shared::read_only);
    let system = System { operator, x: components_mut::<D>(x).map(Shared::new), rhs };
    let sweep = Sweep { system, omega };
    for _ in 0..sweeps {
        follow(cpu, operator.shape, passes, &sweep);
    }
}

/// Sweeps that prepare a row's equations in every pass.
struct Sweep<'a, const D: usize> {
    system: System<'a, D>,
    omega: f32,
}

impl<const D: usize> PassUpdate<Pass> for Sweep<'_, D> {
    fn update(&self, steps: impl Iterator<Item = (Pass, usize)>) {
        let Self { system, omega } = self;
        let [nx, ny, _] = system.operator.shape.size;
        system.with_row(|equations| {
            steps.filter(|(pass, row)| pass.takes_row(row % ny, row / ny)).for_each(|(pass, row)| {
                let ahead = pass.stride() * nx;
                // SAFETY: `follow` hands this thread the row and lets no other thread write the rows beside it.
                unsafe { system.gather(row, ahead, Purpose::Update, equations) };
                // SAFETY: as above.
                let out = unsafe { ranges_mut(&system.x, system.span(row)) };
                equations.update(pass.voxels(row % ny, row / ny), *omega, out);
            });
        });
    }
}

pub(super) fn jacobi<const D: usize>(cpu: &Cpu, args: Jacobi<'_>) {
    let Jacobi { operator, x, rhs, out, damping } = args;
    let (shape, nx) = (operator.shape, operator.shape.size[0]);
    let [x, rhs] = [x, rhs].map(|field| components::<D>(field).map(Shared::read_only));
    let (system, out) = (System { operator, x, rhs }, components_mut::<D>(out).map(Shared::new));
    cpu.split(shape.rows(), shape.len(), |range| {
        system.with_row(|equations| {
            for row in range {
                // SAFETY: no thread writes the unknowns.
                unsafe { system.gather(row, nx, Purpose::Update, equations) };
                // SAFETY: every row is written by one thread.
                let out = unsafe { ranges_mut(&out, system.span(row)) };
                equations.update(Voxels::All, damping, out);
            }
        });
    });
}
