//! What a run of the phase engine says about itself.

use serde::Serialize;

/// Levels and how much was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseReport {
    /// `(nx, ny)` of every level that was used, finest first.
    pub levels: Vec<[usize; 2]>,
    /// Share of the pixels (inside the mask, where there is one) with an estimate (features: with a phase), 0 to 1.
    pub valid_share: f64,
    /// Mean confidence of these; of features 1.
    pub mean_confidence: f64,
}

impl PhaseReport {
    /// The report of an estimate over `pixels` pixels, outside of which there is none.
    pub fn new(pixels: usize, levels: &[[usize; 2]], estimate: &[f32], confidence: Option<&[f32]>) -> Self {
        let known = |values: &[f32]| values.iter().map(|v| usize::from(!v.is_nan())).sum::<usize>();
        let valid = known(estimate);
        let total = confidence.map_or(valid as f64, |c| sum_of_known(estimate, c));
        let share = |part: f64, whole: usize| if whole > 0 { part / whole as f64 } else { 0.0 };
        Self {
            levels: levels.to_vec(),
            valid_share: share(valid as f64, pixels),
            mean_confidence: share(total, valid),
        }
    }
}

/// The sum of the confidence where there is an estimate: of eighths of a run of pixels, which need not wait for each other.
fn sum_of_known(estimate: &[f32], confidence: &[f32]) -> f64 {
    const PARTS: usize = 8;
    let (estimates, last_estimates) = estimate.as_chunks::<PARTS>();
    let (confidences, last_confidences) = confidence.as_chunks::<PARTS>();
    let mut sums = [0.0; PARTS];
    let known = |(v, c): (&f32, &f32)| if v.is_nan() { 0.0 } else { f64::from(*c) };
    for (estimates, confidences) in estimates.iter().zip(confidences) {
        for (sum, pair) in sums.iter_mut().zip(estimates.iter().zip(confidences)) {
            *sum += known(pair);
        }
    }
    sums.iter().sum::<f64>() + last_estimates.iter().zip(last_confidences).map(known).sum::<f64>()
}
