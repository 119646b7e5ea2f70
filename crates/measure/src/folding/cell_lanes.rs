//! Cells of a volume that are proven not to fold in single precision, several beside each other: what is left is looked at in double
//! precision, cell by cell.
//!
//! *In*: the displacement at the 8 corners of [`LANES`] cells, voxels. *Out*: for each, whether the 27 Bernstein coefficients of the
//! determinant (see `cell_determinant`) and the volumes of both central tetrahedra exceed [`SURELY`]. The coefficients at the corners are
//! six times the volumes of the other eight tetrahedra.
//! *Rounding*: no difference may exceed [`LARGEST`], so that products are wrong by less than a third of [`SURELY`].

/// Cells beside each other.
pub(crate) const LANES: usize = 8;
/// What a determinant must exceed to be positive for certain.
const SURELY: f32 = 1e-3;
/// Most that the displacement may differ between neighbours, voxels.
const LARGEST: f32 = 7.0;

/// A number of each cell.
type Lanes = [f32; LANES];

#[inline(always)]
fn each(of: impl Fn(usize) -> f32) -> Lanes {
    std::array::from_fn(of)
}

#[inline(always)]
fn product_difference([a, b, c, d]: [&Lanes; 4]) -> Lanes {
    each(|l| a[l] * b[l] - c[l] * d[l])
}

#[inline(always)]
fn dot(a: &[Lanes; 3], b: &[Lanes; 3]) -> Lanes {
    each(|l| a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l])
}

#[inline(always)]
fn cross(a: &[Lanes; 3], b: &[Lanes; 3]) -> [Lanes; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(p, q)| product_difference([&a[p], &b[q], &a[q], &b[p]]))
}

/// Whether cells are proven not to fold, and turn none of their tetrahedra; `corners[c][k]` is component c at corner k, whose bits are
/// its places along x, y and z.
pub(crate) fn are_certified(corners: &[[Lanes; 8]; 3]) -> [bool; LANES] {
    let mut largest = [0.0f32; LANES];
    let mut edges = |axis: usize| -> [[Lanes; 3]; 4] {
        std::array::from_fn(|nth| {
            let low = [2 * (nth & 1) + 4 * (nth >> 1), (nth & 1) + 4 * (nth >> 1), nth][axis];
            std::array::from_fn(|c| {
                let along = each(|l| corners[c][low + (1 << axis)][l] - corners[c][low][l]);
                // A difference that is not a number stays the largest.
                largest = each(|l| if along[l].abs() <= largest[l] { largest[l] } else { along[l].abs() });
                if c == axis { each(|l| 1.0 + along[l]) } else { along }
            })
        })
    };
    let [x, y, z] = [edges(0), edges(1), edges(2)];
    let mut sums = [[0.0f32; LANES]; 27];
    for (q, y) in y.iter().enumerate() {
        for (r, z) in z.iter().enumerate() {
            let across = cross(y, z);
            for (p, x) in x.iter().enumerate() {
                let degrees = [(q & 1) + (r & 1), (p & 1) + (r >> 1), (p >> 1) + (q >> 1)];
                let (sum, det) = (&mut sums[degrees[0] + 3 * degrees[1] + 9 * degrees[2]], dot(x, &across));
                (0..LANES).for_each(|l| sum[l] += det[l]);
            }
        }
    }
    let share = |degree: usize| if degree == 1 { 0.5 } else { 1.0 };
    let mut least = [f32::INFINITY; LANES];
    for (k, sum) in sums.iter().enumerate() {
        let share: f32 = share(k % 3) * share(k / 3 % 3) * share(k / 9);
        least = each(|l| least[l].min(share * sum[l]));
    }
    // The central tetrahedra have the corners with an even, or an odd, number of upper places; their vectors are left-handed.
    for [first, others @ ..] in [[0, 3, 5, 6], [7, 1, 2, 4]] {
        let place = |corner: usize, c: usize| (corner >> c & 1) as f32;
        let vector = |corner: usize| -> [Lanes; 3] {
            std::array::from_fn(|c| {
                let apart = place(corner, c) - place(first, c);
                each(|l| apart + (corners[c][corner][l] - corners[c][first][l]))
            })
        };
        let [a, b, c] = others.map(vector);
        let volume = dot(&a, &cross(&b, &c));
        least = each(|l| least[l].min(-volume[l]));
    }
    std::array::from_fn(|l| largest[l] <= LARGEST && least[l] > SURELY)
}
