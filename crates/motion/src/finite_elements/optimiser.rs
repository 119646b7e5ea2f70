//! One lattice: trial steps, and the conjugate gradients of each.

use super::images::LevelImages;
use super::parameters::{FiniteElementsParams, ImageMeasure, Optimiser};
use crate::steps::buffers::{copied, written};
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Device, reduction_groups};
use veloxel_kernels::Kernel;
use veloxel_kernels::elements::conjugate_gradient::{AdvanceTrial, DecideTrial, TrialJudgement, TrialRule};
use veloxel_kernels::elements::lattice::{Elements, LastAxis};
use veloxel_kernels::elements::least_squares_gradient::LeastSquaresGradient;
use veloxel_kernels::elements::least_squares_product::{LeastSquaresProduct, SUMS};
use veloxel_kernels::elements::matched_brightness::{MatchedBrightness, sums_len};
use veloxel_kernels::elements::nodal_confidence::NodalConfidence;
use veloxel_kernels::elements::nodal_field::{NodalField, RefinedControls};
use veloxel_kernels::elements::residual::{ElementImages, Residual};
use veloxel_kernels::elements::row_tiles::row_partials;
use veloxel_kernels::elements::state::{STATE, Smoothness, UNKNOWN_ENERGY};
use veloxel_kernels::elements::unfolding::Unfolding;
use veloxel_kernels::image::pointwise::CopyPart;

/// λ falls to a fifth after an accepted step and rises eightfold after a refused one.
const MARQUARDT: TrialJudgement =
    TrialJudgement { accepted: 0.2, refused: 8.0, least: 1e-7, most: 1e5, tolerance: 0.0 };
/// The step of a descent grows by a fifth, or shrinks to a third.
const DESCENT: TrialJudgement =
    TrialJudgement { accepted: 1.2, refused: 0.33, least: 1e-12, most: 1e12, tolerance: 0.0 };
/// Deviation of the difference of two images that agree, in intensities of 0..1.
const NOISE: f32 = 0.02;
/// A slope that is not seen, intensities of 0..1 for an edge.
const FLAT: f32 = 0.01;
/// What a neighbourhood leaves of a pixel's variance: chosen on phantoms with noise of 3 and of 10 %.
const SHARE: f32 = 0.05;

/// A determinant up to this is a fold.
const LEAST_DETERMINANT: f32 = 0.05;
/// How often steps around folds are halved: what is left of them then is 1/256.
const UNFOLDINGS: usize = 8;

/// The weights of the Sobolev term: those of each axis are shares of α and β, so that shares of 1 leave both as they are.
fn smoothness(params: &FiniteElementsParams, last: LastAxis) -> Smoothness {
    let FiniteElementsParams { alpha, beta, mixed, time_alpha, time_beta, .. } = *params;
    let FiniteElementsParams { alpha_x, alpha_y, alpha_z, beta_x, beta_y, beta_z, .. } = *params;
    let between = mixed * beta;
    let first = [alpha_x, alpha_y, alpha_z].map(|share| share * alpha);
    let second = [beta_x, beta_y, beta_z].map(|share| share * beta);
    match last {
        LastAxis::Space => Smoothness { alpha: first, beta: second, mixed: [between; 3] },
        LastAxis::Time | LastAxis::Cycle => Smoothness {
            alpha: [first[0], first[1], time_alpha],
            beta: [second[0], second[1], time_beta],
            mixed: [between, 0.0, 0.0],
        },
    }
}

/// What the state of every problem is before the first trial.
pub(super) fn first_state(params: &FiniteElementsParams, problems: usize) -> Vec<f32> {
    let own: [f32; STATE] = [0.0, params.damping, UNKNOWN_ENERGY, 1.0, 0.0, 0.0, 0.0, 0.0];
    own.repeat(problems)
}

/// The memory of one lattice.
pub(super) struct ElementsLevel<'a> {
    device: &'a Device,
    params: &'a FiniteElementsParams,
    elements: &'a Elements,
    /// P: two sets.
    pub controls: Buffer,
    /// Now, and next.
    state: [Buffer; 2],
    residual: Buffer,
    slopes: Buffer,
    /// Sums along rows, of the set on trial.
    row_sums: Buffer,
    gradient: Buffer,
    diagonal: Buffer,
    /// Partial sums of r² and of `Pᵀ K P`.
    energy: [Buffer; 2],
    /// What the control points are at the beginning: one set.
    begin: Buffer,
    /// The images matched for normalised cross-correlation; none for other measures.
    matched: Option<Matched>,
}

/// The fixed image as gain and offset match it, its weights, and the sums that they come from.
struct Matched {
    fixed: Buffer,
    weight: Buffer,
    sums: Buffer,
}

impl Matched {
    fn new(device: &Device, elements: &Elements) -> Result<Self, ComputeError> {
        let n = elements.pixels();
        Ok(Self {
            fixed: device.scratch(n)?,
            weight: device.scratch(n)?,
            sums: device.scratch(sums_len(elements))?,
        })
    }
}

/// The memory of the conjugate gradients.
struct Inner {
    row_sums: Buffer,
    going: Buffer,
    step: Buffer,
    product: Buffer,
    /// Residuals of even and of odd iterations.
    residuals: [Buffer; 2],
    directions: [Buffer; 2],
    /// Partial sums of rᵀ z before the first iteration.
    first: Buffer,
    /// Partial sums of even and of odd iterations.
    sums: [Buffer; 2],
}

impl Inner {
    fn new(device: &Device, elements: &Elements) -> Result<Self, ComputeError> {
        let all = elements.problems * elements.unknowns();
        let sums = elements.problems * reduction_groups(elements.unknowns());
        Ok(Self {
            row_sums: device.scratch(elements.row_sums())?,
            going: device.scratch(elements.problems)?,
            step: device.scratch(all)?,
            product: device.scratch(all)?,
            residuals: [device.scratch(all)?, device.scratch(all)?],
            directions: [device.scratch(all)?, device.scratch(all)?],
            first: device.scratch(sums)?,
            sums: [device.scratch(SUMS * sums)?, device.scratch(SUMS * sums)?],
        })
    }
}

impl<'a> ElementsLevel<'a> {
    /// The memory of a lattice whose second set of control points is still to be written; `first` is the state of
    /// [`first_state`].
    pub fn new(
        device: &'a Device,
        params: &'a FiniteElementsParams,
        elements: &'a Elements,
        first: &Buffer,
    ) -> Result<Self, ComputeError> {
        let (n, d) = (elements.pixels(), elements.components());
        let all = 2 * elements.problems * elements.unknowns();
        let of_unknowns = elements.problems * reduction_groups(elements.unknowns());
        let state = copied(device, first)?;
        Ok(Self {
            device,
            params,
            elements,
            controls: device.scratch(all)?,
            state: [state, device.scratch(first.len())?],
            residual: device.scratch(2 * n)?,
            slopes: device.scratch(2 * d * n)?,
            row_sums: device.scratch(2 * elements.row_sums())?,
            gradient: device.scratch(all)?,
            diagonal: device.scratch(all)?,
            energy: [device.scratch(row_partials(elements))?, device.scratch(of_unknowns)?],
            begin: device.scratch(all / 2)?,
            matched: match params.measure {
                ImageMeasure::SquaredDifference => None,
                ImageMeasure::Correlation => Some(Matched::new(device, elements)?),
            },
        })
    }

    /// The state now.
    pub fn state(&self) -> &Buffer {
        &self.state[0]
    }

    /// Takes the accepted set of a coarser lattice; `refining` leads from it to this one.
    pub fn refine(&mut self, coarser: &ElementsLevel<'_>, refining: &Elements) -> Result<(), ComputeError> {
        let (state, controls) = (coarser.state(), &coarser.controls);
        RefinedControls { elements: refining, state, controls, out: &mut self.controls }.run(self.device)
    }

    /// All steps.
    pub fn run(&mut self, images: &LevelImages, steps: usize) -> Result<(), ComputeError> {
        let mut inner = Inner::new(self.device, self.elements)?;
        CopyPart { from: &self.controls, first: self.begin.len(), to: &mut self.begin }.run(self.device)?;
        for _ in 0..steps {
            self.evaluate(images)?;
            self.decide(&mut inner)?;
            if self.params.optimiser == Optimiser::LevenbergMarquardt {
                self.solve(&mut inner)?;
            }
        }
        self.evaluate(images)?;
        self.decide(&mut inner)
    }

    /// Shortens the steps where the motion folds, seen on the full grid: a finer lattice then begins without folds.
    pub fn unfold(&mut self, full: &Elements, factor: Axes<f32>) -> Result<(), ComputeError> {
        let device = self.device;
        let mut field = device.scratch_field(full.components(), full.pixels())?;
        let mut determinant = device.scratch(full.pixels())?;
        let mut folds = device.scratch(full.problems * reduction_groups(full.shape.len()))?;
        for _ in 0..UNFOLDINGS {
            let state = &self.state[0];
            NodalField { elements: full, state, controls: &self.controls, factor, out: &mut field }
                .run(device)?;
            let unfolding = Unfolding {
                elements: full,
                state,
                field: &field,
                begin: &self.begin,
                least: LEAST_DETERMINANT,
                determinant: &mut determinant,
                folds: &mut folds,
                controls: &mut self.controls,
            };
            if unfolding.run(device)? == Some(false) {
                break;
            }
        }
        Ok(())
    }

    /// The energy on trial, and its derivatives.
    fn evaluate(&mut self, images: &LevelImages) -> Result<(), ComputeError> {
        let Self { device, elements, .. } = *self;
        match self.matched.take() {
            None => self.compare(images.view())?,
            Some(mut matched) => {
                self.compare(images.against(&images.fixed, None))?;
                let Matched { fixed, weight, sums } = &mut matched;
                let kernel = MatchedBrightness {
                    elements,
                    state: &self.state[0],
                    fixed: &images.fixed,
                    weight: images.view().weight,
                    residual: &self.residual,
                    gain: images.gain,
                    sums,
                    matched: fixed,
                    matched_weight: weight,
                };
                kernel.run(device)?;
                self.compare(images.against(&matched.fixed, Some(&matched.weight)))?;
                self.matched = Some(matched);
            }
        }
        let [_, of_unknowns] = &mut self.energy;
        let gradient = LeastSquaresGradient {
            elements,
            smoothness: smoothness(self.params, elements.last),
            elastic: self.params.elastic,
            state: &self.state[0],
            controls: &self.controls,
            row_sums: &self.row_sums,
            gradient: &mut self.gradient,
            diagonal: &mut self.diagonal,
            energy: of_unknowns,
        };
        gradient.run(device)
    }

    /// Residuals and slopes of the set on trial.
    fn compare(&mut self, images: ElementImages<'_>) -> Result<(), ComputeError> {
        let kernel = Residual {
            elements: self.elements,
            images,
            state: &self.state[0],
            controls: &self.controls,
            residual: &mut self.residual,
            slopes: &mut self.slopes,
            row_sums: &mut self.row_sums,
            energy: &mut self.energy[0],
        };
        kernel.run(self.device)
    }

    /// Accepts or refuses the trial, and begins the next.
    fn decide(&mut self, inner: &mut Inner) -> Result<(), ComputeError> {
        let tolerance = self.params.tolerance;
        let rule = match self.params.optimiser {
            Optimiser::LevenbergMarquardt => {
                TrialRule::LevenbergMarquardt(TrialJudgement { tolerance, ..MARQUARDT })
            }
            Optimiser::GradientDescent => TrialRule::Descent(TrialJudgement { tolerance, ..DESCENT }),
        };
        let [state, next] = &mut self.state;
        let [energy_of_pixels, energy_of_unknowns] = &self.energy;
        let decide = DecideTrial {
            elements: self.elements,
            rule,
            state,
            energy_of_pixels,
            energy_of_unknowns,
            gradient: &self.gradient,
            diagonal: &self.diagonal,
            next,
            controls: &mut self.controls,
            residual: &mut inner.residuals[1],
            step: &mut inner.step,
            progress: &mut inner.first,
        };
        decide.run(self.device)?;
        self.state.swap(0, 1);
        Ok(())
    }

    /// The conjugate gradients: `(H + λ diag H) x = −½ ∇E`.
    fn solve(&mut self, inner: &mut Inner) -> Result<(), ComputeError> {
        let Self { device, elements, params, .. } = *self;
        for iteration in 0..params.inner_iterations {
            // The decision leaves its residual among the odd ones.
            for pair in [&mut inner.residuals, &mut inner.directions, &mut inner.sums] {
                pair.swap(0, 1);
            }
            let [[last_r, next_r], [last_p, next_p]] =
                [&mut inner.residuals, &mut inner.directions].map(|[last, next]| [last, next]);
            let [before, sums] = &mut inner.sums;
            let product = LeastSquaresProduct {
                elements,
                smoothness: smoothness(params, elements.last),
                state: &self.state[0],
                slopes: &self.slopes,
                diagonal: &self.diagonal,
                first: &inner.first,
                before: (iteration > 0).then_some(&*before),
                tolerance: params.inner_tolerance,
                last_residual: last_r,
                last_direction: last_p,
                residual: next_r,
                direction: next_p,
                step: &mut inner.step,
                row_sums: &mut inner.row_sums,
                going: &mut inner.going,
                product: &mut inner.product,
                sums,
            };
            product.run(device)?;
        }
        let advance = AdvanceTrial {
            elements,
            state: &self.state[0],
            sums: &inner.sums[1],
            direction: &inner.directions[1],
            step: &inner.step,
            controls: &mut self.controls,
        };
        advance.run(device)
    }

    /// The confidence of every pixel.
    pub fn confidence(&self, images: &LevelImages) -> Result<Buffer, ComputeError> {
        let Self { device, elements, .. } = *self;
        let mut variance = device.scratch(elements.problems * elements.controls_of_problem())?;
        let gain2 = images.gain * images.gain;
        written(device, elements.pixels(), |confidence| {
            let kernel = NodalConfidence {
                elements,
                state: &self.state[0],
                residual: &self.residual,
                slopes: &self.slopes,
                share: SHARE,
                least_variance: NOISE * NOISE * gain2,
                least_slope: FLAT * FLAT * gain2,
                half_edges: self.params.half_error,
                variance: &mut variance,
                confidence,
            };
            kernel.run(device)
        })
    }
}
