//! Between a grid and the next coarser one of a multigrid hierarchy.
//!
//! A coarse cell holds two fine cells along each axis where the sizes differ (`n_c = ⌊n / 2⌋`; three at an odd end) and
//! is a mean of what it holds, so coarse tensors and right-hand sides are densities like the fine ones. A cell too many at
//! the end makes the coarse springs there a little stiff, which only slows the correction; a cell too few would make them
//! too soft, and the correction overshoot.
//! *Restriction*: that mean. *Prolongation*: linear between the centres of coarse cells (¾, ¼), constant at the border.

mod cpu;
#[cfg(test)]
mod parity;

pub(crate) use cpu::{add_pairs, cells};

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::LINE;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

/// The fine cells of a coarse one.
pub(crate) const CELLS: &str = include_str!("cells.wgsl");
static SOURCE: ShaderSource = super::wgsl!("multigrid transfer", [LINE, CELLS], "transfer.wgsl");

/// Channels that a launch takes.
const MOST_CHANNELS: usize = 6;

/// The next coarser size along the axes chosen.
pub fn coarser(shape: Shape, halve: Axes<bool>) -> Shape {
    let size = [0, 1, 2].map(|a| if halve[a] { (shape.size[a] / 2).max(1) } else { shape.size[a] });
    Shape { size, ..shape }
}

/// `coarse =` mean of `fine` over each coarse cell, channel by channel.
#[derive(Debug)]
pub struct Restrict<'a> {
    /// Of the fine grid.
    pub fine_shape: Shape,
    /// Channels on the fine grid.
    pub fine: &'a [Buffer],
    /// Of the [coarser] grid.
    pub coarse_shape: Shape,
    /// As many channels on the coarse grid.
    pub coarse: &'a mut [Buffer],
}

impl Kernel for Restrict<'_> {
    const NAME: &'static str = "restrict";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let channels = self.fine.len();
        lengths.field("fine", self.fine, channels, self.fine_shape.len());
        lengths.field("coarse", self.coarse, channels, self.coarse_shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        for (fine, coarse) in self.fine.iter().zip(self.coarse) {
            cpu::restrict(cpu, fine.host(), self.fine_shape, coarse.host_mut(), self.coarse_shape);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (fine, coarse) = (self.fine.chunks(MOST_CHANNELS), self.coarse.chunks(MOST_CHANNELS));
        fine.zip(coarse).try_for_each(|(fine, coarse)| {
            gpu.launch(&SOURCE, "restrict_mean")
                .constant("CHANNELS", fine.len())
                .constant("ANEW", false)
                .uniform(Uniform::new().u4(self.fine_shape.size).u4(self.coarse_shape.size))
                .inputs(fine, MOST_CHANNELS)
                .outputs(coarse, MOST_CHANNELS)
                .run(line(self.coarse_shape.len(), 256))
        })
    }
}

/// What a prolongation adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onto {
    /// What the fine grid holds.
    Present,
    /// Zero.
    Nothing,
}

/// `fine += P coarse` or `fine = P coarse`, linear, for up to three components.
#[derive(Debug)]
pub struct Prolong<'a> {
    /// Of the coarse grid.
    pub coarse_shape: Shape,
    /// Components on the coarse grid.
    pub coarse: &'a [Buffer],
    /// Of the fine grid.
    pub fine_shape: Shape,
    /// As many components on the fine grid.
    pub fine: &'a mut [Buffer],
    /// What the interpolated components are added to.
    pub onto: Onto,
}

impl Kernel for Prolong<'_> {
    const NAME: &'static str = "prolong";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let components = self.coarse.len();
        lengths.field("coarse", self.coarse, components.min(3), self.coarse_shape.len());
        lengths.field("fine", self.fine, components, self.fine_shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        for (coarse, fine) in self.coarse.iter().zip(self.fine) {
            let fine = fine.host_mut();
            if self.onto == Onto::Nothing {
                fine.fill(0.0);
            }
            cpu::prolong_add(cpu, coarse.host(), self.coarse_shape, fine, self.fine_shape);
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu.launch(&SOURCE, "prolong_add")
            .constant("CHANNELS", self.coarse.len())
            .constant("ANEW", self.onto == Onto::Nothing)
            .uniform(Uniform::new().u4(self.fine_shape.size).u4(self.coarse_shape.size))
            .inputs(self.coarse, MOST_CHANNELS)
            .outputs(self.fine, MOST_CHANNELS)
            .run(line(self.fine_shape.len(), 256))
    }
}
