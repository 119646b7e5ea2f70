//! Processor text of [`super::Unfolding`].

use super::Unfolding;
use crate::elements::lattice::{AxisTables, LastAxis};
use crate::elements::projection::{Problems, total};
use crate::elements::state::States;
use crate::shared::cell_determinant::CellRow;
use std::ops::Range;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::components;

/// Whether a cell folded.
pub(super) fn unfold<const D: usize>(cpu: &Cpu, args: Unfolding<'_>) -> bool {
    let Unfolding { elements, state, field, begin, least, determinant, folds, controls } = args;
    let (size, n, problems) = (elements.shape.size, elements.shape.len(), elements.problems);
    let (field, rows) = (components::<D>(field), elements.shape.rows());
    let determinant = determinant.host_mut();
    cpu.split_rows([&mut *determinant], size[0], 24 * problems * n, |index, [out]| {
        let (problem, row) = (index / rows, index % rows);
        let (place, own) = ([row % size[1], row / size[1]], problem * n + row * size[0]);
        CellRow { field, per_edge: [1.0; 3], size, place, own, least }.bounds(out);
    });
    let determinant = &*determinant;
    let is_fold = |problem: usize, i: usize| f32::from(u8::from(determinant[problem * n + i] <= least));
    Problems { cpu, elements, takes: &|_| true }.partial_sums(n, is_fold, folds.host_mut());
    let axes: Vec<AxisTables<'_>> = (0..elements.axes()).map(|a| elements.axis(a)).collect();
    let ([cx, cy, _], count) = (elements.controls(), elements.controls_of_problem());
    let (state, begin, controls) = (States(state.host()), begin.host(), controls.host_mut());
    let mut has_folded = false;
    for problem in 0..problems {
        let own = &determinant[problem * n..(problem + 1) * n];
        if total(folds.host(), problem, problems) == 0.0 {
            continue;
        }
        has_folded = true;
        let set = state.accepted(problem);
        for i in 0..count {
            let k = [i % cx, i / cx % cy, i / cx / cy];
            let [along_x, along_y] = [0, 1].map(|a| around(&axes[a], k[a]));
            let planes = match (axes.get(2), elements.last) {
                (None, _) => [0..1, 0..0],
                (Some(axis), LastAxis::Space) => [around(axis, k[2]), 0..0],
                (Some(axis), _) => axis.support(k[2]).map(|(pictures, _)| pictures),
            };
            let folds = planes.into_iter().flatten().any(|z| {
                along_y.clone().any(|y| {
                    let row = (z * size[1] + y) * size[0];
                    own[row + along_x.start..row + along_x.end].iter().any(|v| *v <= least)
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

/// The cells with a corner in the elements of a control point's node; a cell is numbered by its first corner.
fn around(axis: &AxisTables<'_>, control: usize) -> Range<usize> {
    let [(before, _), (after, _)] = axis.support(control);
    let begin = if before.is_empty() { after.start } else { before.start };
    begin.max(1) - 1..before.end.max(after.end)
}
