//! Images of which boxes are read: they lie in memory, or anywhere else, and need not fit into memory.

use crate::error::Result;
use crate::method::pair::Pair;
use crate::method::start::Start;
use std::borrow::Cow;
use veloxel_core::{Grid, GridBox, LinearBrightness, Mask, Volume};

/// An image of which boxes are read.
pub trait ImageBoxes: Sync {
    /// Where its samples lie.
    fn grid(&self) -> &Grid;

    /// The samples of a box, x fastest, the same ones at each call.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere) for samples that cannot be had.
    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>>;
}

impl ImageBoxes for Volume<f32> {
    fn grid(&self) -> &Grid {
        Self::grid(self)
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>> {
        let size = Self::grid(self).size();
        Ok(match part.run(size) {
            Some(run) => Cow::Borrowed(&self.data()[run]),
            None => Cow::Owned(part.of(self.data(), size)),
        })
    }
}

/// Two images of which boxes are read, and what else is known: as a [`Pair`].
#[derive(Clone, Copy)]
pub struct BoxedPair<'a> {
    /// The image the flow lives on.
    pub fixed: &'a dyn ImageBoxes,
    /// The image the flow points into, on a grid of its own.
    pub moving: &'a dyn ImageBoxes,
    /// Where data count, on the fixed grid; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// Where volume is preserved, on the fixed grid; none: wherever data count.
    pub volume_mask: Option<&'a Mask>,
    /// How much data count, from 0 to 1 on the fixed grid; none: all alike.
    pub weight: Option<&'a Volume<f32>>,
    /// What is known before the first step.
    pub start: Start<'a>,
}

impl<'a> BoxedPair<'a> {
    /// Two images of which nothing else is known.
    pub fn new(fixed: &'a dyn ImageBoxes, moving: &'a dyn ImageBoxes) -> Self {
        Self { fixed, moving, mask: None, volume_mask: None, weight: None, start: Start::Zero }
    }
}

impl<'a> From<&Pair<'a>> for BoxedPair<'a> {
    fn from(pair: &Pair<'a>) -> Self {
        let &Pair { fixed, moving, mask, volume_mask, weight, start } = pair;
        Self { fixed, moving, mask, volume_mask, weight, start }
    }
}

/// An image in another brightness, where there is one.
pub(super) struct InBrightness<'a> {
    pub image: &'a dyn ImageBoxes,
    pub brightness: Option<LinearBrightness>,
}

impl InBrightness<'_> {
    /// A pair of which this is the moving image.
    pub fn of<'p>(&'p self, pair: &BoxedPair<'p>) -> BoxedPair<'p> {
        BoxedPair { moving: self, ..*pair }
    }
}

impl ImageBoxes for InBrightness<'_> {
    fn grid(&self) -> &Grid {
        self.image.grid()
    }

    fn samples(&self, part: GridBox) -> Result<Cow<'_, [f32]>> {
        let mut samples = self.image.samples(part)?;
        if let Some(brightness) = self.brightness {
            samples.to_mut().iter_mut().for_each(|v| *v = brightness.of(*v));
        }
        Ok(samples)
    }
}

/// A box of an image, on a grid of its own.
pub(super) fn volume_of(image: &dyn ImageBoxes, part: GridBox, grid: &Grid) -> Result<Volume<f32>> {
    Ok(Volume::new(grid.clone(), image.samples(part)?.into_owned())?)
}
