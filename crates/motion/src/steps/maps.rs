//! Maps between spaces without a device: chains of fields and linear transforms as one field, and the inverse of a field.
//!
//! A field is the map `x → x + d(x)`, linear between its voxels and unknown outside of its grid.
//! *Inverse*: Newton's method on `x + d(x) = y` with the derivative of the (tri)linear field, each step halved until the residual
//! falls; a voxel begins from what its neighbour found, then from y itself. The residual ends below 1e-4 voxel.
//! *Cost*: some five samples of the field a voxel, on one thread.
//! *Limits*: the field must not fold (`measure::folding_certificate`), or there are several inverses and one is found.

use crate::steps::composition::sample_vox;
use veloxel_core::matrix3::inverse;
use veloxel_core::{Control, Flow, Grid, LinearTransform, Stopped};

/// A link of a chain.
#[derive(Debug, Clone, Copy)]
pub enum Map<'a> {
    /// A displacement field.
    Field(&'a Flow),
    /// A linear transform, LPS mm.
    Linear(LinearTransform),
}

impl Map<'_> {
    /// Where a point (LPS mm) goes; none where a field is unknown.
    pub fn apply(&self, point_mm: [f64; 3]) -> Option<[f64; 3]> {
        match self {
            Self::Linear(transform) => Some(transform.apply(point_mm)),
            Self::Field(flow) => {
                let grid = flow.grid();
                let at = grid.voxel_from_world(point_mm);
                let voxel = on_plane(grid, [0, 1, 2].map(|a| rounded(at[a], grid.size()[a])));
                let d = sample_vox(flow, voxel)?;
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

/// A field on a grid, and the voxels where it is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct MappedField {
    /// The field.
    pub flow: Flow,
    /// Voxels whose way leads out of a field, or meets an unknown vector.
    pub unknown: usize,
    /// Voxels at which no point was found that leads there, although the search did not leave the field.
    pub unresolved: usize,
}

/// The maps one after the other, the first one first, as one field on a grid.
///
/// # Errors
/// [`Stopped`].
pub fn chained(maps: &[Map<'_>], grid: &Grid, control: &Control) -> Result<MappedField, Stopped> {
    let moved = |voxel: [f64; 3]| {
        let start = grid.world_from_voxel(voxel);
        let end = maps.iter().try_fold(start, |point, map| map.apply(point))?;
        Some(on_plane(grid, grid.voxel_from_world(end)))
    };
    let mut found = MappedField { flow: Flow::zeros(grid.clone()), unknown: 0, unresolved: 0 };
    by_rows(grid, control, |index, voxel, _| {
        let there = moved(voxel);
        found.unknown += usize::from(there.is_none());
        put(&mut found.flow, index, voxel, there);
    })?;
    Ok(found)
}

/// The inverse of a field, on a grid of the space that the field leads to: where `x + d(x)` is the voxel's place, the vector leads
/// back to x; unknown where there is no such x inside of the field's grid.
///
/// # Errors
/// [`Stopped`].
pub fn inverted(flow: &Flow, grid: &Grid, control: &Control) -> Result<MappedField, Stopped> {
    let own = flow.grid();
    let same = own.require_same(grid, "").is_ok();
    let mut found = MappedField { flow: Flow::zeros(grid.clone()), unknown: 0, unresolved: 0 };
    let mut last: Option<[f64; 3]> = None;
    by_rows(grid, control, |index, voxel, begins| {
        if begins {
            last = None;
        }
        let target =
            if same { voxel } else { on_plane(own, own.voxel_from_world(grid.world_from_voxel(voxel))) };
        let solved = last.map_or(Search::Unresolved, |start| search(flow, target, start));
        let solved = match solved {
            Search::Found(_) => solved,
            _ => search(flow, target, target),
        };
        let there = match solved {
            Search::Found(x) => Some(x),
            Search::Outside => None,
            Search::Unresolved => {
                found.unresolved += 1;
                None
            }
        };
        last = there;
        found.unknown += usize::from(there.is_none());
        let back = there.map(|x| if same { x } else { grid.voxel_from_world(own.world_from_voxel(x)) });
        put(&mut found.flow, index, voxel, back);
    })?;
    found.unknown -= found.unresolved;
    Ok(found)
}

/// Every voxel by index and position, and whether it begins a row.
fn by_rows(
    grid: &Grid,
    control: &Control,
    mut work: impl FnMut(usize, [f64; 3], bool),
) -> Result<(), Stopped> {
    let [nx, ny, nz] = grid.size();
    for z in 0..nz {
        for y in 0..ny {
            control.check()?;
            for x in 0..nx {
                work(grid.index([x, y, z]), [x, y, z].map(|v| v as f64), x == 0);
            }
        }
    }
    Ok(())
}

fn put(flow: &mut Flow, index: usize, voxel: [f64; 3], there: Option<[f64; 3]>) {
    for (axis, component) in flow.components_vox_mut().enumerate() {
        component[index] = there.map_or(f32::NAN, |there| (there[axis] - voxel[axis]) as f32);
    }
}

/// Residual at which the search ends, voxels.
const RESIDUAL_VOX: f64 = 1e-4;
/// Newton's steps, at most.
const STEPS: usize = 40;
/// Halvings of a step, at most.
const HALVINGS: usize = 8;
/// How far outside of the grid a solution may lie by rounding, voxels.
const ROUNDING_VOX: f64 = 1e-3;

enum Search {
    Found([f64; 3]),
    /// It ended outside of the grid or at an unknown vector.
    Outside,
    Unresolved,
}

/// The x with `x + d(x) = target`, from a start; outside of its grid the field goes on as at the border.
fn search(flow: &Flow, target: [f64; 3], start: [f64; 3]) -> Search {
    let size = flow.grid().size();
    let inside =
        |x: [f64; 3]| (0..3).all(|a| x[a] >= -ROUNDING_VOX && x[a] <= (size[a] - 1) as f64 + ROUNDING_VOX);
    let at = |x: [f64; 3]| {
        let (d, derivative) = with_derivative(flow, x);
        let r = [0, 1, 2].map(|a| x[a] + d[a] - target[a]);
        (r, derivative, r.iter().map(|v| v * v).sum::<f64>())
    };
    let mut x = start;
    let (mut r, mut derivative, mut energy) = at(x);
    for _ in 0..STEPS {
        if !energy.is_finite() {
            return Search::Outside;
        }
        if energy.sqrt() < RESIDUAL_VOX {
            return if inside(x) { Search::Found(x) } else { Search::Outside };
        }
        let step = newton_step(&derivative, r);
        let mut share = 1.0;
        let mut halvings = 0;
        loop {
            let next = [0, 1, 2].map(|a| x[a] - share * step[a]);
            let tried = at(next);
            if tried.2 < energy || halvings == HALVINGS {
                // A step that helps nowhere is taken small, across the edge of a cell.
                x = next;
                (r, derivative, energy) = tried;
                break;
            }
            share *= 0.5;
            halvings += 1;
        }
    }
    if inside(x) { Search::Unresolved } else { Search::Outside }
}

/// `J⁻¹ r`, or r itself where the derivative has no inverse.
fn newton_step(derivative: &[[f64; 3]; 3], r: [f64; 3]) -> [f64; 3] {
    let back = inverse(derivative);
    let step = [0, 1, 2].map(|a| (0..3).map(|b| back[a][b] * r[b]).sum::<f64>());
    if step.iter().all(|v: &f64| v.is_finite() && v.abs() < 1e6) { step } else { r }
}

/// The vector at a position, and the derivative of `x + d(x)` there; beyond the border that of the border, which does not change
/// along the axis.
fn with_derivative(flow: &Flow, x: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let grid = flow.grid();
    let size = grid.size();
    let (mut low, mut share, mut slope) = ([0; 3], [0.0; 3], [0.0; 3]);
    for a in 0..3 {
        let last = (size[a] - 1) as f64;
        let p = x[a].clamp(0.0, last);
        low[a] = (p as usize).min(size[a].saturating_sub(2));
        share[a] = p - low[a] as f64;
        // NaN is no position: the vector becomes NaN below.
        slope[a] = if size[a] > 1 && x[a] >= 0.0 && x[a] <= last { 1.0 } else { 0.0 };
    }
    let (mut d, mut derivative) = ([0.0; 3], [[0.0; 3]; 3]);
    for corner in 0..8usize {
        let up = [0, 1, 2].map(|a| corner >> a & 1);
        if (0..3).any(|a| up[a] == 1 && size[a] == 1) {
            continue;
        }
        let along = [0, 1, 2].map(|a| if up[a] == 1 { share[a] } else { 1.0 - share[a] });
        let v = flow.vector_vox(grid.index([0, 1, 2].map(|a| low[a] + up[a]))).map(f64::from);
        for r in 0..3 {
            d[r] += along[0] * along[1] * along[2] * v[r];
            for c in 0..3 {
                let others: f64 = (0..3).filter(|a| *a != c).map(|a| along[a]).product();
                derivative[r][c] += if up[c] == 1 { 1.0 } else { -1.0 } * slope[c] * others * v[r];
            }
        }
    }
    (0..3).for_each(|a| derivative[a][a] += 1.0);
    (d, derivative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

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
            let back = inverted(&flow, &grid, &Control::default()).unwrap();
            assert_eq!((back.unknown, back.unresolved), (0, 0));
            // There, then back is exact at voxels: the search ends below its residual.
            let home =
                chained(&[Map::Field(&back.flow), Map::Field(&flow)], &grid, &Control::default()).unwrap();
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
        let back = inverted(&flow, &other, &Control::default()).unwrap().flow;
        let home = chained(&[Map::Field(&back), Map::Field(&flow)], &other, &Control::default()).unwrap();
        let known = home.flow.planar_vox().iter().filter(|v| v.is_finite());
        let worst = known.clone().fold(0.0f32, |worst, v| worst.max(v.abs()));
        assert!(worst < 0.01 && known.count() > other.len(), "{worst}");
    }

    #[test]
    fn what_leads_nowhere_inside_is_unknown() {
        let grid = oblique(10, 8, 6);
        let flow = Flow::from_fn(grid.clone(), |_| [2.0, 0.0, 0.0]);
        let back = inverted(&flow, &grid, &Control::default()).unwrap();
        assert_eq!((back.unknown, back.unresolved), (2 * 8 * 6, 0));
        assert_eq!(back.flow.vector_vox(grid.index([5, 3, 2])), [-2.0, 0.0, 0.0]);
        assert!(!back.flow.is_valid(grid.index([1, 3, 2])) && back.flow.is_valid(grid.index([2, 3, 2])));
    }

    #[test]
    fn transforms_and_fields_follow_each_other_in_order() {
        let grid = oblique(12, 10, 8);
        let matrix = [[1.02, 0.03, 0.0], [-0.02, 0.98, 0.01], [0.0, 0.02, 1.01]];
        let linear = LinearTransform::new(Dimension::Three, matrix, [1.0, -0.5, 0.25]).unwrap();
        let flow = Flow::from_fn(grid.clone(), |[x, y, _]| [0.1 * y, -0.1 * x, 0.3]);
        let first = chained(&[Map::Field(&flow), Map::Linear(linear)], &grid, &Control::default()).unwrap();
        assert_eq!(first.unknown, 0, "a transform ends nowhere");
        let second = chained(&[Map::Linear(linear), Map::Field(&flow)], &grid, &Control::default()).unwrap();
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
