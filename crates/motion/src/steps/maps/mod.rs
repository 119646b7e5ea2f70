//! Maps between spaces without a device: chains of fields and linear transforms as one field, and the inverse of a field.
//!
//! A field is the map `x → x + d(x)`, linear between its voxels and unknown outside of its grid.
//! *Parts*: every box of a result has the bits of the whole, wherever its fields are kept ([`Vectors`]).

mod inversion;
mod rows;
mod vectors;

use crate::steps::composition::sample_vox;
pub use inversion::{Inversion, inverted};
pub use rows::MappedField;
use rows::{Row, Rows};
pub use vectors::Vectors;
use veloxel_core::{Control, Flow, Grid, GridBox, LinearTransform, Stopped, Threads};

/// A link of a chain.
#[derive(Debug)]
pub enum Map<'a, F = Flow> {
    /// A displacement field.
    Field(&'a F),
    /// A linear transform, LPS mm.
    Linear(LinearTransform),
}

impl<F> Clone for Map<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Map<'_, F> {}

impl<F: Vectors> Map<'_, F> {
    /// Where a point (LPS mm) goes; none where a field is unknown.
    pub fn apply(&self, point_mm: [f64; 3]) -> Option<[f64; 3]> {
        match self {
            Self::Linear(transform) => Some(transform.apply(point_mm)),
            Self::Field(flow) => {
                let grid = flow.grid();
                let at = grid.voxel_from_world(point_mm);
                let voxel = on_plane(grid, [0, 1, 2].map(|a| rounded(at[a], grid.size()[a])));
                let d = sample_vox(*flow, voxel)?;
                Some(grid.world_from_voxel([0, 1, 2].map(|a| voxel[a] + d[a])))
            }
        }
    }
}

/// How far beyond the outermost voxels a position is still one of theirs, as for images ([`veloxel_kernels::image::warp::Border`]), voxels.
const REACH_VOX: f64 = 1e-3;

/// A voxel position; those of the outermost voxels may lie a rounding error outside.
fn rounded(v: f64, count: usize) -> f64 {
    let inside = v.clamp(0.0, (count - 1) as f64);
    let v = if (v - inside).abs() <= REACH_VOX { inside } else { v };
    if (v - v.round()).abs() < 1e-6 { v.round() } else { v }
}

/// A position in a picture lies in its plane.
fn on_plane(grid: &Grid, [x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, y, if grid.dimension().count() == 2 { 0.0 } else { z }]
}

/// The maps one after the other, the first one first, as one field on a grid.
///
/// # Errors
/// [`Stopped`].
pub fn chained<F: Vectors + Sync>(
    maps: &[Map<'_, F>],
    grid: &Grid,
    threads: Threads<'_>,
) -> Result<MappedField, Stopped> {
    Rows::of(grid, GridBox::all(grid.size())).side_by_side(threads, |row| fill_chained(maps, grid, row))
}

/// A box of what [`chained`] gives, by the calling thread.
///
/// # Errors
/// [`Stopped`].
pub fn chained_part<F: Vectors>(
    maps: &[Map<'_, F>],
    grid: &Grid,
    part: GridBox,
    control: &Control,
) -> Result<MappedField, Stopped> {
    let mut last = vec![None; part.size[1] * part.size[2]];
    Rows::of(grid, part).one_by_one(&mut last, control, |row| fill_chained(maps, grid, row))
}

fn fill_chained<F: Vectors>(maps: &[Map<'_, F>], grid: &Grid, row: &mut Row<'_>) {
    row.fill(|_, voxel| {
        let start = grid.world_from_voxel(voxel);
        let end = maps.iter().try_fold(start, |point, map| map.apply(point))?;
        Some(on_plane(grid, grid.voxel_from_world(end)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_gpu::Cpu;

    fn alone(control: &Control) -> Threads<'_> {
        control.into()
    }

    fn oblique(nx: usize, ny: usize, nz: usize) -> Grid {
        let (s, c) = 0.3f64.sin_cos();
        Grid::volume(nx, ny, nz)
            .and_then(|g| g.with_spacing_mm([1.5, 1.25, 2.0]))
            .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
            .unwrap()
            .with_origin_mm([-40.0, 25.0, 10.0])
    }

    /// Smooth, up to 3 voxels, 0 at the border, steep but without folds.
    fn wave(grid: Grid) -> Flow {
        let size = grid.size().map(|n| (n - 1) as f64);
        Flow::from_fn(grid, |p| {
            let bump: f64 = (0..3)
                .map(|a| if size[a] > 0.0 { (std::f64::consts::PI * p[a] / size[a]).sin() } else { 1.0 })
                .product();
            [3.0 * bump, -2.0 * bump * (p[0] * 0.2).cos(), if size[2] > 0.0 { 1.5 * bump } else { 0.0 }]
        })
    }

    #[test]
    fn a_field_and_its_inverse_compose_to_nothing() {
        for grid in [oblique(32, 28, 24), Grid::image(40, 33).unwrap()] {
            let flow = wave(grid.clone());
            let back = inverted(&flow, &grid, alone(&Control::default())).unwrap();
            assert_eq!((back.unknown, back.unresolved), (0, 0));
            // There, then back is exact at voxels: the search ends below its residual.
            let home =
                chained(&[Map::Field(&back.flow), Map::Field(&flow)], &grid, alone(&Control::default()))
                    .unwrap();
            let worst = home.flow.planar_vox().iter().fold(0.0f32, |worst, v| worst.max(v.abs()));
            assert!(home.unknown == 0 && worst < 0.01, "{} unknown, {worst} voxels", home.unknown);
            let moved = flow.planar_vox().iter().fold(0.0f32, |worst, v| worst.max(v.abs()));
            assert!(moved > 2.5);
        }
    }

    #[test]
    fn an_inverse_may_lie_on_another_grid() {
        let (own, other) = (oblique(24, 22, 20), oblique(12, 11, 10).with_origin_mm([-36.0, 31.0, 16.0]));
        let flow = wave(own);
        let back = inverted(&flow, &other, alone(&Control::default())).unwrap().flow;
        let home =
            chained(&[Map::Field(&back), Map::Field(&flow)], &other, alone(&Control::default())).unwrap();
        let known = home.flow.planar_vox().iter().filter(|v| v.is_finite());
        let worst = known.clone().fold(0.0f32, |worst, v| worst.max(v.abs()));
        assert!(worst < 0.01 && known.count() > other.len(), "{worst}");
    }

    #[test]
    fn what_leads_nowhere_inside_is_unknown() {
        let grid = oblique(10, 8, 6);
        let flow = Flow::from_fn(grid.clone(), |_| [2.0, 0.0, 0.0]);
        let back = inverted(&flow, &grid, alone(&Control::default())).unwrap();
        assert_eq!((back.unknown, back.unresolved), (2 * 8 * 6, 0));
        assert_eq!(back.flow.vector_vox(grid.index([5, 3, 2])), [-2.0, 0.0, 0.0]);
        assert!(!back.flow.is_valid(grid.index([1, 3, 2])) && back.flow.is_valid(grid.index([2, 3, 2])));
    }

    #[test]
    fn boxes_have_the_bits_of_the_whole() {
        let (own, other) = (oblique(24, 22, 20), oblique(13, 11, 10).with_origin_mm([-36.0, 31.0, 16.0]));
        let mut flow = wave(own.clone());
        flow.component_vox_mut(0)[5000] = f32::NAN;
        let matrix = [[1.02, 0.03, 0.0], [-0.02, 0.98, 0.01], [0.0, 0.02, 1.01]];
        let linear = LinearTransform::new(Dimension::Three, matrix, [1.0, -0.5, 0.25]).unwrap();
        let maps = [Map::Field(&flow), Map::Linear(linear), Map::Field(&flow)];
        for grid in [own, other] {
            let control = &Control::default();
            let wholes = [
                chained(&maps, &grid, alone(&Control::default())).unwrap(),
                inverted(&flow, &grid, alone(&Control::default())).unwrap(),
            ];
            let cpu = Cpu::new(3).unwrap();
            let threads = Threads::of(Some(&cpu), control);
            let by_threads =
                [chained(&maps, &grid, threads).unwrap(), inverted(&flow, &grid, threads).unwrap()];
            for (one, several) in wholes.iter().zip(&by_threads) {
                assert_eq!((one.unknown, one.unresolved), (several.unknown, several.unresolved));
                let [one, several] = [one, several].map(|found| found.flow.planar_vox());
                assert!(one.iter().zip(several).all(|(a, b)| a.to_bits() == b.to_bits()));
            }
            let mut inversion = Inversion::new(&flow, &grid);
            let [nx, ny, nz] = grid.size();
            let mut counts = [[0; 2]; 2];
            for (y, x) in [(0, 0), (0, 5), (7, 0), (7, 5)] {
                let begin = [x, y, 0];
                let size = [if x == 0 { 5 } else { nx - 5 }, if y == 0 { 7 } else { ny - 7 }, nz];
                let part = GridBox { begin, size };
                let found = [
                    chained_part(&maps, &grid, part, control).unwrap(),
                    inversion.part(part, control).unwrap(),
                ];
                for ((found, whole), counts) in found.iter().zip(&wholes).zip(&mut counts) {
                    for (found, whole) in found.flow.components_vox().zip(whole.flow.components_vox()) {
                        let own = part.of(whole, grid.size());
                        assert!(found.iter().zip(&own).all(|(a, b)| a.to_bits() == b.to_bits()), "{part:?}");
                    }
                    *counts = [counts[0] + found.unknown, counts[1] + found.unresolved];
                }
            }
            assert_eq!(counts, wholes.map(|whole| [whole.unknown, whole.unresolved]));
            assert!(counts[0][0] > 0, "some are unknown");
        }
    }

    #[test]
    fn transforms_and_fields_follow_each_other_in_order() {
        let grid = oblique(12, 10, 8);
        let matrix = [[1.02, 0.03, 0.0], [-0.02, 0.98, 0.01], [0.0, 0.02, 1.01]];
        let linear = LinearTransform::new(Dimension::Three, matrix, [1.0, -0.5, 0.25]).unwrap();
        let flow = Flow::from_fn(grid.clone(), |[x, y, _]| [0.1 * y, -0.1 * x, 0.3]);
        let first =
            chained(&[Map::Field(&flow), Map::Linear(linear)], &grid, alone(&Control::default())).unwrap();
        assert_eq!(first.unknown, 0, "a transform ends nowhere");
        let second =
            chained(&[Map::Linear(linear), Map::Field(&flow)], &grid, alone(&Control::default())).unwrap();
        assert!(second.unknown > 0 && second.unknown < grid.len() / 2);
        let voxel = [4.0, 5.0, 3.0];
        let point = grid.world_from_voxel(voxel);
        let index = grid.index([4, 5, 3]);
        let fielded = |p: [f64; 3]| Map::Field(&flow).apply(p).unwrap();
        for (found, expected) in
            [(&first, linear.apply(fielded(point))), (&second, fielded(linear.apply(point)))]
        {
            let d = found.flow.vector_vox(index);
            let there = grid.world_from_voxel([0, 1, 2].map(|a| voxel[a] + f64::from(d[a])));
            assert!((0..3).all(|a| (there[a] - expected[a]).abs() < 1e-5), "{there:?} {expected:?}");
        }
    }
}
