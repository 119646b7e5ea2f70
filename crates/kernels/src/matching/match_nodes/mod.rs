//! One match for every cell of a grid: the match whose vector has the least distance to the others' in the cell.
//!
//! *Nodes* are planes of one buffer: the position of the match that represents the cell (x, y and in space z), its vector, the
//! share of the cell that has a match, and the intensity at that position. A cell without a match has its mean position and
//! intensity, and the share 0.
//! *In*: a displacement with a weight for every voxel and an image ([`Members::Voxels`]), or the nodes of a finer grid.
//! *Distance of two vectors*: the sum of absolute differences, at most `cap_vox`; the weights of the others count.
//! *Border*: cells are cut. *Halo*: the cell.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("match nodes", Bindings, [], "match_nodes.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Size of the members' grid, and of the cells' grid.
            size: vec4<u32>,
            cells: vec4<u32>,
            width: u32,
            cap_vox: f32,
        },
        field[field_x, field_y, field_z]: read f32,
        weights: may_read f32,
        image: may_read f32,
        nodes: may_read f32,
        out: write f32,
    }
}

/// Number of planes of a node buffer.
pub const fn planes(components: usize) -> usize {
    2 * components + 2
}

/// The grid of cells of `width` members along every axis.
#[must_use]
pub fn cells(shape: Shape, width: usize) -> Shape {
    let size = [0, 1, 2].map(|a| if a < shape.components() { shape.size[a].div_ceil(width) } else { 1 });
    Shape { size, ..shape }
}

/// The members of cells.
#[derive(Debug, Clone, Copy)]
pub enum Members<'a> {
    /// Voxels.
    Voxels {
        /// Displacement, voxels; may be unknown where the weight is 0.
        field: &'a [Buffer],
        /// Weight of each vector; one with the weight 0 does not count.
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
    /// Shape of the members' grid.
    pub shape: Shape,
    /// Members of a cell along each axis.
    pub width: usize,
    /// Largest distance of two vectors that counts, voxels.
    pub cap_vox: f32,
    /// The members of cells.
    pub members: Members<'a>,
    /// The nodes of [`cells`].
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
        by_dimension!(self.shape, match_nodes(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let out = cells(self.shape, self.width).size;
        let (size, cells) = (self.shape.size.into(), out.into());
        let block = Block { size, cells, width: self.width, cap_vox: self.cap_vox };
        let none = Bindings { block, field: &[], weights: None, image: None, nodes: None, out: self.out };
        let bindings = match self.members {
            Members::Voxels { field, weight, image } => {
                Bindings { field, weights: Some(weight), image: Some(image), ..none }
            }
            Members::Nodes(nodes) => Bindings { nodes: Some(nodes), ..none },
        };
        gpu.launch_in(self.shape.components(), &SOURCE, "match_nodes")
            .constant("VOXELS", matches!(self.members, Members::Voxels { .. }))
            .bind(&bindings)
            .run_over(out, [32, 4])
    }
}

/// Nodes of a grid, on processors.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a, const D: usize> {
    pub shape: Shape,
    pub samples: &'a [f32],
}

impl<const D: usize> Nodes<'_, D> {
    fn plane(&self, plane: usize, index: usize) -> f32 {
        self.samples[plane * self.shape.len() + index]
    }
    pub fn position(&self, index: usize) -> [f32; D] {
        std::array::from_fn(|a| self.plane(a, index))
    }
    pub fn vector(&self, index: usize) -> [f32; D] {
        std::array::from_fn(|c| self.plane(D + c, index))
    }
    pub fn weight(&self, index: usize) -> f32 {
        self.plane(2 * D, index)
    }
    pub fn intensity(&self, index: usize) -> f32 {
        self.plane(2 * D + 1, index)
    }
}

/// A member of a cell, or the node that represents the cell.
#[derive(Clone, Copy)]
struct Node<const D: usize> {
    position: [f32; D],
    vector: [f32; D],
    weight: f32,
    intensity: f32,
}

/// Share of a member's own weight that is subtracted from its distance, so that of two equal members the more certain one is
/// taken.
const OWN_SHARE: f32 = 0.001;

fn match_nodes<const D: usize>(cpu: &Cpu, args: MatchNodes<'_>) {
    let MatchNodes { shape, width, cap_vox, members, out } = args;
    let grid = cells(shape, width);
    let ([nx, ny, nz], count) = (grid.size, grid.len());
    let out = Shared::new(out.host_mut());
    cpu.split(ny * nz, 64 * shape.len(), |rows| {
        let mut cell: Vec<Node<D>> = Vec::with_capacity(width.pow(D as u32));
        for (row, x) in rows.flat_map(|row| (0..nx).map(move |x| (row, x))) {
            fill(&mut cell, shape, width, members, [x, row % ny, row / ny]);
            let node = stands_for(&cell, cap_vox);
            let values = node.position.into_iter().chain(node.vector).chain([node.weight, node.intensity]);
            for (plane, value) in (0..planes(D)).zip(values) {
                let at = plane * count + row * nx + x;
                // SAFETY: every sample is written by one thread.
                let slot = unsafe { out.get_mut(at..at + 1) };
                slot[0] = value;
            }
        }
    });
}

/// The members of a cell.
fn fill<const D: usize>(
    cell: &mut Vec<Node<D>>,
    shape: Shape,
    width: usize,
    members: Members<'_>,
    at: Axes<usize>,
) {
    cell.clear();
    let range = |a: usize| match a < D {
        true => at[a] * width..((at[a] + 1) * width).min(shape.size[a]),
        false => 0..1,
    };
    for (z, y) in range(2).flat_map(|z| range(1).map(move |y| (z, y))) {
        let row = (z * shape.size[1] + y) * shape.size[0];
        cell.extend(range(0).map(|x| member(members, row + x, shape, [x, y, z])));
    }
}

fn member<const D: usize>(members: Members<'_>, index: usize, shape: Shape, voxel: Axes<usize>) -> Node<D> {
    match members {
        Members::Voxels { field, weight, image } => Node {
            position: std::array::from_fn(|a| voxel[a] as f32),
            vector: std::array::from_fn(|c| Buffer::host(&field[c])[index]),
            weight: weight.host()[index],
            intensity: image.host()[index],
        },
        Members::Nodes(nodes) => {
            let nodes = Nodes::<D> { shape, samples: nodes.host() };
            Node {
                position: nodes.position(index),
                vector: nodes.vector(index),
                weight: nodes.weight(index),
                intensity: nodes.intensity(index),
            }
        }
    }
}

/// The member whose vector has the least distance to the others'; for a cell without vectors, the mean position of its members.
fn stands_for<const D: usize>(cell: &[Node<D>], cap_vox: f32) -> Node<D> {
    let (mut best, mut least, mut weight) = (None, f32::MAX, 0.0);
    for own in cell {
        weight += own.weight;
        if own.weight <= 0.0 {
            continue;
        }
        let mut score = 0.0;
        for other in cell.iter().filter(|other| other.weight > 0.0) {
            let mut distance = 0.0;
            for c in 0..D {
                distance += (own.vector[c] - other.vector[c]).abs();
            }
            score += other.weight * if distance < cap_vox { distance } else { cap_vox };
        }
        score -= OWN_SHARE * own.weight;
        if score < least {
            (best, least) = (Some(*own), score);
        }
    }
    let per_member = 1.0 / cell.len() as f32;
    if let Some(best) = best {
        return Node { weight: weight * per_member, ..best };
    }
    let mut mean = Node { position: [0.0; D], vector: [0.0; D], weight: 0.0, intensity: 0.0 };
    for own in cell {
        for a in 0..D {
            mean.position[a] += own.position[a] * per_member;
        }
        mean.intensity += own.intensity * per_member;
    }
    mean
}
