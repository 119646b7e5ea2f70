//! Bounds of the determinant of a map between voxels, where it is linear along each axis.
//!
//! In a cell the determinant is a polynomial, and nowhere less than the least of its Bernstein coefficients: in a picture these are the
//! determinants at the four corners, in a volume 27 means of determinants of edges, the corners' eight among them. Where no edge
//! changes by more than g in any component the determinant exceeds `(1 − 3 g)³` (A. Ostrowski, Proc. AMS 3, 1952), so the sum is
//! spared for most cells. The same steps as cell_determinant.wgsl.

use veloxel_core::Axes;

/// Determinant that stands for a cell that cannot fold, or for no cell.
pub(crate) const NO_FOLD: f32 = 3.0e38;
/// Number of Bernstein coefficients of the determinant of a cell of a volume, and most determinants of edges in each.
const COEFFICIENTS: f32 = 27.0;
const TERMS: f32 = 8.0;

/// What the shader takes: the bound above which a determinant need not be known, the number of coefficients, and of terms of each. Were
/// these loops unrolled, a compiler might regroup their sums.
pub(crate) fn limits(least: f32) -> [f32; 3] {
    [least, COEFFICIENTS, TERMS]
}

/// The lower bound of the determinant in the cell between a voxel and the next ones; [`NO_FOLD`] where it is sure to exceed `least`.
///
/// `vector` is the displacement at a voxel, in voxels.
pub(crate) fn least_determinant<const D: usize>(
    vector: impl Fn(usize) -> [f32; D],
    size: Axes<usize>,
    at: Axes<usize>,
    own: usize,
    least: f32,
) -> f32 {
    if (0..D).any(|a| size[a] > 1 && at[a] + 1 == size[a]) {
        return NO_FOLD;
    }
    let strides: [usize; D] =
        std::array::from_fn(|a| if size[a] > 1 { [1, size[0], size[0] * size[1]][a] } else { 0 });
    // Of an axis, the edges at the corners of the others, the lower one of them counted first.
    let edges = |a: usize| -> [[f32; D]; 4] {
        let others: Vec<usize> = (0..D).filter(|&b| b != a).collect();
        std::array::from_fn(|k| {
            let shift: usize = others.iter().enumerate().map(|(n, &b)| (k >> n & 1) * strides[b]).sum();
            let (low, high) = (vector(own + shift), vector(own + shift + strides[a]));
            std::array::from_fn(|c| high[c] - low[c])
        })
    };
    let edges: [[[f32; D]; 4]; D] = std::array::from_fn(edges);
    if D == 2 {
        let of = |i: usize, j: usize| {
            let (x, y) = (&edges[0][j], &edges[1][i]);
            (1.0 + x[0]) * (1.0 + y[1]) - y[0] * x[1]
        };
        return of(0, 0).min(of(1, 0)).min(of(0, 1)).min(of(1, 1));
    }
    let longest = edges.iter().flatten().flatten().fold(0.0f32, |most, v| most.max(v.abs()));
    let sure = 1.0 - 3.0 * longest;
    if sure > 0.0 && sure * sure * sure > least {
        return NO_FOLD;
    }
    least_coefficient(&edges)
}

/// The least of the 27 Bernstein coefficients of a trilinear map's determinant: each is a mean of determinants of edges.
fn least_coefficient<const D: usize>(edges: &[[[f32; D]; 4]; D]) -> f32 {
    let mut least = NO_FOLD;
    for of in 0..27usize {
        let powers = [of % 3, of / 3 % 3, of / 9];
        let (mut sum, mut count) = (0.0f32, 0.0f32);
        for choice in 0..8usize {
            let bits = [choice & 1, choice >> 1 & 1, choice >> 2];
            if (0..3).any(|a| powers[a] != 1 && bits[a] == 1) {
                continue;
            }
            // An axis' power is shared by the edges along the two others.
            let one = |a: usize| if powers[a] == 1 { bits[a] } else { powers[a] / 2 };
            let other = |a: usize| if powers[a] == 1 { 1 - bits[a] } else { powers[a] / 2 };
            let x = &edges[0][one(1) + 2 * one(2)];
            let y = &edges[1][one(0) + 2 * other(2)];
            let z = &edges[D - 1][other(0) + 2 * other(1)];
            sum += determinant(x, y, z);
            count += 1.0;
        }
        least = least.min(sum / count);
    }
    least
}

/// The determinant of I + the columns.
fn determinant<const D: usize>(x: &[f32; D], y: &[f32; D], z: &[f32; D]) -> f32 {
    let (a, e, i) = (1.0 + x[0], 1.0 + y[1], 1.0 + z[D - 1]);
    let first = e * i - z[1] * y[D - 1];
    let second = x[1] * i - z[1] * x[D - 1];
    let third = x[1] * y[D - 1] - e * x[D - 1];
    a * first - y[0] * second + z[0] * third
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_bound_the_determinant_of_a_cell() {
        // A map of the unit cell that folds inside although no corner does: two opposite corners turn against each other.
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 16_777_216.0 - 0.5
        };
        let mut bounded_alone = 0;
        for _ in 0..200 {
            let field: [Vec<f32>; 3] = std::array::from_fn(|_| (0..8).map(|_| 1.6 * next()).collect());
            let field = field.each_ref().map(|c| &c[..]);
            let vector = |i: usize| std::array::from_fn(|c| field[c][i]);
            let bound = least_determinant::<3>(vector, [2; 3], [0; 3], 0, 0.05);
            if bound == NO_FOLD {
                continue;
            }
            let corner = |k: usize, c: usize| f64::from(field[c][k]) + [k & 1, k >> 1 & 1, k >> 2][c] as f64;
            let slope = |c: usize, a: usize, at: [f64; 3]| -> f64 {
                (0..8usize)
                    .map(|k| {
                        let weight = |b: usize| match (b == a, k >> b & 1) {
                            (true, 1) => 1.0,
                            (true, _) => -1.0,
                            (false, 1) => at[b],
                            (false, _) => 1.0 - at[b],
                        };
                        weight(0) * weight(1) * weight(2) * corner(k, c)
                    })
                    .sum()
            };
            let (mut inside, mut corners) = (f64::MAX, f64::MAX);
            for k in 0..125 {
                let at = [k % 5, k / 5 % 5, k / 25].map(|v| f64::from(v) / 4.0);
                let m: [[f64; 3]; 3] = std::array::from_fn(|a| std::array::from_fn(|c| slope(c, a, at)));
                let minor = |p: usize, q: usize| m[1][p] * m[2][q] - m[1][q] * m[2][p];
                let found = m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1);
                inside = inside.min(found);
                if at.iter().all(|v| *v == 0.0 || *v == 1.0) {
                    corners = corners.min(found);
                }
            }
            assert!(inside >= f64::from(bound) - 1e-5, "{inside} below {bound}");
            bounded_alone += usize::from(corners > 0.05 && inside <= 0.05);
        }
        assert!(bounded_alone > 0, "corners alone should not suffice");
    }
}
