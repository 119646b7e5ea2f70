//! Processor text of [`super::MatchedBrightness`].

use super::{GAINS, MIDDLE, MatchedBrightness, SUMS};
use crate::elements::projection::partial_sums;
use crate::elements::state::{accepted_set, is_active};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Cpu, reduction_groups};

pub(super) fn matched_brightness(cpu: &Cpu, args: MatchedBrightness<'_>) {
    let (elements, state) = (args.elements, args.state.host());
    let (n, problems) = (elements.shape.len(), elements.problems);
    let takes = |problem: usize| is_active(state, problem);
    let trial = |problem: usize| (1 - accepted_set(state, problem)) * problems + problem;
    let (fixed, residual, per_gain) = (args.fixed.host(), args.residual.host(), 1.0 / args.gain);
    let weight = args.weight.map(|weight| weight.host());
    let squared = |i: usize| weight.map_or(1.0, |weight| weight[i] * weight[i]);
    let groups = reduction_groups(n);
    let sums = args.sums.host_mut();
    for (which, sums) in sums.chunks_exact_mut(problems * groups).enumerate() {
        let value = |problem: usize, i: usize| {
            let f = fixed[problem * n + i] - MIDDLE;
            let r = residual[trial(problem) * n + i];
            let m = f + per_gain * r;
            let p = if r == 0.0 { 0.0 } else { squared(problem * n + i) };
            [p, p * f, p * m, (p * m) * m, (p * m) * f][which]
        };
        partial_sums(cpu, n, &takes, value, sums);
    }
    let [matched, weights] = [args.matched, args.matched_weight].map(|out| Shared::new(out.host_mut()));
    for problem in (0..problems).filter(|&problem| takes(problem)) {
        let total = |which: usize| {
            let begin = (which * problems + problem) * groups;
            sums[begin..begin + groups].iter().fold(0.0, |sum, part| sum + part)
        };
        let (gain, offset) = best(std::array::from_fn(total));
        let per_best = 1.0 / gain;
        cpu.split(n, 4 * n, |range| {
            // SAFETY: ranges are disjoint.
            let [matched, weights] = [&matched, &weights]
                .map(|out| unsafe { out.get_mut(problem * n + range.start..problem * n + range.end) });
            for ((i, matched), out) in range.zip(matched).zip(weights) {
                let i = problem * n + i;
                *matched = MIDDLE + per_best * (fixed[i] - MIDDLE - offset);
                *out = gain * weight.map_or(1.0, |weight| weight[i]);
            }
        });
    }
}

/// Gain and offset that leave least, about the middle of the range.
fn best([count, f, m, mm, mf]: [f32; SUMS]) -> (f32, f32) {
    if count <= 0.0 {
        return (1.0, 0.0);
    }
    let per_count = 1.0 / count;
    let (mean_f, mean_m) = (per_count * f, per_count * m);
    let variance = per_count * mm - mean_m * mean_m;
    let covariance = per_count * mf - mean_m * mean_f;
    let gain = match variance > 0.0 {
        true => (covariance / variance).clamp(GAINS[0], GAINS[1]),
        false => 1.0,
    };
    (gain, mean_f - gain * mean_m)
}
