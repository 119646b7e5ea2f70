//! A confidence as a probability: that the error of a vector is below a threshold.
//!
//! At each of [`THRESHOLDS_VOX`] a curve says which share of vectors with a confidence was off by as much or more; the probability is
//! what is left to 1. *Between two thresholds* the share is straight over the logarithm of the threshold. *Outside of them* nothing was
//! measured, and no probability is given: errors were cut at 5 voxels, and below an eighth of a voxel the truths' own errors begin.
//! *Units*: voxels (pixels) of the fixed grid; where these are no cubes, lengths of their shortest edge.

use super::{ErrorCurves, at};
use veloxel_core::Volume;

/// Thresholds at which shares of errors were measured, voxels.
pub const THRESHOLDS_VOX: [f32; 6] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0];

impl ErrorCurves {
    /// Whether a probability can be given of errors below a threshold, voxels.
    pub fn is_measured(within_vox: f32) -> bool {
        (THRESHOLDS_VOX[0]..=THRESHOLDS_VOX[THRESHOLDS_VOX.len() - 1]).contains(&within_vox)
    }

    /// The probability, 0 to 1, that a vector with this confidence is off by less than a threshold, voxels; NaN for a confidence of NaN,
    /// and for a threshold of which nothing was [measured](Self::is_measured).
    pub fn probability(&self, confidence: f32, within_vox: f32) -> f32 {
        if !Self::is_measured(within_vox) {
            return f32::NAN;
        }
        // Thresholds double from one to the next.
        let place = (within_vox / THRESHOLDS_VOX[0]).log2();
        let lower = (place as usize).min(THRESHOLDS_VOX.len() - 2);
        let share = place - lower as f32;
        let [less, more] = [lower, lower + 1].map(|nth| at(&self.above[nth], confidence));
        1.0 - ((1.0 - share) * less + share * more)
    }

    /// The probability of every vector, on the grid of its confidence: [`Self::probability`].
    pub fn probabilities(&self, confidence: &Volume<f32>, within_vox: f32) -> Volume<f32> {
        confidence.map(|confidence| self.probability(*confidence, within_vox))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn a_probability_rises_with_the_threshold_and_with_the_confidence() {
        let curves = ErrorCurves::of("clg", "accurate", Dimension::Two).unwrap();
        let thresholds = [0.125, 0.2, 0.25, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0];
        for confidence in [0.01, 0.3, 0.7, 0.95, 0.999] {
            let all = thresholds.map(|within| curves.probability(confidence, within));
            assert!(all.is_sorted() && all.iter().all(|p| (0.0..=1.0).contains(p)), "{all:?}");
        }
        assert!(curves.probability(0.999, 0.5) > curves.probability(0.2, 0.5) + 0.2);
        // At a measured threshold it is its own curve, and half way (in octaves) between two the mean.
        let [low, middle, high] = [0.5, 0.5 * 2f32.sqrt(), 1.0].map(|within| curves.probability(0.6, within));
        assert!((low - (1.0 - at(&curves.above[2], 0.6))).abs() < 1e-6);
        assert!((middle - 0.5 * (low + high)).abs() < 1e-5, "{low} {middle} {high}");
    }

    #[test]
    fn thresholds_that_were_not_measured_have_none() {
        let curves = ErrorCurves::of("clg", "accurate", Dimension::Three).unwrap();
        for within in [0.0, 0.12, 4.1, f32::NAN, f32::INFINITY, -1.0] {
            assert!(
                !ErrorCurves::is_measured(within) && curves.probability(0.9, within).is_nan(),
                "{within}"
            );
        }
        assert!(curves.probability(f32::NAN, 0.5).is_nan());
    }
}
