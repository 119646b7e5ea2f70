//! One row of the operator: what its neighbours contribute, gathered once for relaxation and residual alike.
//!
//! For row `r` the operator splits into `A x = (J + diag) x − (x neighbours) − base`: `base` holds everything that comes
//! from other rows, `diag` the springs' total, `left` and `right` the springs to the row's own x neighbours.

use super::Operator;
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::rows::Shared;

/// Scratch that [`Row::new`] cuts up, in units of the row length, for `D` components.
pub(super) const fn scratch_rows(components: usize) -> usize {
    // base and diagonal of every component, springs along x of the smoothness and of the volume term, three to work in
    2 * components + 4 + 3
}

/// A gathered row: slices of scratch, each as long as a row, reused from row to row.
pub(super) struct Row<'s> {
    pub base: Vec3<'s>,
    pub diag: Vec3<'s>,
    pub left: &'s mut [f32],
    pub right: &'s mut [f32],
    /// Extra springs of the x component along x (volume term).
    pub volume_left: &'s mut [f32],
    pub volume_right: &'s mut [f32],
    work: &'s mut [f32],
}

/// Up to three rows.
pub(super) type Vec3<'s> = [&'s mut [f32]; 3];

/// The operator, seen from its rows.
pub(super) struct Rows<'a> {
    pub operator: &'a Operator<'a>,
    /// α / s_a².
    spring: Axes<f32>,
    /// 1 / s_a.
    per_spacing: Axes<f32>,
}

impl<'a> Rows<'a> {
    pub fn new(operator: &'a Operator<'a>) -> Self {
        let s = operator.spacing_edges;
        Self { operator, spring: s.map(|s| operator.alpha / (s * s)), per_spacing: s.map(|s| 1.0 / s) }
    }

    /// The row at a step along y or z, or none beyond the border.
    fn step(&self, row: usize, axis: usize, forward: bool) -> Option<usize> {
        let [_, ny, nz] = self.operator.shape.size;
        let (at, count, stride) = if axis == 1 { (row % ny, ny, 1) } else { (row / ny, nz, ny) };
        if forward { (at + 1 < count).then(|| row + stride) } else { (at > 0).then(|| row - stride) }
    }

    fn slice<'b>(&self, samples: &'b [f32], row: usize) -> &'b [f32] {
        let nx = self.operator.shape.size[0];
        &samples[row * nx..][..nx]
    }

    /// Gathers row `row` of the system with right-hand side `rhs`.
    ///
    /// # Safety
    /// Nobody writes rows of `x` that this row's stencil reads.
    pub unsafe fn gather<const D: usize>(
        &self,
        x: &[Shared<'_>],
        (rhs, row): ([&[f32]; D], usize),
        out: &mut Row<'_>,
    ) {
        let nx = self.operator.shape.size[0];
        // SAFETY: forwarded.
        let field = |c: usize, row: usize| unsafe { x[c].get(row * nx..(row + 1) * nx) };
        match self.operator.diffusivity {
            None => self.equal_springs::<D>(row, (&field, rhs), out),
            Some(psi) => self.springs::<D>(row, (&field, rhs, psi.host()), out),
        }
        if let Some(weight) = self.operator.volume_weight {
            self.volume::<D>(row, (weight.host(), &field), out);
        }
    }

    /// `out =` the base of component `c` and what the row's own neighbours along x bring; springs across the border are 0.
    ///
    /// `padded` takes a copy of `x` between two zeros: loops over whole rows leave no odd ends.
    pub fn add_along_x(&self, (row, c): (&Row<'_>, usize), x: &[f32], padded: &mut [f32], out: &mut [f32]) {
        let n = x.len();
        padded[0] = 0.0;
        padded[1..=n].copy_from_slice(x);
        padded[n + 1] = 0.0;
        let (before, after) = (&padded[..n], &padded[2..n + 2]);
        if self.operator.diffusivity.is_some() {
            out.copy_from_slice(row.base[c]);
            add_product(before, row.left, out);
            add_product(after, row.right, out);
        } else {
            equal_sum(before, after, row.base[c], self.spring[0], out);
        }
        if c == 0 && self.operator.volume_weight.is_some() {
            add_x_neighbours(x, (row.volume_left, row.volume_right), out);
        }
    }

    /// Diffusion with the same spring everywhere: one loop a component.
    fn equal_springs<'f, const D: usize>(
        &self,
        row: usize,
        (field, rhs): (&impl Fn(usize, usize) -> &'f [f32], [&[f32]; D]),
        out: &mut Row<'_>,
    ) {
        let n = out.left.len();
        out.left.fill(self.spring[0]);
        out.right.fill(self.spring[0]);
        out.left[0] = 0.0;
        out.right[n - 1] = 0.0;
        // Beyond a border the row itself stands in, with weight 0.
        let mut near = [(row, 0.0); 4];
        for (slot, (axis, forward)) in [(1, false), (1, true), (2, false), (2, true)].into_iter().enumerate()
        {
            if let (true, Some(to)) = (axis < D, self.step(row, axis, forward)) {
                near[slot] = (to, self.spring[axis]);
            }
        }
        let total: f32 = near.iter().map(|n| n.1).sum();
        let [first, others @ ..] = &mut out.diag;
        sum_and_constant(out.left, out.right, total, first);
        for c in 0..D {
            let rows = near.map(|(to, _)| field(c, to));
            let weights = near.map(|n| n.1);
            weighted_sum(rhs[c], rows, weights, out.base[c]);
        }
        for other in others.iter_mut().take(D - 1) {
            other.copy_from_slice(first);
        }
    }

    /// Diffusion with a spring of its own between any two neighbours.
    fn springs<'f, const D: usize>(
        &self,
        row: usize,
        (field, rhs, psi): (&impl Fn(usize, usize) -> &'f [f32], [&[f32]; D], &[f32]),
        out: &mut Row<'_>,
    ) {
        let n = out.left.len();
        for c in 0..D {
            out.base[c].copy_from_slice(rhs[c]);
        }
        let own = self.slice(psi, row);
        edge_weights(&own[1..], &own[..n - 1], self.spring[0], &mut out.left[1..]);
        edge_weights(&own[..n - 1], &own[1..], self.spring[0], &mut out.right[..n - 1]);
        out.left[0] = 0.0;
        out.right[n - 1] = 0.0;
        let weight = &mut out.work[..n];
        let [diag, others @ ..] = &mut out.diag;
        sum_and_constant(out.left, out.right, 0.0, diag);
        for axis in 1..D {
            for forward in [false, true] {
                let Some(to) = self.step(row, axis, forward) else { continue };
                edge_weights(own, self.slice(psi, to), self.spring[axis], weight);
                add_scaled(weight, 1.0, diag);
                for c in 0..D {
                    add_product(field(c, to), weight, out.base[c]);
                }
            }
        }
        for other in others.iter_mut().take(D - 1) {
            other.copy_from_slice(diag);
        }
    }

    /// Volume preservation: springs along each component's own axis, and the mixed differences.
    fn volume<'f, const D: usize>(
        &self,
        row: usize,
        (weight, field): (&[f32], &impl Fn(usize, usize) -> &'f [f32]),
        out: &mut Row<'_>,
    ) {
        let n = self.operator.shape.size[0];
        let (edge, own) = out.work.split_at_mut(n);
        let (flux, difference) = own.split_at_mut(n);
        let w = |row: usize| self.slice(weight, row);
        // Own-axis springs: x …
        let g = self.per_spacing.map(|s| s * s);
        edge_weights(&w(row)[1..], &w(row)[..n - 1], g[0], &mut out.volume_left[1..]);
        edge_weights(&w(row)[..n - 1], &w(row)[1..], g[0], &mut out.volume_right[..n - 1]);
        out.volume_left[0] = 0.0;
        out.volume_right[n - 1] = 0.0;
        add_scaled(out.volume_left, 1.0, out.diag[0]);
        add_scaled(out.volume_right, 1.0, out.diag[0]);
        // … then y and z.
        for axis in 1..D {
            for forward in [false, true] {
                let Some(to) = self.step(row, axis, forward) else { continue };
                edge_weights(w(row), w(to), g[axis], edge);
                add_scaled(edge, 1.0, out.diag[axis]);
                add_product(field(axis, to), edge, out.base[axis]);
            }
        }
        // Mixed: base_c −= ∂_cᵀ [w Σ_{e≠c} ∂_e δ_e], central differences on replicated borders.
        let mut divergence_of_others = |row: usize, except: usize, flux: &mut [f32]| {
            flux.fill(0.0);
            for e in (0..D).filter(|&e| e != except) {
                self.central(row, e, (field, difference));
                add_scaled(difference, 1.0, flux);
            }
            multiply(w(row), flux);
        };
        for c in 0..D {
            let half = 0.5 * self.per_spacing[c];
            if c == 0 {
                divergence_of_others(row, 0, flux);
                adjoint_along_x(flux, half, out.base[0]);
                continue;
            }
            // The adjoint of a replicated border is an antisymmetric one: beyond it stands the row's own value, negated.
            for (forward, sign) in [(false, -half), (true, half)] {
                let (from, sign) = match self.step(row, c, forward) {
                    Some(to) => (to, sign),
                    None => (row, -sign),
                };
                divergence_of_others(from, c, flux);
                add_scaled(flux, sign, out.base[c]);
            }
        }
    }

    /// `∂_axis δ_axis` of a row: half the difference of the neighbours, replicated at the border.
    fn central<'f>(
        &self,
        row: usize,
        axis: usize,
        (field, out): (&impl Fn(usize, usize) -> &'f [f32], &mut [f32]),
    ) {
        let half = 0.5 * self.per_spacing[axis];
        if axis == 0 {
            return central_along_x(field(0, row), half, out);
        }
        let low = self.step(row, axis, false).unwrap_or(row);
        let high = self.step(row, axis, true).unwrap_or(row);
        scaled_difference(field(axis, high), field(axis, low), half, out);
    }
}

impl<'s> Row<'s> {
    /// Cuts `scratch_rows(D) · n` samples of scratch into the rows.
    pub fn new<const D: usize>(scratch: &'s mut [f32], n: usize) -> Self {
        let mut rest = scratch;
        let mut take = |len: usize| {
            let (head, tail) = std::mem::take(&mut rest).split_at_mut(len);
            rest = tail;
            head
        };
        let third = if D == 3 { n } else { 0 };
        let base = [take(n), take(n), take(third)];
        let diag = [take(n), take(n), take(third)];
        let (left, right, volume_left, volume_right) = (take(n), take(n), take(n), take(n));
        Self { base, diag, left, right, volume_left, volume_right, work: take(3 * n) }
    }
}

/// A loop over rows of equal length, compiled for every instruction set.
macro_rules! row_loop {
    ($(#[$doc:meta])* fn $name:ident([$($row:ident),*], $($scalar:ident)?; $out:ident) |$i:ident| $body:expr) => {
        $(#[$doc])*
        #[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
        pub(super) fn $name($($row: &[f32],)* $($scalar: f32,)? $out: &mut [f32]) {
            let n = $out.len();
            $(let $row = &$row[..n];)*
            for $i in 0..n {
                $body;
            }
        }
    };
}

row_loop! {
    /// `out = scale (a + b) / 2`: the spring between two voxels.
    fn edge_weights([a, b], scale; out) |i| out[i] = 0.5 * scale * (a[i] + b[i])
}
row_loop! { fn sum_and_constant([a, b], c; out) |i| out[i] = a[i] + b[i] + c }
row_loop! { fn add_scaled([a], scale; out) |i| out[i] += scale * a[i] }
row_loop! { fn add_product([a, b],; out) |i| out[i] += a[i] * b[i] }
row_loop! { fn multiply([a],; out) |i| out[i] *= a[i] }
row_loop! { fn scaled_difference([a, b], scale; out) |i| out[i] = scale * (a[i] - b[i]) }

/// `out = base + Σ weight · row`: a right-hand side and its four neighbours along y and z.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weighted_sum(base: &[f32], rows: [&[f32]; 4], w: [f32; 4], out: &mut [f32]) {
    let n = out.len();
    let (base, [a, b, c, d]) = (&base[..n], rows.map(|r| &r[..n]));
    for i in 0..n {
        out[i] = base[i] + w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
    }
}

/// Half differences along x, replicated at the border.
fn central_along_x(row: &[f32], half: f32, out: &mut [f32]) {
    let n = row.len();
    if n == 1 {
        out[0] = 0.0;
        return;
    }
    out[0] = half * (row[1] - row[0]);
    out[n - 1] = half * (row[n - 1] - row[n - 2]);
    scaled_difference(&row[2..], &row[..n - 2], half, &mut out[1..n - 1]);
}

/// `base −= ∂_xᵀ flux`, the adjoint of [`central_along_x`]: beyond a border stands the row's own value, negated.
pub(super) fn adjoint_along_x(flux: &[f32], half: f32, base: &mut [f32]) {
    let n = flux.len();
    base[0] += half * flux[0];
    add_scaled(&flux[..n - 1], -half, &mut base[1..]);
    add_scaled(&flux[1..], half, &mut base[..n - 1]);
    base[n - 1] -= half * flux[n - 1];
}

row_loop! {
    /// `out = base + spring (x[i−1] + x[i+1])`; rows of x begin one voxel before, and one after.
    fn equal_sum([before, after, base], spring; out) |i| out[i] = base[i] + spring * (before[i] + after[i])
}

/// `out += left · x[i−1] + right · x[i+1]`.
fn add_x_neighbours(x: &[f32], (left, right): (&[f32], &[f32]), out: &mut [f32]) {
    let n = x.len();
    for i in 0..n {
        let (l, r) = (if i > 0 { x[i - 1] } else { 0.0 }, if i + 1 < n { x[i + 1] } else { 0.0 });
        out[i] = out[i] + left[i] * l + right[i] * r;
    }
}
