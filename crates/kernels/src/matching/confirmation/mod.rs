//! Which vectors another field confirms, and which voxels something else hides.
//!
//! *In*: a forward displacement d and a backward one e, voxels. *Confirmed*: `|d(x) + e(x + d(x))| ≤ a + b |d(x)|`, e linear between
//! voxels, and x + d(x) in the image (half a voxel beyond its outermost centres). *Hidden*: not confirmed, but inside, where the
//! backward field is confirmed: another voxel owns the place. *Unknown* (NaN): not confirmed, not hidden.
//! *Halo*: the motion.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LATTICE, NAN};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static CONFIRM: ShaderSource = ShaderSource::wgsl(
    "confirmation",
    &[NAN, LATTICE, include_str!("target.wgsl"), include_str!("confirmation.wgsl")],
);
static VISIBLE: ShaderSource =
    ShaderSource::wgsl("visible", &[NAN, LATTICE, include_str!("target.wgsl"), include_str!("visible.wgsl")]);

/// How far beyond its outermost centres an image reaches, voxels.
pub(crate) const REACH_VOX: f32 = 0.5;

fn groups(shape: Shape) -> [u32; 3] {
    let [nx, ny, nz] = shape.size;
    [cover(nx, 32), cover(ny, 4), nz as u32]
}

/// The greatest distance between a voxel and the end of the way there and back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// a, voxels.
    pub least_vox: f32,
    /// b: of the motion.
    pub share: f32,
}

/// What is written of a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// 1 where it is confirmed, 0 elsewhere.
    Confirmed,
    /// The distance over the tolerance, at most so much, over that: 0 to 1; and [`NOWHERE`] where it leads outside or is unknown.
    Doubt {
        /// The most.
        most: f32,
    },
}

/// The doubt of a vector that leads outside of the image.
pub const NOWHERE: f32 = 2.0;

/// Writes whether vectors are confirmed.
#[derive(Debug)]
pub struct Confirmation<'a> {
    /// Of all buffers.
    pub shape: Shape,
    /// a and b.
    pub tolerance: Tolerance,
    /// d.
    pub forward: &'a [Buffer],
    /// e.
    pub backward: &'a [Buffer],
    /// What of it is written.
    pub verdict: Verdict,
    /// It.
    pub out: &'a mut Buffer,
}

impl Kernel for Confirmation<'_> {
    const NAME: &'static str = "confirmation";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (components, voxels) = (self.shape.components(), self.shape.len());
        lengths.field("forward", self.forward, components, voxels).field(
            "backward",
            self.backward,
            components,
            voxels,
        );
        lengths.of("out", self.out, voxels);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::confirmation(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Tolerance { least_vox, share } = self.tolerance;
        let (is_doubt, most) = match self.verdict {
            Verdict::Confirmed => (false, 1.0),
            Verdict::Doubt { most } => (true, most),
        };
        gpu.launch(&CONFIRM, "confirmation")
            .constant("COMPONENTS", self.shape.components())
            .constant("DOUBT", is_doubt)
            .uniform(Uniform::new().u4(self.shape.size).f(least_vox).f(share).f(most))
            .inputs(self.forward, 3)
            .inputs(self.backward, 3)
            .output(self.out)
            .run(groups(self.shape))
    }
}

/// Writes 0 where a voxel is hidden, 1 elsewhere.
#[derive(Debug)]
pub struct Visible<'a> {
    /// Of all buffers.
    pub shape: Shape,
    /// d.
    pub forward: &'a [Buffer],
    /// [`Confirmation`] of d.
    pub confirmed: &'a Buffer,
    /// [`Confirmation`] of e.
    pub confirmed_back: &'a Buffer,
    /// 1 or 0.
    pub out: &'a mut Buffer,
}

impl Kernel for Visible<'_> {
    const NAME: &'static str = "visible";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths
            .field("forward", self.forward, self.shape.components(), n)
            .of("confirmed", self.confirmed, n)
            .of("confirmed_back", self.confirmed_back, n)
            .of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::visible(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu.launch(&VISIBLE, "visible")
            .constant("COMPONENTS", self.shape.components())
            .uniform(Uniform::new().u4(self.shape.size))
            .inputs(self.forward, 3)
            .input(self.confirmed)
            .input(self.confirmed_back)
            .output(self.out)
            .run(groups(self.shape))
    }
}
