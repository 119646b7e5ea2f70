//! Weights of symmetric one-dimensional filters.

/// A symmetric filter: `weights[k]` belongs to the neighbours `k` voxels away on either side; the sum over both is 1, but for
/// weights of the caller's.
#[derive(Debug, Clone, PartialEq)]
pub struct Taps {
    weights: Vec<f32>,
}

impl Taps {
    /// A sampled Gaussian of standard deviation `sigma_vox`, cut at `truncate` standard deviations, normalised.
    ///
    /// `sigma_vox <= 0` gives the identity.
    pub fn gaussian(sigma_vox: f64, truncate: f64) -> Self {
        if sigma_vox <= 0.0 {
            return Self { weights: vec![1.0] };
        }
        let radius = (truncate * sigma_vox).ceil().max(1.0) as usize;
        let half: Vec<f64> = (0..=radius).map(|k| (-0.5 * (k as f64 / sigma_vox).powi(2)).exp()).collect();
        let total = half[0] + 2.0 * half[1..].iter().sum::<f64>();
        Self { weights: half.iter().map(|w| (w / total) as f32).collect() }
    }
    /// A filter that takes the mean over `radius` voxels on either side.
    pub fn mean(radius: usize) -> Self {
        Self { weights: vec![1.0 / (2 * radius + 1) as f32; radius + 1] }
    }
    /// A filter of weights of the caller's, centre first, then outwards, taken as they are: their sum may be another than 1.
    ///
    /// Without a weight it is the identity.
    pub fn of_weights(weights: Vec<f32>) -> Self {
        Self { weights: if weights.is_empty() { vec![1.0] } else { weights } }
    }
    /// Number of voxels on either side that count.
    pub fn radius(&self) -> usize {
        self.weights.len() - 1
    }
    /// Whether the filter changes nothing.
    pub(crate) fn is_identity(&self) -> bool {
        self.weights == [1.0]
    }
    /// The weights, centre first, then outwards.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussians_sum_to_one_and_fall() {
        let taps = Taps::gaussian(1.3, 3.0);
        let w = taps.weights();
        assert!((w[0] + 2.0 * w[1..].iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(w.windows(2).all(|p| p[0] > p[1]));
        assert_eq!(taps.radius(), 4);
        assert!(Taps::gaussian(0.0, 3.0).is_identity());
        assert_eq!(Taps::mean(2).weights(), [0.2; 3]);
        assert!(Taps::mean(0).is_identity());
    }
}
