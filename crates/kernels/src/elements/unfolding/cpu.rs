//! Processor text of [`super::Unfolding`].

use super::Unfolding;
use crate::elements::lattice::AxisTables;
use crate::elements::state::accepted_set;
use std::ops::Range;
use veloxel_core::Axes;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::components;

/// Whether something folded.
pub(super) fn unfold<const D: usize>(cpu: &Cpu, args: Unfolding<'_>) -> bool {
    let Unfolding { elements, state, field, begin, least, determinant, controls } = args;
    let (size, n, problems) = (elements.shape.size, elements.shape.len(), elements.problems);
    let (field, rows) = (components::<D>(field), elements.shape.rows());
    let determinant = determinant.host_mut();
    cpu.split_rows([&mut *determinant], size[0], 16 * problems * n, |index, [out]| {
        let (problem, row) = (index / rows, index % rows);
        for (x, out) in out.iter_mut().enumerate() {
            let at = [x, row % size[1], row / size[1]];
            *out = least_determinant::<D>(&field, (size, at), problem * n + row * size[0] + x);
        }
    });
    let determinant = &*determinant;
    let axes: [AxisTables<'_>; D] = std::array::from_fn(|a| elements.axis(a));
    let ([cx, cy, _], count) = (elements.controls(), elements.controls_of_problem());
    let (state, begin, controls) = (state.host(), begin.host(), controls.host_mut());
    let mut has_folded = false;
    for problem in 0..problems {
        let own = &determinant[problem * n..(problem + 1) * n];
        if own.iter().all(|v| *v > least) {
            continue;
        }
        has_folded = true;
        let set = accepted_set(state, problem) * problems + problem;
        for i in 0..count {
            let k = [i % cx, i / cx % cy, i / cx / cy];
            let ranges: Axes<Range<usize>> =
                std::array::from_fn(|a| if a < D { around(&axes[a], k[a]) } else { 0..1 });
            let folds = ranges[2].clone().any(|z| {
                ranges[1].clone().any(|y| {
                    let row = (z * size[1] + y) * size[0];
                    own[row + ranges[0].start..row + ranges[0].end].iter().any(|v| *v <= least)
                })
            });
            for c in (0..D).filter(|_| folds) {
                let from = begin[(problem * D + c) * count + i];
                let at = &mut controls[(set * D + c) * count + i];
                *at = from + 0.5 * (*at - from);
            }
        }
    }
    has_folded
}

/// The pixels of both elements of a control point's node.
fn around(axis: &AxisTables<'_>, control: usize) -> Range<usize> {
    let [(before, _), (after, _)] = axis.support(control);
    let begin = if before.is_empty() { after.start } else { before.start };
    begin..before.end.max(after.end)
}

/// The least of the determinants that the neighbours of a pixel make.
fn least_determinant<const D: usize>(
    field: &[&[f32]; D],
    (size, at): (Axes<usize>, Axes<usize>),
    own: usize,
) -> f32 {
    let strides = [1, size[0], size[0] * size[1]];
    let mut least = 3.0e38f32;
    for choice in 0..1 << D {
        let columns: [[f32; D]; D] = std::array::from_fn(|a| {
            let (side, stride) = (choice >> a & 1, strides[a]);
            let is_there = if side == 1 { at[a] + 1 < size[a] } else { at[a] > 0 };
            std::array::from_fn(|c| match (is_there, side) {
                (false, _) => 0.0,
                (true, 1) => field[c][own + stride] - field[c][own],
                _ => field[c][own] - field[c][own - stride],
            })
        });
        least = least.min(determinant(&columns));
    }
    least
}

/// det(I + columns).
fn determinant<const D: usize>(columns: &[[f32; D]; D]) -> f32 {
    let (x, y) = (&columns[0], &columns[1]);
    let (a, e) = (1.0 + x[0], 1.0 + y[1]);
    if D == 2 {
        return a * e - y[0] * x[1];
    }
    let z = &columns[D - 1];
    let i = 1.0 + z[D - 1];
    let first = e * i - z[1] * y[D - 1];
    let second = x[1] * i - z[1] * x[D - 1];
    let third = x[1] * y[D - 1] - e * x[D - 1];
    a * first - y[0] * second + z[0] * third
}
