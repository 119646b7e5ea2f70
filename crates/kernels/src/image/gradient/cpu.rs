//! Processor text of [`super::Gradient`]: one row at a time, shared with the motion tensor.

use super::Scheme;
use multiversion::multiversion;
use veloxel_core::Shape;

/// A difference scheme along one axis of an image.
#[derive(Clone, Copy)]
pub(crate) struct Difference {
    pub shape: Shape,
    pub axis: usize,
    pub scheme: Scheme,
}

/// The factor that makes a scheme's difference a derivative per voxel.
pub(crate) const fn gain(scheme: Scheme) -> f32 {
    match scheme {
        Scheme::Forward => 1.0,
        Scheme::TwoSided => 0.5,
        Scheme::Central4 => 1.0 / 12.0,
    }
}

/// The derivative of row `row` of `image`.
pub(crate) fn derivative_row(image: &[f32], along: Difference, row: usize, out: &mut [f32]) {
    difference_row(image, along, row, gain(along.scheme), out);
}

/// The difference of row `row` of `image`, times `gain`.
pub(crate) fn difference_row(image: &[f32], along: Difference, row: usize, gain: f32, out: &mut [f32]) {
    let Difference { shape, axis, scheme } = along;
    let [nx, ny, nz] = shape.size;
    let (y, z) = (row % ny, row / ny);
    if axis == 0 {
        return along_x(&image[row * nx..][..nx], scheme, gain, out);
    }
    let (at, count, stride) = if axis == 1 { (y, ny, nx) } else { (z, nz, nx * ny) };
    let neighbour = |offset: isize| {
        let to = (at as isize + offset).clamp(0, count as isize - 1) as usize;
        &image[row * nx + to * stride - at * stride..][..nx]
    };
    match scheme {
        Scheme::Forward => subtract(neighbour(1), neighbour(0), gain, out),
        Scheme::TwoSided => subtract(neighbour(1), neighbour(-1), gain, out),
        Scheme::Central4 => central4(neighbour(-2), neighbour(-1), neighbour(1), neighbour(2), gain, out),
    }
}

fn along_x(row: &[f32], scheme: Scheme, gain: f32, out: &mut [f32]) {
    let n = row.len();
    match scheme {
        Scheme::Forward => {
            subtract(&row[1..], &row[..n - 1], gain, &mut out[..n - 1]);
            out[n - 1] = 0.0;
        }
        Scheme::TwoSided => {
            if n >= 3 {
                subtract(&row[2..], &row[..n - 2], gain, &mut out[1..n - 1]);
            }
            out[0] = (row[1.min(n - 1)] - row[0]) * gain;
            out[n - 1] = (row[n - 1] - row[n.saturating_sub(2)]) * gain;
        }
        Scheme::Central4 => {
            if n >= 5 {
                central4(&row[..n - 4], &row[1..n - 3], &row[3..n - 1], &row[4..], gain, &mut out[2..n - 2]);
            }
            let at = |x: isize| row[x.clamp(0, n as isize - 1) as usize];
            let border = |x: isize| (at(x - 2) - at(x + 2) + 8.0 * (at(x + 1) - at(x - 1))) * gain;
            for x in (0..n.min(2)).chain(n.saturating_sub(2).max(2).min(n)..n) {
                out[x] = border(x as isize);
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn subtract(a: &[f32], b: &[f32], gain: f32, out: &mut [f32]) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o = (a - b) * gain;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(crate) fn central4(m2: &[f32], m1: &[f32], p1: &[f32], p2: &[f32], gain: f32, out: &mut [f32]) {
    let n = out.len();
    let (m2, m1, p1, p2) = (&m2[..n], &m1[..n], &p1[..n], &p2[..n]);
    for x in 0..n {
        out[x] = (m2[x] - p2[x] + 8.0 * (p1[x] - m1[x])) * gain;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn central_differences_are_exact_for_cubics_inside() {
        let shape = Shape { size: [9, 8, 7], dimension: Dimension::Three };
        for axis in 0..3 {
            let image: Vec<f32> = (0..shape.len())
                .map(|i| {
                    let p = [i % 9, i / 9 % 8, i / 72];
                    (p[axis] as f32 - 3.0).powi(3)
                })
                .collect();
            let mut out = vec![0.0; 9];
            let row = 3 + 8 * 3;
            derivative_row(&image, Difference { shape, axis, scheme: Scheme::Central4 }, row, &mut out);
            let expected = if axis == 0 { 3.0 * (4.0f32 - 3.0).powi(2) } else { 0.0 };
            assert!((out[4] - expected).abs() < 1e-5, "axis {axis}: {}", out[4]);
        }
    }

    #[test]
    fn short_axes_work() {
        for n in 1..6 {
            let shape = Shape { size: [n, 1, 1], dimension: Dimension::Two };
            let image: Vec<f32> = (0..n).map(|x| x as f32).collect();
            let mut out = vec![f32::NAN; n];
            for scheme in [Scheme::Central4, Scheme::Forward, Scheme::TwoSided] {
                derivative_row(&image, Difference { shape, axis: 0, scheme }, 0, &mut out);
                assert!(out.iter().all(|v| v.is_finite()), "{n} {scheme:?}");
            }
        }
    }
}
