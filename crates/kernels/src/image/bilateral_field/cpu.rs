//! Processor text of [`super::BilateralField`]: it takes one row at a time, and for it one neighbour of all its voxels after
//! the other.

use super::{BilateralField, LEAST_CONFIDENCE};
use crate::shared::exponential::exponential;
use crate::shared::rows::{cut, split_rows};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::Axes;
use veloxel_gpu::rows::{components, components_mut, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn bilateral_field<const D: usize>(cpu: &Cpu, args: BilateralField<'_>) {
    let ([nx, ny, nz], window) = (args.shape.size, args.window);
    let radii = window.radii(args.shape);
    let voxels: usize = radii.iter().map(|r| 2 * r + 1).product();
    let weight = args.weight.map(Buffer::host);
    let inputs = Inputs {
        field: components::<D>(args.field),
        confidence: args.confidence.host(),
        guide: args.guide.host(),
    };
    let mut outputs: Vec<&mut [f32]> = components_mut::<D>(args.out).into();
    outputs.push(args.out_confidence.host_mut());
    let cost = 8 * voxels * args.shape.len();
    let finish = |x: usize, sums: &Sums<'_, D>| -> Option<([f32; D], f32)> {
        let support = sums.certain[x] / sums.all[x];
        let is_unknown = inputs.field[0][sums.first + x].is_nan();
        let fills = support >= window.fill_from && weight.is_none_or(|weight| weight[sums.first + x] > 0.0);
        let confidence =
            if is_unknown { window.fill_share * support } else { inputs.confidence[sums.first + x] };
        let is_known = sums.total[x] > 0.0 && (!is_unknown || fills);
        is_known.then(|| (std::array::from_fn(|c| sums.field[c][x] / sums.total[x]), confidence))
    };
    split_rows(cpu, outputs, nx, cost, |row, mut out| {
        let (y, z) = (row % ny, row / ny);
        with_scratch((3 + D) * nx, |scratch| {
            scratch.fill(0.0);
            let mut rows = scratch.chunks_exact_mut(nx);
            let mut next = || rows.next().unwrap_or_default();
            let mut sums = Sums {
                total: next(),
                certain: next(),
                all: next(),
                field: std::array::from_fn(|_| next()),
                first: row * nx,
            };
            for (w, v) in cut(z, radii[2], nz).flat_map(|w| cut(y, radii[1], ny).map(move |v| (w, v))) {
                for offset in -(radii[0] as isize)..=radii[0] as isize {
                    let off = [offset as f32, v as f32 - y as f32, w as f32 - z as f32];
                    inputs.add(off, window.exponents(), (w * ny + v) * nx, &mut sums);
                }
            }
            for x in 0..nx {
                let (vector, confidence) = finish(x, &sums).unwrap_or(([f32::NAN; D], 0.0));
                for (out, value) in out.iter_mut().zip(vector.into_iter().chain([confidence])) {
                    out[x] = value;
                }
            }
        });
    });
}

struct Inputs<'a, const D: usize> {
    field: [&'a [f32]; D],
    confidence: &'a [f32],
    guide: &'a [f32],
}

/// The sums of a row.
struct Sums<'a, const D: usize> {
    total: &'a mut [f32],
    certain: &'a mut [f32],
    all: &'a mut [f32],
    field: [&'a mut [f32]; D],
    /// The row's first voxel.
    first: usize,
}

impl<const D: usize> Inputs<'_, D> {
    /// Adds the neighbours of a row's voxels at the offset `off`, which lie in the row that begins at `line`.
    fn add(&self, off: Axes<f32>, exponents: [f32; 2], line: usize, sums: &mut Sums<'_, D>) {
        let (nx, offset) = (sums.total.len() as isize, off[0] as isize);
        let (low, high) = ((-offset).clamp(0, nx) as usize, (nx - offset).clamp(0, nx) as usize);
        if low < high {
            let from = (line as isize + low as isize + offset) as usize;
            let apart = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
            add_line(self, [apart * exponents[0], exponents[1]], from, low..high, sums);
        }
    }
}

/// Adds the neighbours from `from` on, which follow each other, to the sums of some columns.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_line<const D: usize>(
    inputs: &Inputs<'_, D>,
    [apart, alike]: [f32; 2],
    from: usize,
    columns: Range<usize>,
    sums: &mut Sums<'_, D>,
) {
    let (first, n) = (columns.start, columns.len());
    let here = &inputs.guide[sums.first + first..][..n];
    let (guide, confidence) = (&inputs.guide[from..][..n], &inputs.confidence[from..][..n]);
    let field = inputs.field.map(|field| &field[from..][..n]);
    let (total, certain) = (&mut sums.total[first..][..n], &mut sums.certain[first..][..n]);
    let all = &mut sums.all[first..][..n];
    let out = sums.field.each_mut().map(|field| &mut field[first..][..n]);
    for i in 0..n {
        let unlike = here[i] - guide[i];
        let near = exponential(apart + unlike * unlike * alike);
        all[i] += near;
        let is_known = !field[0][i].is_nan();
        let own = if confidence[i] < 0.0 { 0.0 } else { confidence[i] };
        let share = if is_known { near * (own + LEAST_CONFIDENCE) } else { 0.0 };
        certain[i] += if is_known { near * own } else { 0.0 };
        total[i] += share;
        for c in 0..D {
            out[c][i] += if is_known { share * field[c][i] } else { 0.0 };
        }
    }
}
