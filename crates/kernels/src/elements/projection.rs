//! Between control points and pixels on processors: sums along x, then y, then z, in the order of `elements.wgsl`.

use super::lattice::{AxisTables, Elements};
use crate::shared::group_sums::{GROUP, sum_by_halves};
use crate::shared::rows::{add, add_scaled, sum_of_four};
use veloxel_gpu::rows::with_scratch;
use veloxel_gpu::{Cpu, reduction_groups};

/// The power to which weights are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    /// The weights themselves: gradients and products.
    One,
    /// Squares: diagonals.
    Two,
}

/// The values of a row of pixels: the control points of one component, summed along z, then y, then x.
pub(super) fn values_of_row(elements: &Elements, controls: &[f32], row: usize, out: &mut [f32]) {
    let [cx, cy, cz] = elements.controls();
    let (y, z) = (row % elements.shape.size[1], row / elements.shape.size[1]);
    let (x, along_y) = (elements.axis(0), elements.axis(1));
    let (first_y, weights_y) = (along_y.first[y] as usize, along_y.weights[y]);
    let of = |y: usize, z: usize| &controls[(z * cy + y) * cx..(z * cy + y + 1) * cx];
    with_scratch(5 * cx, |scratch| {
        let (line, planes) = scratch.split_at_mut(cx);
        if elements.axes() == 2 {
            sum_of_four([0, 1, 2, 3].map(|j| of(first_y + j, 0)), weights_y, line);
        } else {
            let along_z = elements.axis(2);
            let (first_z, weights_z) = (along_z.first[z] as usize, along_z.weights[z]);
            for (j, plane) in planes.chunks_exact_mut(cx).enumerate() {
                sum_of_four([0, 1, 2, 3].map(|k| of(first_y + j, (first_z + k) % cz)), weights_z, plane);
            }
            sum_of_four([0, 1, 2, 3].map(|j| &planes[j * cx..(j + 1) * cx]), weights_y, line);
        }
        for (out, (&first, w)) in out.iter_mut().zip(x.first.iter().zip(x.weights)) {
            let Some(p) = line[first as usize..].first_chunk::<4>() else { continue };
            *out = w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + w[3] * p[3];
        }
    });
}

/// The problems of a lattice that take part in some work, on a processor.
#[derive(Clone, Copy)]
pub(super) struct Problems<'a> {
    pub cpu: &'a Cpu,
    pub elements: &'a Elements,
    /// Whether a problem takes part.
    pub takes: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Problems<'_> {
    /// Gathers sums along rows at every control point.
    pub fn gather(self, power: Power, along_x: &[f32], out: &mut [f32]) {
        let Self { cpu, elements, takes } = self;
        let ([.., nz], [cx, cy, _], d) = (elements.shape.size, elements.controls(), elements.components());
        // Across an axis: the sums of rows, or planes, of `width` samples. A component of a problem has so many blocks of them.
        let across = |axis: usize, width: usize, blocks: usize, input: &[f32], out: &mut [f32]| {
            let (pixels, controls) = (elements.shape.size[axis], elements.controls()[axis]);
            let axis = elements.axis(axis);
            cpu.split_rows([out], width, input.len(), |index, [sums]| {
                let block = index / controls;
                if takes(block / (blocks * d)) {
                    let input = &input[block * pixels * width..(block + 1) * pixels * width];
                    sums_across(&axis, power, index % controls, input, sums);
                }
            });
        };
        if elements.axes() == 2 {
            return across(1, cx, 1, along_x, out);
        }
        let mut along_y = vec![0.0; elements.problems * d * nz * cy * cx];
        across(1, cx, nz, along_x, &mut along_y);
        across(2, cx * cy, 1, &along_y, out);
    }

    /// The sums at every control point of a value that every problem, component and pixel has.
    pub(crate) fn sums_of_pixels(self, value: impl Fn(usize, usize, usize) -> f32 + Sync) -> Vec<f32> {
        let Self { cpu, elements, takes } = self;
        let ([nx, ..], [cx, ..]) = (elements.shape.size, elements.controls());
        let (d, rows, axis) = (elements.components(), elements.shape.rows(), elements.axis(0));
        let mut along_x = vec![0.0; elements.row_sums()];
        cpu.split_rows([&mut along_x], cx, 2 * d * elements.pixels(), |index, [sums]| {
            let (unit, row) = (index / rows, index % rows);
            if takes(unit / d) {
                let pixels = row * nx..(row + 1) * nx;
                let samples: Vec<f32> = pixels.map(|pixel| value(unit / d, unit % d, pixel)).collect();
                sums_along_x(&axis, Power::One, &samples, sums);
            }
        });
        let mut sums = vec![0.0; elements.problems * elements.unknowns()];
        self.gather(Power::One, &along_x, &mut sums);
        sums
    }

    /// Sums over the items of every problem, a partial sum for each of its workgroups: thread `t` of all `T` adds up the items
    /// `t, t + T, …`.
    pub(crate) fn partial_sums(
        self,
        count: usize,
        value: impl Fn(usize, usize) -> f32 + Sync,
        out: &mut [f32],
    ) {
        let groups = reduction_groups(count);
        let samples = count * out.len() / groups;
        self.cpu.split_rows([out], 1, samples, |index, [sum]| {
            let (problem, group) = (index / groups, index % groups);
            let mut lanes = [0.0f32; GROUP];
            let starts = (group * GROUP..count).step_by(groups * GROUP);
            for start in starts.filter(|_| (self.takes)(problem)) {
                for (lane, i) in lanes.iter_mut().zip(start..count) {
                    *lane += value(problem, i);
                }
            }
            sum[0] = sum_by_halves(&mut lanes);
        });
    }
}

/// The sum of a problem's partial sums.
pub(super) fn total(partials: &[f32], problem: usize, problems: usize) -> f32 {
    let groups = partials.len() / problems;
    let mut lanes = [0.0f32; GROUP];
    let own = &partials[problem * groups..(problem + 1) * groups];
    own.iter().enumerate().for_each(|(k, p)| lanes[k % GROUP] += p);
    sum_by_halves(&mut lanes)
}

/// For every control point along x, the sum over the element before its node, and the sum over the element after it.
pub(super) fn sums_along_x(axis: &AxisTables<'_>, power: Power, samples: &[f32], sums: &mut [f32]) {
    sums[..2].fill(0.0);
    for element in 0..sums.len() / 2 - 1 {
        let mut of_element = [0.0f32; 4];
        for x in axis.pixels(Some(element)) {
            let w = raised(axis.weights[x], power);
            (0..4).for_each(|i| of_element[i] += w[i] * samples[x]);
        }
        let sums = &mut sums[2 * element..2 * element + 4];
        (0..2).for_each(|i| sums[i] += of_element[i]);
        sums[2..].copy_from_slice(&of_element[2..]);
    }
}

/// For one control point, the same sums across rows, or planes, of the length of `sums`.
fn sums_across(axis: &AxisTables<'_>, power: Power, control: usize, input: &[f32], sums: &mut [f32]) {
    let width = sums.len();
    let mut after = vec![0.0; width];
    sums.fill(0.0);
    for ((pixels, tap), sums) in axis.support(control).into_iter().zip([&mut *sums, &mut after]) {
        for at in pixels {
            add_scaled(&input[at * width..(at + 1) * width], raised(axis.weights[at], power)[tap], sums);
        }
    }
    add(&after, sums);
}

fn raised(weights: [f32; 4], power: Power) -> [f32; 4] {
    match power {
        Power::One => weights,
        Power::Two => weights.map(|w| w * w),
    }
}

/// The quotient, or 0 unless the divisor is above 0.
pub(super) fn over(dividend: f32, divisor: f32) -> f32 {
    if divisor > 0.0 { dividend / divisor } else { 0.0 }
}
