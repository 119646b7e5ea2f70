//! The inverse of a field.
//!
//! *In*: a field, a map `x → x + d(x)` that is linear between its voxels, and a grid of the space that it leads to. *Out*: a field on
//! that grid, voxels, which leads back.
//! *Method*: Newton's method on `x + d(x) = y` with the derivative of the (tri)linear field, each step halved until the residual
//! falls; a voxel begins from what the one before it in its row found, then from y itself. The residual ends below 1e-4 voxel.
//! *Cost*: some five samples of the field a voxel; rows of a field in memory go by several threads.
//! *Limits*: the field must not fold (`measure::folding_certificate`), or there are several inverses and one is found.
//! *Evidence*: the tests of [`maps`](super).

use super::rows::{MappedField, Row, Rows};
use super::{Vectors, on_plane};
use veloxel_core::matrix3::inverse;
use veloxel_core::{Control, Grid, GridBox, Stopped, Threads};

/// The inverse of a field, on a grid of the space that the field leads to: where `x + d(x)` is the voxel's place, the vector leads
/// back to x; unknown where there is no such x inside of the field's grid.
///
/// # Errors
/// [`Stopped`].
pub fn inverted<F: Vectors + Sync>(
    flow: &F,
    grid: &Grid,
    threads: Threads<'_>,
) -> Result<MappedField, Stopped> {
    let inverse = Inverse::new(flow, grid);
    Rows::of(grid, GridBox::all(grid.size())).side_by_side(threads, |row| inverse.fill(row))
}

/// An inverse that is found box by box, by the calling thread.
pub struct Inversion<'a, F> {
    inverse: Inverse<'a, F>,
    /// What the last voxel of every row of the boxes that lie beside each other along x was led from.
    last: Vec<Option<[f64; 3]>>,
}

impl<'a, F: Vectors> Inversion<'a, F> {
    /// The inverse of a field on a grid.
    pub fn new(flow: &'a F, grid: &'a Grid) -> Self {
        Self { inverse: Inverse::new(flow, grid), last: Vec::new() }
    }

    /// A box of the inverse. A box that does not begin a row follows the one before it along x: their rows go on.
    ///
    /// # Errors
    /// [`Stopped`].
    ///
    /// # Panics
    /// If another box comes in between.
    pub fn part(&mut self, part: GridBox, control: &Control) -> Result<MappedField, Stopped> {
        let rows = part.size[1] * part.size[2];
        if part.begin[0] == 0 {
            self.last = vec![None; rows];
        }
        assert_eq!(self.last.len(), rows, "boxes along x should follow each other");
        let Self { inverse, last } = self;
        Rows::of(inverse.grid, part).one_by_one(last, control, |row| inverse.fill(row))
    }
}

struct Inverse<'a, F> {
    flow: &'a F,
    grid: &'a Grid,
    /// Whether the inverse lies on the field's own grid.
    shares_grid: bool,
}

impl<'a, F: Vectors> Inverse<'a, F> {
    fn new(flow: &'a F, grid: &'a Grid) -> Self {
        Self { flow, grid, shares_grid: flow.grid().require_same(grid, "").is_ok() }
    }

    fn fill(&self, row: &mut Row<'_>) {
        let Self { flow, grid, shares_grid } = *self;
        let own = flow.grid();
        row.fill(|row, voxel| {
            let target = match shares_grid {
                true => voxel,
                false => on_plane(own, own.voxel_from_world(grid.world_from_voxel(voxel))),
            };
            let solved = row.last.map_or(Search::Unresolved, |start| search(flow, target, start));
            let solved = match solved {
                Search::Found(_) => solved,
                _ => search(flow, target, target),
            };
            row.last = match solved {
                Search::Found(x) => Some(x),
                Search::Outside => None,
                Search::Unresolved => {
                    row.unresolved += 1;
                    None
                }
            };
            row.last.map(|x| if shares_grid { x } else { grid.voxel_from_world(own.world_from_voxel(x)) })
        });
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
fn search<F: Vectors>(flow: &F, target: [f64; 3], start: [f64; 3]) -> Search {
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
fn with_derivative<F: Vectors>(flow: &F, x: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let cell = Cell::around(flow.grid().size(), x);
    let mut corners = [[0.0; 3]; 8];
    for (corner, vector) in corners.iter_mut().enumerate() {
        if let Some(voxel) = cell.voxel(corner) {
            *vector = flow.at(voxel);
        }
    }
    cell.interpolated(&corners)
}

/// The cell of a field around a position.
struct Cell {
    /// Voxels of the field along each axis.
    size: [usize; 3],
    /// The lowest corner.
    low: [usize; 3],
    /// How far the position lies from there to the next voxel.
    share: [f64; 3],
    /// 1 where vectors change along the axis, 0 beyond the border.
    slope: [f64; 3],
}

impl Cell {
    fn around(size: [usize; 3], x: [f64; 3]) -> Self {
        let (mut low, mut share, mut slope) = ([0; 3], [0.0; 3], [0.0; 3]);
        for a in 0..3 {
            let last = (size[a] - 1) as f64;
            let p = x[a].clamp(0.0, last);
            low[a] = (p as usize).min(size[a].saturating_sub(2));
            share[a] = p - low[a] as f64;
            // NaN is no position: the vector becomes NaN below.
            slope[a] = if size[a] > 1 && x[a] >= 0.0 && x[a] <= last { 1.0 } else { 0.0 };
        }
        Self { size, low, share, slope }
    }

    /// The voxel of a corner, whose bits say along which axes it is the upper one; `None` where the axis has one voxel.
    fn voxel(&self, corner: usize) -> Option<[usize; 3]> {
        let mut voxel = self.low;
        for (a, along) in voxel.iter_mut().enumerate() {
            if corner >> a & 1 == 1 {
                if self.size[a] == 1 {
                    return None;
                }
                *along += 1;
            }
        }
        Some(voxel)
    }

    /// The vector between those of the corners, and the derivative.
    fn interpolated(&self, corners: &[[f32; 3]; 8]) -> ([f64; 3], [[f64; 3]; 3]) {
        let (mut d, mut derivative) = ([0.0; 3], [[0.0; 3]; 3]);
        for (corner, vector) in corners.iter().enumerate() {
            if self.voxel(corner).is_none() {
                continue;
            }
            let (mut along, mut rise) = (self.share, self.slope);
            for a in 0..3 {
                if corner >> a & 1 == 0 {
                    along[a] = 1.0 - along[a];
                    rise[a] = -rise[a];
                }
            }
            let [x, y, z] = along;
            let others = [rise[0] * (y * z), rise[1] * (x * z), rise[2] * (x * y)];
            for r in 0..3 {
                let v = f64::from(vector[r]);
                d[r] += x * y * z * v;
                for c in 0..3 {
                    derivative[r][c] += others[c] * v;
                }
            }
        }
        for a in 0..3 {
            derivative[a][a] += 1.0;
        }
        (d, derivative)
    }
}
