//! Which planes of a grid a report shows, and how they lie on the page.
//!
//! Images: x to the right, y down. Volumes: three planes in the radiological view (the patient's left on the right
//! side, posterior down in axial planes, superior up in the others), found from the grid's direction matrix.

use veloxel_core::{Dimension, Grid};

/// One plane of the grid, with its orientation on the page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plane {
    /// Name of the plane: `axial`, `coronal`, `sagittal`; empty for an image.
    pub name: &'static str,
    /// Position of the plane: `z = 32`; empty for an image.
    pub position: String,
    /// The grid axis that runs to the right.
    pub across: PageAxis,
    /// The grid axis that runs down.
    pub down: PageAxis,
    size: [usize; 3],
    /// A voxel of the plane.
    anchor: [usize; 3],
}

/// A grid axis along an edge of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PageAxis {
    /// Number of the axis: 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Whether the axis runs against the page (to the left, or up).
    pub flipped: bool,
    /// Number of voxels along it.
    pub count: usize,
    /// Length of one voxel along it.
    pub spacing_mm: f64,
    /// Letters of the body at the low and the high end of the page; blank for an image.
    pub ends: [&'static str; 2],
}

impl PageAxis {
    /// A vector's component along the page, millimetres.
    pub fn component_mm(&self, vector_vox: [f32; 3]) -> f32 {
        let sign = if self.flipped { -1.0 } else { 1.0 };
        (sign * f64::from(vector_vox[self.axis]) * self.spacing_mm) as f32
    }
    /// Length along the page, millimetres.
    pub fn extent_mm(&self) -> f64 {
        self.count as f64 * self.spacing_mm
    }
}

impl Plane {
    /// Grid index of a position on the page.
    pub fn index(&self, column: usize, row: usize) -> usize {
        let along = |page: &PageAxis, i: usize| if page.flipped { page.count - 1 - i } else { i };
        let mut p = self.anchor;
        p[self.across.axis] = along(&self.across, column);
        p[self.down.axis] = along(&self.down, row);
        (p[2] * self.size[1] + p[1]) * self.size[0] + p[0]
    }
    /// The grid axis across the plane.
    pub fn normal(&self) -> usize {
        3 - self.across.axis - self.down.axis
    }
    /// Numbers of columns and rows.
    pub fn shape(&self) -> (usize, usize) {
        (self.across.count, self.down.count)
    }
    /// Grid indices of the plane, row by row.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        let (columns, rows) = self.shape();
        (0..rows).flat_map(move |r| (0..columns).map(move |c| self.index(c, r)))
    }
    /// The in-plane part of a vector in the axes of the page (right, down), millimetres.
    pub(crate) fn page_vector_mm(&self, vector_vox: [f32; 3]) -> [f32; 2] {
        [self.across.component_mm(vector_vox), self.down.component_mm(vector_vox)]
    }
}

const LETTERS: [[&str; 2]; 3] = [["R", "L"], ["A", "P"], ["I", "S"]];
/// The views: name, world axis across, world axis down, and the sense in which the second axis runs down the page.
const VIEWS: [(&str, usize, usize, f64); 3] =
    [("axial", 0, 1, 1.0), ("coronal", 0, 2, -1.0), ("sagittal", 1, 2, -1.0)];

/// The planes of a report, which all show one voxel; an image has one plane.
pub(crate) fn planes_through(grid: &Grid, voxel: [usize; 3]) -> Vec<Plane> {
    let size = grid.size();
    let spacing = grid.spacing_mm();
    let upright = |axis: usize| {
        let (count, spacing_mm) = (size[axis], spacing[axis]);
        PageAxis { axis, count, spacing_mm, ..PageAxis::default() }
    };
    if grid.dimension() == Dimension::Two {
        return vec![Plane { across: upright(0), down: upright(1), size, ..Plane::default() }];
    }
    let axis_of_world = closest_axes(&grid.direction());
    let page = |world: usize, sense: f64| {
        let axis = axis_of_world[world];
        let flipped = grid.direction()[world][axis] * sense < 0.0;
        let [low, high] = LETTERS[world];
        let ends = if sense < 0.0 { [high, low] } else { [low, high] };
        PageAxis { flipped, ends, ..upright(axis) }
    };
    let plane = |&(name, across, down, sense): &(&'static str, usize, usize, f64)| {
        let (across, down) = (page(across, 1.0), page(down, sense));
        let normal = 3 - across.axis - down.axis;
        let position = format!("{} = {}", ["x", "y", "z"][normal], voxel[normal]);
        Plane { name, position, across, down, size, anchor: voxel }
    };
    VIEWS.iter().map(plane).collect()
}

/// Most slices of a thin stack.
const MOST_SLICES: usize = 16;
/// Least factor by which the other axes of a thin stack have more voxels.
const THIN: usize = 4;

/// All slices of a thin stack, in order; none for an image and for a volume that is not thin.
pub(crate) fn slices_of_thin_stack(grid: &Grid) -> Option<Vec<Plane>> {
    let size = grid.size();
    let axis = (0..3).min_by_key(|&axis| size[axis])?;
    let others = (0..3).filter(|&other| other != axis);
    let is_thin =
        size[axis] <= MOST_SLICES && others.map(|other| size[other]).all(|n| n >= THIN * size[axis]);
    if grid.dimension() == Dimension::Two || !is_thin {
        return None;
    }
    let slice = |nth: usize| {
        let mut voxel = [0; 3];
        voxel[axis] = nth;
        planes_through(grid, voxel).into_iter().find(|plane| plane.normal() == axis)
    };
    (0..size[axis]).map(slice).collect()
}

/// For every world axis the grid axis that follows it best, each used once.
fn closest_axes(direction: &[[f64; 3]; 3]) -> [usize; 3] {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let score = |order: &[usize; 3]| (0..3).map(|w| direction[w][order[w]].abs()).sum::<f64>();
    ORDERS.into_iter().reduce(|best, o| if score(&o) > score(&best) { o } else { best }).unwrap_or([0, 1, 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_shown_as_it_is() {
        let planes = planes_through(&Grid::image(4, 3).unwrap(), [0; 3]);
        assert_eq!(planes[0].indices().collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
        assert_eq!(planes[0].page_vector_mm([1.0, -2.0, 0.0]), [1.0, -2.0]);
    }

    #[test]
    fn superior_is_up_and_left_is_right() {
        // axes as of a volume stored right to left, posterior to anterior, inferior to superior
        let grid = Grid::volume(4, 5, 6)
            .and_then(|g| g.with_direction([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]))
            .and_then(|g| g.with_spacing_mm([1.0, 2.0, 3.0]))
            .unwrap();
        let planes = planes_through(&grid, [1, 2, 3]);
        let [axial, coronal, sagittal] = [&planes[0], &planes[1], &planes[2]];
        assert_eq!((axial.position.as_str(), sagittal.position.as_str()), ("z = 3", "x = 1"));
        assert_eq!(axial.index(0, 0), grid.index([3, 4, 3]), "both axes run against the page");
        assert_eq!(coronal.index(0, 0), grid.index([3, 2, 5]));
        assert_eq!(coronal.across.ends, ["R", "L"]);
        assert_eq!(coronal.down.ends, ["S", "I"]);
        assert_eq!(sagittal.page_vector_mm([0.0, 1.0, 1.0]), [-2.0, -3.0]);
    }

    #[test]
    fn a_thin_stack_is_all_its_slices() {
        let slices = slices_of_thin_stack(&Grid::volume(64, 48, 7).unwrap()).unwrap();
        assert_eq!(slices.len(), 7);
        assert_eq!((slices[3].position.as_str(), slices[3].shape()), ("z = 3", (64, 48)));
        let sideways = slices_of_thin_stack(&Grid::volume(5, 48, 64).unwrap()).unwrap();
        assert_eq!((sideways.len(), sideways[4].position.as_str()), (5, "x = 4"));
        for grid in [Grid::volume(64, 48, 20), Grid::volume(24, 24, 7), Grid::image(64, 7)] {
            assert!(slices_of_thin_stack(&grid.unwrap()).is_none());
        }
    }

    #[test]
    fn a_permuted_grid_finds_its_anatomy() {
        let grid = Grid::volume(4, 5, 6)
            .and_then(|g| g.with_direction([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
            .unwrap();
        let axial = &planes_through(&grid, [0; 3])[0];
        assert_eq!((axial.across.axis, axial.down.axis), (2, 0));
    }
}
