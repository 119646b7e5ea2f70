//! The share of a step that is left where it would fold a map that it changes elsewhere: in cells around the place that each vector acts on.
//!
//! *In*: the step u on a grid of its own (the middle of two images); the displacement h from there to the grid of the map, edges, none where that is the same; the
//! bounds of the map's cells before the step and after ([`super::cell_bounds`]). *Out*, in place: a share of u at each voxel, multiplied by
//! what this map leaves of it: two maps that u changes may be asked in any order.
//! *Share*: between both the bound is taken as linear in the step, so a cell whose bound falls from `b` to `a < target` can take
//! `safety · (b − target) / (b − a)` of it, or nothing where b is at most the target and a is smaller.
//! *Reach*: what a cell cannot take is withheld from all cells at most `reach` away along each axis. Each vector gives up the most that
//! any cell withholds at the place that h leads it to. *Halo*: unbounded (gathers).

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LINE, NAN};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::components;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("step share", Bindings, [LINE, NAN], "step_share.wgsl");

/// The bound of a map that changes nothing; larger ones are taken for it.
const AT_REST: f32 = 1.0;

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z, and in all.
            size: vec4<u32>,
            per_edge: vec4<f32>,
            /// The target, what is left of a share, and the bound at rest.
            shares: vec4<f32>,
            /// Voxels to the next one along the axis of a pass, voxels along it, and the reach.
            along: vec4<u32>,
        },
        before: may_read f32,
        after: may_read f32,
        withheld: may_read f32,
        map[map_x, map_y, map_z]: read f32,
        out: write f32,
    }
}

/// Shortens the share of a step.
#[derive(Debug)]
pub struct StepShare<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The displacement h from the step's grid to the map's, edges; no component: the step is on the map's grid.
    pub map: &'a [Buffer],
    /// Bounds of the map's cells before the step.
    pub before: &'a Buffer,
    /// Bounds of the map's cells after the whole step.
    pub after: &'a Buffer,
    /// The bound that cells should keep.
    pub target: f32,
    /// What a cell that falls below is given of the share that it could take: 1 at most.
    pub safety: f32,
    /// How far away cells count, voxels: 1 or more.
    pub reach: usize,
    /// Two buffers to work in.
    pub memory: [&'a mut Buffer; 2],
    /// The share of the step u, multiplied in place.
    pub share: &'a mut Buffer,
}

impl Kernel for StepShare<'_> {
    const NAME: &'static str = "step_share";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let moved = if self.map.is_empty() { 0 } else { d };
        lengths.field("map", self.map, moved, n).of("share", self.share, n);
        lengths.of("before", self.before, n).of("after", self.after, n);
        lengths.of("memory", self.memory[0], n).of("memory", self.memory[1], n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, shorten_in(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, map, before, after, target, safety, reach, memory: [first, second], share, .. } =
            self;
        let ([nx, ny, nz], n, d) = (shape.size, shape.len(), shape.components());
        let block = Block {
            size: [nx, ny, nz, n].into(),
            per_edge: self.spacing_edges.map(|s| 1.0 / s).into(),
            shares: [target, safety, AT_REST].into(),
            along: [0, 0, 0, 0].into(),
        };
        let nowhere = Bindings { block, before: None, after: None, withheld: None, map: &[], out: &*first };
        let cells = Bindings { before: Some(before), after: Some(after), ..nowhere };
        gpu.launch_in(d, &SOURCE, "withhold").bind(&cells).run(line(n, 256))?;
        let (mut from, mut to) = (&*first, &*second);
        for (axis, stride) in [1, nx, nx * ny].into_iter().enumerate().take(d) {
            let block = Block { along: [stride, shape.size[axis], reach, 0].into(), ..block };
            let pass = Bindings { block, withheld: Some(from), out: to, ..nowhere };
            gpu.launch_in(d, &SOURCE, "spread").bind(&pass).run(line(n, 256))?;
            std::mem::swap(&mut from, &mut to);
        }
        let shorten = Bindings { withheld: Some(from), map, out: share, ..nowhere };
        gpu.launch_in(d, &SOURCE, "shorten")
            .constant("MOVED", !map.is_empty())
            .bind(&shorten)
            .run(line(n, 256))
    }
}

fn shorten_in<const D: usize>(cpu: &Cpu, args: StepShare<'_>) {
    let StepShare { shape, spacing_edges, map, before, after, target, safety, reach, memory, share: left } =
        args;
    let ([nx, ny, _], before, after) = (shape.size, before.host(), after.host());
    // Most rows withhold nothing; those that do are marked, and only they are looked at.
    let mut marks: Vec<AtomicBool> = (0..shape.rows()).map(|_| AtomicBool::new(false)).collect();
    let [first, second] = memory;
    cpu.split_rows([first.host_mut()], nx, 3 * shape.len(), |row, [line]| {
        let cells = row * nx..(row + 1) * nx;
        let bounds = before[cells.clone()].iter().zip(&after[cells]);
        let withheld: Vec<f32> =
            bounds.map(|(before, after)| 1.0 - share(*before, *after, [target, safety])).collect();
        line.fill(0.0);
        if withheld.iter().fold(false, |any, part| any | (*part > 0.0)) {
            marks[row].store(true, Relaxed);
            for k in 0..=reach.min(nx - 1) {
                raise(&mut line[..nx - k], &withheld[k..]);
                raise(&mut line[k..], &withheld[..nx - k]);
            }
        }
    });
    let (mut from, mut to) = (first, second);
    for axis in 1..D {
        let stride = if axis == 1 { 1 } else { ny };
        marks =
            spread_rows(cpu, shape, [stride, shape.size[axis], reach], &marks, from.host(), to.host_mut());
        std::mem::swap(&mut from, &mut to);
    }
    let withheld = from.host();
    if map.is_empty() {
        return cpu.split_rows([left.host_mut()], nx, shape.len(), |row, [line]| {
            if marks[row].load(Relaxed) {
                let withheld = &withheld[row * nx..(row + 1) * nx];
                line.iter_mut().zip(withheld).for_each(|(left, withheld)| *left *= 1.0 - withheld);
            }
        });
    }
    let (map, per_edge) = (components::<D>(map), spacing_edges.map(|s| 1.0 / s));
    cpu.split_rows([left.host_mut()], nx, 4 * shape.len(), |row, [line]| {
        let rows = map.map(|component| &component[row * nx..(row + 1) * nx]);
        let place = [0.0, (row % ny) as f32, (row / ny) as f32];
        let last = shape.size.map(|count| (count - 1) as f32);
        for (x, left) in line.iter_mut().enumerate() {
            let voxel = [x as f32, place[1], place[2]];
            // A NaN is no position: 0.
            let cell = |a: usize| (voxel[a] + rows[a][x] * per_edge[a]).max(0.0).min(last[a]) as u32 as usize;
            let index = (0..D).rev().fold(0, |index, a| index * shape.size[a] + cell(a));
            *left *= 1.0 - withheld[index];
        }
    });
}

/// Spreads what marked rows withhold to the rows at most `reach` away along an axis, on which rows lie `stride` apart and `count` in a
/// line; marks the rows that withhold something then.
fn spread_rows(
    cpu: &Cpu,
    shape: Shape,
    [stride, count, reach]: [usize; 3],
    marks: &[AtomicBool],
    from: &[f32],
    to: &mut [f32],
) -> Vec<AtomicBool> {
    let nx = shape.size[0];
    let spread: Vec<AtomicBool> = (0..shape.rows()).map(|_| AtomicBool::new(false)).collect();
    cpu.split_rows([to], nx, 2 * shape.len(), |row, [line]| {
        line.fill(0.0);
        let at = row / stride % count;
        for other in at.saturating_sub(reach)..(at + reach + 1).min(count) {
            let other = row - at * stride + other * stride;
            if marks[other].load(Relaxed) {
                spread[row].store(true, Relaxed);
                raise(line, &from[other * nx..(other + 1) * nx]);
            }
        }
    });
    spread
}

/// Raises samples to those beside them, if these are greater.
fn raise(samples: &mut [f32], others: &[f32]) {
    samples
        .iter_mut()
        .zip(others)
        .for_each(|(sample, &other)| *sample = if other > *sample { other } else { *sample });
}

/// The share of a step that a cell can take.
fn share(before: f32, after: f32, [target, safety]: [f32; 2]) -> f32 {
    if after >= target {
        return 1.0;
    }
    let begin = if before > AT_REST { AT_REST } else { before };
    if begin <= target {
        return if after >= begin { 1.0 } else { 0.0 };
    }
    // A NaN is a fold that no share mends.
    let share = safety * (begin - target) / (begin - after);
    if share > 0.0 { share } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_takes_what_its_bound_allows() {
        assert_eq!(share(3e38, 3e38, [0.1, 0.9]), 1.0);
        assert_eq!(share(0.5, 0.2, [0.1, 0.9]), 1.0);
        assert!((share(0.5, -0.3, [0.1, 0.9]) - 0.45).abs() < 1e-6);
        assert!((share(3e38, -0.8, [0.1, 0.9]) - 0.45).abs() < 1e-6);
        assert_eq!([share(0.05, 0.04, [0.1, 0.9]), share(0.05, 0.06, [0.1, 0.9])], [0.0, 1.0]);
        assert_eq!(share(0.5, -0.3, [0.1, 0.0]), 0.0);
        assert_eq!(share(0.5, f32::NAN, [0.1, 0.9]), 0.0);
    }
}
