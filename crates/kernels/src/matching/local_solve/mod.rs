//! The displacement that a window's constraints agree on: `δ = (J + λ I)⁻¹ b` (Lucas & Kanade 1981), solved for every voxel
//! separately.
//!
//! *In*: the window's spatial entries (11, 12, 22 or 11, 12, 13, 22, 23, 33), then b, as
//! [`crate::variational::motion_tensor`] writes them. *Out*: δ, in the unit that derivatives are per (edges).
//! In a window with a single edge λ keeps the motion along that edge at 0. Where there is no contrast δ is 0.
//! *Where the determinant is not above 0*, which rounding can cause without λ, δ is 0. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::LINE;
use multiversion::multiversion;
use veloxel_core::Shape;
use veloxel_gpu::rows::{Shared, components_mut, ranges_mut};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("local solve", Bindings, [LINE], "local_solve.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, ridge: f32, },
        /// The entries 11, 12, 22, b1, b2; or 11, 12, 13, 22, 23, 33, b1, b2, b3.
        tensor[t_0, t_1, t_2, t_3, t_4, t_5, t_6, t_7, t_8]: read f32,
        out[out_x, out_y, out_z]: write f32,
    }
}

/// Solves the equations of every voxel.
#[derive(Debug)]
pub struct LocalSolve<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// The ridge λ, in the unit of the entries.
    pub ridge: f32,
    /// Spatial entries, then the right-hand side; further buffers are not read.
    pub tensor: &'a [Buffer],
    /// The increment δ.
    pub increment: &'a mut [Buffer],
}

impl Kernel for LocalSolve<'_> {
    const NAME: &'static str = "local_solve";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries() + d;
        lengths.count("tensor", self.tensor.len(), entries..=usize::MAX);
        lengths.field("tensor", self.tensor, self.tensor.len(), n).field("increment", self.increment, d, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, local_solve(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (n, d) = (self.shape.len(), self.shape.components());
        let block = Block { count: n, ridge: self.ridge };
        let tensor = &self.tensor[..self.shape.tensor_entries() + d];
        gpu.launch_in(d, &SOURCE, "local_solve")
            .bind(&Bindings { block, tensor, out: self.increment })
            .run(line(n, 256))
    }
}

fn local_solve<const D: usize>(cpu: &Cpu, args: LocalSolve<'_>) {
    let n = args.shape.len();
    let tensor: Vec<&[f32]> = args.tensor.iter().map(Buffer::host).collect();
    let out = components_mut::<D>(args.increment).map(Shared::new);
    cpu.split(n, 4 * n, |range| {
        // SAFETY: ranges are disjoint.
        let mut out = unsafe { ranges_mut(&out, range.clone()) };
        let entry = |e: usize| &tensor[e][range.clone()];
        match D {
            2 => solve_plane(std::array::from_fn(entry), args.ridge, &mut out),
            _ => solve_space(std::array::from_fn(entry), args.ridge, &mut out),
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn solve_plane(entries: [&[f32]; 5], ridge: f32, out: &mut [&mut [f32]]) {
    let [x, y] = out else { return };
    let n = x.len();
    let [j11, j12, j22, b1, b2] = entries.map(|e| &e[..n]);
    let y = &mut y[..n];
    for i in 0..n {
        let (p, q, r) = (j11[i] + ridge, j12[i], j22[i] + ridge);
        let determinant = p * r - q * q;
        let is_sound = determinant > 0.0;
        let divisor = if is_sound { determinant } else { 1.0 };
        let (dx, dy) = ((r * b1[i] - q * b2[i]) / divisor, (p * b2[i] - q * b1[i]) / divisor);
        x[i] = if is_sound { dx } else { 0.0 };
        y[i] = if is_sound { dy } else { 0.0 };
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn solve_space(entries: [&[f32]; 9], ridge: f32, out: &mut [&mut [f32]]) {
    let n = out[0].len();
    let [j11, j12, j13, j22, j23, j33, b1, b2, b3] = entries.map(|e| &e[..n]);
    for i in 0..n {
        let (p, q, r) = (j11[i] + ridge, j12[i], j13[i]);
        let (s, t, u) = (j22[i] + ridge, j23[i], j33[i] + ridge);
        // Minors.
        let (a, b, c) = (s * u - t * t, r * t - q * u, q * t - r * s);
        let (d, e, f) = (p * u - r * r, q * r - p * t, p * s - q * q);
        let determinant = p * a + q * b + r * c;
        let is_sound = determinant > 0.0;
        let divisor = if is_sound { determinant } else { 1.0 };
        let found = [
            (a * b1[i] + b * b2[i] + c * b3[i]) / divisor,
            (b * b1[i] + d * b2[i] + e * b3[i]) / divisor,
            (c * b1[i] + e * b2[i] + f * b3[i]) / divisor,
        ];
        for (out, found) in out.iter_mut().zip(found) {
            out[i] = if is_sound { found } else { 0.0 };
        }
    }
}
