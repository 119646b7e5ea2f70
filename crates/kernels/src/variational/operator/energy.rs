//! Processor text of [`super::energy`](fn@super::energy): the definition, square by square, without any algebra.

use super::Operator;
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn energy(cpu: &Cpu, operator: &Operator<'_>, x: &[Buffer], rhs: &[Buffer]) -> f64 {
    let shape = operator.shape;
    let d = shape.components();
    let [nx, ny, nz] = shape.size;
    let size = [nx, ny, nz];
    let strides = [1, nx, nx * ny];
    let spacing = operator.spacing_edges.map(f64::from);
    let at = |c: usize, i: usize| f64::from(x[c].host()[i]);
    let psi = |i: usize| operator.diffusivity.map_or(1.0, |b| f64::from(b.host()[i]));
    let [total] = cpu.sum(shape.len(), shape.len(), |range| {
        let mut sum = 0.0;
        for i in range {
            let position = [i % nx, i / nx % ny, i / (nx * ny)];
            // The one-sided difference quotient of component c along axis a; 0 across the border.
            let difference = |c: usize, a: usize, forward: bool| {
                if forward && position[a] + 1 < size[a] {
                    (at(c, i + strides[a]) - at(c, i)) / spacing[a]
                } else if !forward && position[a] > 0 {
                    (at(c, i) - at(c, i - strides[a])) / spacing[a]
                } else {
                    0.0
                }
            };
            if let Some(tensor) = operator.tensor {
                let mut entry = 0;
                for r in 0..d {
                    for c in r..d {
                        let twice = if r == c { 1.0 } else { 2.0 };
                        sum += twice * f64::from(tensor[entry].host()[i]) * at(r, i) * at(c, i);
                        entry += 1;
                    }
                }
            }
            for c in 0..d {
                sum -= 2.0 * f64::from(rhs[c].host()[i]) * at(c, i);
                for a in (0..d).filter(|&a| position[a] + 1 < size[a]) {
                    let weight = f64::from(operator.alpha) * 0.5 * (psi(i) + psi(i + strides[a]));
                    sum += weight * difference(c, a, true).powi(2);
                }
            }
            if let Some(weight) = operator.volume_weight {
                let sides = 1 << d;
                for choice in 0..sides {
                    let divergence: f64 = (0..d).map(|a| difference(a, a, choice >> a & 1 == 1)).sum();
                    sum += f64::from(weight.host()[i]) * divergence.powi(2) / f64::from(sides);
                }
            }
        }
        [sum]
    });
    total
}
