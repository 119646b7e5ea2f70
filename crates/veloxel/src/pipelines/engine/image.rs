//! A frame as the engine uploads it.

use crate::pipelines::dense::Image;
use veloxel_core::{CoreError, Volume};
use veloxel_motion::PhaseImage;

/// A frame that was checked, and packed into 8 bits where they hold it: made on any thread, ahead of the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineImage {
    pub(super) image: Volume<f32>,
    /// Its samples in 8 bits, where they hold them.
    bytes: Option<Vec<u8>>,
}

impl EngineImage {
    /// A picture (2-D), whose samples are read or shared; `name` is what it is called in errors.
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

    pub(super) fn as_phase_image(&self) -> PhaseImage<'_> {
        match &self.bytes {
            Some(bytes) => PhaseImage::Bytes(bytes),
            None => PhaseImage::Samples(self.image.data()),
        }
    }
}
