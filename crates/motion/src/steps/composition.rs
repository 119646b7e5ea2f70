//! One field after another: two fields of one grid in (voxels), the field of both motions together out.
//!
//! `d(x) = d1(x) + d2(x + d1(x))`: the composition of displacement fields that the sequence methods share.
//!
//! *Cost*: eight gathers of all components per voxel; NaN where the first field is unknown, leaves the grid, or meets an
//! unknown vector of the second.

use crate::error::Result;
use crate::method::resident::ResidentFlow;
use crate::steps::buffers::written_field;
use crate::steps::maps::Vectors;
use veloxel_core::{Flow, Shape};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::variational::flow_composition::{FlowComposition, OutsideVector};

/// The motion of `first` followed by `second`, on a device that holds both; see [`OutsideVector`] for what is unknown.
///
/// # Errors
/// [`MotionError::Input`](crate::MotionError::Input) unless both lie on one grid;
/// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
pub fn compose_resident(
    device: &Device,
    first: &ResidentFlow,
    second: &ResidentFlow,
    outside: OutsideVector,
) -> Result<ResidentFlow> {
    first.grid.require_same(&second.grid, "two fields to compose")?;
    let shape = Shape::of(&first.grid);
    let (d1, d2) = (&first.components_vox, &second.components_vox);
    let components_vox = written_field(device, shape, |out| {
        FlowComposition { shape, first: d1, second: d2, outside, out }.run(device)
    })?;
    Ok(ResidentFlow { grid: first.grid.clone(), components_vox })
}

/// The motion of `first` followed by `second`, on the grid of `first`; between voxels `second` is linear.
///
/// # Errors
/// [`MotionError::Input`](crate::MotionError::Input) unless both lie on one grid;
/// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
pub fn compose_flows(first: &Flow, second: &Flow, device: &Device) -> Result<Flow> {
    let [resident, after] = [first, second].map(|flow| ResidentFlow::upload(device, flow));
    device.scope(|| compose_resident(device, &resident?, &after?, OutsideVector::Unknown)?.download(device))
}

/// A field at any voxel position, linear between voxels; none outside the grid and beside unknown vectors.
///
/// Vectors that have no weight at the position may be unknown.
pub fn sample_vox<F: Vectors>(flow: &F, position_vox: [f64; 3]) -> Option<[f64; 3]> {
    let size = flow.grid().size();
    let mut low = [0; 3];
    let mut share = [0.0; 3];
    for a in 0..3 {
        let p = position_vox[a];
        // NaN fails the comparison: unknown positions have no vector.
        if !(p >= 0.0 && p <= (size[a] - 1) as f64) {
            return None;
        }
        low[a] = (p as usize).min(size[a].saturating_sub(2));
        share[a] = p - low[a] as f64;
    }
    let mut sum = [0.0; 3];
    for corner in 0..8usize {
        let up = [0, 1, 2].map(|a| corner >> a & 1);
        let weight: f64 = (0..3).map(|a| if up[a] == 1 { share[a] } else { 1.0 - share[a] }).product();
        if weight > 0.0 {
            let vector = flow.at([0, 1, 2].map(|a| low[a] + up[a]));
            (0..3).for_each(|a| sum[a] += weight * f64::from(vector[a]));
        }
    }
    sum.iter().all(|v| v.is_finite()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn device() -> Device {
        Device::cpu(1).unwrap()
    }

    #[test]
    fn linear_fields_compose_as_matrices_do() {
        let grid = Grid::volume(9, 8, 7).unwrap();
        let first = Flow::from_fn(grid.clone(), |[x, y, z]| [0.1 * y, -0.05 * x, 0.02 * z + 0.3]);
        let second = Flow::from_fn(grid.clone(), |[x, _, z]| [0.2 * z, 0.1 * x, -0.1 * z]);
        let both = compose_flows(&first, &second, &device()).unwrap();
        let mut known = 0;
        for i in (0..grid.len()).filter(|&i| both.is_valid(i)) {
            let [x, y, z] = grid.position(i).map(|v| v as f64);
            let (x1, z1) = (x + 0.1 * y, z + 0.02 * z + 0.3);
            let expected = [0.1 * y + 0.2 * z1, -0.05 * x + 0.1 * x1, 0.02 * z + 0.3 - 0.1 * z1];
            for (got, expected) in both.vector_vox(i).iter().zip(expected) {
                assert!((f64::from(*got) - expected).abs() < 2e-5);
            }
            known += 1;
        }
        assert!(known > grid.len() / 2 && known < grid.len(), "{known}: what leaves the grid is unknown");
    }

    #[test]
    fn unknown_stays_unknown_and_planes_have_no_third_axis() {
        let grid = Grid::image(5, 4).unwrap();
        let mut holes = Flow::zeros(grid.clone());
        holes.components_vox_mut().for_each(|c| c[6] = f32::NAN);
        let still = Flow::zeros(grid);
        let invalid = |flow: &Flow| (0..20).filter(|&i| !flow.is_valid(i)).collect::<Vec<_>>();
        assert_eq!(invalid(&compose_flows(&holes, &still, &device()).unwrap()), [6]);
        assert_eq!(invalid(&compose_flows(&still, &holes, &device()).unwrap()), [6]);
    }
}
