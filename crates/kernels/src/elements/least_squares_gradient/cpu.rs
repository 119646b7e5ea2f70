//! Processor text of [`super::LeastSquaresGradient`].

use super::LeastSquaresGradient;
use crate::elements::projection::{Power, gather, partial_sums};
use crate::elements::smoothing::{diagonal, smooth};
use crate::elements::state::{accepted_set, is_active};
use veloxel_gpu::Cpu;

pub(super) fn gradient<const D: usize>(cpu: &Cpu, args: LeastSquaresGradient<'_>) {
    let (elements, state) = (args.elements, args.state.host());
    let problems = elements.problems;
    let (unknowns, per_component) = (elements.unknowns(), elements.controls_of_problem());
    let takes = |problem: usize| is_active(state, problem);
    let trial = |problem: usize| (1 - accepted_set(state, problem)) * problems + problem;
    let controls = args.controls.host();
    let (products, row_squares) = args.row_sums.host().split_at(elements.row_sums());
    let mut data = vec![0.0; problems * unknowns];
    gather(cpu, elements, Power::One, &takes, products, &mut data);
    let mut squares = vec![0.0; problems * unknowns];
    gather(cpu, elements, Power::Two, &takes, row_squares, &mut squares);
    let mut smoothed = vec![0.0; problems * unknowns];
    let begin = |unit: usize| trial(unit / D) * unknowns + unit % D * per_component;
    smooth(cpu, elements, &args.smoothness, &takes, begin, controls, &mut smoothed);
    smoothed.iter_mut().for_each(|v| *v *= args.elastic);
    let [cx, cy, _] = elements.controls();
    let (gradient, diagonals) = (args.gradient.host_mut(), args.diagonal.host_mut());
    for problem in (0..problems).filter(|&p| takes(p)) {
        let (own, set) = (problem * unknowns, trial(problem) * unknowns);
        for i in 0..unknowns {
            gradient[set + i] = data[own + i] + smoothed[own + i];
        }
        for k in 0..per_component {
            let smooth = diagonal(elements, &args.smoothness, [k % cx, k / cx % cy, k / cx / cy]);
            for i in (k..unknowns).step_by(per_component) {
                diagonals[set + i] = squares[own + i] + smooth;
            }
        }
    }
    let energy =
        |problem: usize, i: usize| controls[trial(problem) * unknowns + i] * smoothed[problem * unknowns + i];
    partial_sums(cpu, unknowns, &takes, energy, args.energy.host_mut());
}
