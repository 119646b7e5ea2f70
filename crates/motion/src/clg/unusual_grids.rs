//! Presets on grids that are unlike most: small pictures, where few pixels leave few levels, and stacks of thick slices.
//!
//! *Small pictures*: a preset that ends on a coarse level does so because pictures are large; on a small one that level has too few pixels to hold
//! the motion, and no coarser one to find it on: `realtime` found 0.1 of 1.7 pixels on 96². Two rules, which settings given by name
//! override:
//!
//! 1. the estimate ends on a level with as many pixels as [`USUAL_PX`] have on the preset's own, or on the full grid;
//! 2. below [`SMALL_PX`] the presets `fast`, `realtime` and `ultrafast` are one: `fast` with a pyramid of smaller steps and more
//!    warps. Halving a side of 96 pixels ends at 24, as 12 are too few; steps of 0.7 end at 16, and pass five levels on the way.
//!
//! *Stacks* of slices that lie twice as far apart as pixels, or farther: noise is not told from what changes from one slice to the next,
//! and is not looked at; smoothness is as strong as hearts were found best with (docs/algorithms/clg.md).
//!
//! *Evidence*: `tests/motion/small_pictures.rs`, the tests below.

use super::coarse_pair::stack_axis;
use super::parameters::{ClgParams, ClgPreset};
use crate::steps::pyramid::levels;
use veloxel_core::parameters::{ParameterError, Parameters};
use veloxel_core::{Dimension, Grid};

/// Pixels of a picture for which presets end on their own level: 512 × 375.
const USUAL_PX: usize = 192_000;
/// Pixels below which a picture is small: 200 × 200.
const SMALL_PX: usize = 40_000;
/// Step of the pyramid, and warps of a level, of small pictures.
const SMALL_ETA: f64 = 0.7;
const SMALL_WARPS: usize = 4;
/// Alpha of the presets `accurate` and `fast` in stacks of thick slices.
const STACK_ALPHA: [(ClgPreset, f32); 2] = [(ClgPreset::Accurate, 0.12), (ClgPreset::Fast, 0.1)];

impl ClgParams {
    /// The values of a preset by its name, for pictures or volumes on a grid.
    ///
    /// # Errors
    /// [`ParameterError::Value`] with the presets that there are.
    pub fn preset_on(name: &str, grid: &Grid) -> Result<Self, ParameterError> {
        let params = Self::preset_named(name, grid.dimension())?;
        let of_stack = STACK_ALPHA.into_iter().find(|(preset, _)| preset.name() == name);
        if let Some((_, alpha)) = of_stack.filter(|_| stack_axis(grid).is_some()) {
            return Ok(Self { alpha, noise_mismatch: 0.0, ..params });
        }
        let quick = [ClgPreset::Fast, ClgPreset::Realtime, ClgPreset::Ultrafast];
        if grid.dimension() != Dimension::Two || quick.iter().all(|preset| preset.name() != name) {
            return Ok(params);
        }
        if grid.len() < SMALL_PX {
            let fast = Self::preset(ClgPreset::Fast, Dimension::Two);
            return Ok(Self { eta: SMALL_ETA, warps: SMALL_WARPS, ..fast });
        }
        let least = USUAL_PX >> (2 * params.finest_level);
        let all = levels(grid, params.eta, params.finest_level + 1);
        let finest_level = all.iter().rposition(|level| level.shape.len() >= least).unwrap_or(0);
        Ok(Self { finest_level, ..params })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_of_thick_slices_are_smoothed_as_hearts_are() {
        let volume = Grid::volume(32, 32, 10).unwrap();
        let stack = volume.clone().with_spacing_mm([1.5, 1.5, 10.0]).unwrap();
        for (preset, alpha) in STACK_ALPHA {
            let on = |grid| ClgParams::preset_on(preset.name(), grid).unwrap();
            assert_eq!((on(&stack).alpha, on(&stack).noise_mismatch), (alpha, 0.0));
            assert_eq!(on(&volume), ClgParams::preset(preset, Dimension::Three));
        }
        let cine = |grid| ClgParams::preset_on(ClgPreset::Cine.name(), grid).unwrap();
        assert_eq!(cine(&stack), cine(&volume));
    }

    fn finest(preset: ClgPreset, size: [usize; 2]) -> usize {
        let grid = Grid::image(size[0], size[1]).unwrap();
        ClgParams::preset_on(preset.name(), &grid).unwrap().finest_level
    }

    #[test]
    fn small_pictures_end_on_finer_levels() {
        for (preset, own) in [(ClgPreset::Realtime, 2), (ClgPreset::Ultrafast, 3), (ClgPreset::Fast, 0)] {
            for size in [[640, 480], [584, 388], [1920, 1080]] {
                assert_eq!(finest(preset, size), own, "{size:?}");
            }
            for size in [[8, 8], [96, 96], [24, 400], [199, 200]] {
                assert_eq!(finest(preset, size), 0, "{size:?}");
            }
        }
        assert_eq!(finest(ClgPreset::Realtime, [320, 240]), 1);
        assert_eq!(finest(ClgPreset::Ultrafast, [320, 240]), 2);
        // A short axis does not shrink: its levels have more pixels.
        assert_eq!(finest(ClgPreset::Ultrafast, [2000, 24]), 3);
    }

    #[test]
    fn other_presets_and_volumes_stay() {
        let (picture, volume) = (Grid::image(64, 64).unwrap(), Grid::volume(64, 64, 64).unwrap());
        let on = |preset: ClgPreset, grid: &Grid| ClgParams::preset_on(preset.name(), grid).unwrap();
        for preset in [ClgPreset::Accurate, ClgPreset::Paper, ClgPreset::Cine] {
            assert_eq!(on(preset, &picture), ClgParams::preset(preset, Dimension::Two));
        }
        let realtime = ClgPreset::Realtime;
        assert_eq!(on(realtime, &volume), ClgParams::preset(realtime, Dimension::Three));
        assert!(ClgParams::preset_on("instant", &picture).is_err());
    }
}
