//! How wrong a vector may be: the square of its expected error, `e² = R + s² tr (J + α' I)⁻¹ / N`, edges².
//!
//! *Roughness* R is what the field shows by itself: the squared fourth difference `(1, −4, 6, −4, 1)` of every component,
//! summed over components, over 70, which is the sum of its squared weights, and averaged over the axes. Where errors are
//! independent from sample to sample R is their mean square; motion that is a cubic along the axes gives nothing; motion
//! boundaries give much. Samples lie some edges apart, because errors of a smoothed field vary over a few voxels.
//! *Variance* is that of the least-squares estimate from the data alone: s² is the squared mismatch J_tt that is left,
//! `tr (J + α' I)⁻¹` is how little the data determine, and N is the number of voxels whose data the smoothness pools.
//!
//! *In*: the final field in edges; the warped image and the tensor with tt from [`super::motion_tensor`] there. *Out*: e², at
//! least 0. *Where the warped image is NaN* (outside) nothing says how good a vector is: e² is the same everywhere.
//! *Border*: the nearest fourth difference whose samples lie inside. *Halo*: two steps. On an axis of less than five voxels
//! there is no fourth difference; it counts for nothing.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

pub(crate) use gpu::{EXPECTED_ERROR, block, with_arguments};

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// Writes e² of every voxel.
#[derive(Debug)]
pub struct ExpectedError<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// Distance of the samples of the fourth difference, edges: rounded to voxels, at least one, and as far as the axis has room.
    pub step_edges: f32,
    /// α': what smoothness adds to the eigenvalues of J; above 0.
    pub determinacy: f32,
    /// N: voxels whose data are pooled.
    pub pooled: f32,
    /// d, edges.
    pub displacement: &'a [Buffer],
    /// Spatial entries, mixed entries, which are not read, and tt.
    pub tensor: &'a [Buffer],
    /// e of a vector that leads outside, edges.
    pub outside_edges: f32,
    /// The warped image in; e² out, edges².
    pub warped_to_error: &'a mut Buffer,
}

/// The sum of the squared weights of a fourth difference.
const SQUARED_WEIGHTS: f32 = 70.0;

impl ExpectedError<'_> {
    /// Voxels from sample to sample of the fourth difference along every axis; 0: the axis is too short, or does not count.
    fn steps(&self) -> Axes<usize> {
        let wanted = self.spacing_edges.map(|s| (self.step_edges / s).round().max(1.0) as usize);
        let mut steps = [0; 3];
        for axis in 0..self.shape.components() {
            steps[axis] = wanted[axis].min((self.shape.size[axis] - 1) / 4);
        }
        steps
    }
    /// What the sum of the squared fourth differences is multiplied by.
    fn gain(&self) -> f32 {
        let axes = self.steps().iter().filter(|step| **step > 0).count();
        1.0 / (SQUARED_WEIGHTS * axes.max(1) as f32)
    }
    /// α' over the number of components: `tr (J + α' I)⁻¹` times it lies in 0..1.
    fn share(&self) -> f32 {
        self.determinacy / self.shape.components() as f32
    }
    /// What tt times that share is multiplied by.
    fn per_pooled(&self) -> f32 {
        1.0 / (self.share() * self.pooled)
    }
}

impl Kernel for ExpectedError<'_> {
    const NAME: &'static str = "expected_error";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries() + d + 1;
        lengths.field("displacement", self.displacement, d, n).field("tensor", self.tensor, entries, n);
        lengths.of("warped_to_error", self.warped_to_error, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::expected_error(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::expected_error(gpu, &self)
    }
}
