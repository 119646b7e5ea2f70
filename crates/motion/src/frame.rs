//! An image on the device, looked at once and used in as many pairs as it belongs to.

use crate::MotionError;
use crate::clg_images::as_weight;
use crate::prepare::{IntensityMap, Percentiles};
use std::sync::{Mutex, PoisonError};
use veloxel_core::{CoreError, Grid, Mask, Volume};
use veloxel_gpu::{Buffer, ComputeError, Device, Later, Stamp, fetch};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CopyBuffer, map_affine};
use veloxel_kernels::image::quantiles::first_unknown;

/// One image of one grid (`f32`, any unit) in the memory of a device.
#[derive(Debug)]
pub struct Frame {
    device: Device,
    grid: Grid,
    samples: Buffer,
    look: Mutex<Look>,
}

/// What is said about all samples of a frame.
#[derive(Debug)]
enum Look {
    /// The device was asked.
    Asked(Box<Asked>),
    Known(Known),
    /// The device failed before it answered.
    Lost(ComputeError),
}

#[derive(Debug, Clone, Copy)]
struct Known {
    /// The first voxel that is NaN or infinite.
    unknown: Option<usize>,
    /// None for an image of one value.
    map: Option<IntensityMap>,
}

#[derive(Debug)]
struct Asked {
    unknown: Later<Option<usize>>,
    map: Percentiles,
    /// When both are there.
    mark: Option<Stamp>,
}

impl Asked {
    fn settle(mut self, device: &Device, samples: &Buffer) -> Result<Known, MotionError> {
        let mark = self.mark.as_ref();
        fetch(device, mark, vec![&mut self.unknown, self.map.pending()])?;
        let unknown = self.unknown.get_after(device, mark)?;
        Ok(Known { unknown, map: self.map.settle(device, (samples, None), mark)? })
    }
}

impl Frame {
    /// Copies an image to the device, which need not have it when this returns: whatever is asked of it later waits.
    ///
    /// # Errors
    /// [`MotionError::Compute`] if the device has too little memory or fails.
    pub fn upload(device: &Device, image: &Volume<f32>) -> Result<Self, MotionError> {
        let samples = device.upload_copy(image.data())?;
        let unknown = first_unknown(device, &samples, None)?;
        let map = Percentiles::ask(device, &samples, None)?;
        let asked = Asked { unknown, map, mark: device.mark()? };
        let look = Mutex::new(Look::Asked(Box::new(asked)));
        Ok(Self { device: device.clone(), grid: image.grid().clone(), samples, look })
    }

    /// Where the image lies.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The map of all its intensities; none if they are all alike.
    ///
    /// # Errors
    /// [`MotionError::Compute`] if the device fails.
    pub fn map(&self) -> Result<Option<IntensityMap>, MotionError> {
        Ok(self.known()?.map)
    }

    /// Waits for the device, the first time.
    fn known(&self) -> Result<Known, MotionError> {
        let mut look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = ComputeError::DeviceFailed {
            device: self.device.info().name,
            reason: "an image could not be looked at".to_owned(),
        };
        match std::mem::replace(&mut *look, Look::Lost(lost)) {
            Look::Known(known) => {
                *look = Look::Known(known);
                Ok(known)
            }
            Look::Asked(asked) => {
                let known = asked.settle(&self.device, &self.samples)?;
                *look = Look::Known(known);
                Ok(known)
            }
            Look::Lost(error) => Err(error.into()),
        }
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
            None => self.map(),
            Some(mask) => IntensityMap::percentiles(device, &self.samples, Some(&as_weight(device, mask)?)),
        }
    }

    /// Fails if a voxel is NaN or infinite, within a mask if there is one; `what` names the image.
    pub(crate) fn require_finite(
        &self,
        device: &Device,
        (what, mask): (&str, Option<&Mask>),
    ) -> Result<(), MotionError> {
        let unknown = match (self.known()?.unknown, mask) {
            (None, _) => None,
            (Some(_), Some(mask)) => {
                first_unknown(device, &self.samples, Some(&as_weight(device, mask)?))?.get(device)?
            }
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
                CopyBuffer { from: &frame.samples, to: &mut samples }.run(device)?;
                samples
            }
        };
        let gain = 1.0 / (map.upper - map.lower);
        map_affine(device, (gain, -map.lower * gain), &mut samples)?;
        Ok(samples)
    }
}
