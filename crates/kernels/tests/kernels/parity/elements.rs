//! Steps of Levenberg-Marquardt and of gradient descent, with every kernel of the family `elements`.

use super::*;
use veloxel_core::Dimension;
use veloxel_gpu::reduction_groups;
use veloxel_kernels::elements::conjugate_gradient::{AdvanceTrial, DecideTrial, TrialJudgement, TrialRule};
use veloxel_kernels::elements::lattice::{AxisPlan, Elements, LastAxis, LatticePlan};
use veloxel_kernels::elements::lattice_fit::LatticeFit;
use veloxel_kernels::elements::least_squares_gradient::LeastSquaresGradient;
use veloxel_kernels::elements::least_squares_product::{LeastSquaresProduct, SUMS};
use veloxel_kernels::elements::matched_brightness::{MatchedBrightness, sums_len};
use veloxel_kernels::elements::nodal_confidence::NodalConfidence;
use veloxel_kernels::elements::nodal_field::{NodalField, RefinedControls};
use veloxel_kernels::elements::residual::{ElementImages, Residual};
use veloxel_kernels::elements::row_tiles::row_partials;
use veloxel_kernels::elements::state::{STATE, Smoothness, UNKNOWN_ENERGY};
use veloxel_kernels::elements::unfolding::Unfolding;
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_testkit::on_every_device;

const SMOOTHNESS: Smoothness =
    Smoothness { alpha: [0.01, 0.02, 0.015], beta: [0.1, 0.2, 0.15], mixed: [0.3, 0.2, 0.1] };
const JUDGEMENT: TrialJudgement =
    TrialJudgement { accepted: 0.2, refused: 8.0, least: 1e-7, most: 1e5, tolerance: 1e-3 };
/// A map that turns a little, so that the products of the affine map count.
const TURNED: VoxelAffine = VoxelAffine {
    matrix: [[0.98, 0.1, 0.0], [-0.1, 0.98, 0.05], [0.02, 0.0, 1.0]],
    offset: [0.4, -0.3, 0.1],
};

fn plan(shape: Shape, last: LastAxis, problems: usize, elements: [usize; 3]) -> LatticePlan {
    let axis = |a: usize| {
        let pixels = shape.size[a] as f64;
        let step = elements[a] as f64 / (pixels + 0.5);
        AxisPlan { elements: elements[a], element_edges: 1.5 / step, first: 0.7 * step, step }
    };
    LatticePlan { shape, problems, last, axes: [0, 1, 2].map(axis), full_pixel: 1.3 }
}

/// All buffers of a few steps; those of inactive problems are 0 on every device.
struct Run<'a> {
    device: &'a Device,
    elements: Elements,
    rule: TrialRule,
    state: Buffer,
    controls: Buffer,
    pixels: [Buffer; 3],
    normal: [Buffer; 2],
    energy: [Buffer; 2],
    inner: [Buffer; 7],
    first: Buffer,
    sums: [Buffer; 2],
}

impl<'a> Run<'a> {
    fn new(device: &'a Device, plan: &LatticePlan, rule: TrialRule) -> Self {
        let elements = Elements::new(device, plan).unwrap();
        let (n, d) = (elements.pixels(), elements.components());
        let all = plan.problems * elements.unknowns();
        let zeros = |len: usize| device.zeros(len).unwrap();
        let sums = plan.problems * reduction_groups(elements.unknowns());
        let mut state = Vec::new();
        for problem in 0..plan.problems {
            let active = f32::from(u8::from(problem != 1));
            state.extend([0.0, 0.01, UNKNOWN_ENERGY, active, 0.0, 0.0, 0.0, 0.0]);
        }
        assert_eq!(state.len(), STATE * plan.problems);
        let small = noise(2 * all, 5).iter().map(|v| 0.4 * v).collect();
        Self {
            device,
            rule,
            state: device.upload(state).unwrap(),
            controls: device.upload(small).unwrap(),
            pixels: [zeros(2 * n), zeros(2 * d * n), zeros(2 * elements.row_sums())],
            normal: [zeros(2 * all), zeros(2 * all)],
            energy: [zeros(row_partials(&elements)), zeros(sums)],
            inner: [elements.row_sums(), plan.problems, all, all, all, all, all].map(zeros),
            first: zeros(sums),
            sums: [SUMS * sums, SUMS * sums].map(zeros),
            elements,
        }
    }

    fn evaluate(&mut self, images: ElementImages<'_>) {
        let (elements, [residual, slopes, row_sums], state) = (&self.elements, &mut self.pixels, &self.state);
        let [of_pixels, of_unknowns] = &mut self.energy;
        let controls = &self.controls;
        Residual { elements, images, state, controls, residual, slopes, row_sums, energy: of_pixels }
            .run(self.device)
            .unwrap();
        let [gradient, diagonal] = &mut self.normal;
        LeastSquaresGradient {
            elements,
            smoothness: SMOOTHNESS,
            elastic: 0.5,
            state,
            controls,
            row_sums,
            gradient,
            diagonal,
            energy: of_unknowns,
        }
        .run(self.device)
        .unwrap();
    }

    /// Evaluates against the image that is matched to the set on trial.
    fn evaluate_matched(&mut self, images: ElementImages<'_>) {
        let n = self.elements.pixels();
        let [mut matched, mut matched_weight] = [0, 1].map(|_| self.device.zeros(n).unwrap());
        self.evaluate(ElementImages { weight: None, ..images });
        MatchedBrightness {
            elements: &self.elements,
            state: &self.state,
            fixed: images.fixed,
            weight: images.weight,
            residual: &self.pixels[0],
            gain: images.gain,
            sums: &mut self.device.zeros(sums_len(&self.elements)).unwrap(),
            matched: &mut matched,
            matched_weight: &mut matched_weight,
        }
        .run(self.device)
        .unwrap();
        self.evaluate(ElementImages { fixed: &matched, weight: Some(&matched_weight), ..images });
    }

    fn decide(&mut self) {
        let mut next = self.device.zeros(self.state.len()).unwrap();
        let [_, _, step, _, residual, ..] = &mut self.inner;
        DecideTrial {
            elements: &self.elements,
            rule: self.rule,
            state: &self.state,
            energy_of_pixels: &self.energy[0],
            energy_of_unknowns: &self.energy[1],
            gradient: &self.normal[0],
            diagonal: &self.normal[1],
            next: &mut next,
            controls: &mut self.controls,
            residual,
            step,
            progress: &mut self.first,
        }
        .run(self.device)
        .unwrap();
        self.state = next;
    }

    fn solve(&mut self) {
        let [row_sums, going, step, product, residual, direction, _] = &mut self.inner;
        let (elements, state, diagonal) = (&self.elements, &self.state, &self.normal[1]);
        let mut next = [(); 2].map(|()| self.device.zeros(direction.len()).unwrap());
        let [before, sums] = &mut self.sums;
        for iteration in 0..5 {
            let [next_r, next_p] = &mut next;
            LeastSquaresProduct {
                elements,
                smoothness: SMOOTHNESS,
                state,
                slopes: &self.pixels[1],
                diagonal,
                first: &self.first,
                before: (iteration > 0).then_some(before),
                tolerance: 0.05,
                last_residual: residual,
                last_direction: direction,
                residual: next_r,
                direction: next_p,
                step,
                row_sums,
                going,
                product,
                sums,
            }
            .run(self.device)
            .unwrap();
            for (last, next) in [&mut *residual, &mut *direction].into_iter().zip(&mut next) {
                std::mem::swap(last, next);
            }
            std::mem::swap(before, sums);
        }
        AdvanceTrial { elements, state, sums: before, direction, step, controls: &mut self.controls }
            .run(self.device)
            .unwrap();
    }

    /// The field, its confidence and what a finer lattice begins with.
    fn results(mut self) -> Vec<Buffer> {
        let (elements, device) = (&self.elements, self.device);
        let (d, n) = (elements.components(), elements.pixels());
        let mut out = device.zeros_field(d, n).unwrap();
        let (state, controls) = (&self.state, &self.controls);
        NodalField { elements, state, controls, factor: [1.0, 0.5, 2.0], out: &mut out }.run(device).unwrap();
        let mut determinant = device.zeros(n).unwrap();
        let mut folds = device.zeros(elements.problems * reduction_groups(elements.shape.len())).unwrap();
        let begin = device.zeros(elements.problems * elements.unknowns()).unwrap();
        Unfolding {
            elements,
            state,
            field: &out,
            begin: &begin,
            least: 0.6,
            determinant: &mut determinant,
            folds: &mut folds,
            controls: &mut self.controls,
        }
        .run(device)
        .unwrap();
        let controls = &self.controls;
        let mut variance = device.zeros(elements.problems * elements.controls_of_problem()).unwrap();
        let mut confidence = device.zeros(n).unwrap();
        NodalConfidence {
            elements,
            state,
            residual: &self.pixels[0],
            slopes: &self.pixels[1],
            share: 0.05,
            least_variance: 1e-4,
            least_slope: 1e-3,
            half_edges: 0.5,
            variance: &mut variance,
            confidence: &mut confidence,
        }
        .run(device)
        .unwrap();
        // Time is as fine on every lattice.
        let depth = if elements.last == LastAxis::Space { 4 } else { elements.elements[2] };
        let finer = plan(
            elements.shape,
            elements.last,
            elements.problems,
            [2 * elements.elements[0], elements.elements[1], depth],
        );
        let finer = Elements::new(device, &finer).unwrap();
        let refining = Elements::refining(device, elements, &finer).unwrap();
        let mut refined = device.zeros(2 * finer.problems * finer.unknowns()).unwrap();
        RefinedControls { elements: &refining, state, controls, out: &mut refined }.run(device).unwrap();
        LatticeFit { elements, field: &out, factor: [2.0, 1.0, 0.5], controls: &mut self.controls }
            .run(device)
            .unwrap();
        out.extend([determinant, variance, confidence, refined, self.controls, self.state]);
        out.extend(self.pixels.into_iter().chain(self.normal).chain(self.inner));
        out
    }
}

/// A smooth image and another like it.
fn images(device: &Device, shape: Shape, problems: usize) -> [Buffer; 3] {
    let [nx, ny, _] = shape.size;
    let n = problems * shape.len();
    let wave = |i: usize, shift: f32| {
        let [x, y, z] = [i % nx, i / nx % ny, i / nx / ny].map(|v| v as f32 + shift);
        0.5 + 0.2 * (0.4 * x + 0.1 * z).sin() + 0.2 * (0.5 * y - 0.2 * z).cos()
    };
    let samples = |shift: f32| device.upload((0..n).map(|i| wave(i, shift)).collect()).unwrap();
    let weight = noise(n, 3).iter().map(|v| if *v > 0.8 { 0.0 } else { 1.0 }).collect();
    [samples(0.0), samples(0.6), device.upload(weight).unwrap()]
}

on_every_device! {
    fn elements(device: &Device) {
        let two = Shape { size: [37, 21, 1], dimension: Dimension::Two };
        let three = Shape { size: [23, 14, 11], dimension: Dimension::Three };
        let thin = Shape { size: [300, 3, 2], dimension: Dimension::Three };
        let space = LastAxis::Space;
        let cases = [
            (two, space, 3, [9, 6, 0]),
            (three, space, 2, [6, 4, 2]),
            (thin, space, 1, [60, 1, 1]),
            (three, LastAxis::Cycle, 1, [6, 4, 2]),
            (three, LastAxis::Time, 1, [6, 4, 3]),
        ];
        for (shape, last, problems, elements) in cases {
            let rules = [TrialRule::LevenbergMarquardt(JUDGEMENT), TrialRule::Descent(JUDGEMENT)];
            for rule in rules.into_iter().take(if problems == 3 { 2 } else { 1 }) {
                Pair::new(device).alike(&format!("{:?} {last:?} {rule:?}", shape.size), |device| {
                    let [fixed, moving, weight] = images(device, shape, problems);
                    let images = ElementImages {
                        fixed: &fixed,
                        moving: &moving,
                        weight: (problems > 1).then_some(&weight),
                        moving_shape: shape,
                        moving_from_fixed: if problems == 2 { TURNED } else { VoxelAffine::IDENTITY },
                        per_edge: [1.0, 0.8, 0.7],
                        gain: 1.5,
                    };
                    let mut run = Run::new(device, &plan(shape, last, problems, elements), rule);
                    for _ in 0..4 {
                        match last {
                            LastAxis::Time => run.evaluate_matched(images),
                            _ if problems == 2 => run.evaluate_matched(images),
                            _ => run.evaluate(images),
                        }
                        run.decide();
                        if let TrialRule::LevenbergMarquardt(_) = rule {
                            run.solve();
                        }
                    }
                    run.results()
                });
            }
        }
    }
}
