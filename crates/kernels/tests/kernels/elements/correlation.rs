//! Energy, gradient and Gauss-Newton matrix of normalised cross-correlation against its definition and finite differences.

use super::*;
use veloxel_kernels::elements::matched_brightness::{MatchedBrightness, sums_len};

impl Case {
    /// The fixed image and the weights that control points match, and the energy by its definition.
    fn matched(&self, controls: &[f32]) -> ([Buffer; 2], f64) {
        let (device, n, images) = (&self.device, self.plan.shape.len(), self.images());
        let [residual, ..] = self.evaluate_on(ElementImages { weight: None, ..images }, controls);
        let mut out = [device.zeros(n).unwrap(), device.zeros(n).unwrap()];
        let [matched, matched_weight] = &mut out;
        MatchedBrightness {
            elements: &self.elements,
            state: &self.state(),
            fixed: &self.fixed,
            weight: Some(&self.weight),
            residual: &residual,
            gain: images.gain,
            sums: &mut device.zeros(sums_len(&self.elements)).unwrap(),
            matched,
            matched_weight,
        }
        .run(device)
        .unwrap();
        let [f, r, w] = [&self.fixed, &residual, &self.weight].map(|b| device.read(b).unwrap());
        let of = |i: usize| {
            let (f, w) = (f64::from(f[i]), f64::from(w[i]));
            [w * w, f, f + f64::from(r[n + i]) / f64::from(images.gain)]
        };
        let mean = |v: &dyn Fn([f64; 3]) -> f64| {
            let sum = |v: &dyn Fn([f64; 3]) -> f64| (0..n).map(|i| of(i)[0] * v(of(i))).sum::<f64>();
            sum(v) / sum(&|_| 1.0)
        };
        let (mean_f, mean_m) = (mean(&|v| v[1]), mean(&|v| v[2]));
        let product = |a: usize, b: usize| {
            let means = [0.0, mean_f, mean_m];
            mean(&|v| (v[a] - means[a]) * (v[b] - means[b]))
        };
        let rho2 = product(1, 2).powi(2) / (product(1, 1) * product(2, 2));
        let total: f64 = (0..n).map(|i| of(i)[0]).sum();
        (out, f64::from(images.gain).powi(2) * total * product(1, 1) * (1.0 - rho2))
    }
}

/// A case whose images are compared with a fixed image of another brightness.
fn darker() -> Case {
    let mut case = Case::new(Dimension::Two, LastAxis::Space);
    let fixed: Vec<f32> = case.device.read(&case.fixed).unwrap().iter().map(|v| 0.1 + 0.6 * v).collect();
    case.fixed = case.device.upload(fixed).unwrap();
    case
}

#[test]
fn energy_and_gradient_of_normalised_cross_correlation() {
    let case = darker();
    let matched = |controls: &[f32]| {
        let ([fixed, weight], expected) = case.matched(controls);
        let images = ElementImages { fixed: &fixed, weight: Some(&weight), ..case.images() };
        let [residual, _, row_sums] = case.evaluate_on(images, controls);
        let residual = case.device.read(&residual).unwrap()[case.plan.shape.len()..].to_vec();
        let energy: f64 = residual.iter().map(|r| f64::from(*r).powi(2)).sum();
        (row_sums, energy, expected)
    };
    let (row_sums, energy, expected) = matched(&case.controls);
    assert!((energy - expected).abs() < 1e-4 * expected, "{energy} for {expected}");
    let (gradient, _) = case.gradient_of(&row_sums, &case.controls, Smoothness::NONE);
    let greatest = gradient.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let direction: Vec<f32> = gradient.iter().map(|v| (v / greatest) as f32).collect();
    let along = |by: f32| matched(&moved(&case.controls, &direction, by)).2;
    let difference = (along(STEP) - along(-STEP)) / (4.0 * f64::from(STEP));
    assert_close("gradient", dot(&gradient, &direction), difference);
}

#[test]
fn gauss_newton_matrix_of_normalised_cross_correlation() {
    let case = darker();
    // Gain and offset are those of the control points in the middle.
    let ([fixed, weight], _) = case.matched(&case.controls);
    let images = || ElementImages { fixed: &fixed, weight: Some(&weight), ..case.images() };
    let direction = noise(case.controls.len(), 31);
    let [_, slopes, _] = case.evaluate_on(images(), &case.controls);
    let product = case.product_of(&slopes, &direction, Smoothness::NONE);
    let at = |by: f32| {
        let [residual, ..] = case.evaluate_on(images(), &moved(&case.controls, &direction, by));
        case.device.read(&residual).unwrap()[case.plan.shape.len()..].to_vec()
    };
    let [plus, minus] = [STEP, -STEP].map(at);
    let slope = |(p, m): (&f32, &f32)| (f64::from(*p) - f64::from(*m)) / (2.0 * f64::from(STEP));
    let expected: f64 = plus.iter().zip(&minus).map(|pair| slope(pair).powi(2)).sum();
    assert_close("matrix", dot(&product, &direction), expected);
}
