//! The determinant of `I + ∇d`, voxel by voxel, and its statistics.
//!
//! *In*: a planar displacement in edges. *Out*: det − 1 (exact for small changes in `f32`), and sums over the grid.
//! Derivatives are central, one-sided at the border. *Halo*: 1 voxel.

use crate::buffer::require_field;
use crate::rows::{Shared, SharedSlots};
use crate::{Axes, Buffer, ComputeError, Device, Shape};
use veloxel_core::JacobianReport;

/// Writes det(I + ∇d) − 1 and returns the statistics of det, within `weight > 0` where one is given.
///
/// Voxels whose stencil holds a NaN count for nothing and give NaN.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn jacobian(
    device: &Device,
    (shape, spacing_edges): (Shape, Axes<f32>),
    (displacement, weight): (&[Buffer], Option<&Buffer>),
    out: &mut Buffer,
) -> Result<JacobianReport, ComputeError> {
    let (n, d) = (shape.len(), shape.components());
    require_field(displacement, (d, n), "jacobian", "displacement")?;
    out.require(n, "jacobian", "out")?;
    if let Some(weight) = weight {
        weight.require(n, "jacobian", "weight")?;
    }
    let field: Vec<&[f32]> = displacement.iter().map(Buffer::host).collect();
    let [nx, ny, nz] = shape.size;
    let shared = Shared::new(out.host_mut());
    let mut extremes = vec![(f32::INFINITY, f32::NEG_INFINITY); shape.rows()];
    let slots = SharedSlots::new(&mut extremes);
    let sums: [f64; 4] = device.as_cpu().sum(shape.rows(), shape.len(), |rows| {
        let mut sums = [0.0; 4];
        for row in rows {
            let (y, z) = (row % ny, row / ny);
            // SAFETY: every row is written by one thread.
            let out = unsafe { shared.get_mut(row * nx..(row + 1) * nx) };
            let mut extreme = (f32::INFINITY, f32::NEG_INFINITY);
            for (x, out) in out.iter_mut().enumerate() {
                let i = row * nx + x;
                let mut g = [[0.0f32; 3]; 3];
                for (axis, (at, count, stride)) in
                    [(x, nx, 1), (y, ny, nx), (z, nz, nx * ny)].into_iter().enumerate().take(d)
                {
                    let (low, high) =
                        (if at > 0 { i - stride } else { i }, if at + 1 < count { i + stride } else { i });
                    let steps = (high - low) / stride.max(1);
                    let scale = if steps == 0 { 0.0 } else { 1.0 / (steps as f32 * spacing_edges[axis]) };
                    for (g, field) in g.iter_mut().zip(&field) {
                        g[axis] = (field[high] - field[low]) * scale;
                    }
                }
                let change = det_minus_one(&g);
                *out = change;
                if change.is_nan() || weight.is_some_and(|w| w.host()[i] <= 0.0) {
                    continue;
                }
                extreme = (extreme.0.min(1.0 + change), extreme.1.max(1.0 + change));
                let divergence = g[0][0] + g[1][1] + g[2][2];
                let add = [
                    1.0,
                    f64::from(u8::from(change <= -1.0)),
                    change.abs().into(),
                    (divergence * divergence).into(),
                ];
                sums.iter_mut().zip(add).for_each(|(s, v): (&mut f64, f64)| *s += v);
            }
            // SAFETY: one thread a row.
            unsafe { slots.write(row, extreme) };
        }
        sums
    });
    let [count, folded, absolute, divergence2] = sums;
    if count == 0.0 {
        return Ok(JacobianReport { min: 1.0, max: 1.0, ..Default::default() });
    }
    Ok(JacobianReport {
        min: extremes.iter().fold(f32::INFINITY, |m, e| m.min(e.0)).into(),
        max: extremes.iter().fold(f32::NEG_INFINITY, |m, e| m.max(e.1)).into(),
        share_folded: folded / count,
        mean_abs_minus_one: absolute / count,
        divergence_rms: (divergence2 / count).sqrt(),
    })
}

/// det(I + g) − 1 = tr g + (sum of principal 2 × 2 minors) + det g: no cancellation against 1.
fn det_minus_one(g: &[[f32; 3]; 3]) -> f32 {
    let minor = |a: usize, b: usize| g[a][a] * g[b][b] - g[a][b] * g[b][a];
    let det = g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1])
        - g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0])
        + g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]);
    (g[0][0] + g[1][1] + g[2][2]) + (minor(0, 1) + minor(0, 2) + minor(1, 2)) + det
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn a_linear_map_has_its_determinant() {
        let device = Device::cpu(2).unwrap();
        let shape = Shape { size: [8, 7, 6], dimension: Dimension::Three };
        let m = [[0.1, 0.2, 0.0], [-0.1, 0.05, 0.3], [0.0, 0.1, -0.2f32]];
        let spacing = [1.0, 2.0, 1.5];
        let field: Vec<Buffer> = m
            .iter()
            .map(|r| {
                let at = |i: usize| {
                    r[0] * (i % 8) as f32 + r[1] * 2.0 * (i / 8 % 7) as f32 + r[2] * 1.5 * (i / 56) as f32
                };
                device.upload((0..shape.len()).map(at).collect())
            })
            .collect();
        let mut out = device.zeros(shape.len()).unwrap();
        let report = jacobian(&device, (shape, spacing), (&field, None), &mut out).unwrap();
        let expected = det_minus_one(&m);
        assert!(
            (report.min - 1.0 - f64::from(expected)).abs() < 1e-5 && (report.max - report.min).abs() < 1e-5
        );
        assert_eq!(report.share_folded, 0.0);
    }
}
