//! Which vectors another field confirms, and which voxels are hidden in the moving image.
//!
//! *In*: a forward displacement d and a backward one e, voxels. *Confirmed*: `|d(x) + e(x + d(x))| ≤ a + b |d(x)|`, e linear
//! between voxels, and x + d(x) in the image (half a voxel beyond its outermost centres). *Hidden*: not confirmed, but inside,
//! where the backward field is confirmed: another voxel owns the place. *Unknown* (NaN): not confirmed, not hidden.
//! *Halo*: the motion.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::rows::cell;
use crate::shared::{LATTICE, NAN};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::components;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static CONFIRM: ShaderSource = wgsl!(
    "confirmation",
    ConfirmationBindings,
    [NAN, LATTICE, include_str!("target.wgsl")],
    "confirmation.wgsl"
);
static VISIBLE: ShaderSource =
    wgsl!("visible", VisibleBindings, [NAN, LATTICE, include_str!("target.wgsl")], "visible.wgsl");

bindings! {
    /// What a launch of [`Confirmation`] binds.
    struct ConfirmationBindings<'a> {
        block: ConfirmationBlock {
            size: vec4<u32>,
            /// The tolerance: its least value, and its share of the motion.
            least: f32,
            share: f32,
            /// Greatest distance over the tolerance that a doubt distinguishes.
            most: f32,
        },
        forward[forward_x, forward_y, forward_z]: read f32,
        backward[backward_x, backward_y, backward_z]: read f32,
        out: write f32,
    }
}

bindings! {
    /// What a launch of [`Visible`] binds.
    struct VisibleBindings<'a> {
        block: VisibleBlock { size: vec4<u32>, },
        forward[forward_x, forward_y, forward_z]: read f32,
        confirmed: read f32,
        confirmed_back: read f32,
        out: write f32,
    }
}

/// How far beyond its outermost centres an image reaches, voxels.
pub(crate) const REACH_VOX: f32 = 0.5;

/// The greatest distance between a voxel and the end of its path by the forward and then the backward field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathTolerance {
    /// Least tolerance a, voxels.
    pub least_vox: f32,
    /// Share b of the motion's length that is added.
    pub share: f32,
}

/// What is written for a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathVerdict {
    /// The number 1 where the vector is confirmed, 0 elsewhere.
    Confirmed,
    /// The distance over the tolerance, cut at `most` and divided by it: 0 to 1; [`NOWHERE`] where the path leads outside or is
    /// unknown.
    Doubt {
        /// Greatest distance over the tolerance that is distinguished.
        most: f32,
    },
}

/// The doubt of a vector that leads outside of the image.
pub const NOWHERE: f32 = 2.0;

/// Writes whether vectors are confirmed.
#[derive(Debug)]
pub struct Confirmation<'a> {
    /// Shape of all buffers.
    pub shape: Shape,
    /// The tolerance a and b.
    pub tolerance: PathTolerance,
    /// The forward displacement d, voxels.
    pub forward: &'a [Buffer],
    /// The backward displacement e, voxels.
    pub backward: &'a [Buffer],
    /// What is written for a vector.
    pub verdict: PathVerdict,
    /// The verdict of every vector.
    pub out: &'a mut Buffer,
}

impl Kernel for Confirmation<'_> {
    const NAME: &'static str = "confirmation";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("forward", self.forward, d, n).field("backward", self.backward, d, n);
        lengths.of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, confirmation(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let PathTolerance { least_vox, share } = self.tolerance;
        let (is_doubt, most) = match self.verdict {
            PathVerdict::Confirmed => (false, 1.0),
            PathVerdict::Doubt { most } => (true, most),
        };
        let block = ConfirmationBlock { size: self.shape.size.into(), least: least_vox, share, most };
        let Self { forward, backward, out, .. } = self;
        gpu.launch_in(self.shape.components(), &CONFIRM, "confirmation")
            .constant("DOUBT", is_doubt)
            .bind(&ConfirmationBindings { block, forward, backward, out })
            .run_over(self.shape.size, [32, 4])
    }
}

/// Writes 0 where a voxel is hidden, 1 elsewhere.
#[derive(Debug)]
pub struct Visible<'a> {
    /// Shape of all buffers.
    pub shape: Shape,
    /// The forward displacement d, voxels.
    pub forward: &'a [Buffer],
    /// The [`Confirmation`] of d.
    pub confirmed: &'a Buffer,
    /// The [`Confirmation`] of e.
    pub confirmed_back: &'a Buffer,
    /// The visibility, 1 or 0.
    pub out: &'a mut Buffer,
}

impl Kernel for Visible<'_> {
    const NAME: &'static str = "visible";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.field("forward", self.forward, self.shape.components(), n);
        lengths.of("confirmed", self.confirmed, n).of("confirmed_back", self.confirmed_back, n);
        lengths.of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, visible(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let block = VisibleBlock { size: self.shape.size.into() };
        let Self { forward, confirmed, confirmed_back, out, .. } = self;
        gpu.launch_in(self.shape.components(), &VISIBLE, "visible")
            .bind(&VisibleBindings { block, forward, confirmed, confirmed_back, out })
            .run_over(self.shape.size, [32, 4])
    }
}

/// The cell of a position between voxels.
struct Cell<const D: usize> {
    base: usize,
    /// Steps to the upper neighbour along each axis.
    steps: [usize; D],
    weights: [f32; D],
}

/// Where a vector leads from its voxel; none outside of the image.
fn target<const D: usize>(shape: Shape, voxel: Axes<usize>, vector: [f32; D]) -> Option<Cell<D>> {
    let strides = [1, shape.size[0], shape.size[0] * shape.size[1]];
    let mut around = Cell { base: 0, steps: [0; D], weights: [0.0; D] };
    for a in 0..D {
        let (at, last) = (voxel[a] as f32 + vector[a], (shape.size[a] - 1) as f32);
        // NaN fails the comparison.
        if !(at >= -REACH_VOX && at <= last + REACH_VOX) {
            return None;
        }
        let (low, weight) = cell(at, shape.size[a]);
        around.base += low * strides[a];
        around.steps[a] = ((low + 1).min(shape.size[a] - 1) - low) * strides[a];
        around.weights[a] = weight;
    }
    Some(around)
}

impl<const D: usize> Cell<D> {
    fn sample(&self, samples: &[f32]) -> f32 {
        let lerp = |a: f32, b: f32, weight: f32| a + weight * (b - a);
        let along_x = |at: usize| lerp(samples[at], samples[at + self.steps[0]], self.weights[0]);
        let plane = |at: usize| lerp(along_x(at), along_x(at + self.steps[1]), self.weights[1]);
        match D {
            2 => plane(self.base),
            _ => lerp(plane(self.base), plane(self.base + self.steps[D - 1]), self.weights[D - 1]),
        }
    }
}

fn confirmation<const D: usize>(cpu: &Cpu, args: Confirmation<'_>) {
    let Confirmation { shape, tolerance, forward, backward, verdict, out } = args;
    let [nx, ny, _] = shape.size;
    let [forward, backward] = [forward, backward].map(components::<D>);
    cpu.split_rows([out.host_mut()], nx, 8 * D * shape.len(), |row, [out]| {
        for (x, out) in out.iter_mut().enumerate() {
            let own = forward.map(|component| component[row * nx + x]);
            let Some(cell) = target(shape, [x, row % ny, row / ny], own) else {
                *out = if verdict == PathVerdict::Confirmed { 0.0 } else { NOWHERE };
                continue;
            };
            let (mut distance2, mut length2) = (0.0, 0.0);
            for c in 0..D {
                let left = own[c] + cell.sample(backward[c]);
                distance2 += left * left;
                length2 += own[c] * own[c];
            }
            let most = tolerance.least_vox + tolerance.share * length2.sqrt();
            *out = match verdict {
                // NaN fails the comparison.
                PathVerdict::Confirmed => f32::from(u8::from(distance2 <= most * most)),
                PathVerdict::Doubt { .. } if distance2.is_nan() => NOWHERE,
                PathVerdict::Doubt { most: at_most } => (distance2.sqrt() / most).min(at_most) / at_most,
            };
        }
    });
}

fn visible<const D: usize>(cpu: &Cpu, args: Visible<'_>) {
    let Visible { shape, forward, confirmed, confirmed_back, out } = args;
    let [nx, ny, _] = shape.size;
    let forward = components::<D>(forward);
    let (confirmed, back) = (confirmed.host(), confirmed_back.host());
    cpu.split_rows([out.host_mut()], nx, 8 * shape.len(), |row, [out]| {
        for (x, out) in out.iter_mut().enumerate() {
            let index = row * nx + x;
            let own = forward.map(|component| component[index]);
            let owned =
                target(shape, [x, row % ny, row / ny], own).is_some_and(|cell| cell.sample(back) > 0.5);
            *out = if confirmed[index] < 0.5 && owned { 0.0 } else { 1.0 };
        }
    });
}
