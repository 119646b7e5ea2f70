//! The decision of Levenberg-Marquardt, and the step that the conjugate gradients find between decisions.
//!
//! [`DecideTrial`] looks at the energy on trial: a lower one is accepted and the damping λ falls, a higher one is refused and λ
//! rises; a problem ends when an accepted step gains less than `tolerance` of its energy, or λ exceeds `most`. It then begins
//! `(H + λ diag H) x = −½ ∇E` with x = 0. [`super::least_squares_product`] iterates, preconditioned by the damped diagonal, and
//! [`AdvanceTrial`] writes the control points that are then on trial. Everything is decided on the device, so the number of launches
//! does not depend on the images; a problem that is done costs only the launches.
//!
//! Gradient descent ([`TrialRule::Descent`]) puts `P − s ½ ∇E` on trial; its step s takes the place of λ in the state, grows with
//! every accepted step and shrinks with every refused one.
//! *Sums*: in the order of workgroups, the same bits everywhere.

use super::gpu_block::{self, ELEMENTS, Lattice, Tables};
use super::lattice::Elements;
use super::least_squares_product::SUMS;
use super::projection::{Problems, over, total};
use super::row_tiles::row_partials;
use super::state::{
    ACCEPTED_SET, ACTIVE, DAMPING, ENERGY, FIRST_ENERGY, REFUSED, SMOOTHNESS, STATE, States, TAKEN,
    UNKNOWN_ENERGY,
};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, SUM};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static DECIDE: ShaderSource =
    wgsl!("decide", DecideBindings, [LINE, SUM, ELEMENTS, include_str!("no_sums.wgsl")], "decide.wgsl");
static ADVANCE: ShaderSource =
    wgsl!("advance", AdvanceBindings, [LINE, SUM, ELEMENTS, include_str!("no_sums.wgsl")], "advance.wgsl");

bindings! {
    /// What a launch of [`DecideTrial`] binds.
    struct DecideBindings<'a> {
        block: DecideBlock {
            lattice: Lattice,
            /// Factors of the damping after an accepted and a refused step, its least and its greatest value.
            damping: vec4<f32>,
            /// Share of the energy to gain; for gradient descent 1.
            limits: vec4<f32>,
        },
        tables: group Tables<'a>,
        energy_of_pixels: read f32,
        energy_of_unknowns: read f32,
        gradient: read f32,
        diagonal: read f32,
        next: write f32,
        controls: write f32,
        residual: write f32,
        step: write f32,
        progress: write f32,
    }
}

bindings! {
    /// What a launch of [`AdvanceTrial`] binds.
    struct AdvanceBindings<'a> {
        block: AdvanceBlock { lattice: Lattice, },
        tables: group Tables<'a>,
        sums: read f32,
        direction: read f32,
        step: read f32,
        controls: write f32,
    }
}

/// How a trial is judged, and what follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TrialRule {
    /// Levenberg-Marquardt.
    LevenbergMarquardt(TrialJudgement),
    /// Gradient descent.
    Descent(TrialJudgement),
}

/// How the damping follows the decisions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialJudgement {
    /// Factor of the damping (of a descent's step) after an accepted step.
    pub accepted: f32,
    /// Factor of the damping (of a descent's step) after a refused step.
    pub refused: f32,
    /// Least damping (least step of a descent).
    pub least: f32,
    /// Greatest damping; beyond it, or for a descent's step below the least, the problem ends.
    pub most: f32,
    /// Least share of the energy that an accepted step must gain; with a smaller gain the problem ends.
    pub tolerance: f32,
}

impl TrialRule {
    pub(super) fn judgement(&self) -> TrialJudgement {
        match *self {
            Self::LevenbergMarquardt(judgement) | Self::Descent(judgement) => judgement,
        }
    }
    pub(super) fn is_descent(&self) -> bool {
        matches!(self, Self::Descent(_))
    }
}

/// Judges the set on trial and begins the next step.
#[derive(Debug)]
pub struct DecideTrial<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The rule by which the trial is judged.
    pub rule: TrialRule,
    /// The [`super::state`] before the decision.
    pub state: &'a Buffer,
    /// Partial sums of r² of the set on trial.
    pub energy_of_pixels: &'a Buffer,
    /// Partial sums of `Pᵀ K P` of the set on trial.
    pub energy_of_unknowns: &'a Buffer,
    /// The half gradient ½ ∇E: two sets.
    pub gradient: &'a Buffer,
    /// The matrix' diagonal: two sets.
    pub diagonal: &'a Buffer,
    /// The state after the decision.
    pub next: &'a mut Buffer,
    /// The control points P: two sets; the set that is then on trial is written.
    pub controls: &'a mut Buffer,
    /// Residual r of the equations.
    pub residual: &'a mut Buffer,
    /// Solution x of the equations.
    pub step: &'a mut Buffer,
    /// Partial sums of `rᵀ z`.
    pub progress: &'a mut Buffer,
}

/// Ends the conjugate gradients: puts the step that they found on trial.
#[derive(Debug)]
pub struct AdvanceTrial<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// Partial sums of the last iteration, [`SUMS`] columns.
    pub sums: &'a Buffer,
    /// Direction p of the last iteration.
    pub direction: &'a Buffer,
    /// Solution x of the iteration before.
    pub step: &'a Buffer,
    /// The control points P: two sets; the set on trial is written.
    pub controls: &'a mut Buffer,
}

impl Kernel for DecideTrial<'_> {
    const NAME: &'static str = "decide";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        let all = e.problems * e.unknowns();
        lengths.of("state", self.state, STATE * e.problems).of("next", self.next, STATE * e.problems);
        lengths.of("energy of pixels", self.energy_of_pixels, row_partials(e));
        let sums = e.problems * reduction_groups(e.unknowns());
        lengths.of("energy of unknowns", self.energy_of_unknowns, sums).of("progress", self.progress, sums);
        lengths.of("gradient", self.gradient, 2 * all).of("diagonal", self.diagonal, 2 * all);
        lengths.of("controls", self.controls, 2 * all).of("residual", self.residual, all);
        lengths.of("step", self.step, all);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (elements, unknowns) = (self.elements, self.elements.unknowns());
        let problems = elements.problems;
        let (state, next) = (self.state.host(), self.next.host_mut());
        next.copy_from_slice(state);
        for (problem, own) in next.chunks_exact_mut(STATE).enumerate() {
            let total_of = |partials: &Buffer| total(partials.host(), problem, problems);
            let (data, smoothness) = (total_of(self.energy_of_pixels), total_of(self.energy_of_unknowns));
            judge(own, self.rule, [data + smoothness, smoothness]);
        }
        let next = States(next);
        let (residual, controls) = (self.residual.host_mut(), self.controls.host_mut());
        for problem in (0..problems).filter(|&p| next.is_active(p)) {
            let [accepted, trial] = [next.accepted(problem), next.trial(problem)].map(|set| set * unknowns);
            let own = problem * unknowns..(problem + 1) * unknowns;
            let gradient = &self.gradient.host()[accepted..][..unknowns];
            if self.rule.is_descent() {
                for (i, g) in gradient.iter().enumerate() {
                    controls[trial + i] = controls[accepted + i] + next.damping(problem) * -g;
                }
                continue;
            }
            controls.copy_within(accepted..accepted + unknowns, trial);
            self.step.host_mut()[own.clone()].fill(0.0);
            residual[own].iter_mut().zip(gradient).for_each(|(r, g)| *r = -g);
        }
        let (residual, diagonal) = (&*residual, self.diagonal.host());
        let takes = |problem: usize| next.is_active(problem) && !self.rule.is_descent();
        let product = |problem: usize, i: usize| {
            let r = residual[problem * unknowns + i];
            let diagonal = diagonal[next.accepted(problem) * unknowns + i];
            r * over(r, diagonal * (1.0 + next.damping(problem)))
        };
        let judged = Problems { cpu, elements, takes: &takes };
        judged.partial_sums(unknowns, product, self.progress.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let TrialJudgement { accepted, refused, least, most, tolerance } = self.rule.judgement();
        let descent = f32::from(u8::from(self.rule.is_descent()));
        let bindings = DecideBindings {
            block: DecideBlock {
                lattice: Lattice::without_smoothness(self.elements),
                damping: [accepted, refused, least, most].into(),
                limits: [tolerance, descent].into(),
            },
            tables: Tables::of(self.elements, self.state),
            energy_of_pixels: self.energy_of_pixels,
            energy_of_unknowns: self.energy_of_unknowns,
            gradient: self.gradient,
            diagonal: self.diagonal,
            next: self.next,
            controls: self.controls,
            residual: self.residual,
            step: self.step,
            progress: self.progress,
        };
        gpu_block::launch(gpu, &DECIDE, "decide", self.elements)
            .bind(&bindings)
            .run(gpu_block::groups(self.elements, self.elements.unknowns()))
    }
}

impl Kernel for AdvanceTrial<'_> {
    const NAME: &'static str = "advance";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        let (all, sums) = (e.problems * e.unknowns(), e.problems * reduction_groups(e.unknowns()));
        lengths.of("state", self.state, STATE * e.problems).of("sums", self.sums, SUMS * sums);
        lengths.of("direction", self.direction, all).of("step", self.step, all);
        lengths.of("controls", self.controls, 2 * all);
    }
    fn on_cpu(self, _: &Cpu) {
        let (problems, unknowns) = (self.elements.problems, self.elements.unknowns());
        let (state, column) = (States(self.state.host()), self.sums.len() / SUMS);
        let (step, direction, controls) = (self.step.host(), self.direction.host(), self.controls.host_mut());
        for problem in (0..problems).filter(|&p| state.is_active(p)) {
            let of = |which: usize| total(&self.sums.host()[which * column..][..column], problem, problems);
            let length = over(of(0), of(1));
            let [accepted, trial] = [state.accepted(problem), state.trial(problem)].map(|set| set * unknowns);
            for i in 0..unknowns {
                let own = problem * unknowns + i;
                let x = if length == 0.0 { step[own] } else { step[own] + length * direction[own] };
                controls[trial + i] = controls[accepted + i] + x;
            }
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { elements, state, sums, direction, step, controls } = self;
        let block = AdvanceBlock { lattice: Lattice::without_smoothness(elements) };
        let tables = Tables::of(elements, state);
        gpu_block::launch(gpu, &ADVANCE, "advance", elements)
            .bind(&AdvanceBindings { block, tables, sums, direction, step, controls })
            .run(gpu_block::groups(elements, elements.unknowns()))
    }
}

/// The state of a problem after a trial of such an energy, with its smoothness.
fn judge(state: &mut [f32], rule: TrialRule, [energy, smoothness]: [f32; 2]) {
    let TrialJudgement { accepted, refused, least, most, tolerance } = rule.judgement();
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
