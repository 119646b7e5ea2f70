//! Processor text of [`super::relax`](fn@super::relax).

use super::Operator;
use super::cpu::{Row, Rows, scratch_rows};
use super::uniform::{Uniform, gather_and_invert, own_padded, update};
use super::wavefront::follow;
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, prefetch, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

pub(super) fn relax(cpu: &Cpu, operator: &Operator<'_>, (x, rhs): (&mut [Buffer], &[Buffer]), omega: f32) {
    match operator.shape.components() {
        2 => relax_in::<2>(cpu, operator, (x, rhs), omega),
        _ => relax_in::<3>(cpu, operator, (x, rhs), omega),
    }
}

/// What one pass updates; passes of a sweep together update every voxel once.
#[derive(Clone, Copy)]
enum Pass {
    /// Rows with this parity of `y + z`: even x, then odd x, while the row is in the cache.
    Rows(usize),
    /// Voxels with this parity of `x + y + z`: the consistent order that over-relaxation needs (Young 1954).
    Chequer(usize),
    /// Rows with the first parity of `y + z`, there voxels with the second parity of `x + z`: the four colours that
    /// mixed differences need, which couple (y, z) to (y ± 1, z ± 1).
    Quarter(usize, usize),
}

impl Pass {
    fn takes_row(self, y: usize, z: usize) -> bool {
        match self {
            Self::Rows(parity) | Self::Quarter(parity, _) => (y + z) % 2 == parity,
            Self::Chequer(_) => true,
        }
    }
    /// Rows from one that the pass takes to the next of the same plane.
    fn stride(self) -> usize {
        if matches!(self, Self::Chequer(_)) { 1 } else { 2 }
    }
    /// Parities of x, in order.
    fn order(self, y: usize, z: usize) -> &'static [usize] {
        let one = |parity: usize| &[0, 1][parity % 2..=parity % 2];
        match self {
            Self::Rows(_) => &[0, 1],
            Self::Chequer(colour) => one(colour + y + z),
            Self::Quarter(_, colour) => one(colour + z),
        }
    }
}

fn relax_in<const D: usize>(
    cpu: &Cpu,
    operator: &Operator<'_>,
    (x, rhs): (&mut [Buffer], &[Buffer]),
    omega: f32,
) {
    let shared: Vec<Shared<'_>> = x.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let sweep = Sweep::<D> { operator, x: &shared, rhs: std::array::from_fn(|c| rhs[c].host()), omega };
    follow(cpu, operator.shape, sweep.passes(), |steps| sweep.update(steps));
}

/// One sweep's operands.
struct Sweep<'a, const D: usize> {
    operator: &'a Operator<'a>,
    x: &'a [Shared<'a>],
    rhs: [&'a [f32]; D],
    omega: f32,
}

impl<const D: usize> Sweep<'_, D> {
    /// What the sweep consists of.
    fn passes(&self) -> &'static [Pass] {
        if self.operator.volume_weight.is_some() {
            &[Pass::Quarter(0, 0), Pass::Quarter(0, 1), Pass::Quarter(1, 0), Pass::Quarter(1, 1)]
        } else if self.omega > 1.0 {
            &[Pass::Chequer(0), Pass::Chequer(1)]
        } else {
            &[Pass::Rows(0), Pass::Rows(1)]
        }
    }

    /// Asks for what the pass's next row brings in: too long a way for the processor to guess.
    fn prefetch_after(&self, pass: Pass, row: usize) {
        let [nx, ny, _] = self.operator.shape.size;
        let next = row + pass.stride();
        let above = (next + ny) * nx;
        if next + ny >= self.operator.shape.rows() {
            return;
        }
        let span = next * nx..(next + 1) * nx;
        if !matches!(pass, Pass::Rows(1)) {
            self.x.iter().for_each(|x| x.prefetch(above..above + nx));
        }
        tensor_row::<D>(self.operator, span.clone()).into_iter().for_each(prefetch);
        self.rhs.iter().for_each(|r| prefetch(&r[span.clone()]));
    }

    /// Updates what passes take of rows; nobody else touches these rows and writes those beside them meanwhile.
    fn update(&self, steps: &mut dyn Iterator<Item = (Pass, usize)>) {
        let ny = self.operator.shape.size[1];
        let steps = steps.filter(|(pass, row)| pass.takes_row(row % ny, row / ny));
        match Uniform::of(self.operator) {
            Some(uniform) => self.update_uniform(&uniform, steps),
            None => self.update_general(steps),
        }
    }

    /// [`Self::update`] where springs are the same everywhere.
    fn update_uniform(&self, uniform: &Uniform, steps: impl Iterator<Item = (Pass, usize)>) {
        let [nx, ny, _] = self.operator.shape.size;
        let entries = D * (D + 1) / 2;
        with_scratch((1 + D + entries + 2 * D) * nx + 4 * D, |scratch| {
            let (along_x, scratch) = scratch.split_at_mut(nx);
            let (base, scratch) = scratch.split_at_mut(D * nx);
            let (inverse, scratch) = scratch.split_at_mut(entries * nx);
            let (before, half_way) = scratch.split_at_mut(D * own_padded(nx));
            half_way.fill(0.0);
            uniform.springs_along_x(along_x);
            for (pass, row) in steps {
                // SAFETY: `follow` hands this thread the row and lets nobody write the rows beside it.
                let around = unsafe { uniform.around(self.operator, (self.x, self.rhs_row(row)), row) };
                around.pad(before);
                gather_and_invert(&around, (along_x, pass.stride() * nx), (base, inverse));
                let system = (&*inverse, &*base, uniform.spring_x());
                // SAFETY: as above; `around` is not used any more.
                let own = std::array::from_fn(|c| unsafe { self.x[c].get_mut(row * nx..(row + 1) * nx) });
                let only =
                    |parity: usize| std::array::from_fn(|p| if p == parity { self.omega } else { 0.0 });
                match *pass.order(row % ny, row / ny) {
                    [first, second] => {
                        let mut halves = half_way.chunks_exact_mut(own_padded(nx));
                        let inner: [&mut [f32]; D] = std::array::from_fn(|_| {
                            halves.next().map_or(&mut [][..], |half| &mut half[1..=nx])
                        });
                        update::<D>(before, system, only(first), inner);
                        update::<D>(half_way, system, only(second), own);
                    }
                    [parity] => update::<D>(before, system, only(parity), own),
                    _ => {}
                }
            }
        });
    }

    fn rhs_row(&self, row: usize) -> [&[f32]; D] {
        let nx = self.operator.shape.size[0];
        self.rhs.map(|rhs| &rhs[row * nx..(row + 1) * nx])
    }

    /// [`Self::update`] where springs differ, or rows are shorter than a vector.
    fn update_general(&self, steps: impl Iterator<Item = (Pass, usize)>) {
        let (operator, nx) = (self.operator, self.operator.shape.size[0]);
        let ny = operator.shape.size[1];
        let rows = Rows::new(operator);
        let entries = D * (D + 1) / 2;
        with_scratch((scratch_rows(D) + entries + 4) * nx + 2, |scratch| {
            let (gathered, scratch) = scratch.split_at_mut(scratch_rows(D) * nx);
            let (inverse, scratch) = scratch.split_at_mut(entries * nx);
            let (sums, padded) = scratch.split_at_mut(3 * nx);
            let mut row_system = Row::new::<D>(gathered, nx);
            for (pass, row) in steps {
                let span = row * nx..(row + 1) * nx;
                // SAFETY: `follow` hands this thread the row and lets nobody write the rows beside it.
                unsafe { rows.gather::<D>(self.x, (self.rhs_row(row), row), &mut row_system) };
                self.prefetch_after(pass, row);
                invert::<D>(tensor_row::<D>(operator, span.clone()), &row_system, inverse);
                for &odd in pass.order(row % ny, row / ny) {
                    for (c, sum) in sums.chunks_exact_mut(nx).enumerate().take(D) {
                        // SAFETY: as above.
                        let own = unsafe { self.x[c].get(span.clone()) };
                        rows.add_along_x((&row_system, c), own, padded, sum);
                    }
                    // SAFETY: as above.
                    let own = |c: usize| unsafe { self.x[c].get_mut(span.clone()) };
                    if D == 2 {
                        update2((inverse, sums), (odd, self.omega), own(0), own(1));
                    } else {
                        update3((inverse, sums), (odd, self.omega), own(0), (own(1), own(2)));
                    }
                }
            }
        });
    }
}

/// The tensor's entries of a row; empty without a tensor.
pub(super) fn tensor_row<'a, const D: usize>(
    operator: &Operator<'a>,
    span: std::ops::Range<usize>,
) -> [&'a [f32]; 6] {
    let entries = D * (D + 1) / 2;
    std::array::from_fn(|e| match operator.tensor {
        Some(tensor) if e < entries => &tensor[e].host()[span.clone()],
        _ => &[],
    })
}

/// Inverts the diagonal block of every voxel of a row: `inverse` holds the entries as the tensor does.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn invert<const D: usize>(tensor: [&[f32]; 6], row: &Row<'_>, inverse: &mut [f32]) {
    let n = row.left.len();
    let diag: [&[f32]; D] = std::array::from_fn(|c| &row.diag[c][..n]);
    if tensor[0].is_empty() {
        inverse.fill(0.0);
        let diagonal: [usize; D] = std::array::from_fn(|c| c * (2 * D + 1 - c) / 2);
        for c in 0..D {
            let out = &mut inverse[diagonal[c] * n..][..n];
            for i in 0..n {
                out[i] = 1.0 / diag[c][i].max(f32::MIN_POSITIVE);
            }
        }
        return;
    }
    let (i0, rest) = inverse.split_at_mut(n);
    let (i1, rest) = rest.split_at_mut(n);
    let (i2, rest) = rest.split_at_mut(n);
    let j: [&[f32]; 6] =
        std::array::from_fn(|e| if e < D * (D + 1) / 2 { &tensor[e][..n] } else { tensor[0] });
    if D == 2 {
        for i in 0..n {
            let (a, b, c) = (j[0][i] + diag[0][i], j[1][i], j[2][i] + diag[1][i]);
            let scale = 1.0 / (a * c - b * b).max(f32::MIN_POSITIVE);
            i0[i] = c * scale;
            i1[i] = -b * scale;
            i2[i] = a * scale;
        }
    } else {
        let (i3, rest) = rest.split_at_mut(n);
        let (i4, i5) = rest.split_at_mut(n);
        let i5 = &mut i5[..n];
        for i in 0..n {
            let (a, b, c) = (j[0][i] + diag[0][i], j[1][i], j[2][i]);
            let (d, e, f) = (j[3][i] + diag[1][i], j[4][i], j[5][i] + diag[2 % D][i]);
            let (c00, c01, c02) = (d * f - e * e, c * e - b * f, b * e - c * d);
            let scale = 1.0 / (a * c00 + b * c01 + c * c02).max(f32::MIN_POSITIVE);
            i0[i] = c00 * scale;
            i1[i] = c01 * scale;
            i2[i] = c02 * scale;
            i3[i] = (a * f - c * c) * scale;
            i4[i] = (b * c - a * e) * scale;
            i5[i] = (a * d - b * b) * scale;
        }
    }
}

/// `x += ω (block inverse · sums − x)` at the voxels of one parity, two components.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn update2((inverse, sums): (&[f32], &[f32]), (odd, omega): (usize, f32), x: &mut [f32], y: &mut [f32]) {
    let n = x.len();
    let y = &mut y[..n];
    let m: [&[f32]; 3] = std::array::from_fn(|e| &inverse[e * n..][..n]);
    let s: [&[f32]; 2] = std::array::from_fn(|c| &sums[c * n..][..n]);
    for i in 0..n {
        let (a, b) = (s[0][i], s[1][i]);
        let change = [m[0][i] * a - x[i] + m[1][i] * b, m[1][i] * a - y[i] + m[2][i] * b];
        let step = if i % 2 == odd { omega } else { 0.0 };
        x[i] += step * change[0];
        y[i] += step * change[1];
    }
}

/// `x += ω (block inverse · sums − x)` at the voxels of one parity, three components.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn update3(
    (inverse, sums): (&[f32], &[f32]),
    (odd, omega): (usize, f32),
    x: &mut [f32],
    (y, z): (&mut [f32], &mut [f32]),
) {
    let n = x.len();
    let (y, z) = (&mut y[..n], &mut z[..n]);
    let m: [&[f32]; 6] = std::array::from_fn(|e| &inverse[e * n..][..n]);
    let s: [&[f32]; 3] = std::array::from_fn(|c| &sums[c * n..][..n]);
    for i in 0..n {
        let (a, b, c) = (s[0][i], s[1][i], s[2][i]);
        let change = [
            m[0][i] * a - x[i] + m[1][i] * b + m[2][i] * c,
            m[1][i] * a - y[i] + m[3][i] * b + m[4][i] * c,
            m[2][i] * a - z[i] + m[4][i] * b + m[5][i] * c,
        ];
        let step = if i % 2 == odd { omega } else { 0.0 };
        x[i] += step * change[0];
        y[i] += step * change[1];
        z[i] += step * change[2];
    }
}
