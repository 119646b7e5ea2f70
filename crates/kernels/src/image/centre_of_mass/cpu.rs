//! Processor text of [`super::centre_of_mass`].

use super::origin;
use crate::shared::group_sums::group_totals;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, Cpu};

/// Σ w, Σ w x, Σ w y, Σ w z.
pub(super) fn moments(cpu: &Cpu, shape: Shape, image: &Buffer, (gain, offset): (f32, f32)) -> [f64; 4] {
    let ([nx, ny, _], [ox, oy, oz]) = (shape.size, origin(shape));
    let samples = image.host();
    group_totals(cpu, (shape.len(), 4), |items, [mass, x, y, z]| {
        for (k, i) in items.enumerate() {
            let v = gain * samples[i] + offset;
            let weight = if v > 0.0 { v.min(1.0) } else { 0.0 };
            mass[k] += weight;
            x[k] += weight * ((i % nx) as f32 - ox);
            y[k] += weight * ((i / nx % ny) as f32 - oy);
            z[k] += weight * ((i / (nx * ny)) as f32 - oz);
        }
    })
}
