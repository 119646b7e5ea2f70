//! Processor texts of [`super::NodalField`] and [`super::RefinedControls`].

use super::{NodalField, RefinedControls};
use crate::elements::lattice::Elements;
use crate::elements::projection::{along_x, line};
use crate::elements::state::accepted_set;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, components_mut};

pub(super) fn nodal_field<const D: usize>(cpu: &Cpu, args: NodalField<'_>) {
    let NodalField { elements, state, controls, factor, out } = args;
    let (nx, state, controls) = (elements.shape.size[0], state.host(), controls.host());
    let rows = elements.shape.rows();
    cpu.split_rows(components_mut::<D>(out), nx, 4 * D * elements.pixels(), |index, out| {
        let (problem, row) = (index / rows, index % rows);
        for (c, out) in out.into_iter().enumerate() {
            component_row::<D>(elements, own::<D>(elements, state, controls, problem, c), row, out);
            out.iter_mut().for_each(|v| *v *= factor[c]);
        }
    });
}

pub(super) fn refined_controls<const D: usize>(cpu: &Cpu, args: RefinedControls<'_>) {
    let RefinedControls { elements, state, controls, out } = args;
    let (nx, state, controls) = (elements.shape.size[0], state.host(), controls.host());
    let (rows, n) = (elements.shape.rows(), elements.shape.len());
    let out = Shared::new(&mut out.host_mut()[elements.problems * D * n..]);
    cpu.split(elements.problems * D * rows, 4 * D * elements.pixels(), |jobs| {
        for job in jobs {
            let (unit, row) = (job / rows, job % rows);
            let own = own::<D>(elements, state, controls, unit / D, unit % D);
            // SAFETY: every row is written by one thread.
            component_row::<D>(elements, own, row, unsafe { out.get_mut(job * nx..(job + 1) * nx) });
        }
    });
}

/// The accepted control points of a component.
fn own<'a, const D: usize>(
    elements: &Elements,
    state: &[f32],
    controls: &'a [f32],
    problem: usize,
    component: usize,
) -> &'a [f32] {
    let set = accepted_set(state, problem) * elements.problems + problem;
    let count = elements.controls_of_problem();
    &controls[(set * D + component) * count..][..count]
}

fn component_row<const D: usize>(elements: &Elements, controls: &[f32], row: usize, out: &mut [f32]) {
    let mut along_y = vec![0.0; elements.controls()[0]];
    line(elements, controls, row, &mut along_y);
    along_x(&elements.axis(0), &along_y, out);
}
