//! Between control points and pixels on processors: sums along x, then y, then z, in the order of `elements.wgsl`.

use super::lattice::{AxisTables, Elements};
use crate::shared::group_sums::{GROUP, sum_by_halves};
use multiversion::multiversion;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Cpu, reduction_groups};

/// To what power weights are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    /// As they are: gradients and products.
    One,
    /// Squares: diagonals.
    Two,
}

/// The control points of one component, summed over y and z for one row of pixels: what is left is the sum along x.
pub(super) fn line(elements: &Elements, controls: &[f32], row: usize, out: &mut [f32]) {
    let [cx, cy, cz] = elements.controls();
    let (y, z) = (row % elements.shape.size[1], row / elements.shape.size[1]);
    let along_y = elements.axis(1);
    let (first_y, weights_y) = (along_y.first[y] as usize, along_y.weights[y]);
    let of = |y: usize, z: usize| &controls[(z * cy + y) * cx..(z * cy + y + 1) * cx];
    if elements.axes() == 2 {
        return sum_of_four(weights_y, std::array::from_fn(|j| of(first_y + j, 0)), out);
    }
    let along_z = elements.axis(2);
    let (first_z, weights_z) = (along_z.first[z] as usize, along_z.weights[z]);
    let mut planes = vec![0.0; 4 * cx];
    for (j, plane) in planes.chunks_exact_mut(cx).enumerate() {
        sum_of_four(weights_z, std::array::from_fn(|k| of(first_y + j, (first_z + k) % cz)), plane);
    }
    sum_of_four(weights_y, std::array::from_fn(|j| &planes[j * cx..(j + 1) * cx]), out);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn sum_of_four(weights: [f32; 4], rows: [&[f32]; 4], out: &mut [f32]) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (k, out) in out.iter_mut().enumerate() {
        *out = weights[0] * rows[0][k]
            + weights[1] * rows[1][k]
            + weights[2] * rows[2][k]
            + weights[3] * rows[3][k];
    }
}

/// The values of a row of pixels.
pub(super) fn along_x(axis: &AxisTables<'_>, line: &[f32], out: &mut [f32]) {
    for (out, (&first, w)) in out.iter_mut().zip(axis.first.iter().zip(axis.weights)) {
        let Some(p) = line[first as usize..].first_chunk::<4>() else { continue };
        *out = w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + w[3] * p[3];
    }
}

/// Which problems take part: those of a state that are active.
pub(super) type Taking<'a> = &'a (dyn Fn(usize) -> bool + Sync);

/// Gathers sums along rows at every control point.
pub(super) fn gather(
    cpu: &Cpu,
    elements: &Elements,
    power: Power,
    takes: Taking<'_>,
    along_x: &[f32],
    out: &mut [f32],
) {
    let ([_, ny, nz], [cx, cy, cz]) = (elements.shape.size, elements.controls());
    let (d, rows) = (elements.components(), ny * nz);
    let units = elements.problems * d;
    let axes: Vec<AxisTables<'_>> = (0..elements.axes()).map(|a| elements.axis(a)).collect();
    let samples = units * rows * cx;
    if elements.axes() == 2 {
        return cpu.split_rows([out], cx, samples, |index, [sums]| {
            let unit = index / cy;
            if takes(unit / d) {
                let input = &along_x[unit * rows * cx..(unit + 1) * rows * cx];
                sums_across(&axes[1], power, index % cy, input, sums);
            }
        });
    }
    let mut along_y = vec![0.0; units * nz * cy * cx];
    cpu.split_rows([&mut along_y], cx, samples, |index, [sums]| {
        let slab = index / cy;
        if takes(slab / nz / d) {
            sums_across(&axes[1], power, index % cy, &along_x[slab * ny * cx..(slab + 1) * ny * cx], sums);
        }
    });
    cpu.split_rows([out], cx * cy, units * nz * cy * cx, |index, [sums]| {
        let unit = index / cz;
        if takes(unit / d) {
            let input = &along_y[unit * nz * cy * cx..(unit + 1) * nz * cy * cx];
            sums_across(&axes[2], power, index % cz, input, sums);
        }
    });
}

/// Sums the pixels of every problem and component along x; `fill` writes a row of them.
pub(super) fn sum_rows(
    cpu: &Cpu,
    elements: &Elements,
    takes: Taking<'_>,
    fill: impl Fn(Row, &mut [f32]) + Sync,
    along_x: &mut [f32],
) {
    let ([nx, ny, nz], [cx, ..]) = (elements.shape.size, elements.controls());
    let (d, rows, axis) = (elements.components(), ny * nz, elements.axis(0));
    cpu.split_rows([along_x], cx, 2 * d * elements.pixels(), |index, [sums]| {
        let (unit, row) = (index / rows, index % rows);
        let (problem, component) = (unit / d, unit % d);
        if takes(problem) {
            let mut samples = vec![0.0; nx];
            fill(Row { problem, component, row }, &mut samples);
            sums_along_x(&axis, Power::One, &samples, sums);
        }
    });
}

/// A row of pixels of a problem, and the component whose contributions are asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub problem: usize,
    pub component: usize,
    /// `z · ny + y`.
    pub row: usize,
}

/// Of every control point along x the sum over the element before its node, and that over the one after.
pub(super) fn sums_along_x(axis: &AxisTables<'_>, power: Power, samples: &[f32], sums: &mut [f32]) {
    sums[..2].fill(0.0);
    for element in 0..sums.len() / 2 - 1 {
        let mut of_element = [0.0f32; 4];
        for x in axis.pixels(Some(element)) {
            let w = raised(axis.weights[x], power);
            (0..4).for_each(|i| of_element[i] += w[i] * samples[x]);
        }
        sums[2 * element] += of_element[0];
        sums[2 * element + 1] += of_element[1];
        sums[2 * element + 2] = of_element[2];
        sums[2 * element + 3] = of_element[3];
    }
}

/// The same across rows, or planes, of the length of `sums`, for one control point.
fn sums_across(axis: &AxisTables<'_>, power: Power, control: usize, input: &[f32], sums: &mut [f32]) {
    let width = sums.len();
    let mut after = vec![0.0; width];
    sums.fill(0.0);
    for ((pixels, tap), sums) in axis.support(control).into_iter().zip([&mut *sums, &mut after]) {
        for at in pixels {
            add_row(raised(axis.weights[at], power)[tap], &input[at * width..(at + 1) * width], sums);
        }
    }
    add_row(1.0, &after, sums);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_row(weight: f32, row: &[f32], sums: &mut [f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += weight * v);
}

fn raised(weights: [f32; 4], power: Power) -> [f32; 4] {
    match power {
        Power::One => weights,
        Power::Two => weights.map(|w| w * w),
    }
}

/// Sums over the items of every problem, a partial sum for each of its workgroups: thread `t` of all `T` adds up the items
/// `t, t + T, …`.
pub(super) fn partial_sums(
    cpu: &Cpu,
    count: usize,
    takes: Taking<'_>,
    value: impl Fn(usize, usize) -> f32 + Sync,
    partials: &mut [f32],
) {
    let groups = reduction_groups(count);
    let samples = count * partials.len() / groups;
    let all = partials.len();
    let shared = Shared::new(partials);
    cpu.split(all, samples, |problems_and_groups| {
        for index in problems_and_groups {
            let (problem, group) = (index / groups, index % groups);
            let mut lanes = [0.0f32; GROUP];
            for start in (group * GROUP..count).step_by(groups * GROUP) {
                if !takes(problem) {
                    break;
                }
                for (lane, i) in lanes.iter_mut().zip(start..count) {
                    *lane += value(problem, i);
                }
            }
            // SAFETY: every workgroup's sum is written by one thread.
            let own = unsafe { shared.get_mut(index..index + 1) };
            own[0] = sum_by_halves(&mut lanes);
        }
    });
}

/// The sum of a problem's partial sums.
pub(super) fn total(partials: &[f32], problem: usize, problems: usize) -> f32 {
    let groups = partials.len() / problems;
    let mut lanes = [0.0f32; GROUP];
    let own = &partials[problem * groups..(problem + 1) * groups];
    own.iter().enumerate().for_each(|(k, p)| lanes[k % GROUP] += p);
    sum_by_halves(&mut lanes)
}
