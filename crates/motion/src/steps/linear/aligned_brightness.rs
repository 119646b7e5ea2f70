//! The gain and the offset by which a moving image is as bright as the fixed one, found where a linear map has aligned them.
//!
//! Two scans of one kind differ by a few per cent of brightness, and what follows takes that for motion: it goes where samples are equal,
//! and no later fit finds the difference again. Before anything is aligned it cannot be told from what the images show; after the map is
//! found it can, by [`BrightnessDifference`], which neither misplaced borders nor noise draw towards either image.
//! *Evidence*: `tests/motion/aligned_brightness.rs`; brains of four persons, docs/algorithms/clg.md.
//! *Limits*: brightness that differs from place to place stays; differences of more than [`MOST`] are no gain and no offset.

use crate::error::Result;
use crate::method::resident::ResidentMask;
use crate::steps::brightness::BrightnessDifference;
use crate::steps::buffers::convolved;
use crate::steps::frame::Frame;
use crate::steps::level_steps::TRUNCATE;
use crate::steps::linear::levels::{SeenThrough, pyramid_of};
use crate::steps::moving_image::voxel_map;
use crate::steps::pyramid::{between_levels, levels, mask_pyramid, moving_levels};
use veloxel_core::{FlowStatistics, LinearBrightness, WarningKind};
use veloxel_kernels::Taps;
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};

/// The finest level that is looked at has at most so many voxels.
const MOST_VOXELS: usize = 1 << 19;
/// Standard deviation of the smoothing before the fit, voxels of the level: noise, and what interpolation flattens, would be a gain.
const SMOOTHED_VOX: f64 = 1.0;
/// Least share of the fixed image's range by which dark or bright places differ: the fit is not known better.
const LEAST: f64 = 0.005;
/// Greatest share by which they differ.
const MOST: f64 = 0.25;

/// What makes the moving image as bright as the fixed one, which sees it through `map`, from the fixed grid onto itself; none where it is
/// so already, where too little is seen, where the images are too unlike for that, and for a shift alone, which aligns too little to tell.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute).
pub(crate) fn aligned_brightness(
    [fixed, moving]: [&Frame; 2],
    mask: Option<&ResidentMask>,
    map: &VoxelAffine,
) -> Result<Option<LinearBrightness>> {
    let (device, grid) = (fixed.device(), fixed.grid());
    if map.matrix == VoxelAffine::IDENTITY.matrix {
        return Ok(None);
    }
    let Some(intensities) = fixed.map_within(mask)? else { return Ok(None) };
    let placed = voxel_map(grid, moving.grid());
    let all = levels(grid, 0.5, 64);
    let nth = all.iter().position(|level| level.shape.len() <= MOST_VOXELS).unwrap_or(all.len() - 1);
    let used = &all[..=nth];
    let used_moving = moving_levels(moving.grid(), &placed, used);
    let pair = [&used[nth], &used_moving[nth]];
    let found = device.scope(|| -> Result<_> {
        let [fixed, moving] =
            [pyramid_of(fixed, intensities, used)?, pyramid_of(moving, intensities, &used_moving)?];
        let weight = mask.map(|mask| mask_pyramid(device, mask, used)).transpose()?;
        // Between voxels linear interpolation flattens what the moving image shows, which is a gain of its own; a spline makes a dark
        // background wavy, which then is no longer the same in both.
        let taps = &isotropic(&Taps::gaussian(SMOOTHED_VOX, TRUNCATE));
        let fixed = convolved(device, &fixed[nth], pair[0].shape, taps)?;
        let moving = convolved(device, &moving[nth], pair[1].shape, taps)?;
        let mut seen = SeenThrough::new(device, pair, Interpolation::CubicConvolution)?;
        let seen = seen.of(device, &moving, between_levels(&placed.after(map), pair))?;
        let weight = weight.as_ref().map(|levels| &levels[nth]);
        BrightnessDifference::of(device, pair[0].shape, [&fixed, seen], weight)
    })?;
    let in_bounds = |found: &BrightnessDifference| {
        let [dark, bright] = found.at_ends().map(f64::abs);
        (LEAST..=MOST).contains(&dark.max(bright))
    };
    let Some([gain, offset]) = found.filter(in_bounds).map(|found| found.of_moving()) else {
        return Ok(None);
    };
    // From intensities mapped to 0..1 to those of the images: s v + t becomes g (s v + t) + o.
    let (scale, low) = intensities.gain_and_offset();
    let (scale, low) = (f64::from(scale), f64::from(low));
    let offset = ((gain - 1.0) * low + offset) / scale;
    Ok(Some(LinearBrightness { gain: gain as f32, offset: offset as f32 }))
}

/// States in the diagnostics of a run what its moving image was compared as.
pub(crate) fn note_brightness(found: Option<LinearBrightness>, statistics: &mut FlowStatistics) {
    let Some(LinearBrightness { gain, offset }) = found else { return };
    statistics.brightness.moving = found;
    let text = format!(
        "where the linear start has aligned the images, the moving one is as bright as the fixed one with its samples times {gain:.3} plus \
         {offset:.4}: it was compared so"
    );
    statistics.warnings.push(WarningKind::Note, text);
}
