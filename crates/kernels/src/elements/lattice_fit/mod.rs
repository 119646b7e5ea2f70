//! A field to control points whose field is near to it.
//!
//! A control point takes the field's value where it belongs (its Greville abscissa: a third of an element before or after its
//! node), linear between pixels, and beyond the border the border's value: Schoenberg's operator, exact for linear fields; its
//! error for other fields is of second order, and the first steps correct it. *In*: a field of all problems' pixels, planar.
//! *Out*: the second set of control points, `P = f d`.

use super::gpu_block::{self, ELEMENTS, Lattice, Tables};
use super::lattice::Elements;
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::rows::cell;
use crate::shared::{LATTICE, LINE, NAN, SUM};
use veloxel_core::Axes;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource =
    wgsl!("lattice_fit", Bindings, [NAN, LINE, SUM, LATTICE, ELEMENTS], "lattice_fit.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            lattice: Lattice,
            /// Position of the first pixel, elements; pixels an element.
            start: vec4<f32>,
            per_element: vec4<f32>,
            factor: vec4<f32>,
        },
        tables: group Tables<'a>,
        field[field_x, field_y, field_z]: read f32,
        controls: write f32,
    }
}

/// A third of an element.
const THIRD: f32 = 0.333_333_34;

/// Writes the second set of control points.
#[derive(Debug)]
pub struct LatticeFit<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The field d: planar components of all problems' pixels.
    pub field: &'a [Buffer],
    /// The factor f of each axis.
    pub factor: Axes<f32>,
    /// The control points P: two sets.
    pub controls: &'a mut Buffer,
}

impl Kernel for LatticeFit<'_> {
    const NAME: &'static str = "lattice_fit";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        lengths.field("field", self.field, e.components(), e.pixels());
        lengths.of("controls", self.controls, 2 * e.problems * e.unknowns());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { elements, field, factor, controls } = self;
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
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [first, step] = self.elements.placed;
        let Self { elements, field, controls, .. } = self;
        let block = Block {
            lattice: Lattice::without_smoothness(elements),
            start: first.into(),
            per_element: step.map(|step| 1.0 / step).into(),
            factor: self.factor.into(),
        };
        // The state is not looked at.
        let tables = Tables::of(elements, &field[0]);
        gpu_block::launch(gpu, &SOURCE, "lattice_fit", elements)
            .bind(&Bindings { block, tables, field, controls })
            .run(gpu_block::groups(elements, elements.unknowns()))
    }
}

/// The pixels around a place, and the weight of the upper one.
struct Cell {
    low: usize,
    high: usize,
    weight: f32,
}

/// The pixels around every control point along an axis.
fn cells_along(elements: &Elements, axis: usize) -> Vec<Cell> {
    let ([first, step], count) = (elements.placed.map(|placed| placed[axis]), elements.shape.size[axis]);
    let per_element = 1.0 / step;
    let of = |k: usize| {
        let place = (k / 2) as f32 + if k % 2 == 1 { THIRD } else { -THIRD };
        let (low, weight) = cell((place - first) * per_element, count);
        Cell { low, high: (low + 1).min(count - 1), weight }
    };
    (0..elements.controls()[axis]).map(of).collect()
}

fn lerp(a: f32, b: f32, weight: f32) -> f32 {
    (1.0 - weight) * a + weight * b
}
