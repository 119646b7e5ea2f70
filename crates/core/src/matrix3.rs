//! 3×3 matrices, row-major: what turns voxel vectors into world vectors and back.

/// The identity: axes along the world's.
pub const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The product `m · v`.
pub fn apply(m: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|r| m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2])
}

/// The product `a · b`.
pub fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c]))
}

/// The transpose of `m`.
pub fn transpose(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| m[c][r]))
}

/// The determinant of `m`.
pub fn determinant(m: &[[f64; 3]; 3]) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

/// The inverse of `m`; not finite where its determinant is 0.
pub fn inverse(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let det = determinant(m);
    let cofactor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    [0, 1, 2].map(|r| [0, 1, 2].map(|c| cofactor(c, r) / det))
}

/// The most rounds over the three planes of rotation; five are enough for the 53 bits of a number.
const ROUNDS: usize = 32;

/// The eigenvalues of a symmetric matrix from the largest to the smallest, by Jacobi's rotations; its upper triangle is read.
pub fn symmetric_eigenvalues(mut m: [[f64; 3]; 3]) -> [f64; 3] {
    for _ in 0..ROUNDS {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let off = m[p][q];
            if off == 0.0 {
                continue;
            }
            // The smaller of the two rotations that make this element 0.
            let theta = (m[q][q] - m[p][p]) / (2.0 * off);
            let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            m[p][p] -= tangent * off;
            m[q][q] += tangent * off;
            m[p][q] = 0.0;
            let (pr, qr) = (m[p.min(r)][p.max(r)], m[q.min(r)][q.max(r)]);
            m[p.min(r)][p.max(r)] = cosine * pr - sine * qr;
            m[q.min(r)][q.max(r)] = sine * pr + cosine * qr;
        }
        if m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0 {
            break;
        }
    }
    let mut values = [m[0][0], m[1][1], m[2][2]];
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_have_the_trace_the_determinant_and_the_squares_of_their_matrix() {
        for m in [
            [[2.0, -1.0, 0.5], [-1.0, 0.3, 4.0], [0.5, 4.0, -7.0]],
            [[1e-9, 3e-10, 0.0], [3e-10, -1e-9, 2e-10], [0.0, 2e-10, 5e-10]],
            [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]],
        ] {
            let [a, b, c] = symmetric_eigenvalues(m);
            let scale = m.iter().flatten().fold(0.0f64, |largest, value| largest.max(value.abs()));
            let near =
                |found: f64, expected: f64, power: i32| (found - expected).abs() <= 1e-12 * scale.powi(power);
            assert!(a >= b && b >= c);
            assert!(near(a + b + c, m[0][0] + m[1][1] + m[2][2], 1));
            assert!(near(a * b * c, determinant(&m), 3));
            let squares = m.iter().flatten().map(|value| value * value).sum();
            assert!(near(a * a + b * b + c * c, squares, 2));
        }
    }
}
