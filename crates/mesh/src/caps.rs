//! The holes that a part leaves where it was cut off, as closed rings of points.
//!
//! *In*: the triangles of a mesh with a label each, and one of the labels. *Out*: rings of indices of points. A ring runs so that a
//! fan over it, `[ring[i], ring[i + 1], middle]`, is turned as the part's triangles are.
//! A side of a triangle belongs to a hole where no other triangle of the part has it and one of another part has; borders of the
//! whole mesh stay open.

use std::collections::{BTreeMap, HashMap};
use veloxel_core::TriangleMesh;

/// The rings around the holes of a part, in the order of their first triangles; sides that lead into a border of the whole mesh
/// make no ring.
///
/// # Panics
/// If there is not a label for each triangle.
pub fn cut_rings(mesh: &TriangleMesh, labels: &[u32], part: u32) -> Vec<Vec<u32>> {
    assert_eq!(labels.len(), mesh.triangles().len(), "every triangle should have a label");
    // Triangles of the part, and others, at each pair of points.
    let mut around: HashMap<[u32; 2], [u32; 2]> = HashMap::new();
    let sides = |triangle: &[u32; 3]| [0, 1, 2].map(|side| [triangle[side], triangle[(side + 1) % 3]]);
    let pair = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    for (triangle, &label) in mesh.triangles().iter().zip(labels) {
        for side in sides(triangle) {
            around.entry(pair(side)).or_default()[usize::from(label != part)] += 1;
        }
    }
    // The hole lies on the other side: its sides run the other way.
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut starts = Vec::new();
    for (triangle, _) in mesh.triangles().iter().zip(labels).filter(|(_, label)| **label == part) {
        for side in sides(triangle) {
            if matches!(around[&pair(side)], [1, 1..=u32::MAX]) {
                next.entry(side[1]).or_default().push(side[0]);
                starts.push(side[1]);
            }
        }
    }
    let mut rings = Vec::new();
    for start in starts {
        let mut ring = vec![start];
        let mut at = start;
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            at = to;
            if at == start {
                break;
            }
            ring.push(at);
        }
        if at == start && ring.len() > 2 {
            rings.push(ring);
        }
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 1 × 1 × 2 as two cubes on each other without a wall between: the lower one's faces are the part 0.
    fn tower() -> (TriangleMesh, Vec<u32>) {
        let points = (0..12).map(|i| [(i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64]).collect();
        let (mut triangles, mut labels) = (Vec::new(), Vec::new());
        let mut square = |[a, b, c, d]: [u32; 4], label: u32| {
            triangles.extend([[a, b, c], [a, c, d]]);
            labels.extend([label; 2]);
        };
        square([0, 2, 3, 1], 0);
        square([8, 9, 11, 10], 1);
        for floor in 0..2 {
            let low = 4 * floor;
            for [a, b] in [[0, 1], [1, 3], [3, 2], [2, 0]] {
                square([low + a, low + b, low + b + 4, low + a + 4], floor);
            }
        }
        (TriangleMesh::new(points, triangles).unwrap(), labels)
    }

    #[test]
    fn a_cut_is_a_ring_that_closes_either_part() {
        let (mesh, labels) = tower();
        for part in [0, 1] {
            let rings = cut_rings(&mesh, &labels, part);
            assert_eq!(rings.len(), 1);
            let mut sorted = rings[0].clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [4, 5, 6, 7]);
            // With a fan over the ring the part is closed: every side has one that runs the other way.
            let own = mesh.triangles().iter().zip(&labels).filter(|(_, label)| **label == part);
            let mut sides: Vec<[u32; 2]> =
                own.flat_map(|(t, _)| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
            let ring = &rings[0];
            sides.extend((0..4).map(|i| [ring[i], ring[(i + 1) % 4]]));
            assert!(sides.iter().all(|[a, b]| sides.iter().filter(|side| **side == [*b, *a]).count() == 1
                || !ring.contains(a)
                || !ring.contains(b)));
        }
    }

    #[test]
    fn a_border_of_the_mesh_stays_open() {
        let (mesh, labels) = tower();
        let open = TriangleMesh::new(mesh.points().to_vec(), mesh.triangles()[4..].to_vec()).unwrap();
        assert_eq!(cut_rings(&open, &labels[4..], 1).len(), 1);
        assert!(cut_rings(&open, &vec![0; open.triangles().len()], 0).is_empty());
    }
}
