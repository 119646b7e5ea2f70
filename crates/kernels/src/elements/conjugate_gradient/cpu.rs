//! Processor texts of [`super::Decide`] and [`super::Advance`].

use super::{Advance, Decide, Judgement, Rule};
use crate::elements::projection::{partial_sums, total};
use crate::elements::state::{
    ACCEPTED_SET, ACTIVE, DAMPING, ENERGY, FIRST_ENERGY, REFUSED, SMOOTHNESS, STATE, TAKEN, UNKNOWN_ENERGY,
    accepted_set, is_active,
};
use veloxel_gpu::Cpu;

pub(super) fn decide(cpu: &Cpu, args: Decide<'_>) {
    let (elements, unknowns) = (args.elements, args.elements.unknowns());
    let problems = elements.problems;
    let (state, next) = (args.state.host(), args.next.host_mut());
    next.copy_from_slice(state);
    for (problem, own) in next.chunks_exact_mut(STATE).enumerate() {
        let [data, smoothness] = args.energy.map(|partials| total(partials.host(), problem, problems));
        judge(own, args.rule, [data + smoothness, smoothness]);
    }
    let next = &*next;
    let (residual, preconditioned) = (args.residual.host_mut(), args.preconditioned.host_mut());
    let controls = args.controls.host_mut();
    for problem in (0..problems).filter(|&p| is_active(next, p)) {
        let (set, damping) = (accepted_set(next, problem), next[STATE * problem + DAMPING]);
        let sets = [set, 1 - set].map(|set| (set * problems + problem) * unknowns);
        let own = problem * unknowns..(problem + 1) * unknowns;
        let [gradient, diagonal] = [args.gradient, args.diagonal].map(|b| &b.host()[sets[0]..][..unknowns]);
        if args.rule.is_descent() {
            for (i, g) in gradient.iter().enumerate() {
                controls[sets[1] + i] = controls[sets[0] + i] + damping * -g;
            }
            continue;
        }
        controls.copy_within(sets[0]..sets[0] + unknowns, sets[1]);
        args.step.host_mut()[own.clone()].fill(0.0);
        for ((r, z), (g, d)) in
            residual[own.clone()].iter_mut().zip(&mut preconditioned[own]).zip(gradient.iter().zip(diagonal))
        {
            *r = -g;
            *z = over(*r, d * (1.0 + damping));
        }
    }
    let takes = |problem: usize| is_active(next, problem) && !args.rule.is_descent();
    let product =
        |problem: usize, i: usize| residual[problem * unknowns + i] * preconditioned[problem * unknowns + i];
    partial_sums(cpu, (unknowns, &takes), product, args.progress.host_mut());
}

fn over(r: f32, damped: f32) -> f32 {
    if damped > 0.0 { r / damped } else { 0.0 }
}

/// The state of a problem after a trial of such an energy, with its smoothness.
fn judge(state: &mut [f32], rule: Rule, [energy, smoothness]: [f32; 2]) {
    let Judgement { accepted, refused, least, most, tolerance } = rule.judgement();
    if state[ACTIVE] == 0.0 {
        return;
    }
    let is_first = state[ENERGY] == UNKNOWN_ENERGY;
    if energy < state[ENERGY] {
        if is_first {
            state[FIRST_ENERGY] = energy;
        } else {
            let gained = state[ENERGY] - energy;
            state[DAMPING] = (state[DAMPING] * accepted).clamp(least, most);
            state[ACTIVE] = if gained > tolerance * energy { 1.0 } else { 0.0 };
        }
        state[ACCEPTED_SET] = 1.0 - state[ACCEPTED_SET];
        state[ENERGY] = energy;
        state[SMOOTHNESS] = smoothness;
        state[TAKEN] += 1.0;
    } else {
        state[DAMPING] *= refused;
        state[REFUSED] += 1.0;
        if is_first || state[DAMPING] > most || state[DAMPING] < least {
            state[ACTIVE] = 0.0;
        }
    }
}

pub(super) fn advance(cpu: &Cpu, args: Advance<'_>) {
    let (elements, unknowns, state) = (args.elements, args.elements.unknowns(), args.state.host());
    let problems = elements.problems;
    let ratios = args.progress.ratios(elements, state);
    let takes = |problem: usize| !ratios[problem].is_done;
    let (residual, preconditioned) = (args.residual.host_mut(), args.preconditioned.host_mut());
    let (step, controls) = (args.step.host_mut(), args.controls.host_mut());
    for problem in (0..problems).filter(|&p| takes(p)) {
        let bent = total(args.curvature.host(), problem, problems);
        let length = if bent > 0.0 { ratios[problem].now / bent } else { 0.0 };
        let (set, damping) = (accepted_set(state, problem), 1.0 + state[STATE * problem + DAMPING]);
        let sets = [set, 1 - set].map(|set| (set * problems + problem) * unknowns);
        let own = problem * unknowns..(problem + 1) * unknowns;
        let diagonal = &args.diagonal.host()[sets[0]..sets[0] + unknowns];
        let (p, y) = (&args.direction.host()[own.clone()], &args.product.host()[own.clone()]);
        let (x, r) = (&mut step[own.clone()], &mut residual[own.clone()]);
        let z = &mut preconditioned[own];
        for i in 0..unknowns {
            x[i] += length * p[i];
            r[i] -= length * y[i];
            z[i] = over(r[i], diagonal[i] * damping);
            controls[sets[1] + i] = controls[sets[0] + i] + x[i];
        }
    }
    let product =
        |problem: usize, i: usize| residual[problem * unknowns + i] * preconditioned[problem * unknowns + i];
    partial_sums(cpu, (unknowns, &takes), product, args.next.host_mut());
}
