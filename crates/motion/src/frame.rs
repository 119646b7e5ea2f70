//! An image on the device, looked at once and used in as many pairs as it belongs to.

use crate::MotionError;
use crate::clg_images::as_weight;
use crate::prepare::IntensityMap;
use veloxel_compute::kernels::pointwise::{copy, map_affine};
use veloxel_compute::kernels::quantiles::first_unknown;
use veloxel_compute::{Buffer, Device};
use veloxel_core::{CoreError, Grid, Mask, Volume};

/// One image of one grid (`f32`, any unit) in the memory of a device.
#[derive(Debug)]
pub struct Frame {
    grid: Grid,
    samples: Buffer,
    /// The first voxel that is NaN or infinite.
    unknown: Option<usize>,
    /// None for an image of one value.
    map: Option<IntensityMap>,
}

impl Frame {
    /// Copies an image to the device.
    ///
    /// # Errors
    /// [`MotionError::Compute`] if the device has too little memory or fails.
    pub fn upload(device: &Device, image: &Volume<f32>) -> Result<Self, MotionError> {
        let samples = device.upload_copy(image.data())?;
        let unknown = first_unknown(device, &samples, None)?;
        let map = IntensityMap::percentiles(device, &samples, None)?;
        Ok(Self { grid: image.grid().clone(), samples, unknown, map })
    }

    /// Where the image lies.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The map of all its intensities; none if they are all alike.
    pub fn map(&self) -> Option<IntensityMap> {
        self.map
    }

    /// A copy of its samples.
    pub(crate) fn read(&self, device: &Device) -> Result<Vec<f32>, MotionError> {
        Ok(device.read(&self.samples)?)
    }

    /// The map of its intensities within a mask.
    pub(crate) fn map_within(
        &self,
        device: &Device,
        mask: Option<&Mask>,
    ) -> Result<Option<IntensityMap>, MotionError> {
        match mask {
            None => Ok(self.map),
            Some(mask) => IntensityMap::percentiles(device, &self.samples, Some(&as_weight(device, mask)?)),
        }
    }

    /// Fails if a voxel is NaN or infinite, within a mask if there is one; `what` names the image.
    pub(crate) fn require_finite(
        &self,
        device: &Device,
        (what, mask): (&str, Option<&Mask>),
    ) -> Result<(), MotionError> {
        let unknown = match (self.unknown, mask) {
            (None, _) => None,
            (Some(_), Some(mask)) => first_unknown(device, &self.samples, Some(&as_weight(device, mask)?))?,
            (unknown, None) => unknown,
        };
        let Some(index) = unknown else { return Ok(()) };
        let value = device.read(&self.samples)?[index];
        let position = self.grid.position(index);
        Err(CoreError::NotFinite { what: what.to_owned(), value, position }.into())
    }
}

/// A frame for one run.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "two of them a run, handed over once")]
pub(crate) enum Source<'a> {
    /// It is needed again.
    Keep(&'a Frame),
    /// Its memory may be used.
    Take(Frame),
}

impl Source<'_> {
    pub fn frame(&self) -> &Frame {
        match self {
            Self::Keep(frame) => frame,
            Self::Take(frame) => frame,
        }
    }
    /// The same frame, which is needed again.
    pub fn keep(&self) -> Source<'_> {
        Source::Keep(self.frame())
    }
    /// The image with its intensities mapped; NaN, which only a mask can have let through, becomes 0.
    pub fn mapped(self, device: &Device, map: IntensityMap) -> Result<Buffer, MotionError> {
        let mut samples = match self {
            Self::Take(frame) => frame.samples,
            Self::Keep(frame) => {
                let mut samples = device.scratch(frame.samples.len())?;
                copy(device, &frame.samples, &mut samples)?;
                samples
            }
        };
        let gain = 1.0 / (map.upper - map.lower);
        map_affine(device, (gain, -map.lower * gain), &mut samples)?;
        Ok(samples)
    }
}
