//! The sign of the determinant of the trilinear map inside one cell of the grid: positive everywhere, not positive at a point that
//! was found, or undecided.
//!
//! *In*: displacements at the cell's 8 corners, voxels. *Out*: a [`CellState`].
//! *Method*: the derivative along an axis is bilinear in the other two coordinates, so the determinant is a polynomial of degree 2 in
//! each coordinate. Its 27 Bernstein coefficients bound it: all positive, it is positive in the whole cell. The coefficients at the
//! corners are values, and so are those of each half after de Casteljau's subdivision: one that is not positive is a fold.
//! Boxes that are neither are halved along each axis, at most [`DEPTH`] times.
//! *Cost*: 64 determinants of 3 by 3, and 24 halvings of 27 coefficients for each box that stays undecided.
//! *Evidence*: the tests below: random cells against dense samples, and a cell that folds inside only.
//! *Limits*: a determinant that touches 0 without crossing it stays undecided.

/// How often an undecided cell is halved along each axis, at most.
pub(crate) const DEPTH: usize = 6;
/// A coefficient is certain to be positive above this share of the largest: rounding errors are smaller by three orders.
const ROUNDING: f64 = 1e-12;

/// What is known of the determinant in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellState {
    /// It is positive everywhere in the cell.
    Certified,
    /// It is positive wherever it was evaluated, but not bounded above 0.
    Undecided,
    /// It is 0 or below at a point of the cell.
    Folded,
}

/// The corners of a cell: displacement in voxels by corner; bit 0 of a corner's number is its place along x, bit 1 along y, bit 2 along z.
pub(crate) type Corners = [[f64; 3]; 8];

/// The derivative of the map along an axis, on the edge that begins at a corner.
pub(crate) fn edge(corners: &Corners, axis: usize, corner: usize) -> [f64; 3] {
    let (low, high) = (corner & !(1 << axis), corner | 1 << axis);
    let mut along = [0, 1, 2].map(|row| corners[high][row] - corners[low][row]);
    along[axis] += 1.0;
    along
}

/// The state of a cell.
pub(crate) fn trilinear_state(corners: &Corners) -> CellState {
    state(&coefficients(corners), DEPTH)
}

/// The 27 Bernstein coefficients; that of degrees `(i, j, k)` stands at `i + 3 j + 9 k`.
fn coefficients(corners: &Corners) -> [f64; 27] {
    let mut all = [0.0; 27];
    let edges = [0, 1, 2].map(|axis| std::array::from_fn::<_, 8, _>(|corner| edge(corners, axis, corner)));
    // A coefficient of degree 1 has two products of degrees 0 and 1, which count half.
    let share = [1.0, 0.5, 1.0];
    for b in [0, 1, 4, 5] {
        for c in [0, 1, 2, 3] {
            let ([bx, by, bz], [cx, cy, cz]) = (edges[1][b], edges[2][c]);
            let cross = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
            for a in [0, 2, 4, 6] {
                let [i, j, k] = [(b & 1) + (c & 1), (a >> 1 & 1) + (c >> 1), (a >> 2) + (b >> 2)];
                let along = edges[0][a];
                let value = along[0] * cross[0] + along[1] * cross[1] + along[2] * cross[2];
                all[i + 3 * j + 9 * k] += share[i] * share[j] * share[k] * value;
            }
        }
    }
    all
}

/// The state of a box from its coefficients, halved so often at most.
fn state(coefficients: &[f64; 27], depth: usize) -> CellState {
    let is_corner = |index: usize| [index % 3, index / 3 % 3, index / 9].iter().all(|degree| *degree != 1);
    if (0..27).any(|index| is_corner(index) && coefficients[index] <= 0.0) {
        return CellState::Folded;
    }
    let most = coefficients.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if coefficients.iter().all(|value| *value > ROUNDING * most) {
        return CellState::Certified;
    }
    if depth == 0 {
        return CellState::Undecided;
    }
    let mut found = CellState::Certified;
    for part in 0..8 {
        let part = (0..3).fold(*coefficients, |whole, axis| half(&whole, axis, part >> axis & 1));
        match state(&part, depth - 1) {
            CellState::Folded => return CellState::Folded,
            CellState::Undecided => found = CellState::Undecided,
            CellState::Certified => {}
        }
    }
    found
}

/// The coefficients of the lower (0) or upper (1) half along an axis.
fn half(whole: &[f64; 27], axis: usize, side: usize) -> [f64; 27] {
    let (mut part, stride) = (*whole, [1, 3, 9][axis]);
    for first in (0..27).filter(|index| index / stride % 3 == 0) {
        let [low, middle, high] = [0, 1, 2].map(|degree| whole[first + degree * stride]);
        let (below, above) = (0.5 * (low + middle), 0.5 * (middle + high));
        let centre = 0.5 * (below + above);
        let values = if side == 0 { [low, below, centre] } else { [centre, above, high] };
        values.into_iter().enumerate().for_each(|(degree, value)| part[first + degree * stride] = value);
    }
    part
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use veloxel_core::matrix3::determinant;

    /// The largest sum, over the matrix' rows, of the largest difference along each axis: below 1 the determinant is positive at each point.
    pub(crate) fn largest_row_sum(corners: &Corners) -> f64 {
        let largest = |row: usize, axis: usize| {
            let (mut most, step) = (0.0f64, 1 << axis);
            for low in (0..8).filter(|corner| corner & step == 0) {
                most = most.max((corners[low | step][row] - corners[low][row]).abs());
            }
            most
        };
        [0, 1, 2]
            .map(|row| largest(row, 0) + largest(row, 1) + largest(row, 2))
            .into_iter()
            .fold(0.0, f64::max)
    }

    /// Numbers between -1 and 1 that look random, the same in each run.
    pub(crate) fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// The determinant of the trilinear map at a point of the cell.
    fn determinant_at(corners: &Corners, at: [f64; 3]) -> f64 {
        let weight = |corner: usize, axis: usize| {
            if corner >> axis & 1 == 1 { at[axis] } else { 1.0 - at[axis] }
        };
        let columns = [0, 1, 2].map(|axis: usize| {
            let mut column = [0.0; 3];
            for corner in (0..8).filter(|corner| corner >> axis & 1 == 0) {
                let share = weight(corner, (axis + 1) % 3) * weight(corner, (axis + 2) % 3);
                let along = edge(corners, axis, corner);
                (0..3).for_each(|row| column[row] += share * along[row]);
            }
            column
        });
        determinant(&columns)
    }

    /// The smallest determinant on a lattice of points that has the cell's corners.
    fn least(corners: &Corners, steps: usize) -> f64 {
        let count = steps + 1;
        let point =
            |i: usize| [i % count, i / count % count, i / count / count].map(|k| k as f64 / steps as f64);
        (0..count.pow(3)).map(|i| determinant_at(corners, point(i))).fold(f64::INFINITY, f64::min)
    }

    fn random_cell(seed: &mut u64, size: f64) -> Corners {
        std::array::from_fn(|_| std::array::from_fn(|_| size * random(seed)))
    }

    /// A cell whose corners are all positive and whose inside is not: found by search.
    pub(crate) fn folds_inside() -> Corners {
        let mut seed = 1;
        (0..1_000_000)
            .map(|_| random_cell(&mut seed, 0.7))
            .find(|cell| least(cell, 1) > 0.02 && least(cell, 10) < -0.02)
            .expect("random cells should hold one that folds inside only")
    }

    #[test]
    fn random_cells_agree_with_dense_samples() {
        let (mut seed, mut counts) = (7, [0usize; 3]);
        for round in 0..1500 {
            let cell = random_cell(&mut seed, 0.1 + 0.0005 * f64::from(round));
            let (state, least) = (trilinear_state(&cell), least(&cell, 12));
            counts[state as usize] += 1;
            match state {
                CellState::Certified => assert!(least > 0.0, "{cell:?}: {least}"),
                // A fold may lie between the samples, but not far below what they show.
                CellState::Folded => assert!(least < 0.05, "{cell:?}: {least}"),
                CellState::Undecided => assert!(least.abs() < 0.05, "{cell:?}: {least}"),
            }
            assert!(largest_row_sum(&cell) >= 1.0 || state == CellState::Certified);
        }
        assert!(counts[0] > 100 && counts[2] > 100 && counts[1] < 15, "{counts:?}");
    }

    #[test]
    fn a_cell_that_is_positive_at_its_corners_and_negative_inside_is_folded() {
        let cell = folds_inside();
        assert!(least(&cell, 1) > 0.0 && least(&cell, 10) < 0.0);
        assert_eq!(trilinear_state(&cell), CellState::Folded);
    }

    #[test]
    fn coefficients_are_the_polynomial() {
        let mut seed = 3;
        let cell = random_cell(&mut seed, 0.8);
        let at = [0.3, 0.8, 0.45];
        let basis = |t: f64| [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t];
        let [x, y, z] = at.map(basis);
        let all = coefficients(&cell);
        let sum: f64 = (0..27).map(|i| all[i] * x[i % 3] * y[i / 3 % 3] * z[i / 9]).sum();
        assert!((sum - determinant_at(&cell, at)).abs() < 1e-12);
    }

    #[test]
    fn a_determinant_of_zero_is_a_fold_and_the_identity_is_certified() {
        assert_eq!(trilinear_state(&[[0.0; 3]; 8]), CellState::Certified);
        let flat: Corners = std::array::from_fn(|corner| [-((corner & 1) as f64), 0.0, 0.0]);
        assert_eq!(trilinear_state(&flat), CellState::Folded);
    }
}
