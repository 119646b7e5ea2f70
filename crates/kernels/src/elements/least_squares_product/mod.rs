//! An iteration of the conjugate gradients: the next direction, and the Gauss-Newton matrix times it, without the matrix.
//!
//! ```text
//! α = rᵀz / pᵀy        r ← r − α y        x ← x + α p        z = r / diag (1 + λ)        p ← z + β p
//! q_c(X) = s_c Σ_d s_d p_d(X)        y = Σ_X q ψ_i + K p + λ diag p
//! rᵀz ← rᵀz − 2 α zᵀy + α² yᵀz(y),     β = that over what it was
//! ```
//!
//! Two launches: tiles of rows move on to the new direction, interpolate it at their pixels and sum q along x; control points
//! gather these sums. So that no launch waits for a sum between them, `rᵀ z` follows from the four sums that the product leaves
//! (Chronopoulos and Gear, J. Comput. Appl. Math. 25, 1989); it is summed anew in every iteration, so its error does not grow.
//! An element of 4×4 pixels reads 32 slopes; assembled, a node of a picture had 36 blocks of 4×4 numbers. *In*: slopes and
//! diagonal of the accepted set. *Out*: r and p of this iteration, x of the one before, y, and partial sums of `rᵀz`, `pᵀy`,
//! `zᵀy` and `yᵀz(y)` for each workgroup, 0 where a problem is done.

use super::gpu_block::{self, ELEMENTS, GATHERING, Lattice, ROWS, Tables};
use super::lattice::Elements;
use super::projection::{Power, Problems, over, sums_along_x, total, values_of_row};
use super::row_tiles::RowTiles;
use super::state::{STATE, Smoothness, States};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LINE, SUM};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static ALONG_ROWS: ShaderSource =
    wgsl!("least_squares_rows", RowsBindings, [LINE, SUM, ELEMENTS, ROWS], "least_squares_rows.wgsl");
static UNKNOWNS: ShaderSource = wgsl!(
    "least_squares_product",
    UnknownsBindings,
    [LINE, ELEMENTS, GATHERING],
    "least_squares_product.wgsl"
);

bindings! {
    /// What a launch along rows of pixels binds.
    struct RowsBindings<'a> {
        block: RowsBlock {
            lattice: Lattice,
            /// Square of the tolerance; 1 at the first iteration.
            limits: vec4<f32>,
        },
        tables: group Tables<'a>,
        at_first: read f32,
        sums_before: may_read f32,
        residual: read f32,
        product: read f32,
        direction: read f32,
        diagonal: read f32,
        slopes: read f32,
        next_residual: write f32,
        next_direction: write f32,
        step: write f32,
        row_sums: write f32,
        going: write f32,
    }
}

bindings! {
    /// What a launch over the unknowns binds.
    struct UnknownsBindings<'a> {
        block: UnknownsBlock { lattice: Lattice, },
        tables: group Tables<'a>,
        going: read f32,
        row_sums: read f32,
        diagonal: read f32,
        residual: read f32,
        direction: read f32,
        product: write f32,
        sums: write f32,
    }
}

/// Partial sums of an iteration for every workgroup: `rᵀz`, `pᵀy`, `zᵀy` and `yᵀz(y)`.
pub const SUMS: usize = 4;

/// Makes one iteration.
#[derive(Debug)]
pub struct LeastSquaresProduct<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// Weights of the Sobolev term.
    pub smoothness: Smoothness,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The slopes s: two sets.
    pub slopes: &'a Buffer,
    /// The matrix' diagonal: two sets.
    pub diagonal: &'a Buffer,
    /// Partial sums of `rᵀz` before the first iteration.
    pub first: &'a Buffer,
    /// Partial sums of the iteration before, [`SUMS`] columns; none at the first.
    pub before: Option<&'a Buffer>,
    /// A problem is done when `√(rᵀ z)` is at most this many times that of the first iteration.
    pub tolerance: f32,
    /// Residual r of the iteration before.
    pub last_residual: &'a Buffer,
    /// Direction p of the iteration before.
    pub last_direction: &'a Buffer,
    /// Residual r.
    pub residual: &'a mut Buffer,
    /// Direction p.
    pub direction: &'a mut Buffer,
    /// Solution x.
    pub step: &'a mut Buffer,
    /// Sums of q along the rows.
    pub row_sums: &'a mut Buffer,
    /// For every problem 1 until it is done.
    pub going: &'a mut Buffer,
    /// Product y of the iteration before, and then of this one.
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
        lengths.of("last residual", self.last_residual, all).of("last direction", self.last_direction, all);
        lengths.of("residual", self.residual, all).of("direction", self.direction, all);
        lengths.of("step", self.step, all).of("product", self.product, all);
        lengths.of("row sums", self.row_sums, e.row_sums()).of("going", self.going, e.problems);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, product(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (elements, tiles) = (self.elements, RowTiles::of(self.elements));
        let is_first = f32::from(u8::from(self.before.is_none()));
        let tables = Tables::of(elements, self.state);
        let (residual, direction) = (self.residual, self.direction);
        let along_rows = RowsBindings {
            block: RowsBlock {
                lattice: Lattice::without_smoothness(elements),
                limits: [self.tolerance * self.tolerance, is_first].into(),
            },
            tables,
            at_first: self.first,
            sums_before: self.before,
            residual: self.last_residual,
            product: self.product,
            direction: self.last_direction,
            diagonal: self.diagonal,
            slopes: self.slopes,
            next_residual: residual,
            next_direction: direction,
            step: self.step,
            row_sums: self.row_sums,
            going: self.going,
        };
        tiles
            .constants(gpu_block::launch(gpu, &ALONG_ROWS, "least_squares_rows", elements))
            .bind(&along_rows)
            .run(tiles.workgroups(elements.problems))?;
        let over_unknowns = UnknownsBindings {
            block: UnknownsBlock { lattice: Lattice::of(elements, &self.smoothness) },
            tables,
            going: self.going,
            row_sums: self.row_sums,
            diagonal: self.diagonal,
            residual,
            direction,
            product: self.product,
            sums: self.sums,
        };
        gpu_block::launch(gpu, &UNKNOWNS, "least_squares_product", elements)
            .bind(&over_unknowns)
            .run(gpu_block::groups(elements, elements.unknowns()))
    }
}

/// The ratios that follow from the sums of the iteration before.
#[derive(Debug, Clone, Copy)]
struct Ratios {
    alpha: f32,
    beta: f32,
    is_going: bool,
}

fn product<const D: usize>(cpu: &Cpu, args: LeastSquaresProduct<'_>) {
    let (elements, state) = (args.elements, States(args.state.host()));
    let (problems, unknowns) = (elements.problems, elements.unknowns());
    let ratios: Vec<Ratios> = (0..problems).map(|problem| ratios(&args, problem)).collect();
    let going = args.going.host_mut();
    going.iter_mut().zip(&ratios).for_each(|(going, r)| *going = f32::from(u8::from(r.is_going)));
    let takes = |problem: usize| ratios[problem].is_going;
    let damped = |problem: usize| 1.0 + state.damping(problem);
    let diagonal_of =
        |problem: usize| &args.diagonal.host()[state.accepted(problem) * unknowns..][..unknowns];
    let (residual, direction) = (args.residual.host_mut(), args.direction.host_mut());
    let (step, product) = (args.step.host_mut(), args.product.host_mut());
    for (problem, &Ratios { alpha, beta, is_going }) in ratios.iter().enumerate() {
        let own = problem * unknowns..(problem + 1) * unknowns;
        let [last_residual, last] =
            [args.last_residual, args.last_direction].map(|last| &last.host()[own.clone()]);
        if alpha != 0.0 {
            step[own.clone()].iter_mut().zip(last).for_each(|(x, p)| *x += alpha * p);
        }
        if is_going {
            let (y, diagonal, damped) = (&product[own.clone()], diagonal_of(problem), damped(problem));
            let (r, p) = (&mut residual[own.clone()], &mut direction[own]);
            for i in 0..unknowns {
                r[i] = if alpha == 0.0 { last_residual[i] } else { last_residual[i] - alpha * y[i] };
                let z = over(r[i], diagonal[i] * damped);
                p[i] = if beta == 0.0 { z } else { z + beta * last[i] };
            }
        }
    }
    let (residual, direction) = (&*residual, &*direction);
    let slopes_of = |problem: usize| {
        let len = D * elements.shape.len();
        &args.slopes.host()[state.accepted(problem) * len..][..len]
    };
    let going = Problems { cpu, elements, takes: &takes };
    sum_back::<D>(going, direction, &slopes_of, args.row_sums.host_mut());
    going.gather(Power::One, args.row_sums.host(), product);
    let mut smoothed = vec![0.0; problems * unknowns];
    let begin = |unit: usize| unit * elements.controls_of_problem();
    going.smooth(&args.smoothness, begin, direction, &mut smoothed);
    for problem in (0..problems).filter(|&p| takes(p)) {
        let (damping, diagonal) = (state.damping(problem), diagonal_of(problem));
        let own = problem * unknowns;
        for i in 0..unknowns {
            let undamped = product[own + i] + smoothed[own + i];
            product[own + i] = undamped + damping * diagonal[i] * direction[own + i];
        }
    }
    let z = |problem: usize, i: usize, r: f32| over(r, diagonal_of(problem)[i] * damped(problem));
    write_sums(going, [residual, direction, product], z, args.sums.host_mut());
}

/// Writes the partial sums of `rᵀz`, `pᵀy`, `zᵀy` and `yᵀz(y)`.
fn write_sums(
    going: Problems<'_>,
    [residual, direction, product]: [&[f32]; 3],
    z: impl Fn(usize, usize, f32) -> f32 + Sync,
    sums: &mut [f32],
) {
    let (unknowns, column) = (going.elements.unknowns(), sums.len() / SUMS);
    for (which, sums) in sums.chunks_exact_mut(column).enumerate() {
        let value = |problem: usize, i: usize| {
            let at = problem * unknowns + i;
            let (r, y) = (residual[at], product[at]);
            match which {
                0 => r * z(problem, i, r),
                1 => direction[at] * y,
                2 => z(problem, i, r) * y,
                _ => y * z(problem, i, y),
            }
        };
        going.partial_sums(unknowns, value, sums);
    }
}

fn ratios(args: &LeastSquaresProduct<'_>, problem: usize) -> Ratios {
    let problems = args.elements.problems;
    let first = total(args.first.host(), problem, problems);
    let (mut alpha, mut now, mut beta) = (0.0, first, 0.0);
    if let Some(before) = args.before {
        let column = before.len() / SUMS;
        let of = |which: usize| total(&before.host()[which * column..][..column], problem, problems);
        let [rz, py, zy, yy] = [0, 1, 2, 3].map(of);
        alpha = over(rz, py);
        now = rz - 2.0 * alpha * zy + alpha * alpha * yy;
        beta = over(now, rz);
    }
    let goes_on = now > args.tolerance * args.tolerance * first;
    Ratios { alpha, beta, is_going: States(args.state.host()).is_active(problem) && goes_on }
}

/// Sums of q along every row of pixels.
fn sum_back<'s, const D: usize>(
    of: Problems<'_>,
    direction: &[f32],
    slopes: &(impl Fn(usize) -> &'s [f32] + Sync),
    row_sums: &mut [f32],
) {
    let Problems { cpu, elements, takes } = of;
    let (n, nx, rows) = (elements.shape.len(), elements.shape.size[0], elements.shape.rows());
    let (per_component, cx) = (elements.controls_of_problem(), elements.controls()[0]);
    let axis = elements.axis(0);
    let row_sums = Shared::new(row_sums);
    cpu.split(elements.problems * rows, 10 * D * elements.pixels(), |jobs| {
        let (mut along, mut back) = (vec![0.0; (D + 1) * nx], vec![0.0; nx]);
        for (problem, row) in jobs.map(|job| (job / rows, job % rows)).filter(|(p, _)| takes(*p)) {
            let slopes: [&[f32]; D] = std::array::from_fn(|c| &slopes(problem)[c * n + row * nx..][..nx]);
            let (sum, parts) = along.split_at_mut(nx);
            for (c, part) in parts.chunks_exact_mut(nx).enumerate() {
                let begin = (problem * D + c) * per_component;
                values_of_row(elements, &direction[begin..begin + per_component], row, part);
                for (x, sum) in sum.iter_mut().enumerate() {
                    let product = slopes[c][x] * part[x];
                    *sum = if c == 0 { product } else { *sum + product };
                }
            }
            for (c, slopes) in slopes.iter().enumerate() {
                back.iter_mut().zip(slopes.iter().zip(&*sum)).for_each(|(out, (s, t))| *out = s * t);
                let begin = ((problem * D + c) * rows + row) * cx;
                // SAFETY: every row is written by one thread.
                sums_along_x(&axis, Power::One, &back, unsafe { row_sums.get_mut(begin..begin + cx) });
            }
        }
    });
}
