//! The preset `paper` as the experiments run it: numbers of warps, iterations and taps.

use veloxel_core::Dimension;
use veloxel_kernels::Taps;
use veloxel_motion::{ClgParams, ClgPreset};

/// The numbers of warps R, half of the preset's, and of Jacobi iterations of a warp, as in the preset.
pub(super) const WARPS: usize = 10;
pub(super) const ITERATIONS: usize = 100;
/// Jacobi iterations of a warp in Figure 5, fewer, so that one thread measures every point.
pub(super) const FIGURE_ITERATIONS: usize = 20;
/// Width of K_ρ, taps (section 5.2).
pub(super) const TAPS: usize = 15;
/// The numbers α and β of the preset.
pub(super) const ALPHA: f32 = 0.2;
pub(super) const BETA: f32 = 0.01;
/// The axis of sizes in all plots.
pub(super) const X_LABEL: &str = "cubic root of the size, voxels";
/// Radius at which the method cuts K_ρ, in standard deviations.
const TRUNCATE: f64 = 2.5;

/// The ρ whose K_ρ has this many taps.
pub(super) fn rho_vox(taps: usize) -> f64 {
    // A quarter below the limit: rounding must not add a tap.
    ((taps / 2) as f64 - 0.25) / TRUNCATE
}

/// The window K_ρ of this many taps.
pub(super) fn window(taps: usize) -> Taps {
    Taps::gaussian(rho_vox(taps), TRUNCATE)
}

/// The preset `paper` with this many warps, iterations and taps.
pub(super) fn params(warps: usize, iterations: usize, taps: usize) -> ClgParams {
    ClgParams {
        warps,
        finest_warps: warps,
        iterations,
        rho: rho_vox(taps),
        rho_matched: rho_vox(taps),
        ..ClgParams::preset(ClgPreset::Paper, Dimension::Three)
    }
}
