//! The weights of one warp of [`Clg`](crate::Clg), from how well its images match: what is left between them tells how much
//! smoothness, contrast and averaging the data need.
//!
//! The *mismatch* m² = Σ n I_t² / Σ n |∇I|² of the warped images, edges², is what noise, sampling, outliers and missing motion
//! leave. Below σ the weight of smoothness over that of data is the variance of data over that of motion, α ∝ m². Below σ/2
//! no more than noise and sampling is left:
//!
//! ```text
//! ρ = ρ_m (2m/σ)^(2/(d + 4))      balances the variance m²/ρᵈ that K_ρ averages away with the bend ρ⁴ that it flattens
//! ζ ∝ m, where β = 0              the contrast that noise alone makes
//! α_m |∇(d0 + δ − c K_s * d0)|²   bends much longer than s keep their height, short waves are smoothed as before
//! ```
//!
//! The pull of first-order smoothness on a bend, α Δd, becomes nearly α Δ(d − K_s * d), of fourth order; the share 1 − c that
//! stays of first order fills what no data reach. Where volume is preserved that term decides what low contrast leaves open:
//! ζ stays, and faint data do not argue with it.
//!
//! Images that match no more once they are weighed so stay open for the rest of their level ([`Matching`]).
//!
//! *Notation*: σ → `alpha_mismatch`, α_m → `alpha_matched`, ρ_m → `rho_matched`, s → `mean_matched`, c → `mean_share`.

use super::parameters::ClgParams;
use crate::steps::level_steps::TRUNCATE;
use veloxel_core::Axes;
use veloxel_kernels::Taps;
use veloxel_kernels::image::convolve::isotropic;

/// Share of σ² below which the images match: half of σ.
const MATCHED_SHARE: f64 = 0.25;
/// Share of that below which no mismatch is told from rounding.
const LEAST_SHARE: f64 = 0.02;
/// c, where the images match.
const MEAN_SHARE: f32 = 0.9;

/// What the energy of one warp is weighed with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights {
    /// α.
    pub alpha: f32,
    /// ζ of the brightness constraint.
    pub zeta: f32,
    /// K_ρ.
    pub taps: Axes<Taps>,
    /// c: how much of the mean of the displacement so far is not smoothed.
    pub mean_share: f32,
    /// Whether no more than noise and sampling is left: m is below σ/2.
    pub is_matched: bool,
}

/// Whether the images of a level match, after the warps so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Matching {
    /// Not yet.
    Open,
    /// They do.
    Matched,
    /// They did, and under the weights for images that match they did no more: those weights flatten a motion that the others
    /// find, and the level would go back and forth between both without end.
    Left,
}

impl Matching {
    /// The weights of the next warp, for a mismatch m², edges², in `dimensions`, and what the level is then.
    pub fn next(self, params: &ClgParams, mismatch2: f64, dimensions: usize) -> (Weights, Self) {
        let weights = Weights::matched(params, mismatch2, dimensions);
        match (self, weights.is_matched) {
            (Self::Left, true) => (Weights::open(params, mismatch2), Self::Left),
            (Self::Left | Self::Matched, false) => (weights, Self::Left),
            (_, true) => (weights, Self::Matched),
            (Self::Open, false) => (weights, Self::Open),
        }
    }
}

/// m² over σ².
fn share(params: &ClgParams, mismatch2: f64) -> f64 {
    mismatch2 / params.alpha_mismatch.powi(2)
}

/// A Gaussian window, the same along every axis.
pub(super) fn window(sigma_vox: f64) -> Axes<Taps> {
    isotropic(&Taps::gaussian(sigma_vox, TRUNCATE))
}

impl Weights {
    /// The weights that no mismatch changes.
    pub fn fixed(params: &ClgParams) -> Self {
        Self {
            alpha: params.alpha,
            zeta: params.zeta,
            taps: window(params.rho),
            mean_share: 0.0,
            is_matched: false,
        }
    }

    /// The weights for images that do not match, with a mismatch m², edges².
    fn open(params: &ClgParams, mismatch2: f64) -> Self {
        let alpha_share = (share(params, mismatch2) as f32).clamp(params.alpha_floor, 1.0);
        Self { alpha: params.alpha * alpha_share, ..Self::fixed(params) }
    }

    /// The weights for a mismatch m², edges², in `dimensions`.
    pub fn matched(params: &ClgParams, mismatch2: f64, dimensions: usize) -> Self {
        let share = share(params, mismatch2);
        if share >= MATCHED_SHARE {
            return Self::open(params, mismatch2);
        }
        let alpha_share = (share as f32).clamp(params.alpha_floor, 1.0);
        let below = (share / MATCHED_SHARE).max(LEAST_SHARE);
        let contrast_share = if params.beta > 0.0 { 1.0 } else { below.sqrt() as f32 };
        Self {
            alpha: params.alpha_matched * alpha_share,
            zeta: params.zeta * contrast_share,
            taps: window(params.rho_matched * below.powf(1.0 / (dimensions as f64 + 4.0))),
            mean_share: if params.mean_matched > 0.0 { MEAN_SHARE } else { 0.0 },
            is_matched: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clg::parameters::ClgPreset;
    use veloxel_core::Dimension;

    #[test]
    fn weights_fall_with_the_mismatch() {
        let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Three);
        let sigma = params.alpha_mismatch;
        let at = |share: f64| Weights::matched(&params, (share * sigma).powi(2), 3);
        assert_eq!(at(2.0), Weights::fixed(&params));
        let open = at(0.6);
        assert!((open.alpha - 0.36 * params.alpha).abs() < 1e-6, "α falls as m²: {open:?}");
        assert_eq!(open.taps, window(params.rho));
        let close = at(0.25);
        assert!((close.alpha - 0.0625 * params.alpha_matched).abs() < 1e-6, "{close:?}");
        assert!(
            (close.zeta - 0.5 * params.zeta).abs() < 1e-6,
            "half of the mismatch that matches: {close:?}"
        );
        assert_eq!(close.taps, window(params.rho_matched * 0.5f64.powf(2.0 / 7.0)));
        assert_eq!((open.mean_share, close.mean_share), (0.0, MEAN_SHARE));
        assert_eq!((open.is_matched, close.is_matched), (false, true));
        let preserved =
            Weights::matched(&ClgParams { beta: 1.0, ..params.clone() }, (0.25 * sigma).powi(2), 3);
        assert_eq!(preserved, Weights { zeta: params.zeta, ..close.clone() });
        let (none, least) = (at(0.0), at(0.01));
        assert_eq!(none, least, "rounding is no mismatch");
        assert!(none.alpha > 0.0 && none.zeta > 0.0);
    }

    #[test]
    fn images_that_matching_weights_drive_apart_do_not_match_again() {
        let params = ClgParams::preset(ClgPreset::Accurate, Dimension::Three);
        let sigma = params.alpha_mismatch;
        let mut matching = Matching::Open;
        let mut next = |share: f64| {
            let (weights, after) = matching.next(&params, (share * sigma).powi(2), 3);
            matching = after;
            (weights.is_matched, after)
        };
        assert_eq!(next(0.7), (false, Matching::Open));
        assert_eq!(next(0.4), (true, Matching::Matched));
        assert_eq!(next(0.3), (true, Matching::Matched));
        assert_eq!(next(0.6), (false, Matching::Left));
        assert_eq!(next(0.3), (false, Matching::Left));
    }
}
