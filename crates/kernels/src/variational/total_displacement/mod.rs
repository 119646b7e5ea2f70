//! Conversion between the displacement of a solver (edges, on top of an affine map) and the displacement of a flow (voxels,
//! total).
//!
//! `d_total(x) = A (x + d(x)) − x`. *In place.* *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::image::warp::VoxelAffine;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, packed, wgsl};
use crate::shared::Pack;
use crate::shared::{PACK1, PACK4};
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::components_mut;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("total_displacement", Bindings, [PACK1, include_str!("along1.wgsl")], "total_displacement.wgsl"),
    wgsl!("total_displacement", Bindings, [PACK4, include_str!("along4.wgsl")], "total_displacement.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Packs per row, rows per plane, planes.
            size: vec4<u32>,
            /// Rows of A − I, each with its offset (w): small, so that large grids keep their sub-voxel bits.
            base_x: vec4<f32>,
            base_y: vec4<f32>,
            base_z: vec4<f32>,
            /// Rows of the matrix that multiplies the displacement.
            linear_x: vec4<f32>,
            linear_y: vec4<f32>,
            linear_z: vec4<f32>,
        },
        field[field_x, field_y, field_z]: write Pack,
    }
}

/// Turns edges on top of an affine map into voxels in total.
#[derive(Debug)]
pub struct ToVoxels<'a> {
    /// Shape of the field.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The affine map A.
    pub map: VoxelAffine,
    /// The displacement d in edges; d_total in voxels afterwards.
    pub field: &'a mut [Buffer],
}

impl ToVoxels<'_> {
    /// The map A x − x, without x itself so that large grids keep their sub-voxel bits; and A per edge.
    fn maps(&self) -> Maps {
        let per_edge = |row: Axes<f64>| [0, 1, 2].map(|c| (row[c] / f64::from(self.spacing_edges[c])) as f32);
        Maps::new(self.map.added(), self.map.offset, self.map.matrix.map(per_edge))
    }

    /// Whether the conversion changes nothing: an edge is a voxel, and the map is the identity.
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
            by_dimension!(self.shape, to_voxels(cpu, self));
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        match self.changes_nothing() {
            true => Ok(()),
            false => self.maps().launch(gpu, Self::NAME, self.shape, self.field),
        }
    }
}

/// Turns voxels into edges, without an affine map.
#[derive(Debug)]
pub struct FromVoxels<'a> {
    /// Shape of the field.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The displacement d in voxels; in edges afterwards.
    pub field: &'a mut [Buffer],
}

impl Kernel for FromVoxels<'_> {
    const NAME: &'static str = "from_voxels";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.field("field", self.field, self.shape.components(), self.shape.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        for (component, edge) in self.field.iter_mut().zip(self.spacing_edges) {
            cpu.split_samples(component.host_mut(), 1, |_, line| line.iter_mut().for_each(|d| *d *= edge));
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [x, y, z] = self.spacing_edges;
        let VoxelAffine { matrix, offset } = VoxelAffine::IDENTITY;
        let maps = Maps::new(matrix, offset, [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]);
        maps.launch(gpu, Self::NAME, self.shape, self.field)
    }
}

/// The maps of `offset + base · x + linear · d`.
pub(crate) struct Maps {
    pub offset: Axes<f32>,
    pub base: Axes<Axes<f32>>,
    pub linear: Axes<Axes<f32>>,
}

impl Maps {
    pub(crate) fn new(base: Axes<Axes<f64>>, offset: Axes<f64>, linear: Axes<Axes<f32>>) -> Self {
        Self { offset: offset.map(|v| v as f32), base: base.map(|row| row.map(|v| v as f32)), linear }
    }

    /// The part that does not depend on d: rows of the matrix, with the offset.
    pub(crate) fn base_rows(&self) -> [vec4<f32>; 3] {
        let row = |row: usize| {
            let [x, y, z] = self.base[row];
            [x, y, z, self.offset[row]].into()
        };
        [row(0), row(1), row(2)]
    }

    fn launch(
        self,
        gpu: &Launcher<'_>,
        entry: &'static str,
        shape: Shape,
        field: &[Buffer],
    ) -> Result<(), ComputeError> {
        let [nx, ny, nz] = shape.size;
        let (source, pack) = packed(&SOURCES, nx);
        let [base_x, base_y, base_z] = self.base_rows();
        let [linear_x, linear_y, linear_z] = self.linear.map(vec4::from);
        let size = [nx / pack, ny, nz].into();
        let block = Block { size, base_x, base_y, base_z, linear_x, linear_y, linear_z };
        gpu.launch_in(field.len(), source, entry)
            .bind(&Bindings { block, field })
            .run_over([nx / pack, ny, nz], [32, 4])
    }
}

fn to_voxels<const D: usize>(cpu: &Cpu, args: ToVoxels<'_>) {
    let (maps, [nx, ny, _]) = (args.maps(), args.shape.size);
    cpu.split_rows(components_mut::<D>(args.field), nx, args.shape.len(), |row, lines| {
        let position = [0.0, (row % ny) as f32, (row / ny) as f32];
        to_voxels_row(lines, position, &maps);
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn to_voxels_row<const D: usize>(mut lines: [&mut [f32]; D], [_, y, z]: Axes<f32>, maps: &Maps) {
    let n = lines[0].len();
    for line in &mut lines {
        *line = &mut std::mem::take(line)[..n];
    }
    for i in 0..n {
        let x = i as f32;
        let d: [f32; D] = std::array::from_fn(|c| lines[c][i]);
        for r in 0..D {
            let (base, linear) = (&maps.base[r], &maps.linear[r]);
            let mut sum = maps.offset[r] + base[0] * x + base[1] * y;
            if D == 3 {
                sum += base[2] * z;
            }
            for c in 0..D {
                sum += linear[c] * d[c];
            }
            lines[r][i] = sum;
        }
    }
}
