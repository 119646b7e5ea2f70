//! Processor text of [`super::LeastSquaresProduct`].

use super::{LeastSquaresProduct, SUMS};
use crate::elements::lattice::Elements;
use crate::elements::projection::{
    Power, Taking, gather, over, partial_sums, sums_along_x, total, values_of_row,
};
use crate::elements::smoothing::smooth;
use crate::elements::state::States;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// What the sums of the iteration before say.
#[derive(Debug, Clone, Copy)]
struct Ratios {
    alpha: f32,
    beta: f32,
    is_going: bool,
}

pub(super) fn product<const D: usize>(cpu: &Cpu, args: LeastSquaresProduct<'_>) {
    let (elements, state) = (args.elements, States(args.state.host()));
    let (problems, unknowns) = (elements.problems, elements.unknowns());
    let ratios: Vec<Ratios> = (0..problems).map(|problem| ratios(&args, problem)).collect();
    let going = args.going.host_mut();
    going.iter_mut().zip(&ratios).for_each(|(going, r)| *going = f32::from(u8::from(r.is_going)));
    let takes = |problem: usize| ratios[problem].is_going;
    let damped = |problem: usize| 1.0 + state.damping(problem);
    let diagonal_of =
        |problem: usize| &args.diagonal.host()[state.accepted(problem) * unknowns..][..unknowns];
    let [residual, direction] = args.next.map(|next| next.host_mut());
    let (step, product) = (args.step.host_mut(), args.product.host_mut());
    for (problem, &Ratios { alpha, beta, is_going }) in ratios.iter().enumerate() {
        let own = problem * unknowns..(problem + 1) * unknowns;
        let [last_residual, last] = args.last.map(|last| &last.host()[own.clone()]);
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
    sum_back::<D>(cpu, elements, &takes, direction, &slopes_of, args.row_sums.host_mut());
    gather(cpu, elements, Power::One, &takes, args.row_sums.host(), product);
    let mut smoothed = vec![0.0; problems * unknowns];
    let begin = |unit: usize| unit * elements.controls_of_problem();
    smooth(cpu, elements, &args.smoothness, &takes, begin, direction, &mut smoothed);
    for problem in (0..problems).filter(|&p| takes(p)) {
        let (damping, diagonal) = (state.damping(problem), diagonal_of(problem));
        let own = problem * unknowns;
        for i in 0..unknowns {
            let undamped = product[own + i] + smoothed[own + i];
            product[own + i] = undamped + damping * diagonal[i] * direction[own + i];
        }
    }
    let z = |problem: usize, i: usize, r: f32| over(r, diagonal_of(problem)[i] * damped(problem));
    let vectors = Vectors { residual, direction, product, unknowns };
    vectors.write_sums(cpu, &takes, z, args.sums.host_mut());
}

/// r, p and y of all problems.
struct Vectors<'a> {
    residual: &'a [f32],
    direction: &'a [f32],
    product: &'a [f32],
    /// Of a problem.
    unknowns: usize,
}

impl Vectors<'_> {
    /// Partial sums of `rᵀz`, `pᵀy`, `zᵀy` and `yᵀz(y)`.
    fn write_sums(
        &self,
        cpu: &Cpu,
        takes: Taking<'_>,
        z: impl Fn(usize, usize, f32) -> f32 + Sync,
        sums: &mut [f32],
    ) {
        let column = sums.len() / SUMS;
        for (which, sums) in sums.chunks_exact_mut(column).enumerate() {
            let value = |problem: usize, i: usize| {
                let at = problem * self.unknowns + i;
                let (r, y) = (self.residual[at], self.product[at]);
                match which {
                    0 => r * z(problem, i, r),
                    1 => self.direction[at] * y,
                    2 => z(problem, i, r) * y,
                    _ => y * z(problem, i, y),
                }
            };
            partial_sums(cpu, self.unknowns, takes, value, sums);
        }
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

/// q of every row of pixels, summed along it.
fn sum_back<'s, const D: usize>(
    cpu: &Cpu,
    elements: &Elements,
    takes: Taking<'_>,
    direction: &[f32],
    slopes: &(impl Fn(usize) -> &'s [f32] + Sync),
    row_sums: &mut [f32],
) {
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
