//! A mask that need not fit into memory.

use std::collections::BTreeSet;
use veloxel_core::GridBox;
use veloxel_motion::{ImageBoxes, MotionError};

/// A mask of which boxes are read.
#[derive(Clone, Copy)]
pub struct MaskBoxes<'a> {
    /// Its image.
    pub image: &'a dyn ImageBoxes,
    /// The values of voxels that are inside; empty: all but 0.
    pub labels: &'a BTreeSet<i32>,
}

impl MaskBoxes<'_> {
    /// Which voxels of a box are inside.
    ///
    /// # Errors
    /// What the image fails with.
    pub(super) fn inside(&self, part: GridBox) -> Result<Vec<bool>, MotionError> {
        Ok(self.image.samples(part)?.iter().map(|v| self.holds(*v)).collect())
    }

    /// Whether a voxel with this sample is inside.
    fn holds(&self, sample: f32) -> bool {
        match self.labels.is_empty() {
            true => sample.is_finite() && sample != 0.0,
            false => sample.fract() == 0.0 && self.labels.contains(&(sample as i32)),
        }
    }
}
