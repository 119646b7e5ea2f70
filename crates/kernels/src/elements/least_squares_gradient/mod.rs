//! The gradient of the energy on trial, and the diagonal of its Gauss-Newton matrix.
//!
//! ```text
//! E(P) = Σ_X r² + τ Pᵀ K P        ½ ∇E = Σ_X r s_c ψ_i + τ K P        diag = Σ_X s_c² ψ_i² + K_ii
//! ```
//!
//! (Li et al. 2008, eq. 4 and 5 without their common factor 2), with the matrix K of the Sobolev term, which the lattice holds
//! as exact integrals. *In*: sums along rows of [`super::residual`]. *Out*: of the set on trial of every active problem; a
//! partial sum of `τ Pᵀ K P` for each workgroup. With τ below 1 every step is smoothed in full, and the whole field only by the
//! share τ.

use super::gpu_block::{self, ELEMENTS, GATHERING, Lattice, Tables};
use super::lattice::Elements;
use super::projection::{Power, Problems};
use super::smoothing::diagonal;
use super::state::{STATE, Smoothness, States};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LINE, SUM};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static SOURCE: ShaderSource = wgsl!(
    "least_squares_gradient",
    Bindings,
    [LINE, SUM, ELEMENTS, GATHERING],
    "least_squares_gradient.wgsl"
);

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            lattice: Lattice,
            /// Share τ of the smoothness that applies to the whole field.
            elastic: vec4<f32>,
        },
        tables: group Tables<'a>,
        controls: read f32,
        row_sums: read f32,
        gradient: write f32,
        diagonal: write f32,
        energy: write f32,
    }
}

/// Computes the gradient of the set on trial.
#[derive(Debug)]
pub struct LeastSquaresGradient<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// Weights of the Sobolev term.
    pub smoothness: Smoothness,
    /// Share τ of the smoothness that applies to the whole field.
    pub elastic: f32,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The control points P, edges: two sets.
    pub controls: &'a Buffer,
    /// The sums along rows from [`super::residual`].
    pub row_sums: &'a Buffer,
    /// The half gradient ½ ∇E: two sets.
    pub gradient: &'a mut Buffer,
    /// The matrix' diagonal: two sets.
    pub diagonal: &'a mut Buffer,
    /// Partial sums of `τ Pᵀ K P`.
    pub energy: &'a mut Buffer,
}

impl Kernel for LeastSquaresGradient<'_> {
    const NAME: &'static str = "least_squares_gradient";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        let unknowns = 2 * e.problems * e.unknowns();
        lengths.of("state", self.state, STATE * e.problems);
        lengths.of("controls", self.controls, unknowns);
        lengths.of("row sums", self.row_sums, 2 * e.row_sums());
        lengths.of("gradient", self.gradient, unknowns).of("diagonal", self.diagonal, unknowns);
        lengths.of("energy", self.energy, e.problems * reduction_groups(e.unknowns()));
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, gradient(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let lattice = Lattice::of(self.elements, &self.smoothness);
        let block = Block { lattice, elastic: [self.elastic].into() };
        let tables = Tables::of(self.elements, self.state);
        let Self { elements, controls, row_sums, gradient, diagonal, energy, .. } = self;
        gpu_block::launch(gpu, &SOURCE, "least_squares_gradient", elements)
            .bind(&Bindings { block, tables, controls, row_sums, gradient, diagonal, energy })
            .run(gpu_block::groups(elements, elements.unknowns()))
    }
}

fn gradient<const D: usize>(cpu: &Cpu, args: LeastSquaresGradient<'_>) {
    let (elements, state) = (args.elements, States(args.state.host()));
    let problems = elements.problems;
    let (unknowns, per_component) = (elements.unknowns(), elements.controls_of_problem());
    let takes = |problem: usize| state.is_active(problem);
    let controls = args.controls.host();
    let (products, row_squares) = args.row_sums.host().split_at(elements.row_sums());
    let [mut data, mut squares, mut smoothed] = [(); 3].map(|()| vec![0.0; problems * unknowns]);
    let active = Problems { cpu, elements, takes: &takes };
    active.gather(Power::One, products, &mut data);
    active.gather(Power::Two, row_squares, &mut squares);
    let begin = |unit: usize| state.trial(unit / D) * unknowns + unit % D * per_component;
    active.smooth(&args.smoothness, begin, controls, &mut smoothed);
    smoothed.iter_mut().for_each(|v| *v *= args.elastic);
    let [cx, cy, _] = elements.controls();
    let (gradient, diagonals) = (args.gradient.host_mut(), args.diagonal.host_mut());
    for problem in (0..problems).filter(|&p| takes(p)) {
        let (own, set) = (problem * unknowns, state.trial(problem) * unknowns);
        for i in 0..unknowns {
            gradient[set + i] = data[own + i] + smoothed[own + i];
        }
        for k in 0..per_component {
            let smooth = diagonal(elements, &args.smoothness, [k % cx, k / cx % cy, k / cx / cy]);
            for i in (k..unknowns).step_by(per_component) {
                diagonals[set + i] = squares[own + i] + smooth;
            }
        }
    }
    let trial = |problem: usize, i: usize| controls[state.trial(problem) * unknowns + i];
    let energy = |problem: usize, i: usize| trial(problem, i) * smoothed[problem * unknowns + i];
    active.partial_sums(unknowns, energy, args.energy.host_mut());
}
