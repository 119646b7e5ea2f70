//! Between the displacement a solver works on (edges, on top of an affine map) and the one a flow holds (voxels, total).
//!
//! `d_total(x) = A (x + d(x)) − x`. *In place.* *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

use crate::image::warp::VoxelAffine;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, packed};
use crate::shared::{PACK1, PACK4};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

const BODY: &str = include_str!("total_displacement.wgsl");
static SOURCES: [ShaderSource; 2] = [
    ShaderSource::wgsl("total_displacement", &[PACK1, include_str!("along1.wgsl"), BODY]),
    ShaderSource::wgsl("total_displacement", &[PACK4, include_str!("along4.wgsl"), BODY]),
];

/// Edges on top of an affine map to voxels in total.
#[derive(Debug)]
pub struct ToVoxels<'a> {
    /// Of the field.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// A.
    pub map: VoxelAffine,
    /// d in edges; d_total in voxels afterwards.
    pub field: &'a mut [Buffer],
}

impl ToVoxels<'_> {
    /// A x − x, without x itself so that large grids keep their sub-voxel bits; and A per edge.
    fn maps(&self) -> Maps {
        let per_edge = |row: Axes<f64>| [0, 1, 2].map(|c| (row[c] / f64::from(self.spacing_edges[c])) as f32);
        let base = VoxelAffine { matrix: self.map.added(), ..self.map };
        Maps { base, linear: self.map.matrix.map(per_edge) }
    }

    /// Whether an edge is a voxel, and nothing lies below.
    fn changes_nothing(&self) -> bool {
        let edges = &self.spacing_edges[..self.shape.components()];
        self.map == VoxelAffine::IDENTITY && edges.iter().all(|&edge| edge == 1.0)
    }
}

impl Kernel for ToVoxels<'_> {
    const NAME: &'static str = "to_voxels";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.field("field", self.field, self.shape.components(), self.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        if !self.changes_nothing() {
            by_dimension!(self.shape, cpu::to_voxels(cpu, self));
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        match self.changes_nothing() {
            true => Ok(()),
            false => launch(gpu, Self::NAME, self.shape, self.maps(), self.field),
        }
    }
}

/// Voxels to edges, without an affine map.
#[derive(Debug)]
pub struct FromVoxels<'a> {
    /// Of the field.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// d in voxels; in edges afterwards.
    pub field: &'a mut [Buffer],
}

impl Kernel for FromVoxels<'_> {
    const NAME: &'static str = "from_voxels";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.field("field", self.field, self.shape.components(), self.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::from_voxels(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [x, y, z] = self.spacing_edges;
        let maps =
            Maps { base: VoxelAffine::IDENTITY, linear: [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]] };
        launch(gpu, Self::NAME, self.shape, maps, self.field)
    }
}

/// `base(x) + linear · d`.
struct Maps {
    base: VoxelAffine,
    linear: Axes<Axes<f32>>,
}

fn launch(
    gpu: &Launcher<'_>,
    entry: &'static str,
    shape: Shape,
    maps: Maps,
    field: &[Buffer],
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = shape.size;
    let (source, pack) = packed(&SOURCES, nx);
    let mut uniform = Uniform::new().u4([nx / pack, ny, nz]);
    for (row, offset) in maps.base.matrix.into_iter().zip(maps.base.offset) {
        let [x, y, z] = row.map(|v| v as f32);
        uniform = uniform.f4([x, y, z, offset as f32]);
    }
    gpu.launch(source, entry)
        .constant("COMPONENTS", field.len())
        .uniform(maps.linear.into_iter().fold(uniform, Uniform::f4))
        .outputs(field, 3)
        .run([cover(nx / pack, 32), cover(ny, 4), nz as u32])
}
