//! Processor text of [`super::NodalConfidence`].

use super::NodalConfidence;
use crate::elements::lattice::Elements;
use crate::elements::projection::{Power, Row, along_x, gather, line, sum_rows};
use crate::elements::state::accepted_set;
use veloxel_gpu::Cpu;

pub(super) fn confidence<const D: usize>(cpu: &Cpu, args: NodalConfidence<'_>) {
    let (elements, state) = (args.elements, args.state.host());
    let (nx, n, problems) = (elements.shape.size[0], elements.shape.len(), elements.problems);
    let count = elements.controls_of_problem();
    let set = |problem: usize| accepted_set(state, problem) * problems + problem;
    let (residual, slopes) = (args.residual.host(), args.slopes.host());
    // The first component is the squared residual, the second counts pixels.
    let of_residuals = |at: Row, out: &mut [f32]| {
        let begin = set(at.problem) * n + at.row * nx;
        match at.component {
            0 => out.iter_mut().zip(&residual[begin..]).for_each(|(out, r)| *out = r * r),
            _ => out.fill(1.0),
        }
    };
    let of_slopes = |at: Row, out: &mut [f32]| {
        let begin = (set(at.problem) * D + at.component) * n + at.row * nx;
        out.iter_mut().zip(&slopes[begin..]).for_each(|(out, s)| *out = s * s);
    };
    let gathered = |fill: &(dyn Fn(Row, &mut [f32]) + Sync)| {
        let mut along_x = vec![0.0; elements.row_sums()];
        sum_rows(cpu, elements, &|_| true, fill, &mut along_x);
        let mut sums = vec![0.0; problems * D * count];
        gather(cpu, elements, Power::One, &|_| true, &along_x, &mut sums);
        sums
    };
    let (sums, squares) = (gathered(&of_residuals), gathered(&of_slopes));
    let [least, least_slope] = args.least;
    cpu.split_samples(args.variance.host_mut(), 8, |range, out| {
        for (index, out) in range.zip(out) {
            let (problem, i) = (index / count, index % count);
            let [residuals, pixels] = [0, 1].map(|c| sums[(problem * D + c) * count + i]);
            let per_pixel = if pixels > 0.0 { 1.0 / pixels } else { 0.0 };
            let mean = residuals * per_pixel;
            let of = |c: usize| 1.0 / (squares[(problem * D + c) * count + i] * per_pixel + least_slope);
            let inverse = (0..D).fold(0.0, |sum, c| sum + of(c));
            *out = args.share * mean.max(least) * inverse;
        }
    });
    let (variance, per_half2) = (args.variance.host(), 1.0 / (args.half_edges * args.half_edges));
    let rows = elements.shape.rows();
    cpu.split_rows([args.confidence.host_mut()], nx, 4 * elements.pixels(), |index, [out]| {
        let (problem, row) = (index / rows, index % rows);
        error_row::<D>(elements, &variance[problem * count..(problem + 1) * count], row, out);
        out.iter_mut().for_each(|v| *v = 1.0 / (1.0 + *v * per_half2));
    });
}

/// e² of a row of pixels.
fn error_row<const D: usize>(elements: &Elements, variance: &[f32], row: usize, out: &mut [f32]) {
    let mut along_y = vec![0.0; elements.controls()[0]];
    line(elements, variance, row, &mut along_y);
    along_x(&elements.axis(0), &along_y, out);
}
