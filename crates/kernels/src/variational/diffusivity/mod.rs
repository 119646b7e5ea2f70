//! Relative smoothness weight of each voxel: `ψ = exp(−κ |∇f|) / √(|∇d|² / ε² + 1)` or either factor alone.
//!
//! The penaliser is Charbonnier's on the total displacement, lagged and scaled to 1 for smooth fields; the exponential
//! lets motion break where the fixed image does (Alvarez et al. 1999).
//! `|∇d|²` is the mean of the squared forward and backward differences, summed over axes and components: symmetric
//! under flips. *Units*: displacements in edges, ε edges per edge, κ edges per intensity. *Border*: natural. *Halo*: 1 (2).

use crate::bindings::bindings;
use crate::image::gradient::Scheme;
use crate::image::gradient::cpu::{Difference, derivative_row};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, packed, wgsl};
use crate::shared::Pack;
use crate::shared::exponential::exponential;
use crate::shared::lanes::{LANES, Lanes, Pack as _};
use crate::shared::rows::{replicated, row_loops};
use crate::shared::{EXPONENTIAL, PACK1, PACK4, SIDES1, SIDES4};
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::{components, with_scratch};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover, tile};

const BODY: &str = include_str!("diffusivity.wgsl");
static SOURCES: [ShaderSource; 2] = [
    wgsl!("diffusivity", Bindings, [PACK1, SIDES1, EXPONENTIAL, BODY], "slope1.wgsl"),
    wgsl!("diffusivity", Bindings, [PACK4, SIDES4, EXPONENTIAL, BODY], "slope4.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Packs per row, rows per plane, planes.
            size: vec4<u32>,
            /// The factor ½ / (s ε)² per axis (x, y, z), where a squared difference is shared by the voxels on both sides; 1/12
            /// (w).
            share: vec4<f32>,
            /// The factor 1 / s per axis (x, y, z); κ (w).
            slope: vec4<f32>,
        },
        base[base_x, base_y, base_z]: read Pack,
        increment[increment_x, increment_y, increment_z]: read Pack,
        image: may_read Pack,
        out: write Pack,
    }
}

/// Number of planes that a GPU thread marches through; neighbours in them are looked up once.
const DEPTH: usize = 16;

/// An image at whose edges motion may break.
#[derive(Debug, Clone, Copy)]
pub struct ImageEdges<'a> {
    /// The exponent κ, edges per intensity.
    pub kappa: f32,
    /// The image f.
    pub image: &'a Buffer,
}

/// Writes ψ for the displacement `base + increment`.
#[derive(Debug)]
pub struct Diffusivity<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The scale ε of the Charbonnier penaliser; none for quadratic smoothness.
    pub epsilon: Option<f32>,
    /// The image whose edges motion may follow; none for smoothness across them.
    pub edges: Option<ImageEdges<'a>>,
    /// The displacement so far, edges.
    pub base: &'a [Buffer],
    /// The present increment, edges.
    pub increment: &'a [Buffer],
    /// The smoothness weight ψ.
    pub out: &'a mut Buffer,
}

impl Kernel for Diffusivity<'_> {
    const NAME: &'static str = "diffusivity";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("base", self.base, d, n).field("increment", self.increment, d, n);
        lengths.of("out", self.out, n).optional("image", self.edges.map(|edges| edges.image), n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, diffusivity(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [nx, ny, nz] = self.shape.size;
        let (source, pack) = packed(&SOURCES, nx);
        let [width, height] = tile(nx / pack);
        let share = |s: f32| self.epsilon.map_or(0.0, |epsilon| 0.5 / (s * epsilon).powi(2));
        let [share_x, share_y, share_z] = self.spacing_edges.map(share);
        let [sx, sy, sz] = self.spacing_edges.map(|s| 1.0 / s);
        let kappa = self.edges.map_or(0.0, |edges| edges.kappa);
        let block = Block {
            size: [nx / pack, ny, nz].into(),
            share: [share_x, share_y, share_z, 1.0 / 12.0].into(),
            slope: [sx, sy, sz, kappa].into(),
        };
        let Self { shape, epsilon, edges, base, increment, out, .. } = self;
        let image = edges.map(|edges| edges.image);
        gpu.launch_in(shape.components(), source, "diffusivity")
            .constants([("ROBUST", epsilon.is_some()), ("EDGES", image.is_some())])
            .constants([("WIDTH", width), ("HEIGHT", height), ("DEPTH", DEPTH)])
            .bind(&Bindings { block, base, increment, image, out })
            .run([cover(nx / pack, width), cover(ny, height), cover(nz, DEPTH)])
    }
}

fn diffusivity<const D: usize>(cpu: &Cpu, args: Diffusivity<'_>) {
    let Diffusivity { shape, spacing_edges, epsilon, edges, base, increment, out } = args;
    let nx = shape.size[0];
    let total = Total::<D> { base: components(base), increment: components(increment), shape };
    let share = epsilon.map(|epsilon| spacing_edges.map(|s| 0.5 / (s * epsilon).powi(2)));
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    cpu.split_rows([out.host_mut()], nx, 4 * shape.len(), |row, [psi]| {
        with_scratch(D * (nx + 2) + 2 * nx, |scratch| {
            match share {
                Some(share) => total.weigh(row, share, &mut scratch[..D * (nx + 2)], psi),
                None => psi.fill(1.0),
            }
            if let Some(ImageEdges { kappa, image }) = edges {
                let (slopes, squares) = scratch[..2 * nx].split_at_mut(nx);
                squares.fill(0.0);
                for axis in 0..D {
                    let along = Difference { shape, axis, scheme: Scheme::Central4 };
                    derivative_row(image.host(), along, row, slopes);
                    add_square(slopes, per_edge[axis], squares);
                }
                damp(squares, kappa, psi);
            }
        });
    });
}

/// The displacement so far and the increment.
struct Total<'a, const D: usize> {
    base: [&'a [f32]; D],
    increment: [&'a [f32]; D],
    shape: Shape,
}

/// A row of a component of the displacement and of the increment.
type Summands<'a> = [&'a [f32]; 2];

impl<const D: usize> Total<'_, D> {
    fn summands(&self, component: usize, row: usize) -> Summands<'_> {
        let nx = self.shape.size[0];
        [self.base, self.increment].map(|field| &field[component][row * nx..][..nx])
    }

    /// Writes a row's weights. Each squared difference belongs half to the voxel on either side.
    fn weigh(&self, row: usize, share: Axes<f32>, own: &mut [f32], psi: &mut [f32]) {
        let nx = self.shape.size[0];
        for (c, own) in own.chunks_exact_mut(nx + 2).enumerate() {
            let [base, increment] = self.summands(c, row);
            sum(base, increment, &mut own[1..=nx]);
            (own[0], own[nx + 1]) = (own[1], own[nx]);
        }
        // Beyond the border the row itself, from which it differs by nothing.
        let [[before, after], [below, above]] = [1, 2].map(|axis| replicated(self.shape, row, axis));
        let rows = [before, after, below, above];
        let beside = std::array::from_fn(|c| rows.map(|row| self.summands(c, row)));
        weigh_row::<D>(own, &beside, share, psi);
    }
}

row_loops! {
    fn sum([a, b]; out) |i| out[i] = a[i] + b[i];
    /// Adds the square of `factor · a`.
    fn add_square([a], factor: f32; out) |i| out[i] += (factor * a[i]) * (factor * a[i]);
    /// Damps the weights of a row: `psi ← psi · exp(−κ √squares)`.
    fn damp([squares], kappa: f32; psi) |i| psi[i] *= exponential(-kappa * squares[i].sqrt());
}

/// Writes `1 / √(1 + Σ share · squared differences)` of a row: sums are taken from left to right, as in the shader, so that
/// both compute the same bits. `own` is padded, component after component; `near` holds the rows before and after along y, and
/// along z.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weigh_row<const D: usize>(own: &[f32], near: &[[Summands<'_>; 4]; D], share: Axes<f32>, psi: &mut [f32]) {
    let n = psi.len();
    for x in (0..n).step_by(LANES) {
        let zero = Lanes::splat(0.0);
        let mut here = [zero; D];
        // Along x before and after, then to the rows beside.
        let mut squares = [zero; 6];
        let square = |a: Lanes, b: Lanes| (a - b) * (a - b);
        for c in 0..D {
            let line = &own[c * (n + 2)..][..n + 2];
            here[c] = Lanes::load_or_zero(line, x + 1);
            squares[0] = squares[0] + square(here[c], Lanes::load_or_zero(line, x));
        }
        for c in 0..D {
            let after = Lanes::load_or_zero(&own[c * (n + 2)..][..n + 2], x + 2);
            squares[0] = squares[0] + square(after, here[c]);
        }
        for k in 0..2 * (D - 1) {
            // Along y both sides add to one sum, along z each has its own.
            let sum = if k < 2 { 1 } else { k };
            for c in 0..D {
                let [base, increment] = near[c][k];
                let other = Lanes::load_or_zero(base, x) + Lanes::load_or_zero(increment, x);
                squares[sum] = squares[sum] + square(here[c], other);
            }
        }
        let mut total = Lanes::splat(1.0) + Lanes::splat(share[0]) * squares[0];
        total = total + Lanes::splat(share[1]) * squares[1];
        if D == 3 {
            total = total + Lanes::splat(share[2]) * (squares[2] + squares[3]);
        }
        (Lanes::splat(1.0) / total.sqrt()).store_what_fits(psi, x);
    }
}
