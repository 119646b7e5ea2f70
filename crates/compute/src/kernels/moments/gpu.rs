//! Launches of `moments.wgsl`.

use super::NormalEquations;
use crate::gpu::{Bind, Gpu, Launch, NAN, Text, Uniform, partials};
use crate::later::sum_rows;
use crate::{Axes, Buffer, ComputeError, Device, Later, Shape};

static TEXT: Text = Text { name: "moments", parts: &[NAN, include_str!("moments.wgsl")] };

/// Sums that a workgroup leaves, as the text orders them.
const SUMS: usize = 76;

pub(super) fn affine_moments(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, centre, zeta): (Shape, Axes<f64>, f32),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<NormalEquations>, ComputeError> {
    let ([nx, ny, nz], d) = (shape.size, shape.components());
    let (groups, sums) = partials(device, shape.len(), SUMS)?;
    let [cx, cy, cz] = centre.map(|c| c as f32);
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "affine_moments",
        constants: &[("COMPONENTS", d as f64), ("WEIGHTED", f64::from(u8::from(weight.is_some())))],
        uniform: Uniform::new().u4([nx, ny, nz]).f4([cx, cy, cz, zeta * zeta]),
        buffers: &[Bind::In(fixed), Bind::In(warped), Bind::optional(weight), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, move |sums| equations(d, &sum_rows(sums))))
}

/// The equations of the sums: unknown `(D + 1) r + k` belongs to component r and position k, the last of which is 1.
fn equations(d: usize, sums: &[f64; SUMS]) -> NormalEquations {
    let unknowns = d * (d + 1);
    // Position k among x, y, z, 1.
    let position = |unknown: usize| match unknown % (d + 1) {
        k if k == d => 3,
        k => k,
    };
    let mut matrix = vec![0.0; unknowns * unknowns];
    for row in 0..unknowns {
        for column in 0..unknowns {
            let entry = pair(3, row / (d + 1), column / (d + 1));
            matrix[row * unknowns + column] = sums[against(entry, position(row), position(column))];
        }
    }
    let rhs = (0..unknowns).map(|u| sums[60 + 4 * (u / (d + 1)) + position(u)]).collect();
    let (energy, count) = (sums[72], sums[73]);
    let mean_energy = if count > 0.0 { energy / count } else { f64::INFINITY };
    NormalEquations { unknowns, matrix, rhs, mean_energy }
}

/// The number of entry (a, b) in the upper triangle of a symmetric matrix.
fn pair(size: usize, a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    a * (2 * size + 1 - a) / 2 + b - a
}

/// Where an entry of n g gᵀ stands, summed against the product of two positions among x, y, z, 1.
fn against(entry: usize, k: usize, l: usize) -> usize {
    match (k.min(l), k.max(l)) {
        (3, 3) => 48 + 2 * entry + 1,
        (2, 3) => 48 + 2 * entry,
        (k, 3) => 24 + 4 * entry + 2 + k,
        (k, l) => {
            let product = pair(3, k, l);
            if product < 4 { 4 * entry + product } else { 24 + 4 * entry + product - 4 }
        }
    }
}
