//! One match for every cell of a grid: the one that the cell's others are nearest to.
//!
//! *Nodes* are planes of one buffer: the position of the match that stands for the cell (x, y and in space z), its vector, the
//! share of the cell that has a match, and the intensity at that position. A cell without any has its mean position and
//! intensity, and the share 0.
//! *In*: a displacement with a weight for every voxel and an image ([`Members::Voxels`]), or the nodes of a finer grid.
//! *Distance of two vectors*: the sum of absolute differences, at most `cap_vox`; the weights of the others count.
//! *Border*: cells are cut. *Halo*: the cell.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource = ShaderSource::wgsl("match nodes", &[include_str!("match_nodes.wgsl")]);

/// Planes of a node buffer.
pub const fn planes(components: usize) -> usize {
    2 * components + 2
}

/// The grid of cells, so many members wide along every axis.
#[must_use]
pub fn cells(shape: Shape, width: usize) -> Shape {
    let size = [0, 1, 2].map(|a| if a < shape.components() { shape.size[a].div_ceil(width) } else { 1 });
    Shape { size, ..shape }
}

/// What cells are made of.
#[derive(Debug, Clone, Copy)]
pub enum Members<'a> {
    /// Voxels.
    Voxels {
        /// Displacement, voxels; may be unknown where the weight is 0.
        field: &'a [Buffer],
        /// Weight of each vector; 0: it does not count.
        weight: &'a Buffer,
        /// The image whose intensities nodes have.
        image: &'a Buffer,
    },
    /// Nodes of a finer grid.
    Nodes(&'a Buffer),
}

/// Writes the nodes of a grid of cells.
#[derive(Debug)]
pub struct MatchNodes<'a> {
    /// Of the members.
    pub shape: Shape,
    /// Members of a cell along each axis.
    pub width: usize,
    /// Largest distance of two vectors that counts, voxels.
    pub cap_vox: f32,
    /// What cells are made of.
    pub members: Members<'a>,
    /// Nodes of [`cells`].
    pub out: &'a mut Buffer,
}

impl Kernel for MatchNodes<'_> {
    const NAME: &'static str = "match_nodes";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        match self.members {
            Members::Voxels { field, weight, image } => {
                lengths.field("field", field, d, n).of("weight", weight, n).of("image", image, n);
            }
            Members::Nodes(nodes) => {
                lengths.of("nodes", nodes, planes(d) * n);
            }
        }
        lengths.of("out", self.out, planes(d) * cells(self.shape, self.width).len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::match_nodes(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let out = cells(self.shape, self.width).size;
        let launch = gpu
            .launch(&SOURCE, "match_nodes")
            .constant("COMPONENTS", self.shape.components())
            .constant("VOXELS", matches!(self.members, Members::Voxels { .. }))
            .uniform(Uniform::new().u4(self.shape.size).u4(out).u(self.width).f(self.cap_vox));
        let launch = match self.members {
            Members::Voxels { field, weight, image } => {
                launch.inputs(field, 3).input(weight).input(image).absent(1)
            }
            Members::Nodes(nodes) => launch.absent(5).input(nodes),
        };
        launch.output(self.out).run([cover(out[0], 32), cover(out[1], 4), out[2] as u32])
    }
}
