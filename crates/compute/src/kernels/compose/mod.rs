//! A small step after a displacement: `d ← d + δ`, or `d ← δ + d ∘ (id + δ)`.
//!
//! The composed form keeps `id + d` invertible as long as every step is (its Jacobians multiply), and its linearisation
//! is exact where the image derivatives are those of the warped image.
//! *Units*: edges. *Border*: replicate. *Halo*: the longest step.

use crate::buffer::require_field;
use crate::rows::Shared;
use crate::{Axes, Buffer, ComputeError, Device, Shape};

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
    let d: Vec<&[f32]> = displacement.iter().map(Buffer::host).collect();
    let parts: Vec<Shared<'_>> = increment.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let nx = shape.size[0];
    device.as_cpu().split(shape.rows(), 2 * shape.len(), |rows| {
        for row in rows {
            let span = row * nx..(row + 1) * nx;
            // SAFETY: every row is written by one thread.
            let mut delta: Vec<&mut [f32]> =
                parts.iter().map(|p| unsafe { p.get_mut(span.clone()) }).collect();
            match update {
                Update::Add => {
                    for (delta, d) in delta.iter_mut().zip(&d) {
                        delta.iter_mut().zip(&d[span.clone()]).for_each(|(o, &d)| *o += d);
                    }
                }
                Update::Compose => compose_row((shape, spacing_edges), &d, row, &mut delta),
            }
        }
    });
    Ok(())
}

fn compose_row((shape, spacing): (Shape, Axes<f32>), d: &[&[f32]], row: usize, delta: &mut [&mut [f32]]) {
    let [nx, ny, _] = shape.size;
    let start = [0, row % ny, row / ny];
    let strides = [1, nx, nx * ny];
    let inverse = spacing.map(|s| 1.0 / s);
    for x in 0..nx {
        let (mut base, mut steps, mut weights) = (0, [0usize; 3], [0.0f32; 3]);
        for (a, delta) in delta.iter().enumerate() {
            let last = shape.size[a] - 1;
            let voxel = if a == 0 { x } else { start[a] };
            let at = (voxel as f32 + delta[x] * inverse[a]).max(0.0).min(last as f32);
            let low = (at as usize).min(last.saturating_sub(1));
            base += low * strides[a];
            steps[a] = if last == 0 { 0 } else { strides[a] };
            weights[a] = at - low as f32;
        }
        for (d, delta) in d.iter().zip(delta.iter_mut()) {
            let lerp = |a: f32, b: f32, w: f32| a + w * (b - a);
            let line = |i: usize| lerp(d[i], d[i + steps[0]], weights[0]);
            let plane = |i: usize| lerp(line(i), line(i + steps[1]), weights[1]);
            delta[x] += if steps[2] == 0 {
                plane(base)
            } else {
                lerp(plane(base), plane(base + steps[2]), weights[2])
            };
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
        let shape = Shape { size: [10, 6, 5], dimension: Dimension::Three };
        let ramp: Vec<f32> = (0..shape.len()).map(|i| 0.1 * (i % 10) as f32).collect();
        let zero = || device.zeros(shape.len()).unwrap();
        let d = [device.upload(ramp), zero(), zero()];
        let mut step = [device.upload(vec![0.5; shape.len()]), zero(), zero()];
        compose(&device, (shape, [1.0; 3]), (Update::Compose, &d), &mut step).unwrap();
        let got = step[0].host()[3];
        assert!((got - (0.5 + 0.35)).abs() < 1e-6, "d(3.5) + δ, got {got}");
    }
}
