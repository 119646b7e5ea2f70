//! How much the noise of both images widens the window of the data and strengthens smoothness.
//!
//! *Measure*: the mismatch m that noise alone would leave (`steps/noise.rs`), mean square of both images as they came; on a level with a
//! share s of their voxels it is m √s, as a voxel there is the mean of 1/s voxels.
//!
//! ```text
//! ρ = ρ + t (ρ_n − ρ),   α = α + t (α_n − α),   γ = γ (1 − t),   t = m/σ_n − 1, from 0 to 1
//! ```
//!
//! Gradient constancy goes with the noise, as derivatives of noise are larger than those of what is seen.
//!
//! The confidence then looks at the bend of the field as well: where smoothness is balanced by data, α Δd is the pull of the data, and what
//! pulls a vector away from its neighbours there is mostly noise.
//!
//! *Notation*: σ_n → `noise_mismatch`, ρ_n → `rho_noisy`, α_n → `alpha_noisy`. Below σ_n fine texture is not told from noise.
//!
//! *Evidence*: `steps/noise.rs`, the tests below, docs/algorithms/clg.md (errors over α and ρ at three levels of noise).

use super::parameters::ClgParams;
use super::{NOISE, Stage};
use crate::error::Result;
use crate::method::shared_scalars::ScalarKey;
use crate::steps::image_pyramids::ImagePyramids;
use crate::steps::noise::NoiseFound;

impl Stage {
    /// Takes what the look at the noise of both images found, where the parameters asked for one.
    pub(super) fn take_noise(&mut self, pyramids: &mut ImagePyramids) -> Result<()> {
        if let Some(look) = pyramids.noise.take() {
            let found = look.get(&self.device)?;
            let key = ScalarKey { level: self.first_level + NOISE, nth: 0 };
            self.noise = NoiseFound { mismatch2: self.shared.number(key, found.mismatch2), ..found };
        }
        Ok(())
    }

    /// How much the noise that was found counts on a level, 0 to 1.
    pub(super) fn noise_share(&self, nth: usize) -> f64 {
        self.noise.share(self.levels[nth].shape.len(), self.params.noise_mismatch)
    }

    /// The parameters of a level under that noise.
    pub(super) fn level_parameters(&self, nth: usize) -> ClgParams {
        self.params.under_noise(self.noise_share(nth))
    }
}

impl ClgParams {
    /// The parameters where noise counts by a share t.
    fn under_noise(&self, share: f64) -> Self {
        Self {
            rho: self.rho + share * (self.rho_noisy - self.rho),
            alpha: self.alpha + share as f32 * (self.alpha_noisy - self.alpha),
            gamma: self.gamma * (1.0 - share) as f32,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clg::parameters::ClgPreset;
    use veloxel_core::Dimension;

    #[test]
    fn window_and_smoothness_grow_with_the_noise_up_to_their_limits() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let clean = ClgParams::preset(ClgPreset::Accurate, dimension);
            let limit = clean.noise_mismatch;
            let noise = |m: f64| NoiseFound { mismatch2: m * m, voxels: 1 };
            let at = |of_limit: f64| clean.under_noise(noise(of_limit * limit).share(1, limit));
            assert_eq!(at(0.0), clean);
            assert_eq!(at(1.0), clean);
            let noisy = (clean.rho_noisy, clean.alpha_noisy, 0.0);
            assert_eq!((at(2.0).rho, at(2.0).alpha, at(2.0).gamma), noisy);
            assert_eq!(at(9.0), at(2.0));
            assert!((at(1.5).rho - 0.5 * (clean.rho + clean.rho_noisy)).abs() < 1e-9);
            assert_eq!(at(1.5).gamma, 0.5 * clean.gamma);
            assert_eq!(noise(5.0).share(1, 0.0), 0.0);
        }
    }
}
