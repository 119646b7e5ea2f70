//! CPU text of [`Compose`].

use super::{Compose, Update};
use crate::shared::gather::Lattice;
use crate::shared::lanes::{LANES, Lanes, Pack};
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::components_mut;

pub(super) fn compose_in<const D: usize>(cpu: &Cpu, args: Compose<'_>) {
    let Compose { shape, spacing_edges, update, displacement, increment } = args;
    let d: [&[f32]; D] = std::array::from_fn(|c| displacement[c].host());
    let lattice = Lattice::new(shape);
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    let [nx, ny, _] = shape.size;
    cpu.split_rows(components_mut(increment), nx, 2 * shape.len(), |row, delta| match update {
        Update::Add => {
            for (delta, d) in delta.into_iter().zip(&d) {
                delta.iter_mut().zip(&d[row * nx..]).for_each(|(o, &d)| *o += d);
            }
        }
        Update::Compose => compose_row(&lattice, d, per_edge, row % ny, row / ny, delta),
    });
}

#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn compose_row<const D: usize>(
    lattice: &Lattice<D>,
    d: [&[f32]; D],
    per_edge: Axes<f32>,
    y: usize,
    z: usize,
    delta: [&mut [f32]; D],
) {
    let n = delta[0].len();
    let start = [0.0, y as f32, z as f32];
    for x in (0..n).step_by(LANES) {
        let mut step = [Lanes::splat(0.0); D];
        let mut at = step;
        for c in 0..D {
            let voxel = if c == 0 { Lanes::splat(x as f32) + Lanes::count() } else { Lanes::splat(start[c]) };
            step[c] = Lanes::load_or_zero(delta[c], x);
            at[c] = voxel + step[c] * Lanes::splat(per_edge[c]);
        }
        let cells = lattice.cells(at);
        for c in 0..D {
            lattice.add_linear(step[c], &cells, d[c]).store_what_fits(delta[c], x);
        }
    }
}
