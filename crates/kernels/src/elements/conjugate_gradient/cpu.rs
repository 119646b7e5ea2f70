//! Processor texts of [`super::Decide`] and [`super::Advance`].

use super::{Advance, Decide, Judgement, Rule, SUMS};
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
    let residual = args.residual.host_mut();
    let controls = args.controls.host_mut();
    for problem in (0..problems).filter(|&p| is_active(next, p)) {
        let (set, damping) = (accepted_set(next, problem), next[STATE * problem + DAMPING]);
        let sets = [set, 1 - set].map(|set| (set * problems + problem) * unknowns);
        let own = problem * unknowns..(problem + 1) * unknowns;
        let gradient = &args.gradient.host()[sets[0]..][..unknowns];
        if args.rule.is_descent() {
            for (i, g) in gradient.iter().enumerate() {
                controls[sets[1] + i] = controls[sets[0] + i] + damping * -g;
            }
            continue;
        }
        controls.copy_within(sets[0]..sets[0] + unknowns, sets[1]);
        args.step.host_mut()[own.clone()].fill(0.0);
        residual[own].iter_mut().zip(gradient).for_each(|(r, g)| *r = -g);
    }
    let (residual, diagonal) = (&*residual, args.diagonal.host());
    let takes = |problem: usize| is_active(next, problem) && !args.rule.is_descent();
    let product = |problem: usize, i: usize| {
        let r = residual[problem * unknowns + i];
        let diagonal = diagonal[(accepted_set(next, problem) * problems + problem) * unknowns + i];
        r * over(r, diagonal * (1.0 + next[STATE * problem + DAMPING]))
    };
    partial_sums(cpu, unknowns, &takes, product, args.progress.host_mut());
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

pub(super) fn advance(args: Advance<'_>) {
    let (elements, unknowns, state) = (args.elements, args.elements.unknowns(), args.state.host());
    let problems = elements.problems;
    let (square, bent) = args.sums.host()[..].split_at(args.sums.len() / SUMS);
    let bent = &bent[..square.len()];
    let (step, direction, controls) = (args.step.host(), args.direction.host(), args.controls.host_mut());
    for problem in (0..problems).filter(|&p| is_active(state, p)) {
        let [square, bent] = [square, bent].map(|sums| total(sums, problem, problems));
        let length = if bent > 0.0 { square / bent } else { 0.0 };
        let set = accepted_set(state, problem);
        let sets = [set, 1 - set].map(|set| (set * problems + problem) * unknowns);
        for i in 0..unknowns {
            let own = problem * unknowns + i;
            let x = if length == 0.0 { step[own] } else { step[own] + length * direction[own] };
            controls[sets[1] + i] = controls[sets[0] + i] + x;
        }
    }
}
