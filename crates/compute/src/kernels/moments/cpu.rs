//! Processor text of [`super::affine_moments`].

use super::{MAX_UNKNOWNS, NormalEquations};
use crate::kernels::gradient::{Scheme, cpu::derivative_row};
use crate::{Axes, Buffer, Cpu, Shape};

/// Distinct entries of the largest normal matrix, its right-hand side, Σ n I_t² and Σ of the voxels' weights.
const SUMS: usize = MAX_UNKNOWNS * (MAX_UNKNOWNS + 1) / 2 + MAX_UNKNOWNS + 2;

pub(super) fn affine_moments(
    cpu: &Cpu,
    (shape, centre, zeta): (Shape, Axes<f64>, f32),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> NormalEquations {
    let d = shape.components();
    let unknowns = d * (d + 1);
    let sums: [f64; SUMS] = cpu.sum(shape.rows(), 8 * shape.len(), |rows| {
        if d == 2 {
            sum_rows::<2, 6>((shape, centre, zeta), (fixed, warped), weight, rows)
        } else {
            sum_rows::<3, 12>((shape, centre, zeta), (fixed, warped), weight, rows)
        }
    });
    let (triangle, rest) = sums.split_at(unknowns * (unknowns + 1) / 2);
    let mut matrix = vec![0.0; unknowns * unknowns];
    let mut entries = triangle.iter();
    for r in 0..unknowns {
        for c in r..unknowns {
            let value = *entries.next().expect("the triangle should hold every entry");
            matrix[r * unknowns + c] = value;
            matrix[c * unknowns + r] = value;
        }
    }
    let (energy, count) = (rest[unknowns], rest[unknowns + 1]);
    let mean_energy = if count > 0.0 { energy / count } else { f64::INFINITY };
    NormalEquations { unknowns, matrix, rhs: rest[..unknowns].to_vec(), mean_energy }
}

fn sum_rows<const D: usize, const U: usize>(
    (shape, centre, zeta): (Shape, Axes<f64>, f32),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
    rows: std::ops::Range<usize>,
) -> [f64; SUMS] {
    let [nx, ny, _] = shape.size;
    let mut gradient = vec![0.0f32; D * nx];
    let mut total = [0.0f64; SUMS];
    let zeta2 = zeta * zeta;
    for row in rows {
        for axis in 0..D {
            let out = &mut gradient[axis * nx..][..nx];
            derivative_row(warped.host(), (shape, axis, Scheme::Central4), row, out);
        }
        let position = [0.0, (row % ny) as f64 - centre[1], (row / ny) as f64 - centre[2]].map(|v| v as f32);
        let mut sums = [0.0f32; SUMS];
        for x in 0..nx {
            let i = row * nx + x;
            let difference = warped.host()[i] - fixed.host()[i];
            let g: [f32; D] = std::array::from_fn(|c| gradient[c * nx + x]);
            let mut length2 = zeta2;
            for value in g {
                length2 += value * value;
            }
            let counts = weight.map_or(1.0, |w| w.host()[i]);
            if !(length2 + difference).is_finite() || counts <= 0.0 {
                continue;
            }
            let scale = counts / length2;
            let p = [x as f32 - centre[0] as f32, position[1], position[2]];
            let q: [f32; U] = std::array::from_fn(|k| {
                let (r, c) = (k / (D + 1), k % (D + 1));
                g[r] * if c < D { p[c] } else { 1.0 }
            });
            let mut at = 0;
            for r in 0..U {
                let weighted = scale * q[r];
                for c in r..U {
                    sums[at] += weighted * q[c];
                    at += 1;
                }
            }
            for value in q {
                sums[at] -= scale * value * difference;
                at += 1;
            }
            sums[at] += scale * difference * difference;
            sums[at + 1] += counts;
        }
        total.iter_mut().zip(sums).for_each(|(t, s)| *t += f64::from(s));
    }
    total
}
