//! Images as pipelines take them: volumes that are owned elsewhere, or views of the caller's memory.

use veloxel_core::{Grid, Volume, VolumeView};

/// An image that a pipeline borrows.
#[derive(Debug, Clone)]
pub enum Image<'a> {
    /// A volume, whose samples are shared and not copied.
    Volume(&'a Volume<f32>),
    /// Samples in the caller's memory, which are read once.
    View(VolumeView<'a>),
}

impl<'a> From<&'a Volume<f32>> for Image<'a> {
    fn from(volume: &'a Volume<f32>) -> Self {
        Self::Volume(volume)
    }
}

impl<'a> From<VolumeView<'a>> for Image<'a> {
    fn from(view: VolumeView<'a>) -> Self {
        Self::View(view)
    }
}

impl Image<'_> {
    /// Where its samples lie.
    pub fn grid(&self) -> &Grid {
        match self {
            Self::Volume(volume) => volume.grid(),
            Self::View(view) => view.grid(),
        }
    }

    /// The image as a volume: with the same samples, or with those that were read.
    pub(crate) fn volume(&self) -> Volume<f32> {
        match self {
            Self::Volume(volume) => Volume::clone(volume),
            Self::View(view) => view.read(),
        }
    }
}

/// What the inputs and outputs of a run are called in its warnings, errors and reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairNames<'a> {
    /// The pair.
    pub title: &'a str,
    /// The images: fixed and moving one, or the frames of a window in order.
    pub images: &'a [String],
    /// The weight image.
    pub weight: &'a str,
    /// The mask of the volume constraint.
    pub volume_mask: &'a str,
    /// The warped image.
    pub warped: &'a str,
}

impl Default for PairNames<'_> {
    fn default() -> Self {
        Self {
            title: "fixed → moving",
            images: &[],
            weight: "the weight image",
            volume_mask: "the volume mask",
            warped: "the warped image",
        }
    }
}

impl PairNames<'_> {
    /// What the n-th image is called.
    pub(crate) fn image(&self, nth: usize) -> String {
        self.images.get(nth).cloned().unwrap_or_else(|| format!("image {nth}"))
    }
}
