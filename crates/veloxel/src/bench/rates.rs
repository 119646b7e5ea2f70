//! How fast memory is, and how close to it a solver sweep comes.

use super::Figure;
use crate::VeloxelError;
use std::time::Instant;
use veloxel_compute::kernels::operator::{Operator, relax};
use veloxel_compute::kernels::pointwise::{copy as copy_kernel, fill};
use veloxel_compute::{Device, Shape};
use veloxel_core::Dimension;

/// Samples of the copied buffer: larger than any cache.
const COPIED: usize = 1 << 26;
/// The best of so many: interruptions only ever slow down.
const ROUNDS: usize = 5;
const SIZE: usize = 256;
/// Six tensor entries and three right-hand sides in, three unknowns in and out.
const VOLUMES_MOVED: f64 = 15.0;

/// `copy`: bytes read and written a second.
pub(super) fn copy(device: &Device) -> Result<Vec<Figure>, VeloxelError> {
    Ok(vec![Figure::new("copy, bytes read and written", copy_rate(device)? / 1e9, "GB/s")])
}

/// `sweep`: the bytes that a red-black sweep must move once over its time, as a share of the copy rate.
pub(super) fn sweep(device: &Device) -> Result<Vec<Figure>, VeloxelError> {
    let rate = copy_rate(device)?;
    let shape = Shape { size: [SIZE; 3], dimension: Dimension::Three };
    let mut tensor = device.zeros_field(6, shape.len())?;
    let mut rhs = device.zeros_field(3, shape.len())?;
    let mut x = device.zeros_field(3, shape.len())?;
    // Diagonal entries of a definite tensor: 11, 22, 33 of 11, 12, 13, 22, 23, 33.
    for (entry, value) in [(0, 0.5), (1, 0.1), (2, 0.1), (3, 0.4), (4, 0.1), (5, 0.3)] {
        fill(device, value, &mut tensor[entry])?;
    }
    rhs.iter_mut().chain(&mut x).try_for_each(|b| fill(device, 0.1, b))?;
    let operator = Operator {
        shape,
        spacing_edges: [1.0; 3],
        alpha: 0.1,
        tensor: Some(&tensor),
        diffusivity: None,
        volume_weight: None,
    };
    let mut best_s = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        device.scope(|| relax(device, &operator, (&mut x, &rhs), (1.0, 1)))?;
        best_s = best_s.min(start.elapsed().as_secs_f64());
    }
    let sweep_rate = VOLUMES_MOVED * 4.0 * shape.len() as f64 / best_s;
    Ok(vec![
        Figure::new("copy, bytes read and written", rate / 1e9, "GB/s"),
        Figure::new("sweep over 256³", best_s * 1e3, "ms"),
        Figure::new("sweep, bytes that must move once", sweep_rate / 1e9, "GB/s"),
        Figure::new("sweep over copy", sweep_rate / rate, "").at_least(0.6),
    ])
}

fn copy_rate(device: &Device) -> Result<f64, VeloxelError> {
    let mut from = device.zeros(COPIED)?;
    let mut to = device.zeros(COPIED)?;
    // Touched once, so that no page is new when time counts.
    fill(device, 1.0, &mut from)?;
    fill(device, 2.0, &mut to)?;
    let mut best_s = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        device.scope(|| copy_kernel(device, &from, &mut to))?;
        best_s = best_s.min(start.elapsed().as_secs_f64());
    }
    Ok(2.0 * 4.0 * COPIED as f64 / best_s)
}
