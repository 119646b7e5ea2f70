//! A small step after a displacement: `d ← d + δ`, or `d ← δ + d ∘ (id + δ)`.
//!
//! The composed form keeps `id + d` invertible as long as every step is (its Jacobians multiply), and its linearisation
//! is exact where the image derivatives are those of the warped image.
//! *Units*: edges. *Border*: replicate. *Halo*: the longest step.

use crate::buffer::require_field;
use crate::Cpu;
use crate::gather::Lattice;
use crate::lanes::{LANES, Lanes};
use crate::rows::Shared;
use crate::{Axes, Buffer, ComputeError, Device, Shape};
use multiversion::multiversion;

/// How an increment joins the displacement so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// `d + δ` (the paper's).
    Add,
    /// `δ + d ∘ (id + δ)`: diffeomorphic for small steps (Vercauteren et al. 2009).
    Compose,
}

/// Writes the updated displacement into `increment`, where δ stood; the caller swaps the two fields.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn compose(
    device: &Device,
    (shape, spacing_edges): (Shape, Axes<f32>),
    (update, displacement): (Update, &[Buffer]),
    increment: &mut [Buffer],
) -> Result<(), ComputeError> {
    let count = (shape.components(), shape.len());
    require_field(displacement, count, "compose", "displacement")?;
    require_field(increment, count, "compose", "increment")?;
    match shape.components() {
        2 => compose_in::<2>(device.as_cpu(), (shape, spacing_edges), (update, displacement), increment),
        _ => compose_in::<3>(device.as_cpu(), (shape, spacing_edges), (update, displacement), increment),
    }
    Ok(())
}

fn compose_in<const D: usize>(
    cpu: &Cpu,
    (shape, spacing): (Shape, Axes<f32>),
    (update, displacement): (Update, &[Buffer]),
    increment: &mut [Buffer],
) {
    let d: [&[f32]; D] = std::array::from_fn(|c| displacement[c].host());
    let parts: Vec<Shared<'_>> = increment.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let lattice = Lattice::new(shape);
    let per_edge = spacing.map(|s| 1.0 / s);
    let [nx, ny, _] = shape.size;
    cpu.split(shape.rows(), 2 * shape.len(), |rows| {
        for row in rows {
            let span = row * nx..(row + 1) * nx;
            // SAFETY: every row is written by one thread.
            let delta = std::array::from_fn(|c| unsafe { parts[c].get_mut(span.clone()) });
            match update {
                Update::Add => {
                    for (delta, d) in delta.into_iter().zip(&d) {
                        delta.iter_mut().zip(&d[span.clone()]).for_each(|(o, &d)| *o += d);
                    }
                }
                Update::Compose => compose_row(&lattice, (d, per_edge), (row % ny, row / ny), delta),
            }
        }
    });
}

#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn compose_row<const D: usize>(
    lattice: &Lattice<D>,
    (d, per_edge): ([&[f32]; D], Axes<f32>),
    (y, z): (usize, usize),
    delta: [&mut [f32]; D],
) {
    let n = delta[0].len();
    let start = [0.0, y as f32, z as f32];
    for x in (0..n).step_by(LANES) {
        let mut step = [Lanes::splat(0.0); D];
        let mut at = step;
        for c in 0..D {
            step[c] = Lanes::load_or_zero(delta[c], x);
            at[c] = Lanes::splat(start[c]) + step[c] * Lanes::splat(per_edge[c]);
        }
        at[0] = at[0] + Lanes::splat(x as f32) + Lanes::count();
        let cells = lattice.cells(at);
        for c in 0..D {
            (step[c] + lattice.linear(&cells, d[c])).store_what_fits(delta[c], x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn composing_a_ramp_follows_the_step() {
        let device = Device::cpu(1).unwrap();
        let shape = Shape { size: [20, 6, 5], dimension: Dimension::Three };
        let ramp: Vec<f32> = (0..shape.len()).map(|i| 0.1 * (i % 20) as f32).collect();
        let zero = || device.zeros(shape.len()).unwrap();
        let d = [device.upload(ramp).unwrap(), zero(), zero()];
        let mut step = [device.upload(vec![0.5; shape.len()]).unwrap(), zero(), zero()];
        compose(&device, (shape, [1.0; 3]), (Update::Compose, &d), &mut step).unwrap();
        for x in [3, 17] {
            let (got, expected) = (step[0].host()[x], 0.5 + 0.1 * (x as f32 + 0.5));
            assert!((got - expected).abs() < 1e-6, "d(x + 0.5) + δ at {x}, got {got}");
        }
    }
}
