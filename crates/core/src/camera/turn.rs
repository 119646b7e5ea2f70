//! Rotations through quaternions: half of one, without angles.

/// Half of a rotation, through its quaternion: `half · half = r`.
pub(super) fn half_of(r: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let [w, x, y, z] = quaternion(r);
    rotation([1.0 + w, x, y, z])
}

/// The quaternion of a rotation, with a real part that is not negative.
fn quaternion(r: &[[f64; 3]; 3]) -> [f64; 4] {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [trace, 2.0 * r[0][0] - trace, 2.0 * r[1][1] - trace, 2.0 * r[2][2] - trace];
    // From the largest of the four, where no digit is lost.
    let largest = (1..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let (a, b, c) = (r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
    let (xy, xz, yz) = (r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]);
    let one = 1.0 + squares[largest];
    let q = match largest {
        0 => [one, a, b, c],
        1 => [a, one, xy, xz],
        2 => [b, xy, one, yz],
        _ => [c, xz, yz, one],
    };
    let length = q.iter().map(|v| v * v).sum::<f64>().sqrt() * if q[0] < 0.0 { -1.0 } else { 1.0 };
    q.map(|v| v / length)
}

/// The rotation of a quaternion of any length.
pub(super) fn rotation(q: [f64; 4]) -> [[f64; 3]; 3] {
    let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|v| v / length);
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix3::product;

    #[test]
    fn two_halves_are_the_whole() {
        for q in [[1.0, 0.0, 0.0, 0.0], [0.9, 0.3, -0.2, 0.1], [0.1, 0.9, 0.1, -0.4], [0.0, 0.0, 1.0, 0.2]] {
            let whole = rotation(q);
            let half = half_of(&whole);
            let twice = product(&half, &half);
            assert!((0..3).all(|a| (0..3).all(|b| (twice[a][b] - whole[a][b]).abs() < 1e-12)), "{q:?}");
        }
    }
}
