//! Processor text of [`super::LeastSquaresProduct`].

use super::LeastSquaresProduct;
use crate::elements::lattice::Elements;
use crate::elements::projection::{Power, Row, along_x, line, partial_sums, project};
use crate::elements::smoothing::smooth;
use crate::elements::state::{DAMPING, STATE, accepted_set};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

pub(super) fn product<const D: usize>(cpu: &Cpu, args: LeastSquaresProduct<'_>) {
    let (elements, state) = (args.elements, args.state.host());
    let (problems, unknowns) = (elements.problems, elements.unknowns());
    let (n, nx) = (elements.shape.len(), elements.shape.size[0]);
    let ratios = args.progress.ratios(elements, state);
    let takes = |problem: usize| !ratios[problem].is_done;
    let accepted = |problem: usize| accepted_set(state, problem) * problems + problem;
    let direction = args.direction.host_mut();
    for problem in (0..problems).filter(|&p| takes(p)) {
        let (own, beta) = (problem * unknowns..(problem + 1) * unknowns, ratios[problem].beta);
        let (z, before) = (&args.preconditioned.host()[own.clone()], &args.before.host()[own.clone()]);
        for (i, p) in direction[own].iter_mut().enumerate() {
            *p = if beta == 0.0 { z[i] } else { z[i] + beta * before[i] };
        }
    }
    let direction = &*direction;
    let slopes = args.slopes.host();
    let slopes_of = |problem: usize| {
        let begin = accepted(problem) * D * n;
        &slopes[begin..begin + D * n]
    };
    give_back::<D>(cpu, (elements, &takes), (direction, &slopes_of), args.between.host_mut());
    let between = args.between.host();
    let fill = |at: Row, out: &mut [f32]| {
        let begin = (at.problem * D + at.component) * n + at.row * nx;
        out.copy_from_slice(&between[begin..begin + nx]);
    };
    let product = args.product.host_mut();
    project::<D>(cpu, (elements, Power::One, &takes), fill, product);
    let mut smoothed = vec![0.0; problems * unknowns];
    let begin = |unit: usize| unit * elements.controls_of_problem();
    smooth::<D>(cpu, (elements, &args.smoothness, &takes), begin, (direction, &mut smoothed));
    for problem in (0..problems).filter(|&p| takes(p)) {
        let damping = state[STATE * problem + DAMPING];
        let (own, set) = (problem * unknowns, accepted(problem) * unknowns);
        let diagonal = &args.diagonal.host()[set..set + unknowns];
        for i in 0..unknowns {
            let undamped = product[own + i] + smoothed[own + i];
            product[own + i] = undamped + damping * diagonal[i] * direction[own + i];
        }
    }
    let product = &*product;
    let curvature = |problem: usize, i: usize| {
        let i = problem * unknowns + i;
        direction[i] * product[i]
    };
    partial_sums(cpu, (unknowns, &takes), curvature, args.curvature.host_mut());
}

/// q of every pixel.
fn give_back<'s, const D: usize>(
    cpu: &Cpu,
    (elements, takes): (&Elements, &(impl Fn(usize) -> bool + Sync)),
    (direction, slopes): (&[f32], &(impl Fn(usize) -> &'s [f32] + Sync)),
    between: &mut [f32],
) {
    let (n, nx, rows) = (elements.shape.len(), elements.shape.size[0], elements.shape.rows());
    let per_component = elements.controls_of_problem();
    let axis = elements.axis(0);
    let between = Shared::new(between);
    cpu.split(elements.problems * rows, 6 * D * elements.pixels(), |jobs| {
        let mut along_y = vec![0.0; elements.controls()[0]];
        let mut along = vec![0.0; (D + 1) * nx];
        for (problem, row) in jobs.map(|job| (job / rows, job % rows)).filter(|(p, _)| takes(*p)) {
            let slopes: [&[f32]; D] = std::array::from_fn(|c| &slopes(problem)[c * n + row * nx..][..nx]);
            let (sum, parts) = along.split_at_mut(nx);
            for (c, part) in parts.chunks_exact_mut(nx).enumerate() {
                let begin = (problem * D + c) * per_component;
                line::<D>(elements, &direction[begin..begin + per_component], row, &mut along_y);
                along_x(&axis, &along_y, part);
                for (x, sum) in sum.iter_mut().enumerate() {
                    let product = slopes[c][x] * part[x];
                    *sum = if c == 0 { product } else { *sum + product };
                }
            }
            for (c, slopes) in slopes.iter().enumerate() {
                let begin = (problem * D + c) * n + row * nx;
                // SAFETY: every row is written by one thread.
                let out = unsafe { between.get_mut(begin..begin + nx) };
                out.iter_mut().zip(slopes.iter().zip(&*sum)).for_each(|(out, (s, t))| *out = s * t);
            }
        }
    });
}
