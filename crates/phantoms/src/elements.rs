//! Linear tetrahedra on a voxel lattice: which one holds a point, and with which weights.

use veloxel_core::matrix3::apply;
use veloxel_core::{Grid, TetMesh};

/// A tetrahedron in voxel coordinates, prepared for barycentric coordinates.
struct Element {
    first: [f64; 3],
    /// Inverse of the edge matrix; all zero for a flat tetrahedron, which holds no point.
    inverse: [[f64; 3]; 3],
    low: [f64; 3],
    high: [f64; 3],
}

/// The elements of one mesh over an upright grid (axes along the world's).
pub(crate) struct Elements {
    elements: Vec<Element>,
}

/// The number in place of an element where there is none.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// Lowest weight of a point inside: roundoff must not lose points on a shared face, which belong to both neighbours.
const TOLERANCE: f64 = 1e-9;

impl Elements {
    pub(crate) fn new(mesh: &TetMesh, grid: &Grid) -> Self {
        let (origin, spacing) = (grid.origin_mm(), grid.spacing_mm());
        let voxel = |node: u32| {
            let p = mesh.points[node as usize];
            [0, 1, 2].map(|a| (p[a] - origin[a]) / spacing[a])
        };
        Self { elements: mesh.tetrahedra.iter().map(|nodes| Element::new(nodes.map(voxel))).collect() }
    }

    /// Barycentric coordinates of a voxel position in an element; the position is inside if none is negative.
    pub(crate) fn weights(&self, element: u32, position_vox: [f64; 3]) -> [f64; 4] {
        self.elements[element as usize].weights(position_vox)
    }

    /// The first element that holds each voxel's centre, or [`OUTSIDE`].
    pub(crate) fn owners(&self, grid: &Grid) -> Vec<u32> {
        let mut owners = vec![OUTSIDE; grid.len()];
        for (number, element) in self.elements.iter().enumerate() {
            element.for_voxels(grid, 0.0, |voxel| {
                let owner = &mut owners[grid.index(voxel)];
                if *owner == OUTSIDE && element.holds(voxel.map(|v| v as f64)) {
                    *owner = number as u32;
                }
            });
        }
        owners
    }

    /// Visits every point of the 2×2×2 lattice inside each voxel of `wanted` that lies in an element, once, with the voxel's
    /// index, the first such element and the point's weights.
    pub(crate) fn for_samples(
        &self,
        grid: &Grid,
        wanted: &[bool],
        mut visit: impl FnMut(usize, u32, [f64; 4]),
    ) {
        let mut seen = vec![0u8; grid.len()];
        for (number, element) in self.elements.iter().enumerate() {
            element.for_voxels(grid, 0.25, |voxel| {
                let index = grid.index(voxel);
                if !wanted[index] {
                    return;
                }
                let mut found = 0;
                for corner in (0..8usize).filter(|corner| seen[index] >> corner & 1 == 0) {
                    let offset = |axis: usize| if corner >> axis & 1 == 0 { -0.25 } else { 0.25 };
                    let point = [0, 1, 2].map(|a| voxel[a] as f64 + offset(a));
                    let weights = element.weights(point);
                    if weights.iter().all(|w| *w >= -TOLERANCE) {
                        found |= 1 << corner;
                        visit(index, number as u32, weights);
                    }
                }
                seen[index] |= found;
            });
        }
    }
}

impl Element {
    fn new([p0, p1, p2, p3]: [[f64; 3]; 4]) -> Self {
        let edge = |p: [f64; 3]| [0, 1, 2].map(|a| p[a] - p0[a]);
        let (a, b, c) = (edge(p1), edge(p2), edge(p3));
        let cross = |u: [f64; 3], v: [f64; 3]| {
            [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        };
        let rows = [cross(b, c), cross(c, a), cross(a, b)];
        let volume = (0..3).map(|i| a[i] * rows[0][i]).sum::<f64>();
        let corners = [p0, p1, p2, p3];
        let extreme = |pick: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|axis: usize| corners.iter().map(|p| p[axis]).fold(p0[axis], pick))
        };
        let (low, high) = (extreme(f64::min), extreme(f64::max));
        let size = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
        let flat = volume.abs() <= 1e-12 * size.powi(3);
        let inverse = rows.map(|row| row.map(|v| if flat { 0.0 } else { v / volume }));
        Self { first: p0, inverse, low, high }
    }

    fn weights(&self, p: [f64; 3]) -> [f64; 4] {
        let d = [0, 1, 2].map(|a| p[a] - self.first[a]);
        let [a, b, c] = apply(&self.inverse, d);
        [1.0 - a - b - c, a, b, c]
    }

    fn holds(&self, p: [f64; 3]) -> bool {
        self.inverse != [[0.0; 3]; 3] && self.weights(p).iter().all(|w| *w >= -TOLERANCE)
    }

    /// Every voxel of the grid within `reach` of the bounding box; none for a flat element.
    fn for_voxels(&self, grid: &Grid, reach: f64, mut visit: impl FnMut([usize; 3])) {
        if self.inverse == [[0.0; 3]; 3] {
            return;
        }
        let size = grid.size();
        let span = [0, 1, 2].map(|a| {
            let first = (self.low[a] - reach - TOLERANCE).ceil().max(0.0) as usize;
            let last = (self.high[a] + reach + TOLERANCE).floor().min(size[a] as f64 - 1.0);
            // An empty range where the box lies outside of the grid.
            first..if last < 0.0 { first } else { last as usize + 1 }
        });
        for z in span[2].clone() {
            for y in span[1].clone() {
                for x in span[0].clone() {
                    visit([x, y, z]);
                }
            }
        }
    }
}
