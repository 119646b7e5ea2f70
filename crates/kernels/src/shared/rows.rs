//! Rows of a grid: rows of several outputs, neighbouring rows, cells between voxels, parts of windows, and loops over samples.

use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// Splits rows as [`Cpu::split_rows`] does, for a number of outputs, all of one length, that is known only at run time.
pub(crate) fn split_rows(
    cpu: &Cpu,
    outputs: Vec<&mut [f32]>,
    width: usize,
    samples: usize,
    work: impl Fn(usize, Vec<&mut [f32]>) + Sync,
) {
    let count = outputs.first().map_or(0, |out| out.len() / width);
    let outputs: Vec<Shared<'_>> = outputs.into_iter().map(Shared::new).collect();
    cpu.split(count, samples, |rows| {
        for row in rows {
            let span = row * width..(row + 1) * width;
            // SAFETY: `split` hands every row to exactly one call.
            work(row, outputs.iter().map(|out| unsafe { out.get_mut(span.clone()) }).collect());
        }
    });
}

/// The part of a window that lies inside an axis of `count` samples.
pub(crate) fn cut(at: usize, radius: usize, count: usize) -> Range<usize> {
    at.saturating_sub(radius)..(at + radius + 1).min(count)
}

/// The rows before and after a row along y (axis 1) or z (axis 2); none beyond the border.
pub(crate) fn beside(shape: Shape, row: usize, axis: usize) -> [Option<usize>; 2] {
    let [_, ny, nz] = shape.size;
    let (at, count, stride) = if axis == 1 { (row % ny, ny, 1) } else { (row / ny, nz, ny) };
    [(at > 0).then(|| row - stride), (at + 1 < count).then(|| row + stride)]
}

/// The rows before and after a row along y or z; beyond the border the row itself.
pub(crate) fn replicated(shape: Shape, row: usize, axis: usize) -> [usize; 2] {
    beside(shape, row, axis).map(|to| to.unwrap_or(row))
}

/// The voxel below a position along an axis of `count` voxels, and the weight of the voxel above; positions outside move to the
/// border.
#[inline(always)]
pub(crate) fn cell(at: f32, count: usize) -> (usize, f32) {
    let clamped = at.clamp(0.0, (count - 1) as f32);
    let low = (clamped as usize).min(count.max(2) - 2);
    (low, clamped - low as f32)
}

/// Loops over the samples of rows that are as long as the last one, compiled for every instruction set.
macro_rules! row_loops {
    ($(
        $(#[$page:meta])*
        fn $name:ident([$($row:ident),*] $(, $scalar:ident: $type:ty)*; $out:ident) |$i:ident| $body:expr;
    )*) => {$(
        $(#[$page])*
        #[multiversion::multiversion(
            targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon")
        )]
        pub(crate) fn $name($($row: &[f32],)* $($scalar: $type,)* $out: &mut [f32]) {
            let n = $out.len();
            $(let $row = &$row[..n];)*
            for $i in 0..n {
                $body;
            }
        }
    )*};
}
pub(crate) use row_loops;

row_loops! {
    fn add([a]; out) |i| out[i] += a[i];
    fn add_scaled([a], scale: f32; out) |i| out[i] += scale * a[i];
    fn add_product([a, b]; out) |i| out[i] += a[i] * b[i];
    fn multiply([a]; out) |i| out[i] *= a[i];
    fn scaled_difference([a, b], scale: f32; out) |i| out[i] = scale * (a[i] - b[i]);
}

/// The weighted sum of four rows.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(crate) fn sum_of_four(rows: [&[f32]; 4], weights: [f32; 4], out: &mut [f32]) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (k, out) in out.iter_mut().enumerate() {
        *out = weights[0] * rows[0][k]
            + weights[1] * rows[1][k]
            + weights[2] * rows[2][k]
            + weights[3] * rows[3][k];
    }
}
