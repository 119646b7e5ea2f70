//! Gradient and Gauss-Newton matrix of every term of the elements' energy against finite differences, the exact integrals of
//! the Sobolev term, continuity, and de Casteljau's refinement.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]

mod correlation;

use veloxel_core::{Dimension, Shape};
use veloxel_gpu::{Buffer, Device, reduction_groups};
use veloxel_kernels::Kernel;
use veloxel_kernels::elements::lattice::{
    AxisPlan, Elements, LastAxis, LatticePlan, curvatures, slopes, values,
};
use veloxel_kernels::elements::least_squares_gradient::LeastSquaresGradient;
use veloxel_kernels::elements::least_squares_product::{LeastSquaresProduct, SUMS};
use veloxel_kernels::elements::nodal_field::{NodalField, RefinedControls};
use veloxel_kernels::elements::residual::{ElementImages, Residual};
use veloxel_kernels::elements::row_tiles::row_partials;
use veloxel_kernels::elements::state::{Smoothness, UNKNOWN_ENERGY};
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::VoxelAffine;
use veloxel_testkit::parity::noise;

/// Tolerance relative to the value: the bar of the project.
const TOLERANCE: f64 = 1e-4;
const SMOOTHNESS: Smoothness =
    Smoothness { alpha: [0.3, 0.5, 0.2], beta: [0.7, 1.1, 0.4], mixed: [0.6, 0.9, 1.3] };
/// A map under which everything stays inside of the moving image: a position that leaves it loses its part of the energy at
/// once.
const TURNED: VoxelAffine =
    VoxelAffine { matrix: [[0.8, 0.05, 0.0], [-0.02, 0.8, 0.0], [0.0, 0.0, 0.8]], offset: [1.5, 1.5, 1.2] };

/// A map of that kind for pictures over time.
const SHRUNK: VoxelAffine =
    VoxelAffine { matrix: [[0.8, 0.05, 0.0], [-0.02, 0.8, 0.0], [0.0, 0.0, 1.0]], offset: [1.5, 1.5, 0.0] };

/// A lattice, images that differ smoothly, and control points at random.
struct Case {
    device: Device,
    plan: LatticePlan,
    elements: Elements,
    fixed: Buffer,
    moving: Buffer,
    weight: Buffer,
    controls: Vec<f32>,
}

impl Case {
    fn new(dimension: Dimension, last: LastAxis) -> Self {
        let device = Device::cpu(2).unwrap();
        let (size, count) = match dimension {
            Dimension::Two => ([40, 30, 1], [7, 5, 0]),
            Dimension::Three => ([18, 16, 14], [3, 3, 2]),
        };
        let shape = Shape { size, dimension };
        // Elements of another length along every axis, whose nodes lie between pixels.
        let axis = |a: usize| {
            if last == LastAxis::Cycle && a == 2 {
                let step = count[a] as f64 / size[a] as f64;
                return AxisPlan { elements: count[a], element_edges: 1.6 / step, first: 0.0, step };
            }
            let step = count[a] as f64 / (size[a] as f64 + 1.5);
            AxisPlan {
                elements: count[a],
                element_edges: (1.0 + 0.3 * a as f64) / step,
                first: 0.9 * step,
                step,
            }
        };
        let plan = LatticePlan { shape, problems: 1, last, axes: [0, 1, 2].map(axis), full_pixel: 1.3 };
        let elements = Elements::new(&device, &plan).unwrap();
        let image = |shift: f32| {
            let at = |i: usize| {
                let x = [i % size[0], i / size[0] % size[1], i / size[0] / size[1]].map(|v| v as f32 + shift);
                0.5 + 0.2 * (0.25 * x[0] + 0.1 * x[2]).sin() + 0.2 * (0.3 * x[1] - 0.2 * x[2]).cos()
            };
            device.upload((0..shape.len()).map(at).collect()).unwrap()
        };
        let (fixed, mut moving) = (image(0.8), image(0.0));
        SplineCoefficients { shape, samples: &mut moving }.run(&device).unwrap();
        let weight = noise(shape.len(), 9).iter().map(|v| 0.6 + 0.4 * v).collect();
        let controls = noise(elements.unknowns(), 2).iter().map(|v| 0.4 * v).collect();
        Self { weight: device.upload(weight).unwrap(), device, plan, elements, fixed, moving, controls }
    }

    fn images(&self) -> ElementImages<'_> {
        ElementImages {
            fixed: &self.fixed,
            moving: &self.moving,
            weight: Some(&self.weight),
            moving_shape: self.plan.shape,
            // Pictures over time lie on the pictures themselves.
            moving_from_fixed: if self.plan.last == LastAxis::Space { TURNED } else { SHRUNK },
            per_edge: [1.0, 0.8, 0.7],
            gain: 1.4,
        }
    }

    fn state(&self) -> Buffer {
        self.device.upload(vec![0.0, 0.0, UNKNOWN_ENERGY, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap()
    }

    /// Control points, as the set on trial.
    fn trial(&self, controls: &[f32]) -> Buffer {
        self.device.upload([vec![0.0; controls.len()], controls.to_vec()].concat()).unwrap()
    }

    /// Residuals and slopes, both sets, and sums along rows.
    fn evaluate(&self, controls: &[f32]) -> [Buffer; 3] {
        self.evaluate_on(self.images(), controls)
    }

    fn evaluate_on(&self, images: ElementImages<'_>, controls: &[f32]) -> [Buffer; 3] {
        let (n, d) = (self.plan.shape.len(), self.elements.components());
        let mut out = [2 * n, 2 * d * n, 2 * self.elements.row_sums()].map(|n| self.device.zeros(n).unwrap());
        let [residual, slopes, row_sums] = &mut out;
        Residual {
            elements: &self.elements,
            images,
            state: &self.state(),
            controls: &self.trial(controls),
            residual,
            slopes,
            row_sums,
            energy: &mut self.device.zeros(row_partials(&self.elements)).unwrap(),
        }
        .run(&self.device)
        .unwrap();
        out
    }

    fn residuals(&self, controls: &[f32]) -> Vec<f64> {
        let [residual, ..] = self.evaluate(controls);
        self.device.download(residual).unwrap()[self.plan.shape.len()..]
            .iter()
            .map(|v| f64::from(*v))
            .collect()
    }

    /// The half gradient ½ ∇E, and the energy of the Sobolev term.
    fn gradient(&self, controls: &[f32], smoothness: Smoothness) -> (Vec<f64>, f64) {
        let [_, _, row_sums] = self.evaluate(controls);
        self.gradient_of(&row_sums, controls, smoothness)
    }

    fn gradient_of(&self, row_sums: &Buffer, controls: &[f32], smoothness: Smoothness) -> (Vec<f64>, f64) {
        let all = self.elements.unknowns();
        let mut gradient = self.device.zeros(2 * all).unwrap();
        let mut energy = self.device.zeros(reduction_groups(all)).unwrap();
        LeastSquaresGradient {
            elements: &self.elements,
            smoothness,
            elastic: 1.0,
            state: &self.state(),
            controls: &self.trial(controls),
            row_sums,
            gradient: &mut gradient,
            diagonal: &mut self.device.zeros(2 * all).unwrap(),
            energy: &mut energy,
        }
        .run(&self.device)
        .unwrap();
        let gradient = self.device.download(gradient).unwrap()[all..].iter().map(|v| f64::from(*v)).collect();
        (gradient, self.device.download(energy).unwrap().iter().map(|v| f64::from(*v)).sum())
    }

    /// The Gauss-Newton matrix times a direction.
    fn product(&self, controls: &[f32], direction: &[f32], smoothness: Smoothness) -> Vec<f64> {
        let [_, slopes, _] = self.evaluate(controls);
        self.product_of(&slopes, direction, smoothness)
    }

    fn product_of(&self, slopes: &Buffer, direction: &[f32], smoothness: Smoothness) -> Vec<f64> {
        let (device, all) = (&self.device, self.elements.unknowns());
        let zeros = |len: usize| device.zeros(len).unwrap();
        let one = device.upload(vec![1.0; reduction_groups(all)]).unwrap();
        // The second set is the accepted one.
        let state = device.upload(vec![1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let mut product = zeros(all);
        LeastSquaresProduct {
            elements: &self.elements,
            smoothness,
            state: &state,
            slopes,
            diagonal: &device.upload(vec![1.0; 2 * all]).unwrap(),
            first: &one,
            before: None,
            tolerance: 0.0,
            last_residual: &device.upload(direction.to_vec()).unwrap(),
            last_direction: &zeros(all),
            residual: &mut zeros(all),
            direction: &mut zeros(all),
            step: &mut zeros(all),
            row_sums: &mut zeros(self.elements.row_sums()),
            going: &mut zeros(1),
            product: &mut product,
            sums: &mut zeros(SUMS * reduction_groups(all)),
        }
        .run(device)
        .unwrap();
        device.download(product).unwrap().iter().map(|v| f64::from(*v)).collect()
    }

    /// A derivative of a component at a position in elements, by the definition.
    fn field(&self, controls: &[f32], at: [f64; 3], orders: [usize; 3], component: usize) -> f64 {
        let counts = self.elements.controls();
        let axes: Vec<(usize, [f64; 4])> = (0..self.plan.shape.components())
            .map(|a| {
                let axis = &self.plan.axes[a];
                let element = (at[a].floor() as usize).min(axis.elements - 1);
                let functions: [fn(f64) -> [f64; 4]; 3] = [values, slopes, curvatures];
                let scale = axis.element_edges.powi(-(orders[a] as i32));
                (2 * element, functions[orders[a]](at[a] - element as f64).map(|v| v * scale))
            })
            .collect();
        let mut sum = 0.0;
        for k in 0..4usize.pow(axes.len() as u32) {
            let (mut index, mut weight, mut stride) =
                (component * self.elements.controls_of_problem(), 1.0, 1);
            for (a, (low, w)) in axes.iter().enumerate() {
                let tap = k / 4usize.pow(a as u32) % 4;
                index += (low + tap) % counts[a] * stride;
                stride *= counts[a];
                weight *= w[tap];
            }
            sum += weight * f64::from(controls[index]);
        }
        sum
    }

    /// The Sobolev term, integrated with other points and more of them: three of Gauss in each third of an element.
    fn sobolev(&self, controls: &[f32]) -> f64 {
        let d = self.plan.shape.components();
        let Smoothness { alpha, beta, mixed } = SMOOTHNESS;
        let mut terms = Vec::new();
        for a in 0..d {
            let unit = |order: usize| [0, 1, 2].map(|b| if b == a { order } else { 0 });
            terms.extend([(unit(1), alpha[a]), (unit(2), beta[a])]);
        }
        let pairs = [([1, 1, 0], mixed[0]), ([1, 0, 1], mixed[1]), ([0, 1, 1], mixed[2])];
        terms.extend(pairs.into_iter().take(if d == 2 { 1 } else { 3 }));
        let points = |a: usize| -> Vec<(f64, f64)> {
            let axis = &self.plan.axes[a];
            let of = |k: usize| {
                let (offset, weight) = [(-0.6f64.sqrt(), 5.0), (0.0, 8.0), (0.6f64.sqrt(), 5.0)][k % 3];
                (((k / 3) as f64 + 0.5 + 0.5 * offset) / 3.0, weight / 18.0 * axis.element_edges / 3.0)
            };
            if a < d { (0..9 * axis.elements).map(of).collect() } else { vec![(0.0, 1.0)] }
        };
        let (xs, ys, zs) = (points(0), points(1), points(2));
        let mut sum = 0.0;
        for (z, wz) in &zs {
            for (y, wy) in &ys {
                for (x, wx) in &xs {
                    for (component, (orders, weight)) in
                        (0..self.elements.components()).flat_map(|c| terms.iter().map(move |t| (c, t)))
                    {
                        let value = self.field(controls, [*x, *y, *z], *orders, component);
                        sum += wx * wy * wz * f64::from(*weight) * value * value;
                    }
                }
            }
        }
        sum / self.plan.full_pixel
    }
}

fn assert_close(what: &str, got: f64, expected: f64) {
    assert!((got - expected).abs() <= TOLERANCE * expected.abs(), "{what}: {got} for {expected}");
}

fn moved(controls: &[f32], direction: &[f32], by: f32) -> Vec<f32> {
    controls.iter().zip(direction).map(|(p, v)| p + by * v).collect()
}

fn dot(a: &[f64], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * f64::from(*b)).sum()
}

/// Pictures, volumes, and pictures over time that comes around.
const ALL: [(Dimension, LastAxis); 3] = [
    (Dimension::Two, LastAxis::Space),
    (Dimension::Three, LastAxis::Space),
    (Dimension::Three, LastAxis::Cycle),
];
const STEP: f32 = 0.02;

#[test]
fn gradient_of_the_data_term() {
    for (dimension, last) in ALL {
        let case = Case::new(dimension, last);
        let (gradient, _) = case.gradient(&case.controls, Smoothness::NONE);
        // Along the gradient the difference is large against rounding.
        let greatest = gradient.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let direction: Vec<f32> = gradient.iter().map(|v| (v / greatest) as f32).collect();
        let energy = |by: f32| -> f64 {
            case.residuals(&moved(&case.controls, &direction, by)).iter().map(|r| r * r).sum()
        };
        let difference = (energy(STEP) - energy(-STEP)) / (4.0 * f64::from(STEP));
        assert_close(&format!("{dimension:?} {last:?}"), dot(&gradient, &direction), difference);
    }
}

#[test]
fn gauss_newton_matrix_of_the_data_term() {
    for (dimension, last) in ALL {
        let case = Case::new(dimension, last);
        let (direction, other) = (noise(case.controls.len(), 31), noise(case.controls.len(), 57));
        let product = case.product(&case.controls, &direction, Smoothness::NONE);
        // oᵀ H p = (∂r along o) · (∂r along p).
        let along = |v: &[f32]| -> Vec<f64> {
            let [plus, minus] = [STEP, -STEP].map(|by| case.residuals(&moved(&case.controls, v, by)));
            plus.iter().zip(minus).map(|(p, m)| (p - m) / (2.0 * f64::from(STEP))).collect()
        };
        let (p, o) = (along(&direction), along(&other));
        let expected: f64 = p.iter().zip(&p).map(|(a, b)| a * b).sum();
        assert_close(&format!("{dimension:?} {last:?}"), dot(&product, &direction), expected);
        // A product of two random directions is a small difference of large numbers.
        let (mixed, scale) = (p.iter().zip(&o).map(|(a, b)| a * b).sum::<f64>(), expected);
        assert!((dot(&product, &other) - mixed).abs() < TOLERANCE * scale, "{dimension:?} {last:?}");
    }
}

#[test]
fn sobolev_term_its_gradient_and_its_matrix() {
    for (dimension, last) in ALL {
        let case = Case::new(dimension, last);
        // Without weight the data say nothing.
        let (with, without) =
            (case.gradient(&case.controls, SMOOTHNESS), case.gradient(&case.controls, Smoothness::NONE));
        let gradient: Vec<f64> = with.0.iter().zip(&without.0).map(|(a, b)| a - b).collect();
        assert_close(&format!("energy {dimension:?} {last:?}"), with.1, case.sobolev(&case.controls));
        let direction = noise(case.controls.len(), 31);
        let energy = |by: f32| case.sobolev(&moved(&case.controls, &direction, by));
        let difference = (energy(1.0) - energy(-1.0)) / 4.0;
        // A product of two random directions is a small difference of large numbers.
        let scale = (with.1 * case.sobolev(&direction)).sqrt();
        let found = dot(&gradient, &direction);
        assert!(
            (found - difference).abs() < TOLERANCE * scale,
            "gradient {dimension:?} {last:?}: {found}, {difference}"
        );
        let [with, without] =
            [SMOOTHNESS, Smoothness::NONE].map(|s| case.product(&case.controls, &direction, s));
        let product: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
        assert_close(
            &format!("matrix {dimension:?} {last:?}"),
            dot(&product, &direction),
            case.sobolev(&direction),
        );
    }
}

#[test]
fn fields_are_those_of_the_definition_and_refinement_is_exact() {
    for (dimension, last) in ALL {
        let case = Case::new(dimension, last);
        let (device, d) = (&case.device, case.elements.components());
        let finer = {
            let mut plan = case.plan.clone();
            for a in 0..2 {
                let axis = &mut plan.axes[a];
                axis.elements *= 2;
                (axis.first, axis.step) = (2.0 * axis.first, 2.0 * axis.step);
                axis.element_edges *= 0.5;
            }
            Elements::new(device, &plan).unwrap()
        };
        let refining = Elements::refining(device, &case.elements, &finer).unwrap();
        let controls = device.upload([case.controls.clone(), case.controls.clone()].concat()).unwrap();
        let mut refined = device.zeros(2 * finer.unknowns()).unwrap();
        let state = case.state();
        RefinedControls { elements: &refining, state: &state, controls: &controls, out: &mut refined }
            .run(device)
            .unwrap();
        let field = |elements: &Elements, controls: &Buffer, state: &Buffer| {
            let mut out = device.zeros_field(d, case.plan.shape.len()).unwrap();
            NodalField { elements, state, controls, factor: [1.0; 3], out: &mut out }.run(device).unwrap();
            out.into_iter().map(|c| device.download(c).unwrap()).collect::<Vec<_>>()
        };
        // Refined control points are on trial, in the second set.
        let second = device.upload(vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let (coarse, fine) = (field(&case.elements, &controls, &state), field(&finer, &refined, &second));
        let [nx, ny, _] = case.plan.shape.size;
        for c in 0..d {
            for i in 0..case.plan.shape.len() {
                let pixel = [i % nx, i / nx % ny, i / nx / ny];
                let at =
                    [0, 1, 2].map(|a| case.plan.axes[a].first + case.plan.axes[a].step * pixel[a] as f64);
                let expected = case.field(&case.controls, at, [0; 3], c);
                assert!((f64::from(coarse[c][i]) - expected).abs() < 1e-6, "{dimension:?} {last:?}, {i}");
                assert!((coarse[c][i] - fine[c][i]).abs() < 1e-6, "{dimension:?} {last:?}, {i}: refined");
            }
        }
    }
}
