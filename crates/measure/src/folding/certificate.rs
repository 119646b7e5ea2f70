//! The proof that a field folds nowhere between its voxels, cell by cell, or the number of cells where it does.
//!
//! *In*: a displacement field `d` on its grid and, if wanted, a mask on that grid. *Out*: numbers of cells, and a volume in voxels.
//! *Map*: `x + d(x)`, interpolated linearly along each axis between voxels: a cell has 8 voxels as its corners, in a plane 4.
//! In a plane the determinant is bilinear, its values at the 4 corners decide. In space see `cell_determinant`.
//! *Axes*: the determinant is that of voxel coordinates. The map's determinant in millimetres is the same number, sign and all, whatever
//! the handedness of the grid: FIXED's axes stand on both sides of the map, and `det(M J M⁻¹) = det J`.
//! *Non-diffeomorphic volume*: Liu, Chen, Wei, Carass, Prince: On finite difference Jacobian computation in deformable image
//! registration, 2022, arXiv 2212.06060. Each cube is cut into five tetrahedra in both ways (a square into two triangles in both ways);
//! the volumes of those that are turned inside out are added, and the sums of both ways averaged. It is a measure of the piecewise
//! linear map, no proof for the interpolated one.
//! *Where we differ*: volumes are added up by cell; cells at the border of the grid count as all others do.
//! *Cost*: most cells are proven in single precision, by 36 differences or by `cell_lanes`, eight beside each other.
//! *Evidence*: the tests below.
//! *Order*: sums are exact until they are rounded: they depend neither on the number of threads nor on the parts that are measured.
//! *Limits*: a volume that moves in its planes alone is measured plane by plane. Cells with an unknown corner are counted as unknown.

use super::cell_determinant::{CellState, Corners, edge, trilinear_state};
use super::cell_lanes::{LANES, are_certified};
use crate::Deformation;
use crate::distribution::ExactSum;
use crate::words::Words;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use veloxel_core::matrix3::determinant;
use veloxel_core::{Control, Flow, Mask, Stopped, Threads};

/// Below this sum of a row's differences no row of any linear piece reaches 1, so all ten tetrahedra (in a plane all four triangles)
/// keep their orientation: half, less what single precision may lose.
const CALM: f32 = 0.499;
/// Below this sum the diagonal dominates the matrix at each point: 1, less what single precision may lose.
const DOMINATED: f32 = 0.999;

/// The cells of a field by what is known of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CellCounts {
    /// Number of cells in which the determinant is positive at each point: this is proven.
    pub certified: usize,
    /// Number of cells that are neither proven nor found to fold.
    pub undecided: usize,
    /// Number of cells with a point where the determinant is 0 or below.
    pub folded: usize,
    /// Number of cells with a corner where the field is unknown.
    pub unknown: usize,
    /// Liu's non-diffeomorphic volume, voxels (pixels of area in a plane).
    pub non_diffeomorphic_volume_vox: f64,
}

/// Where a field folds, as far as can be proven.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FoldingCertificate {
    /// Number of axes of a cell: 2 of pictures and of volumes that move in their planes alone.
    pub axes: usize,
    /// The cells of the whole grid.
    pub everywhere: CellCounts,
    /// The cells with a corner inside the mask; none without a mask.
    pub inside: Option<CellCounts>,
}

impl FoldingCertificate {
    /// The cells that were asked about: those of the mask, where there was one.
    pub fn asked(&self) -> &CellCounts {
        self.inside.as_ref().unwrap_or(&self.everywhere)
    }
}

/// Certifies the cells of a field, and of those with a corner inside a mask by themselves; by the calling thread where `threads` is a
/// channel alone.
///
/// # Errors
/// [`Stopped`].
///
/// # Panics
/// If the mask has another number of voxels than the flow.
pub fn folding_certificate<'a>(
    flow: &Flow,
    mask: Option<&Mask>,
    threads: impl Into<Threads<'a>>,
) -> Result<FoldingCertificate, Stopped> {
    if let Some(mask) = mask {
        assert_eq!(mask.data().len(), flow.grid().len(), "a mask on the flow's grid");
    }
    let cells = Cells { flow, axes: Deformation::of(flow).axes() };
    let [everywhere, inside] = cells.all(flow.grid().size()[2], mask, threads.into())?;
    let (everywhere, inside) = (everywhere.counts(), mask.map(|_| inside.counts()));
    Ok(FoldingCertificate { axes: cells.axes, everywhere, inside })
}

/// What was found in a cell.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// The state of the cell; none where a corner is unknown.
    state: Option<CellState>,
    /// Volume of the tetrahedra, or triangles, that are turned inside out.
    turned_vox: f64,
}

impl CellCounts {
    /// Number of cells whose corners are all known.
    pub fn known(&self) -> usize {
        self.certified + self.undecided + self.folded
    }

    /// Share of the known cells that fold, 0 to 1; 0 if no cell is known, as in a single row.
    pub fn share_folded(&self) -> f64 {
        self.folded as f64 / self.known().max(1) as f64
    }
}

/// Cells that are counted in any order.
#[derive(Debug, Clone, Default)]
pub(super) struct CellSums {
    /// Their numbers; the volume is in `turned_vox`.
    counts: CellCounts,
    turned_vox: ExactSum,
}

impl CellSums {
    fn add(&mut self, found: Found) {
        match found.state {
            Some(CellState::Certified) => self.counts.certified += 1,
            Some(CellState::Undecided) => self.counts.undecided += 1,
            Some(CellState::Folded) => self.counts.folded += 1,
            None => self.counts.unknown += 1,
        }
        if found.turned_vox != 0.0 {
            self.turned_vox.add(found.turned_vox);
        }
    }

    pub fn and(&mut self, other: &Self) {
        let (own, more) = (&mut self.counts, &other.counts);
        own.certified += more.certified;
        own.undecided += more.undecided;
        own.folded += more.folded;
        own.unknown += more.unknown;
        self.turned_vox.and(&other.turned_vox);
    }

    /// The cells so far.
    pub fn counts(&self) -> CellCounts {
        CellCounts { non_diffeomorphic_volume_vox: self.turned_vox.value(), ..self.counts }
    }
}

impl Words for CellSums {
    fn visit(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        let CellCounts { certified, undecided, folded, unknown, non_diffeomorphic_volume_vox: _ } =
            &mut self.counts;
        [certified, undecided, folded, unknown].into_iter().for_each(|own| own.visit(visit));
        self.turned_vox.visit(visit);
    }
}

/// The cells of a field.
pub(super) struct Cells<'a> {
    pub flow: &'a Flow,
    pub axes: usize,
}

impl Cells<'_> {
    /// The cells of all rows of so many planes, and those of them with a corner inside the mask.
    pub fn all(
        &self,
        planes: usize,
        mask: Option<&Mask>,
        threads: Threads<'_>,
    ) -> Result<[CellSums; 2], Stopped> {
        let [_, ny, nz] = self.flow.grid().size();
        let rows = (ny - 1) * if self.axes == 2 { planes } else { nz - 1 };
        let threads = threads.for_samples(self.flow.grid().len());
        let parts = threads.in_parts(rows, |rows| self.counted(rows, mask, threads.control()))?;
        let mut sums: [CellSums; 2] = Default::default();
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, part)| sum.and(part)));
        Ok(sums)
    }

    /// The cells of some rows, and those of them with a corner inside the mask.
    fn counted(
        &self,
        rows: Range<usize>,
        mask: Option<&Mask>,
        control: &Control,
    ) -> Result<[CellSums; 2], Stopped> {
        let [nx, ny, _] = self.flow.grid().size();
        let (mut everywhere, mut inside) = (CellSums::default(), CellSums::default());
        let mut sums = vec![0.0; nx - 1];
        for row in rows {
            control.check()?;
            let row = self.flow.grid().index([0, row % (ny - 1), row / (ny - 1)]);
            self.row_sums(row, &mut sums);
            if mask.is_none() && sums.iter().all(|sum| *sum < CALM) {
                everywhere.counts.certified += sums.len();
                continue;
            }
            if self.axes == 3 {
                self.calm(row, &mut sums);
            }
            for (first, &sum) in (row..).zip(&sums) {
                let found = self.measured(first, sum);
                everywhere.add(found);
                if mask.is_some_and(|mask| self.corners(first).any(|corner| mask.data()[corner])) {
                    inside.add(found);
                }
            }
        }
        Ok([everywhere, inside])
    }

    /// Indices of the corners of the cell that begins at a voxel: 4 or 8.
    fn corners(&self, first: usize) -> impl Iterator<Item = usize> + use<> {
        let [nx, ny, _] = self.flow.grid().size();
        (0..1usize << self.axes)
            .map(move |corner| first + (corner & 1) + (corner >> 1 & 1) * nx + (corner >> 2) * nx * ny)
    }

    /// The largest sum, over the components, of the largest difference along each axis, for every cell of a row that begins at a
    /// voxel; not a number where a corner is unknown.
    fn row_sums(&self, row: usize, sums: &mut [f32]) {
        let [nx, ny, _] = self.flow.grid().size();
        // In a plane the upper corners are the lower ones again, and nothing differs along z.
        let above = if self.axes == 2 { 0 } else { nx * ny };
        sums.fill(0.0);
        for axis in 0..self.axes {
            let component = &self.flow.component_vox(axis)[row..];
            let line = |first: usize| &component[first..first + nx];
            add_largest([line(0), line(nx), line(above), line(above + nx)], sums);
        }
    }

    /// Sets the sums of cells to 0 where they are proven not to fold, several beside each other.
    fn calm(&self, row: usize, sums: &mut [f32]) {
        let [nx, ny, _] = self.flow.grid().size();
        for (nth, sums) in sums.chunks_exact_mut(LANES).enumerate() {
            if sums.iter().all(|sum| *sum < CALM) {
                continue;
            }
            let first = row + nth * LANES;
            let corners = [0, 1, 2].map(|axis| {
                let component = self.flow.component_vox(axis);
                std::array::from_fn(|k| {
                    let at = first + (k & 1) + (k >> 1 & 1) * nx + (k >> 2) * nx * ny;
                    std::array::from_fn(|lane| component[at + lane])
                })
            });
            for (sum, is_certified) in sums.iter_mut().zip(are_certified(&corners)) {
                *sum = if is_certified { 0.0 } else { *sum };
            }
        }
    }

    /// The cell that begins at a voxel, and the sum of its row.
    fn measured(&self, first: usize, sum: f32) -> Found {
        if sum < CALM {
            return Found { state: Some(CellState::Certified), turned_vox: 0.0 };
        }
        let mut corners: Corners = [[0.0; 3]; 8];
        for axis in 0..self.axes {
            let component = self.flow.component_vox(axis);
            for (corner, index) in corners.iter_mut().zip(self.corners(first)) {
                corner[axis] = f64::from(component[index]);
            }
        }
        if !corners.iter().flatten().sum::<f64>().is_finite() {
            return Found { state: None, turned_vox: 0.0 };
        }
        if self.axes == 2 {
            return in_plane(&corners);
        }
        of_volume(&corners, sum)
    }
}

/// A cube whose corners are known, with the sum of its row.
fn of_volume(corners: &Corners, sum: f32) -> Found {
    let at_corners =
        std::array::from_fn(|corner| determinant(&[0, 1, 2].map(|axis| edge(corners, axis, corner))));
    let state = match sum {
        _ if at_corners.iter().any(|value| *value <= 0.0) => CellState::Folded,
        sum if sum < DOMINATED => CellState::Certified,
        _ => trilinear_state(corners),
    };
    Found { state: Some(state), turned_vox: turned_vox(corners, &at_corners) }
}

/// Raises the sums of a row of cells to those of a component, whose samples on the cells' four lines along x are given: at the lower y
/// and z, the upper y, the upper z, and both. A sum with an unknown sample becomes not a number.
fn add_largest(lines: [&[f32]; 4], sums: &mut [f32]) {
    let count = sums.len();
    let [low, above, behind, across] = lines.map(|line| &line[..count + 1]);
    let most = |a: f32, b: f32| if a > b { a } else { b };
    for x in 0..count {
        let ends = |line: &[f32]| (line[x + 1] - line[x]).abs();
        let pair = |a: &[f32], b: &[f32]| most((b[x] - a[x]).abs(), (b[x + 1] - a[x + 1]).abs());
        let along_x = most(most(ends(low), ends(above)), most(ends(behind), ends(across)));
        let along_y = most(pair(low, above), pair(behind, across));
        let along_z = most(pair(low, behind), pair(above, across));
        let all = lines_sum([low, above, behind, across], x);
        let sum = along_x + along_y + along_z;
        let poison = 0.0 * all + sums[x];
        // An unknown sample, or an unknown component before, wins over each number.
        sums[x] = 0.0 * poison + most(sum, sums[x]);
    }
}

/// The sum of a cell's eight samples.
fn lines_sum(lines: [&[f32]; 4], x: usize) -> f32 {
    lines.iter().fold(0.0, |sum, line| sum + line[x] + line[x + 1])
}

/// A square: the determinant is bilinear, and each corner's is twice the area of a triangle.
fn in_plane(corners: &Corners) -> Found {
    let at = [0, 1, 2, 3].map(|corner| {
        let [along_x, along_y] = [0, 1].map(|axis| edge(corners, axis, corner));
        along_x[0] * along_y[1] - along_x[1] * along_y[0]
    });
    let is_folded = at.iter().any(|value| *value <= 0.0);
    let turned: f64 = at.iter().map(|value| -value.min(0.0) / 2.0).sum();
    let state = if is_folded { CellState::Folded } else { CellState::Certified };
    Found { state: Some(state), turned_vox: turned / 2.0 }
}

/// The volume of the tetrahedra that are turned inside out, averaged over both ways to cut the cube into five; `at_corners` are the
/// determinants there, each six times the volume of a tetrahedron.
fn turned_vox(corners: &Corners, at_corners: &[f64; 8]) -> f64 {
    // The central tetrahedra have the corners with an even, or an odd, number of upper places; their vectors are left-handed.
    let place = |corner: usize| [0, 1, 2].map(|axis| corners[corner][axis] + (corner >> axis & 1) as f64);
    let central = [[0, 3, 5, 6], [7, 1, 2, 4]].map(|[first, others @ ..]: [usize; 4]| {
        let from = place(first);
        -determinant(&others.map(|corner| [0, 1, 2].map(|axis| place(corner)[axis] - from[axis])))
    });
    let turned: f64 = at_corners.iter().copied().chain(central).map(|volume| -volume.min(0.0) / 6.0).sum();
    turned / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::cell_determinant::tests::{folds_inside, largest_row_sum, random};
    use super::*;
    use veloxel_core::Grid;

    fn certificate(flow: &Flow) -> CellCounts {
        folding_certificate(flow, None, &Control::default()).unwrap().everywhere
    }

    #[test]
    fn the_identity_is_certified_and_a_mirror_folds_with_all_of_its_volume() {
        let grid = Grid::volume(6, 5, 4).unwrap();
        let still = certificate(&Flow::zeros(grid.clone()));
        assert_eq!((still.certified, still.undecided, still.folded), (5 * 4 * 4, 0, 0), "plane by plane");
        let mirror = |[x, y, z]: [f64; 3]| [-2.0 * x, 0.1 * y, 0.1 * z];
        let turned = certificate(&Flow::from_fn(grid, mirror));
        assert_eq!((turned.certified, turned.folded), (0, 5 * 4 * 3));
        assert!((turned.non_diffeomorphic_volume_vox - 60.0 * 1.21).abs() < 1e-4);
        let picture = certificate(&Flow::from_fn(Grid::image(6, 5).unwrap(), |[x, ..]| [-2.0 * x, 0.0, 0.0]));
        assert_eq!((picture.folded, picture.non_diffeomorphic_volume_vox), (20, 20.0));
        let row = certificate(&Flow::zeros(Grid::image(6, 1).unwrap()));
        assert_eq!((row.known(), row.share_folded()), (0, 0.0), "a row has no cell");
    }

    #[test]
    fn a_fold_between_voxels_is_found_where_all_corners_are_positive() {
        let cell = folds_inside();
        let grid = Grid::volume(2, 2, 2).unwrap();
        let flow = Flow::from_fn(grid, |at| cell[at[0] as usize + 2 * at[1] as usize + 4 * at[2] as usize]);
        let found = certificate(&flow);
        assert_eq!((found.certified, found.undecided, found.folded), (0, 0, 1));
    }

    #[test]
    fn only_cells_that_touch_the_mask_count_inside_and_unknown_ones_are_told() {
        let grid = Grid::volume(6, 5, 4).unwrap();
        let mut flow = Flow::from_fn(grid.clone(), |[x, _, z]| {
            [if x > 3.5 { 8.0 - 2.0 * x } else { 0.0 }, 0.0, 0.01 * z]
        });
        let mask = Mask::from_fn(grid.clone(), |[x, ..]| x < 3);
        let found = folding_certificate(&flow, Some(&mask), &Control::default()).unwrap();
        let inside = found.inside.expect("counts inside the mask");
        assert_eq!((found.axes, found.everywhere.certified + found.everywhere.folded), (3, 60));
        assert_eq!((inside.certified, inside.folded), (36, 0));
        assert_eq!(found.everywhere.folded, 12);
        flow.component_vox_mut(1)[0] = f32::NAN;
        assert_eq!(certificate(&flow).unknown, 1);
        let stopped = Control::default();
        stopped.stop();
        assert_eq!(folding_certificate(&flow, None, &stopped), Err(Stopped));
    }

    #[test]
    fn lanes_certify_only_what_single_cells_are_certified_for() {
        let (mut seed, mut count) = (5, 0);
        for round in 0..3000 {
            let size = 0.1 + 0.0002 * f64::from(round);
            let cells: [Corners; LANES] = std::array::from_fn(|_| {
                std::array::from_fn(|_| std::array::from_fn(|_| size * random(&mut seed)))
            });
            let lanes = std::array::from_fn(|c| {
                std::array::from_fn(|k| std::array::from_fn(|lane: usize| cells[lane][k][c] as f32))
            });
            for (cell, is_certified) in cells.iter().zip(are_certified(&lanes)) {
                let found = of_volume(cell, f32::NAN);
                let is_clear = found.state == Some(CellState::Certified) && found.turned_vox == 0.0;
                assert!(is_clear || !is_certified, "{cell:?}");
                count += usize::from(is_certified);
            }
        }
        assert!(count > 6000, "{count}");
    }

    #[test]
    fn calm_cells_turn_no_tetrahedron() {
        let mut seed = 11;
        for _ in 0..2000 {
            let cell: Corners = std::array::from_fn(|_| std::array::from_fn(|_| 0.2 * random(&mut seed)));
            let at_corners =
                std::array::from_fn(|corner| determinant(&[0, 1, 2].map(|axis| edge(&cell, axis, corner))));
            assert!(largest_row_sum(&cell) >= 0.5 || turned_vox(&cell, &at_corners) == 0.0, "{cell:?}");
        }
    }

    #[test]
    #[ignore = "slow: 16 million cells"]
    fn sixteen_million_cells_take_two_seconds() {
        let wave =
            |[x, y, z]: [f64; 3]| [2.0 * (0.2 * y).sin(), 2.0 * (0.2 * z).sin(), 2.0 * (0.2 * x).sin()];
        let flow = Flow::from_fn(Grid::volume(257, 257, 257).unwrap(), wave);
        let begin = std::time::Instant::now();
        let found = certificate(&flow);
        let seconds = begin.elapsed().as_secs_f64();
        assert_eq!(found.certified, 1 << 24);
        assert!(seconds < 2.0, "{seconds} s");
    }
}
