//! One tensor from several constraints, each under a robust penaliser:
//!
//! *In*: groups as [`super::motion_tensor`] writes them, with tt; the present increment δ, edges.
//! *Out*: spatial entries, then the right-hand side. *Halo*: none.
//! On a GPU each constraint is a launch, because a launch of all would need more buffers than some devices bind.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, packed, wgsl};
use crate::shared::Pack;
use crate::shared::lanes::{LANES, Lanes, Pack as _};
use crate::shared::{LINE, PACK1, PACK4};
use multiversion::multiversion;
use veloxel_core::Shape;
use veloxel_gpu::rows::{components, components_mut};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("robust_tensor", Bindings, [LINE, PACK1], "robust_tensor.wgsl"),
    wgsl!("robust_tensor", Bindings, [LINE, PACK4], "robust_tensor.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Number of packs.
            count: u32,
            per_epsilon2: f32,
            gain: f32,
        },
        increment[delta_x, delta_y, delta_z]: read Pack,
        tensor[j_0, j_1, j_2, j_3, j_4, j_5, j_6, j_7, j_8, j_9]: read Pack,
        out[out_0, out_1, out_2, out_3, out_4, out_5, out_6, out_7, out_8]: write Pack,
    }
}

/// One constraint.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintGroup<'a> {
    /// The tensor: spatial entries, minus mixed entries, tt.
    pub tensor: &'a [Buffer],
    /// Share γ of the constraint in the data term.
    pub gain: f32,
}

/// Combines the groups.
#[derive(Debug)]
pub struct RobustTensor<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// The scale ε of the penaliser, in the square root of the tensor's unit.
    pub epsilon: f32,
    /// The constraints.
    pub groups: &'a [ConstraintGroup<'a>],
    /// The increment δ, edges.
    pub increment: &'a [Buffer],
    /// The combined tensor: spatial entries, then the right-hand side.
    pub out: &'a mut [Buffer],
}

impl Kernel for RobustTensor<'_> {
    const NAME: &'static str = "robust_tensor";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries() + d;
        for group in self.groups {
            lengths.field("group", group.tensor, entries + 1, n);
        }
        lengths.field("increment", self.increment, d, n).field("out", self.out, entries, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        match self.shape.components() {
            2 => robust_tensor::<2, 5>(cpu, self),
            _ => robust_tensor::<3, 9>(cpu, self),
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (source, pack) = packed(&SOURCES, self.shape.len());
        let items = self.shape.len() / pack;
        self.groups.iter().enumerate().try_for_each(|(nth, group)| {
            let per_epsilon2 = 1.0 / (self.epsilon * self.epsilon);
            let block = Block { count: items, per_epsilon2, gain: group.gain };
            gpu.launch_in(self.shape.components(), source, "robust_tensor")
                .constant("FIRST", nth == 0)
                .bind(&Bindings { block, increment: self.increment, tensor: group.tensor, out: self.out })
                .run(line(items, 256))
        })
    }
}

/// Combines the groups for `D` components, and `E` spatial entries and mixed ones.
fn robust_tensor<const D: usize, const E: usize>(cpu: &Cpu, args: RobustTensor<'_>) {
    let RobustTensor { shape, epsilon, groups, increment, out } = args;
    let (nx, delta, per_epsilon2) = (shape.size[0], components::<D>(increment), 1.0 / (epsilon * epsilon));
    cpu.split_rows(components_mut::<E>(out), nx, 4 * shape.len(), |row, mut out| {
        let delta = delta.map(|delta| &delta[row * nx..][..nx]);
        for (nth, group) in groups.iter().enumerate() {
            let entry = |e: usize| &group.tensor[e].host()[row * nx..][..nx];
            let (tensor, tt, factors) = (std::array::from_fn(entry), entry(E), [group.gain, per_epsilon2]);
            match nth {
                0 => add_weighed::<D, E, true>(tensor, tt, delta, factors, &mut out),
                _ => add_weighed::<D, E, false>(tensor, tt, delta, factors, &mut out),
            }
        }
    });
}

/// Adds a constraint, or writes the `FIRST`, times `gain · ψ'((δ, 1)ᵀ J (δ, 1))`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_weighed<const D: usize, const E: usize, const FIRST: bool>(
    tensor: [&[f32]; E],
    tt: &[f32],
    delta: [&[f32]; D],
    [gain, per_epsilon2]: [f32; 2],
    out: &mut [&mut [f32]; E],
) {
    for x in (0..delta[0].len()).step_by(LANES) {
        let mut j = [Lanes::splat(0.0); E];
        for e in 0..E {
            j[e] = Lanes::load_or_zero(tensor[e], x);
        }
        let mut step = [Lanes::splat(0.0); D];
        for c in 0..D {
            step[c] = Lanes::load_or_zero(delta[c], x);
        }
        let mut residual = Lanes::load_or_zero(tt, x);
        let mut entry = 0;
        for r in 0..D {
            for c in r..D {
                let twice = if r == c { 1.0 } else { 2.0 };
                residual = residual + Lanes::splat(twice) * j[entry] * step[r] * step[c];
                entry += 1;
            }
        }
        for r in 0..D {
            residual = residual - Lanes::splat(2.0) * j[entry + r] * step[r];
        }
        let root = Lanes::splat(1.0) + residual.max(0.0) * Lanes::splat(per_epsilon2);
        let psi = Lanes::splat(gain) / root.sqrt();
        for e in 0..E {
            let before = if FIRST { Lanes::splat(0.0) } else { Lanes::load_or_zero(out[e], x) };
            (before + j[e] * psi).store_what_fits(out[e], x);
        }
    }
}
