//! A frame as the engine uploads it.

use super::pairs::takes_pairs;
use crate::pipelines::dense::Image;
use crate::pipelines::prepare::depths::match_depths;
use crate::pipelines::prepare::holes::fill_noted;
use crate::pipelines::prepare::intensities::SampleRange;
use crate::pipelines::prepare::padding::make_holes_of_padding;
use crate::pipelines::prepare::passes::Passes;
use crate::pipelines::prepare::sentinels::clip_sentinels;
use std::sync::Arc;
use veloxel_core::{CoreError, Mask, Volume, Warnings};
use veloxel_motion::{DenseDraft, PhaseImage};

/// A frame without holes or sample values that stand for no data, and packed into 8 bits where they hold it: made on any thread, ahead
/// of the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineImage {
    /// Its samples, holes filled.
    pub(super) image: Volume<f32>,
    /// Where it has data; none: everywhere.
    pub(super) known: Option<Arc<Mask>>,
    /// Where most of its samples lie, for a method that compares them as they are.
    pub(super) range: Option<SampleRange>,
    /// Its samples in 8 bits, where they hold them.
    bytes: Option<Vec<u8>>,
}

impl EngineImage {
    /// A picture (2-D) for the phase-based engine, whose samples are read or shared, prepared as
    /// [`window`](fn@crate::pipelines::window) prepares its frames: samples that are NaN or infinite are holes, which are left out of what is found, and
    /// values that stand for no data are replaced; both are told in `warnings`, where `name` is what the frame is called.
    ///
    /// # Errors
    /// [`CoreError::NoData`] for a frame of holes alone.
    pub fn new<'a>(
        image: impl Into<Image<'a>>,
        name: &str,
        warnings: &mut Warnings,
    ) -> Result<Self, CoreError> {
        let mut image = image.into().volume();
        if is_bytes(&image) {
            // No byte is too large for a sample.
            make_holes_of_padding(&mut image, name, Passes::ALONE, warnings);
        } else {
            clip_sentinels(&mut image, name, Passes::ALONE, warnings);
        }
        let known = fill_noted(&mut image, None, name, Passes::ALONE, warnings)?.map(Arc::new);
        let bytes = is_bytes(&image).then(|| image.data().iter().map(|&v| v as u8).collect());
        Ok(Self { image, known, range: None, bytes })
    }

    /// A picture or a volume for a method of pairs, whose samples are read or shared: prepared as
    /// [`pair`](fn@crate::pipelines::pair) prepares its images, without holes and without sample values that stand for no data, which are
    /// told in `warnings`; `name` is what it is called there and in errors.
    ///
    /// # Errors
    /// [`CoreError::NoData`] for a frame of holes alone.
    pub fn of_pairs<'a>(
        image: impl Into<Image<'a>>,
        name: &str,
        warnings: &mut Warnings,
    ) -> Result<Self, CoreError> {
        let mut image = image.into().volume();
        clip_sentinels(&mut image, name, Passes::ALONE, warnings);
        let range = SampleRange::of(&image);
        let known = fill_noted(&mut image, None, name, Passes::ALONE, warnings)?.map(Arc::new);
        Ok(Self { image, known, range, bytes: None })
    }

    /// A frame as a method takes it: [`Self::of_pairs`], or [`Self::new`] for one that takes windows.
    ///
    /// # Errors
    /// As both.
    pub fn for_method<'a>(
        method: &DenseDraft,
        image: impl Into<Image<'a>>,
        name: &str,
        warnings: &mut Warnings,
    ) -> Result<Self, CoreError> {
        if takes_pairs(method) {
            Self::of_pairs(image, name, warnings)
        } else {
            Self::new(image, name, warnings)
        }
    }

    /// A frame of two cameras as a method takes both pictures, left and right, as [`Self::for_method`]; where the right one is of
    /// another depth of bits, it is brought to the left one's.
    ///
    /// # Errors
    /// [`CoreError::GridMismatch`] for two sizes; as [`Self::for_method`].
    pub fn of_views<'a>(
        method: &DenseDraft,
        [left, right]: [Image<'a>; 2],
        names: [&str; 2],
        warnings: &mut Warnings,
    ) -> Result<[Self; 2], CoreError> {
        left.grid().require_same(right.grid(), "left and right frame")?;
        let mut views = [left.volume(), right.volume()];
        match_depths(&mut views, |nth| names[nth].to_owned(), warnings);
        let [left, right] = &views;
        Ok([
            Self::for_method(method, left, names[0], warnings)?,
            Self::for_method(method, right, names[1], warnings)?,
        ])
    }

    pub(super) fn as_phase_image(&self) -> PhaseImage<'_> {
        match &self.bytes {
            Some(bytes) => PhaseImage::Bytes(bytes),
            None => PhaseImage::Samples(self.image.data()),
        }
    }
}

/// Whether every sample is a whole number of 8 bits.
fn is_bytes(image: &Volume<f32>) -> bool {
    image.data().iter().all(|v| v.fract() == 0.0 && (0.0..=255.0).contains(v))
}
