//! Semi-global matching around the disparity of the phases: costs summed along paths from all four sides of a picture.
//!
//! *Paper*: Hirschmüller, IEEE PAMI 30 (2008); the census of Zabih & Woodfill 1994 for the cost; bands of disparities around a
//! coarser level's as in Rothermel et al. 2012 (SURE).
//!
//! On the coarsest level that is needed every disparity up to half of the width, to both sides, is looked at; on finer ones a band of
//! [`BAND`] around what the coarser level found. What the right view does not confirm is unknown; medians of 5×5, twice, take
//! away what few pixels say; the rest is filled from the side that lies behind. On the finest level the phases say where between
//! two pixels a match lies.
//!
//! *Where we differ*: paths along rows and columns alone, because eight directions are no better here (docs/algorithms/stereo.md);
//! no cost volume is kept. *Cost*: 32 disparities a pixel in four directions, twice over all levels. *Evidence*:
//! `tests/motion/phase/semi_global.rs`; docs/status/accuracy.md. *Limits*: disparities above half of the width; what is thinner
//! than two pixels of the coarsest level and far from its surroundings.

use super::plan::{GaborPyramid, PhasePlan};
use super::results::{ConfidenceChoice, TakenField};
use super::row_check::{Codes, RowCheck};
use crate::error::Result;
use std::mem::replace;
use veloxel_core::{Dimension, Shape};
use veloxel_gpu::Buffer;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CopyPart;
use veloxel_kernels::image::valid_median::{MedianWindow, Planes, ValidMedian};
use veloxel_kernels::matching::census::Census;
use veloxel_kernels::stereo::confirmed_disparity::ConfirmedDisparity;
use veloxel_kernels::stereo::disparity_band::DisparityBand;
use veloxel_kernels::stereo::least_cost::{LeastCost, PLANES};
use veloxel_kernels::stereo::path_costs::{Before, Direction, MOST_DISPARITIES, PathCosts, Penalties};
use veloxel_kernels::stereo::row_filling::{MatchesLie, RowFilling};

/// Disparities of a pixel on all levels but the coarsest.
const BAND: usize = 32;
/// Costs of the coarsest level: a finer one would have more.
const MOST_COSTS: usize = 4_000_000;
/// Costs of the coarsest level where there is no coarser one; more disparities are not looked at.
const MOST_COSTS_EVER: usize = 64_000_000;
/// Least short side of a level that has a coarser one.
const LEAST_SIDE_PX: usize = 16;
/// How much brighter a neighbour must be, as a share of white.
const CENSUS_THRESHOLD: f32 = 0.006;
/// The change of brightness that halves what a jump of the disparity costs, as a share of white.
const EDGE: f32 = 0.04;
/// What changes of the disparity cost, bits: by a pixel, at edges, elsewhere.
const PENALTIES: [u16; 3] = [8, 12, 40];
/// Largest difference of two disparities that agree, pixels.
const TOLERANCE_PX: f32 = 1.0;

/// Disparity by semi-global matching in the memory of a device.
#[derive(Debug)]
pub(crate) struct SemiGlobal {
    /// Finest first.
    levels: Vec<LevelOfCosts>,
    disparity: Buffer,
    confidence: Buffer,
}

/// What a level needs.
#[derive(Debug)]
struct LevelOfCosts {
    size: [usize; 2],
    /// Number of disparities of a pixel.
    count: usize,
    left: Buffer,
    right: Buffer,
    codes: Buffer<u32>,
    base: Buffer,
    sums: Buffer<u16>,
    found: Buffer,
    owners: Buffer,
    /// Disparities, and what a filter makes of them.
    disparities: [Buffer; 2],
    confidence: Buffer,
}

impl SemiGlobal {
    pub fn new(plan: &PhasePlan) -> Result<Self> {
        let finest = plan.levels.size(0);
        let most = plan.stereo_levels;
        let coarsest =
            (0..most).find(|&level| level + 1 == most || is_coarse_enough(plan.levels.size(level)));
        let levels = (0..=coarsest.unwrap_or(0)).map(|level| {
            let size = plan.levels.size(level);
            LevelOfCosts::new(plan, size, (level == coarsest.unwrap_or(0)).then(|| all_disparities(size)))
        });
        let levels = levels.collect::<Result<_>>()?;
        let plane = || plan.device.scratch(finest[0] * finest[1]);
        Ok(Self { levels, disparity: plane()?, confidence: plane()? })
    }

    /// Finds the disparity of two pictures, of which the phases found one, NaN where unknown.
    pub fn find(
        &mut self,
        plan: &PhasePlan,
        [left, right]: [&GaborPyramid; 2],
        phases: &Buffer,
    ) -> Result<()> {
        for nth in (0..self.levels.len()).rev() {
            let (finer, coarser) = self.levels.split_at_mut(nth + 1);
            let level = &mut finer[nth];
            level.match_pictures(
                plan,
                [left, right].map(|pyramid| (&pyramid.images, plan.levels.start(nth))),
            )?;
            let coarser = coarser.first().map(|coarser| &coarser.disparities[0]);
            level.sum_costs(plan, coarser)?;
            level.confirm(plan, (nth == 0).then_some(phases))?;
            if nth > 0 {
                let [filled, filtered] = &mut level.disparities;
                let (size, confidence) = (level.size, &mut level.confidence);
                let matches = MatchesLie::Anywhere;
                RowFilling { size, matches, disparity: filtered, out: filled, confidence }
                    .run(&plan.device)?;
            }
        }
        let finest = &self.levels[0];
        CopyPart { from: &finest.confidence, first: 0, to: &mut self.confidence }.run(&plan.device)?;
        let filling = RowFilling {
            size: finest.size,
            matches: MatchesLie::Inside,
            disparity: &finest.disparities[1],
            out: &mut self.disparity,
            confidence: &mut self.confidence,
        };
        Ok(filling.run(&plan.device)?)
    }

    /// Whether the rows of the two pictures fit.
    pub fn check_rows(&self, plan: &PhasePlan) -> Result<RowCheck> {
        let codes =
            |level: &LevelOfCosts| Ok(Codes { size: level.size, codes: plan.device.read(&level.codes)? });
        Ok(RowCheck::of(&self.levels.iter().map(codes).collect::<Result<Vec<_>>>()?))
    }

    /// Disparity and confidence.
    pub fn found(&self) -> [&Buffer; 2] {
        [&self.disparity, &self.confidence]
    }

    /// Gives them away; the next ones are found in other memory.
    pub fn take(&mut self, plan: &PhasePlan, confidences: ConfidenceChoice) -> Result<TakenField> {
        let taken = |buffer: &mut Buffer| -> Result<Buffer> {
            let other = plan.device.scratch(buffer.len())?;
            Ok(replace(buffer, other))
        };
        let is_wanted = confidences == ConfidenceChoice::Taken;
        let confidence = is_wanted.then(|| taken(&mut self.confidence)).transpose()?;
        Ok(TakenField { estimate: taken(&mut self.disparity)?, confidence })
    }
}

impl LevelOfCosts {
    /// Memory of a level; with `all` disparities of the coarsest one.
    fn new(plan: &PhasePlan, size: [usize; 2], all: Option<usize>) -> Result<Self> {
        let (device, n, count) = (&plan.device, size[0] * size[1], all.unwrap_or(BAND));
        let plane = || device.scratch(n);
        let base = match all {
            Some(all) => device.upload(vec![1.0 - (all / 2) as f32; n])?,
            None => plane()?,
        };
        Ok(Self {
            size,
            count,
            left: plane()?,
            right: plane()?,
            codes: device.scratch(2 * n)?,
            base,
            sums: device.scratch(count * n)?,
            found: device.scratch(PLANES * n)?,
            owners: device.scratch(2 * n)?,
            disparities: [plane()?, plane()?],
            confidence: plane()?,
        })
    }

    /// Copies both pictures out of their pyramids, and makes their codes.
    fn match_pictures(&mut self, plan: &PhasePlan, pictures: [(&Buffer, usize); 2]) -> Result<()> {
        let [nx, ny] = self.size;
        let shape = Shape { size: [nx, ny, 1], dimension: Dimension::Two };
        let threshold = CENSUS_THRESHOLD * plan.parameters.full_scale;
        for ((nth, (from, first)), to) in
            pictures.into_iter().enumerate().zip([&mut self.left, &mut self.right])
        {
            CopyPart { from, first, to }.run(&plan.device)?;
            let (image, codes) = (&*to, &mut self.codes);
            Census { shape, threshold, image, start: nth * nx * ny, margin: 0, codes }.run(&plan.device)?;
        }
        Ok(())
    }

    /// Sums costs along all paths.
    fn sum_costs(&mut self, plan: &PhasePlan, coarser: Option<&Buffer>) -> Result<()> {
        let Self { size, count, codes, base, left, sums, found, .. } = self;
        let (size, count) = (*size, *count);
        if let Some(coarser) = coarser {
            DisparityBand { size, count, coarser, base }.run(&plan.device)?;
        }
        let [small, least, great] = PENALTIES;
        let penalties = Penalties { small, least, great, edge: EDGE * plan.parameters.full_scale };
        for (nth, direction) in Direction::ALL.into_iter().enumerate() {
            let before = if nth == 0 { Before::Nothing } else { Before::Sums };
            PathCosts { size, count, direction, penalties, codes, base, image: left, before, sums }
                .run(&plan.device)?;
        }
        LeastCost { size, count, sums, base, out: found }.run(&plan.device)?;
        Ok(())
    }

    /// Leaves what the right view confirms and the pixels around say as well: in the second of the disparities.
    fn confirm(&mut self, plan: &PhasePlan, phases: Option<&Buffer>) -> Result<()> {
        let Self { size, found, owners, disparities: [first, second], confidence, .. } = self;
        let size = *size;
        ConfirmedDisparity {
            size,
            tolerance_px: TOLERANCE_PX,
            found,
            phases,
            owners,
            out: second,
            confidence,
        }
        .run(&plan.device)?;
        median(plan, size, second, first, confidence)?;
        median(plan, size, first, second, confidence)
    }
}

/// The median of 5×5 of what is known, where that is most of it.
fn median(
    plan: &PhasePlan,
    size: [usize; 2],
    estimates: &Buffer,
    out: &mut Buffer,
    confidence: &mut Buffer,
) -> Result<()> {
    let planes = Planes { size, count: 1 };
    let (window, confidence) = (MedianWindow::Five, Some(confidence));
    Ok(ValidMedian { planes, window, estimates, coarser: None, out, confidence }.run(&plan.device)?)
}

/// Whether all disparities of a level may be looked at, or must be.
fn is_coarse_enough([nx, ny]: [usize; 2]) -> bool {
    nx * ny * nx <= MOST_COSTS || nx.min(ny) < LEAST_SIDE_PX
}

/// The number of disparities that a level has: up to half of its width to both sides, if there is room.
fn all_disparities([nx, ny]: [usize; 2]) -> usize {
    let room = (MOST_COSTS_EVER / (nx * ny)).clamp(2, MOST_DISPARITIES);
    2 * (nx.min(room) / 2).max(1)
}
