//! Processor text of [`super::LatticeFit`].

use super::LatticeFit;
use crate::elements::lattice::Elements;
use veloxel_gpu::Cpu;

/// A third of an element.
const THIRD: f32 = 0.333_333_34;

pub(super) fn lattice_fit(cpu: &Cpu, args: LatticeFit<'_>) {
    let LatticeFit { elements, field, factor, controls } = args;
    let ([nx, ny, _], [cx, cy, _]) = (elements.shape.size, elements.controls());
    let (per_component, unknowns) = (elements.controls_of_problem(), elements.unknowns());
    let cells: Vec<Vec<Cell>> = (0..elements.axes()).map(|a| cells_along(elements, a)).collect();
    let out = &mut controls.host_mut()[elements.problems * unknowns..];
    cpu.split_samples(out, 8, |range, out| {
        for (index, out) in range.zip(out) {
            let (problem, i) = (index / unknowns, index % unknowns);
            let (component, k) = (i / per_component, i % per_component);
            let samples = &field[component].host()[problem * elements.shape.len()..];
            let (x, y) = (&cells[0][k % cx], &cells[1][k / cx % cy]);
            let row = |at: usize| lerp(samples[at * nx + x.low], samples[at * nx + x.high], x.weight);
            let plane = |z: usize| lerp(row(z * ny + y.low), row(z * ny + y.high), y.weight);
            let value = if elements.axes() == 2 {
                plane(0)
            } else {
                let z = &cells[2][k / cx / cy];
                lerp(plane(z.low), plane(z.high), z.weight)
            };
            *out = factor[component] * value;
        }
    });
}

/// The pixels around a place, and the weight of the upper one.
struct Cell {
    low: usize,
    high: usize,
    weight: f32,
}

/// Those around every control point along an axis.
fn cells_along(elements: &Elements, axis: usize) -> Vec<Cell> {
    let ([first, step], count) = (elements.placed.map(|placed| placed[axis]), elements.shape.size[axis]);
    let per_element = 1.0 / step;
    let of = |k: usize| {
        let place = (k / 2) as f32 + if k % 2 == 1 { THIRD } else { -THIRD };
        let clamped = ((place - first) * per_element).clamp(0.0, (count - 1) as f32);
        let low = (clamped as usize).min(count.max(2) - 2);
        Cell { low, high: (low + 1).min(count - 1), weight: clamped - low as f32 }
    };
    (0..elements.controls()[axis]).map(of).collect()
}

fn lerp(a: f32, b: f32, weight: f32) -> f32 {
    (1.0 - weight) * a + weight * b
}
