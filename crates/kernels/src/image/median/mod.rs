//! Medians of a flow component between warps.
//!
//! *Plain*: the median of the `(2r+1)^D` window. *Weighted* (2-D; Sun, Roth, Black 2010): the value that minimises
//! `Σ w_j |v − v_j|` over the window, with weights that fall with distance and with the difference of the guiding image, so
//! that each side of a motion boundary votes for itself; applied near motion edges, plain elsewhere.
//!
//! The weighted median is blended in with the square of the flow's bend, the largest second difference within reach:
//! nothing below 0.9 of an edge's square, half at an edge, all of it from 1.1 on. It lies within one weighted standard
//! deviation of the weighted mean, and is found by sixteen halvings of that bracket.
//! *Border*: the window is cut. *Halo*: r voxels. *Units*: as the input.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;
mod weighted;

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// The kind of median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MedianKind {
    /// The median with equal votes of all voxels of the window.
    Plain {
        /// Window radius, voxels.
        radius: usize,
    },
    /// The plain median of radius 2 everywhere; then, near motion edges, a median with votes by distance, likeness in the guide
    /// and visibility.
    Weighted(WeightedMedian),
}

/// The weighted median's window and votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedMedian {
    /// Window radius, pixels.
    pub radius: usize,
    /// Distance between voting pixels of the window, pixels.
    pub stride: usize,
    /// Standard deviation of the spatial weight, pixels.
    pub sigma_vox: f32,
    /// Standard deviation of the intensity weight, units of the guide.
    pub sigma_intensity: f32,
    /// Second difference of the flow along an axis that counts as a motion edge, unit of the field.
    pub edge: f32,
    /// How far from a motion edge the votes are weighed, pixels.
    pub reach: usize,
}

impl WeightedMedian {
    /// The squared second difference where an edge begins to count, and the share of an edge per unit above that.
    fn ramp(&self) -> [f32; 2] {
        let square = (self.edge * self.edge).max(f32::MIN_POSITIVE);
        [0.9 * square, 5.0 / square]
    }
}

/// Filters every component of a field.
#[derive(Debug)]
pub struct Median<'a> {
    /// Shape of the grid.
    pub shape: Shape,
    /// The kind of median.
    pub kind: MedianKind,
    /// The field.
    pub field: &'a [Buffer],
    /// The fixed image, which guides the weighted median.
    pub guide: &'a Buffer,
    /// Factor of each voxel's weight, 0 to 1; none for 1 everywhere.
    pub vote: Option<&'a Buffer>,
    /// The filtered field.
    pub out: &'a mut [Buffer],
}

impl Kernel for Median<'_> {
    const NAME: &'static str = "median";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (d, n) = (self.shape.components(), self.shape.len());
        lengths
            .field("field", self.field, d, n)
            .field("out", self.out, d, n)
            .of("guide", self.guide, n)
            .optional("vote", self.vote, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let radius = match self.kind {
            MedianKind::Plain { radius } => radius,
            MedianKind::Weighted(_) => 2,
        };
        for (input, out) in self.field.iter().zip(self.out.iter_mut()) {
            cpu::plain(cpu, self.shape, radius, input.host(), out.host_mut());
        }
        if let MedianKind::Weighted(window) = self.kind {
            weighted::weighted(cpu, window, self);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        match self.kind {
            MedianKind::Plain { radius } => gpu::plain(gpu, self.shape, radius, self.field, self.out),
            MedianKind::Weighted(window) => {
                let smooth = gpu.device().zeros_field(self.field.len(), self.shape.len())?;
                gpu::plain(gpu, self.shape, 2, self.field, &smooth)?;
                gpu::weighted(gpu, window, &smooth, self)
            }
        }
    }
}
