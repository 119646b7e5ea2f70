//! The speed of memory, and the share of it that a solver sweep reaches.

use crate::{BenchError, Figure};
use std::time::Instant;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, Operation};
use veloxel_kernels::variational::operator::{Operator, Relax};

/// Samples of the copied buffer: larger than any cache.
const COPIED: usize = 1 << 26;
/// Number of rounds, of which the best counts: interruptions only ever slow down.
const ROUNDS: usize = 9;
const SIZE: usize = 256;
/// Number of volumes that a sweep moves: six tensor entries and three right-hand sides in, three unknowns in and out.
const VOLUMES_MOVED: f64 = 15.0;

/// `copy`: bytes read and written a second.
pub(crate) fn copy(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let copying = &mut Copying::new(device)?;
    let best_s = best_of(&mut [&mut || copying.once()])?[0];
    Ok(vec![Figure::new("copy, bytes read and written", Copying::BYTES / best_s / 1e9, "GB/s")])
}

/// `sweep`: the bytes that a red-black sweep must move once over its time, as a share of the copy rate.
pub(crate) fn sweep(device: &Device) -> Result<Vec<Figure>, BenchError> {
    let mut copying = Copying::new(device)?;
    let shape = Shape { size: [SIZE; 3], dimension: Dimension::Three };
    let mut tensor = device.zeros_field(6, shape.len())?;
    let mut rhs = device.zeros_field(3, shape.len())?;
    let mut x = device.zeros_field(3, shape.len())?;
    // Diagonal entries of a definite tensor: 11, 22, 33 of 11, 12, 13, 22, 23, 33.
    for (entry, value) in [(0, 0.5), (1, 0.1), (2, 0.1), (3, 0.4), (4, 0.1), (5, 0.3)] {
        Operation::Fill(value).on(&mut tensor[entry]).run(device)?;
    }
    rhs.iter_mut().chain(&mut x).try_for_each(|b| Operation::Fill(0.1).on(b).run(device))?;
    let operator = Operator {
        shape,
        spacing_edges: [1.0; 3],
        alpha: 0.1,
        tensor: Some(&tensor),
        diffusivity: None,
        volume_weight: None,
    };
    // In turn, so that both see the same neighbours on a shared machine.
    let best = best_of(&mut [&mut || copying.once(), &mut || {
        Ok(device.scope(|| Relax { operator, x: &mut x, rhs: &rhs, omega: 1.0, sweeps: 1 }.run(device))?)
    }])?;
    let (rate, best_s) = (Copying::BYTES / best[0], best[1]);
    let sweep_rate = VOLUMES_MOVED * 4.0 * shape.len() as f64 / best_s;
    Ok(vec![
        Figure::new("copy, bytes read and written", rate / 1e9, "GB/s"),
        Figure::new("sweep over 256³", best_s * 1e3, "ms"),
        Figure::new("sweep, bytes that must move once", sweep_rate / 1e9, "GB/s"),
        Figure::new("sweep over copy", sweep_rate / rate, "").at_least(0.6),
    ])
}

/// The shortest of [`ROUNDS`] times of each, seconds; each round runs them one after the other.
fn best_of(works: &mut [&mut dyn FnMut() -> Result<(), BenchError>]) -> Result<Vec<f64>, BenchError> {
    let mut best_s = vec![f64::INFINITY; works.len()];
    for _ in 0..ROUNDS {
        for (work, best_s) in works.iter_mut().zip(&mut best_s) {
            let start = Instant::now();
            work()?;
            *best_s = best_s.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(best_s)
}

/// A copy on all threads, between buffers whose pages are mapped.
struct Copying<'a> {
    device: &'a Device,
    from: Buffer,
    to: Buffer,
}

impl<'a> Copying<'a> {
    /// Number of bytes that a copy reads and writes.
    const BYTES: f64 = 2.0 * 4.0 * COPIED as f64;

    fn new(device: &'a Device) -> Result<Self, BenchError> {
        let mut copying = Self { device, from: device.zeros(COPIED)?, to: device.zeros(COPIED)? };
        // Touched once, so that no page is new when time counts.
        Operation::Fill(1.0).on(&mut copying.from).run(device)?;
        Operation::Fill(2.0).on(&mut copying.to).run(device)?;
        Ok(copying)
    }

    fn once(&mut self) -> Result<(), BenchError> {
        Ok(self.device.scope(|| CopyBuffer { from: &self.from, to: &mut self.to }.run(self.device))?)
    }
}
