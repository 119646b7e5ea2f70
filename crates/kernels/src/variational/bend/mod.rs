//! The bend of a field: `e² ← e² + w |Δd|²`, with the Laplacian Δd of every component.
//!
//! Where first-order smoothness is balanced by data, α Δd is the pull of the data against it: it is large where noise, or motion that
//! bends, pulls a vector away from its neighbours.
//! *In*: a planar displacement in edges; squared errors e², edges². *Out*: these with the bend on top, in place. *Border*: beyond it lies
//! the voxel itself. *Halo*: 1 voxel.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("bend", Bindings, [], "bend.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// The factor 1 / spacing², per axis, then w.
            weights: vec4<f32>,
        },
        displacement[d_x, d_y, d_z]: read f32,
        error: write f32,
    }
}

/// Adds the weighted squared bend of a field.
#[derive(Debug)]
pub struct Bend<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The weight w, edges².
    pub weight: f32,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// The squared errors e², edges².
    pub error: &'a mut Buffer,
}

impl Bend<'_> {
    /// The factor 1 / spacing², per axis.
    fn per_edge2(&self) -> Axes<f32> {
        self.spacing_edges.map(|s| 1.0 / (s * s))
    }
}

impl Kernel for Bend<'_> {
    const NAME: &'static str = "bend";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n).of("error", self.error, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let [nx, ny, nz] = self.shape.size;
        let (axes, weights, weight) = (self.shape.components(), self.per_edge2(), self.weight);
        let displacement: Vec<&[f32]> = self.displacement.iter().map(Buffer::host).collect();
        cpu.split_rows([self.error.host_mut()], nx, 20 * self.shape.len(), |row, [error]| {
            let (y, z) = (row % ny, row / ny);
            for (i, error) in error.iter_mut().enumerate() {
                let mut squares = 0.0;
                for (nth, component) in displacement.iter().enumerate() {
                    let at = |row: usize, i: usize| component[row * nx + i];
                    let here = at(row, i);
                    let x = at(row, i.saturating_sub(1)) + at(row, (i + 1).min(nx - 1)) - 2.0 * here;
                    let below = if y > 0 { row - 1 } else { row };
                    let above = if y + 1 < ny { row + 1 } else { row };
                    let mut sum = weights[0] * x + weights[1] * (at(below, i) + at(above, i) - 2.0 * here);
                    if axes == 3 {
                        let below = if z > 0 { row - ny } else { row };
                        let above = if z + 1 < nz { row + ny } else { row };
                        sum += weights[2] * (at(below, i) + at(above, i) - 2.0 * here);
                    }
                    squares = if nth == 0 { sum * sum } else { squares + sum * sum };
                }
                *error += weight * squares;
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [x, y, z] = self.per_edge2();
        let block = Block { size: self.shape.size.into(), weights: [x, y, z, self.weight].into() };
        let (displacement, error) = (self.displacement, &*self.error);
        gpu.launch_in(self.shape.components(), &SOURCE, "bend")
            .bind(&Bindings { block, displacement, error })
            .run_over(self.shape.size, [64, 4])
    }
}
