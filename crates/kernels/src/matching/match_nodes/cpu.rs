//! Processor text of [`super::MatchNodes`].

use super::{MatchNodes, Members, cells, planes};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

/// A member of a cell, or what stands for the cell.
#[derive(Clone, Copy)]
struct Node<const D: usize> {
    position: [f32; D],
    vector: [f32; D],
    weight: f32,
    intensity: f32,
}

/// What is subtracted from the distance of a member for its own weight, so that of two alike the surer one is taken.
const OWN_SHARE: f32 = 0.001;

pub(super) fn match_nodes<const D: usize>(cpu: &Cpu, args: MatchNodes<'_>) {
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
    for z in range(2) {
        for y in range(1) {
            for x in range(0) {
                let index = (z * shape.size[1] + y) * shape.size[0] + x;
                cell.push(member(members, index, shape, [x, y, z]));
            }
        }
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
            let plane = |k: usize| nodes.host()[k * shape.len() + index];
            Node {
                position: std::array::from_fn(plane),
                vector: std::array::from_fn(|c| plane(D + c)),
                weight: plane(2 * D),
                intensity: plane(2 * D + 1),
            }
        }
    }
}

/// The member whose vector the others' are nearest to; the mean position of members that have none.
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
