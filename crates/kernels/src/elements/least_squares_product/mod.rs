//! An iteration of the conjugate gradients: the next direction, and the Gauss-Newton matrix times it, without the matrix.
//!
//! ```text
//! α = rᵀz / pᵀy        r ← r − α y        x ← x + α p        z = r / diag (1 + λ)        p ← z + β p
//! q_c(X) = s_c Σ_d s_d p_d(X)        y = Σ_X q ψ_i + K p + λ diag p
//! rᵀz ← rᵀz − 2 α zᵀy + α² yᵀz(y),     β = that over what it was
//! ```
//!
//! Two launches: tiles of rows move on to the new direction, interpolate it at their pixels and sum q along x; control points
//! gather these sums. So that nothing waits for a sum between them, `rᵀ z` follows from the four sums that the product leaves
//! (Chronopoulos and Gear, J. Comput. Appl. Math. 25, 1989); it is summed anew every time, and its error does not grow.
//! An element of 4×4 pixels reads 32 slopes; assembled, a node of a picture had 36 blocks of 4×4 numbers. *In*: slopes and
//! diagonal of the accepted set. *Out*: r and p of this iteration, x of the one before, y, and partial sums of `rᵀz`, `pᵀy`,
//! `zᵀy` and `yᵀz(y)` for each workgroup, 0 where a problem is done.

mod cpu;

use super::gpu_block::{self, ELEMENTS, GATHERING, ROWS};
use super::lattice::Elements;
use super::row_tiles::RowTiles;
use super::state::{STATE, Smoothness};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LINE, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static ALONG_ROWS: ShaderSource =
    super::wgsl!("least_squares_rows", [LINE, SUM, ELEMENTS, ROWS], "least_squares_rows.wgsl");
static UNKNOWNS: ShaderSource =
    super::wgsl!("least_squares_product", [LINE, ELEMENTS, GATHERING], "least_squares_product.wgsl");

/// Partial sums of an iteration for every workgroup: `rᵀz`, `pᵀy`, `zᵀy` and `yᵀz(y)`.
pub const SUMS: usize = 4;

/// Goes one iteration further.
#[derive(Debug)]
pub struct LeastSquaresProduct<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// Weights of the Sobolev term.
    pub smoothness: Smoothness,
    /// [`super::state`].
    pub state: &'a Buffer,
    /// s: two sets.
    pub slopes: &'a Buffer,
    /// The matrix' diagonal: two sets.
    pub diagonal: &'a Buffer,
    /// Partial sums of `rᵀz` before the first iteration.
    pub first: &'a Buffer,
    /// Those of the iteration before, [`SUMS`] columns; none at the first.
    pub before: Option<&'a Buffer>,
    /// A problem is done when `√(rᵀ z)` is at most so many times that of the first iteration.
    pub tolerance: f32,
    /// r and p of the iteration before.
    pub last: [&'a Buffer; 2],
    /// r and p.
    pub next: [&'a mut Buffer; 2],
    /// x.
    pub step: &'a mut Buffer,
    /// Sums of q along the rows.
    pub row_sums: &'a mut Buffer,
    /// Of every problem: 1 until it is done.
    pub going: &'a mut Buffer,
    /// y of the iteration before, and then of this one.
    pub product: &'a mut Buffer,
    /// Partial sums of this iteration.
    pub sums: &'a mut Buffer,
}

impl Kernel for LeastSquaresProduct<'_> {
    const NAME: &'static str = "least_squares_product";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (e, d) = (self.elements, self.elements.components());
        let (all, sums) = (e.problems * e.unknowns(), e.problems * reduction_groups(e.unknowns()));
        lengths.of("state", self.state, STATE * e.problems).of("slopes", self.slopes, 2 * d * e.pixels());
        lengths.of("diagonal", self.diagonal, 2 * all).of("first", self.first, sums);
        lengths.optional("before", self.before, SUMS * sums).of("sums", self.sums, SUMS * sums);
        lengths.of("last residual", self.last[0], all).of("last direction", self.last[1], all);
        lengths.of("residual", self.next[0], all).of("direction", self.next[1], all);
        lengths.of("step", self.step, all).of("product", self.product, all);
        lengths.of("row sums", self.row_sums, e.row_sums()).of("going", self.going, e.problems);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, cpu::product(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (elements, tiles) = (self.elements, RowTiles::of(self.elements));
        let is_first = f32::from(u8::from(self.before.is_none()));
        let block = gpu_block::lattice(elements, &Smoothness::NONE);
        let uniform = block.f4([self.tolerance * self.tolerance, is_first]);
        let [residual, direction] = self.next;
        let launch = gpu_block::launch(gpu, &ALONG_ROWS, "least_squares_rows", elements, uniform, self.state);
        tiles
            .constants(launch)
            .input(self.first)
            .optional(self.before)
            .reads([self.last[0], self.product, self.last[1], self.diagonal, self.slopes])
            .writes([residual, direction, self.step, self.row_sums, self.going])
            .run(tiles.workgroups(elements.problems))?;
        let uniform = gpu_block::lattice(elements, &self.smoothness);
        gpu_block::launch(gpu, &UNKNOWNS, "least_squares_product", elements, uniform, self.state)
            .reads([self.going, self.row_sums, self.diagonal, residual, direction])
            .writes([self.product, self.sums])
            .run(gpu_block::groups(elements, elements.unknowns()))
    }
}
