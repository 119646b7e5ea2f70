//! A frame as the engine uploads it.

use super::pairs::takes_pairs;
use crate::pipelines::dense::Image;
use crate::pipelines::prepare::sentinels::clip_frame;
use veloxel_core::{CoreError, Volume, Warnings};
use veloxel_motion::{DenseDraft, PhaseImage};

/// A frame that was checked, and packed into 8 bits where they hold it: made on any thread, ahead of the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineImage {
    pub(super) image: Volume<f32>,
    /// Its samples in 8 bits, where they hold them.
    bytes: Option<Vec<u8>>,
}

impl EngineImage {
    /// A picture (2-D) for the phase-based engine, whose samples are read or shared; `name` is what it is called in errors.
    ///
    /// # Errors
    /// [`CoreError::NotFinite`] for samples that are not finite.
    pub fn new<'a>(image: impl Into<Image<'a>>, name: &str) -> Result<Self, CoreError> {
        let image = image.into().volume();
        image.require_finite(name, |_| false)?;
        let whole = image.data().iter().all(|v| v.fract() == 0.0 && (0.0..=255.0).contains(v));
        let bytes = whole.then(|| image.data().iter().map(|&v| v as u8).collect());
        Ok(Self { image, bytes })
    }

    /// A picture or a volume for a method of pairs, whose samples are read or shared: prepared as
    /// [`pair`](fn@crate::pipelines::pair) prepares its images, without sample values that stand for no data, which are told in
    /// `warnings`; `name` is what it is called there and in errors.
    ///
    /// # Errors
    /// [`CoreError::NotFinite`] for samples that are not finite.
    pub fn of_pairs<'a>(
        image: impl Into<Image<'a>>,
        name: &str,
        warnings: &mut Warnings,
    ) -> Result<Self, CoreError> {
        let mut image = image.into().volume();
        clip_frame(&mut image, name, warnings)?;
        Ok(Self { image, bytes: None })
    }

    /// A frame as a method takes it: [`Self::of_pairs`], or [`Self::new`] for one that takes windows.
    ///
    /// # Errors
    /// [`CoreError::NotFinite`] for samples that are not finite.
    pub fn for_method<'a>(
        method: &DenseDraft,
        image: impl Into<Image<'a>>,
        name: &str,
        warnings: &mut Warnings,
    ) -> Result<Self, CoreError> {
        if takes_pairs(method) { Self::of_pairs(image, name, warnings) } else { Self::new(image, name) }
    }

    pub(super) fn as_phase_image(&self) -> PhaseImage<'_> {
        match &self.bytes {
            Some(bytes) => PhaseImage::Bytes(bytes),
            None => PhaseImage::Samples(self.image.data()),
        }
    }
}
