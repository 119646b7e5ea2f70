//! What a run of the phase engine says about itself.

use serde::Serialize;

/// Levels and how much was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseReport {
    /// `(nx, ny)` of every level that was used, finest first.
    pub levels: Vec<[usize; 2]>,
    /// Share of the pixels with an estimate (features: with a phase), 0 to 1.
    pub valid_share: f64,
    /// Mean confidence of these; of features 1.
    pub mean_confidence: f64,
}

impl PhaseReport {
    pub(crate) fn new(levels: &[[usize; 2]], estimate: &[f32], confidence: Option<&[f32]>) -> Self {
        let (mut valid, mut total) = (0usize, 0.0);
        for (i, _) in estimate.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
            valid += 1;
            total += confidence.map_or(1.0, |c| f64::from(c[i]));
        }
        let share = |part: f64, whole: usize| if whole > 0 { part / whole as f64 } else { 0.0 };
        Self {
            levels: levels.to_vec(),
            valid_share: share(valid as f64, estimate.len()),
            mean_confidence: share(total, valid),
        }
    }
}
