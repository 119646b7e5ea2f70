//! Processor text of [`super::LeastSquaresProduct`].

use super::LeastSquaresProduct;
use crate::elements::lattice::Elements;
use crate::elements::projection::{Power, Taking, along_x, gather, line, partial_sums, sums_along_x, total};
use crate::elements::smoothing::smooth;
use crate::elements::state::{DAMPING, STATE, accepted_set, is_active};
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
    let (elements, state) = (args.elements, args.state.host());
    let (problems, unknowns) = (elements.problems, elements.unknowns());
    let ratios: Vec<Ratios> = (0..problems).map(|problem| ratios(&args, problem)).collect();
    let going = args.going.host_mut();
    going.iter_mut().zip(&ratios).for_each(|(going, r)| *going = f32::from(u8::from(r.is_going)));
    let takes = |problem: usize| ratios[problem].is_going;
    let accepted = |problem: usize| accepted_set(state, problem) * problems + problem;
    let damped = |problem: usize| 1.0 + state[STATE * problem + DAMPING];
    let diagonal_of = |problem: usize| &args.diagonal.host()[accepted(problem) * unknowns..][..unknowns];
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
    let slopes = args.slopes.host();
    let slopes_of = |problem: usize| {
        let begin = accepted(problem) * D * elements.shape.len();
        &slopes[begin..begin + D * elements.shape.len()]
    };
    sum_back::<D>(cpu, elements, &takes, direction, &slopes_of, args.row_sums.host_mut());
    gather(cpu, elements, Power::One, &takes, args.row_sums.host(), product);
    let mut smoothed = vec![0.0; problems * unknowns];
    let begin = |unit: usize| unit * elements.controls_of_problem();
    smooth(cpu, elements, &args.smoothness, &takes, begin, direction, &mut smoothed);
    for problem in (0..problems).filter(|&p| takes(p)) {
        let (damping, diagonal) = (state[STATE * problem + DAMPING], diagonal_of(problem));
        let own = problem * unknowns;
        for i in 0..unknowns {
            let undamped = product[own + i] + smoothed[own + i];
            product[own + i] = undamped + damping * diagonal[i] * direction[own + i];
        }
    }
    write_sums(
        cpu,
        elements,
        &takes,
        [residual, direction, product],
        &diagonal_of,
        &damped,
        args.sums.host_mut(),
    );
}

/// Partial sums of `rᵀz`, `pᵀy`, `zᵀy` and `yᵀz(y)`.
fn write_sums<'d>(
    cpu: &Cpu,
    elements: &Elements,
    takes: Taking<'_>,
    [residual, direction, product]: [&[f32]; 3],
    diagonal: &(impl Fn(usize) -> &'d [f32] + Sync),
    damped: &(impl Fn(usize) -> f32 + Sync),
    sums: &mut [f32],
) {
    let unknowns = elements.unknowns();
    let z = |problem: usize, i: usize, value: f32| over(value, diagonal(problem)[i] * damped(problem));
    let of = |which: usize| {
        move |problem: usize, i: usize| {
            let at = problem * unknowns + i;
            let (r, y) = (residual[at], product[at]);
            match which {
                0 => r * z(problem, i, r),
                1 => direction[at] * y,
                2 => z(problem, i, r) * y,
                _ => y * z(problem, i, y),
            }
        }
    };
    let column = sums.len() / super::SUMS;
    for (which, sums) in sums.chunks_exact_mut(column).enumerate() {
        partial_sums(cpu, unknowns, takes, of(which), sums);
    }
}

fn ratios(args: &LeastSquaresProduct<'_>, problem: usize) -> Ratios {
    let problems = args.elements.problems;
    let first = total(args.first.host(), problem, problems);
    let (mut alpha, mut now, mut beta) = (0.0, first, 0.0);
    if let Some(before) = args.before {
        let column = before.len() / super::SUMS;
        let of =
            |which: usize| total(&before.host()[which * column..(which + 1) * column], problem, problems);
        let [rz, py, zy, yy] = [0, 1, 2, 3].map(of);
        if py > 0.0 {
            alpha = rz / py;
        }
        now = rz - 2.0 * alpha * zy + alpha * alpha * yy;
        if rz > 0.0 {
            beta = now / rz;
        }
    }
    let goes_on = now > args.tolerance * args.tolerance * first;
    Ratios { alpha, beta, is_going: is_active(args.state.host(), problem) && goes_on }
}

fn over(r: f32, damped: f32) -> f32 {
    if damped > 0.0 { r / damped } else { 0.0 }
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
        let (mut along_y, mut back) = (vec![0.0; cx], vec![0.0; nx]);
        let mut along = vec![0.0; (D + 1) * nx];
        for (problem, row) in jobs.map(|job| (job / rows, job % rows)).filter(|(p, _)| takes(*p)) {
            let slopes: [&[f32]; D] = std::array::from_fn(|c| &slopes(problem)[c * n + row * nx..][..nx]);
            let (sum, parts) = along.split_at_mut(nx);
            for (c, part) in parts.chunks_exact_mut(nx).enumerate() {
                let begin = (problem * D + c) * per_component;
                line(elements, &direction[begin..begin + per_component], row, &mut along_y);
                along_x(&axis, &along_y, part);
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
