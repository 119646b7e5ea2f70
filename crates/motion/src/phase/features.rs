//! Local features: one image in (`f32`, 2-D), energy, orientation and phase of every pixel on every level out.
//!
//! *Paper*: K. Pauwels, M. Tomasi, J. Díaz Alonso, E. Ros, M. M. Van Hulle, "A comparison of FPGA and GPU for real-time
//! phase-based optical flow, stereo, and local image features", IEEE Trans. Computers 61 (2012), doi:10.1109/TC.2011.120,
//! sections 2-3, eq. 1-7; after S. Sabatini et al., Computer Vision and Image Understanding 114 (2010).
//!
//! *Notation*
//!
//! | paper | code | unit |
//! |---|---|---|
//! | Q_q = C_q + jS_q, ρ_q | `responses` | intensity of a grating's amplitude |
//! | E_local | `energy` | intensity² |
//! | θ_local | `orientation_rad` | radians, [0, π): across the edge or line |
//! | φ_local | `phase_rad` | radians, (−π, π]: 0 a bright line, ±π/2 edges, π a dark line |
//!
//! *Where we differ*: the gain is that of a grating, so that energies of levels can be compared. *Cost*: 25
//! one-dimensional convolutions a pixel. *Evidence*: `tests/motion/phase/features.rs`; docs/status/accuracy.md (Table 4).
//! *Limits*: where no response reaches the least magnitude orientation and phase are NaN.

use super::parameters::PhaseParameters;
use super::plan::{PhasePlan, PhaseWanted, check_count, check_picture, picture_size};
use super::report::PhaseReport;
use super::twin::round_features;
use crate::delivered::stretch::Stretch;
use crate::error::Result;
use crate::steps::buffers::{copied, copied_part};
use std::ops::Range;
use veloxel_core::{Grid, Volume};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::phase::gabor::{LocalPhaseOutputs, Picture};

/// Features of one level.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureMaps {
    /// Sum of the squared magnitudes over orientations, intensity².
    pub energy: Volume<f32>,
    /// Across the edge or line, [0, π), from x towards y.
    pub orientation_rad: Volume<f32>,
    /// (−π, π].
    pub phase_rad: Volume<f32>,
}

/// Features of every level.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFeatures {
    /// Full resolution first.
    pub levels: Vec<FeatureMaps>,
    /// How the run went.
    pub report: PhaseReport,
}

/// Finds the features of an image on every level.
///
/// # Errors
/// [`MotionError::NotAPicture`](crate::MotionError::NotAPicture), [`MotionError::Input`](crate::MotionError::Input) for
/// samples that are not finite, [`MotionError::Parameter`](crate::MotionError::Parameter),
/// [`MotionError::Compute`](crate::MotionError::Compute).
pub fn phase_features(
    image: &Volume<f32>,
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<PhaseFeatures> {
    let size = check_picture("the image", image)?;
    let plan = PhasePlan::new(size, FEATURES, parameters, device)?;
    device.scope(|| {
        let features = Features::of(&plan, &Picture::from_samples(device, image.data())?)?;
        features.fetch(&plan, plan.levels.count(), image.grid())
    })
}

/// What a plan of features alone is made for.
const FEATURES: PhaseWanted = PhaseWanted { flow: false, stereo: false, features: true };

/// Features of one level in the memory of a device, as [`FeatureMaps`] has them.
#[derive(Debug)]
pub struct ResidentFeatures {
    /// Where the level's pixels lie.
    pub grid: Grid,
    /// Intensity².
    pub energy: Buffer,
    /// Radians, [0, π).
    pub orientation_rad: Buffer,
    /// Radians, (−π, π].
    pub phase_rad: Buffer,
}

/// [`phase_features`] for a picture that the device has already, where the features of every level stay, full resolution first: the same
/// bits. Samples have to be finite.
///
/// # Errors
/// As [`phase_features`].
pub fn phase_features_on_device(
    samples: &Buffer,
    grid: &Grid,
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<Vec<ResidentFeatures>> {
    let size = picture_size("the image", grid)?;
    check_count(samples.len(), size)?;
    let plan = PhasePlan::new(size, FEATURES, parameters, device)?;
    device.scope(|| {
        let features = Features::of(&plan, &Picture::of(copied(device, samples)?))?;
        levels_of(&features.maps, &plan.levels.sizes()[..plan.feature_levels], grid, device)
    })
}

/// Copies of the levels of maps that hold them one after the other, the finest first.
pub(crate) fn levels_of(
    maps: &[Buffer; 3],
    sizes: &[[usize; 2]],
    grid: &Grid,
    device: &Device,
) -> Result<Vec<ResidentFeatures>> {
    let mut first = 0;
    let level = |(level, size): (usize, &[usize; 2])| -> Result<ResidentFeatures> {
        let count = size[0] * size[1];
        let [energy, orientation, phase] = maps.each_ref().map(|map| copied_part(device, map, first, count));
        first += count;
        Ok(ResidentFeatures {
            grid: level_grid(grid, *size, level)?,
            energy: energy?,
            orientation_rad: orientation?,
            phase_rad: phase?,
        })
    };
    sizes.iter().enumerate().map(level).collect()
}

/// Features in the memory of a device.
#[derive(Debug)]
pub(crate) struct Features {
    /// Energy, orientation, phase of all levels.
    pub maps: [Buffer; 3],
}

/// Features that were taken: energy, orientation, phase; levels one after the other, the finest first.
#[derive(Debug)]
pub(crate) struct TakenFeatures {
    pub maps: [Buffer; 3],
    /// Pixels of every level.
    pub sizes: Vec<[usize; 2]>,
}

impl Features {
    pub fn new(plan: &PhasePlan) -> Result<Self> {
        Ok(Self { maps: maps(plan)? })
    }

    /// The features of a picture.
    fn of(plan: &PhasePlan, picture: &Picture) -> Result<Self> {
        let mut features = Self::new(plan)?;
        let mut images = plan.device.scratch(plan.levels.len())?;
        plan.pyramids(&[picture], &mut [&mut images])?;
        plan.filter(&images, LocalPhaseOutputs { phases: None, features: Some(&mut features.maps) })?;
        round_features(plan, &mut features.maps)?;
        Ok(features)
    }

    /// Gives them away; the next ones are found in other memory.
    pub fn take(&mut self, plan: &PhasePlan) -> Result<TakenFeatures> {
        let sizes = plan.levels.sizes()[..plan.feature_levels].to_vec();
        Ok(TakenFeatures { maps: std::mem::replace(&mut self.maps, maps(plan)?), sizes })
    }

    /// A level of a size, whose samples lie in a range of each map.
    pub fn stretch(&self, size: [usize; 2], range: Range<usize>) -> ([usize; 2], [Stretch<'_>; 3]) {
        (size, self.maps.each_ref().map(|map| Stretch::of(map, range.clone())))
    }

    /// The finest `levels`; `grid` is that of the image.
    pub fn fetch(&self, plan: &PhasePlan, levels: usize, grid: &Grid) -> Result<PhaseFeatures> {
        let sizes = &plan.levels.sizes()[..levels.min(plan.feature_levels)];
        let level = |l: usize| -> Result<FeatureMaps> {
            let grid = level_grid(grid, sizes[l], l)?;
            let range = plan.levels.start(l)..plan.levels.start(l) + plan.levels.pixels(l);
            let [energy, orientation, phase] =
                plan.fetch(self.maps.each_ref().map(|map| (map, range.clone())))?;
            Ok(FeatureMaps {
                energy: Volume::new(grid.clone(), energy)?,
                orientation_rad: Volume::new(grid.clone(), orientation)?,
                phase_rad: Volume::new(grid, phase)?,
            })
        };
        let levels = (0..sizes.len()).map(level).collect::<Result<Vec<_>, _>>()?;
        let phases = levels.first().map_or(&[][..], |finest| finest.phase_rad.data());
        let report = PhaseReport::new(phases.len(), sizes, phases, None);
        Ok(PhaseFeatures { levels, report })
    }
}

/// Memory for energy, orientation and phase of all levels.
fn maps(plan: &PhasePlan) -> Result<[Buffer; 3]> {
    let plane = || plan.device.scratch(plan.levels.len());
    Ok([plane()?, plane()?, plane()?])
}

/// Where a level's pixels lie: pixel X on pixel 2ˡX of the image.
pub(crate) fn level_grid(grid: &Grid, [nx, ny]: [usize; 2], level: usize) -> Result<Grid> {
    let spacing = grid.spacing_mm().map(|s| s * f64::from(1u32 << level));
    let origin = grid.origin_mm();
    Ok(Grid::image(nx, ny)?
        .with_spacing_mm(spacing)?
        .with_direction(grid.direction())?
        .with_origin_mm(origin))
}
