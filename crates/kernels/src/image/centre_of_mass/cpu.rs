//! Processor text of [`super::CentreOfMass`].

use super::{CentreOfMass, origin};
use crate::shared::group_sums::group_totals;
use veloxel_gpu::Cpu;

/// Σ w, Σ w x, Σ w y, Σ w z.
pub(super) fn sums(cpu: &Cpu, args: &CentreOfMass<'_>) -> [f64; 4] {
    let CentreOfMass { shape, image, gain, offset } = *args;
    let ([nx, ny, _], [ox, oy, oz]) = (shape.size, origin(shape));
    let samples = image.host();
    group_totals(cpu, shape.len(), 4, |items, [mass, x, y, z]| {
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
