//! An image in the memory of a device, used in as many pairs as it belongs to; its statistics are found once.

use crate::error::Result;
use crate::method::resident::ResidentMask;
use crate::steps::buffers::copied;
use crate::steps::intensity::{IntensityMap, Percentiles};
use std::sync::{Mutex, PoisonError};
use veloxel_core::{CoreError, Grid, LinearBrightness, Volume};
use veloxel_gpu::{Buffer, ComputeError, Device, Later, Timestamp, fetch};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::quantiles::FirstUnknown;

/// One image of one grid (`f32`, any unit) in the memory of a device.
#[derive(Debug)]
pub struct Frame {
    device: Device,
    grid: Grid,
    samples: Buffer,
    stats: Mutex<ImageStats>,
}

/// What is known of all samples of a frame.
#[derive(Debug)]
enum ImageStats {
    /// The statistics were not needed yet; on the processor they are only computed on request.
    Open,
    /// The device was asked.
    Pending(Box<PendingStats>),
    Known(KnownStats),
    /// The device failed before it answered.
    Failed,
}

#[derive(Debug, Clone, Copy)]
struct KnownStats {
    /// The first voxel that is NaN or infinite.
    not_finite: Option<usize>,
    /// The map of intensities; none for an image of one value.
    map: Option<IntensityMap>,
    /// Whether the frame is a part of an image, whose map this is, within its mask.
    is_part: bool,
}

#[derive(Debug)]
struct PendingStats {
    not_finite: Later<Option<usize>>,
    map: Percentiles,
    /// When both are there.
    mark: Option<Timestamp>,
}

impl PendingStats {
    fn ask(device: &Device, samples: &Buffer) -> Result<Self> {
        let not_finite = FirstUnknown { image: samples, weight: None }.run(device)?;
        let map = Percentiles::ask(device, samples, None)?;
        Ok(Self { not_finite, map, mark: device.mark()? })
    }

    fn settle(mut self, device: &Device, samples: &Buffer) -> Result<KnownStats> {
        let mark = self.mark.as_ref();
        fetch(device, mark, vec![&mut self.not_finite, self.map.pending()])?;
        let not_finite = self.not_finite.get_after(device, mark)?;
        let map = self.map.settle(device, samples, None, mark)?;
        Ok(KnownStats { not_finite, map, is_part: false })
    }
}

impl Frame {
    /// Copies an image to the device, which need not have it when this returns: whatever is asked of it later waits.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory or fails.
    pub fn upload(device: &Device, image: &Volume<f32>) -> Result<Self> {
        Self::of_samples(device, image.grid(), device.upload_copy(image.data())?)
    }

    /// [`Self::upload`], but that the processor reads the image's own samples.
    ///
    /// # Errors
    /// As [`Self::upload`].
    pub(crate) fn lend(device: &Device, image: &Volume<f32>) -> Result<Self> {
        Self::of_samples(device, image.grid(), device.share(image.shared_data())?)
    }

    /// Takes samples that the device holds already, one for every voxel of the grid.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) for another number of samples, or if the device fails.
    pub fn of_buffer(device: &Device, grid: &Grid, samples: Buffer) -> Result<Self> {
        samples.require(grid.len(), "frame", "samples")?;
        Self::of_samples(device, grid, samples)
    }

    /// [`Self::of_buffer`] for samples whose number was checked.
    pub(crate) fn of_samples(device: &Device, grid: &Grid, samples: Buffer) -> Result<Self> {
        let stats = match device.is_gpu() {
            true => ImageStats::Pending(Box::new(PendingStats::ask(device, &samples)?)),
            false => ImageStats::Open,
        };
        Ok(Self::with(device, grid, samples, stats))
    }

    fn with(device: &Device, grid: &Grid, samples: Buffer, stats: ImageStats) -> Self {
        Self { device: device.clone(), grid: grid.clone(), samples, stats: Mutex::new(stats) }
    }

    /// Takes a part of an image that is finite wherever it counts; its intensities are mapped as the whole image's.
    pub(crate) fn of_part(device: &Device, grid: &Grid, samples: Buffer, map: IntensityMap) -> Self {
        let known = KnownStats { not_finite: None, map: Some(map), is_part: true };
        Self::with(device, grid, samples, ImageStats::Known(known))
    }

    /// Where the image lies.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The map of all its intensities; none if they are all alike.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn map(&self) -> Result<Option<IntensityMap>> {
        Ok(self.known()?.map)
    }

    /// Waits for the device, the first time.
    fn known(&self) -> Result<KnownStats> {
        let mut stats = self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match std::mem::replace(&mut *stats, ImageStats::Failed) {
            ImageStats::Known(known) => known,
            ImageStats::Open => {
                PendingStats::ask(&self.device, &self.samples)?.settle(&self.device, &self.samples)?
            }
            ImageStats::Pending(pending) => pending.settle(&self.device, &self.samples)?,
            ImageStats::Failed => {
                return Err(ComputeError::DeviceFailed {
                    device: self.device.info().name,
                    reason: "the statistics of an image could not be found".to_owned(),
                }
                .into());
            }
        };
        *stats = ImageStats::Known(known);
        Ok(known)
    }

    /// Its samples on the device, x fastest.
    pub fn samples(&self) -> &Buffer {
        &self.samples
    }

    /// The device that holds it.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// The map of its intensities within a mask.
    pub(crate) fn map_within(&self, mask: Option<&ResidentMask>) -> Result<Option<IntensityMap>> {
        let known = self.known()?;
        match mask.filter(|_| !known.is_part) {
            None => Ok(known.map),
            Some(mask) => IntensityMap::percentiles(&self.device, &self.samples, Some(&mask.weight)),
        }
    }

    /// Fails if a voxel is NaN or infinite, within a mask if there is one; `what` names the image.
    pub(crate) fn require_finite(&self, what: &str, mask: Option<&ResidentMask>) -> Result<()> {
        let device = &self.device;
        let not_finite = match (self.known()?.not_finite, mask) {
            (None, _) => None,
            (Some(_), Some(mask)) => {
                FirstUnknown { image: &self.samples, weight: Some(&mask.weight) }.run(device)?.get(device)?
            }
            (not_finite, None) => not_finite,
        };
        let Some(index) = not_finite else { return Ok(()) };
        let value = device.read(&self.samples)?[index];
        let position = self.grid.position(index);
        Err(CoreError::NotFinite { what: what.to_owned(), value, position }.into())
    }
}

/// The maps of a pair's intensities to 0..1, that of the fixed image within a mask; for an image without contrast, which of them
/// it is.
///
/// # Errors
/// [`MotionError::Compute`](crate::MotionError::Compute).
pub(crate) fn pair_maps(
    [fixed, moving]: [&Frame; 2],
    mask: Option<&ResidentMask>,
) -> Result<Result<[IntensityMap; 2], String>> {
    Ok(with_contrast([fixed.map_within(mask)?, moving.map()?]))
}

/// The maps of both images of a pair; for an image without contrast, which of them it is.
pub(crate) fn with_contrast(maps: [Option<IntensityMap>; 2]) -> Result<[IntensityMap; 2], String> {
    let which = match maps {
        [Some(fixed), Some(moving)] => return Ok([fixed, moving]),
        [None, _] => "fixed",
        [_, None] => "moving",
    };
    Err(format!("the {which} image is constant: no motion can be seen; the field is zero with confidence 0"))
}

/// A frame of one run.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "two of them a run, handed over once")]
pub enum FrameSource<'a> {
    /// It is needed again.
    Borrowed(&'a Frame),
    /// Its memory may be used.
    Owned(Frame),
}

impl<'a> From<&'a Frame> for FrameSource<'a> {
    fn from(frame: &'a Frame) -> Self {
        Self::Borrowed(frame)
    }
}

impl From<Frame> for FrameSource<'_> {
    fn from(frame: Frame) -> Self {
        Self::Owned(frame)
    }
}

impl FrameSource<'_> {
    /// The frame.
    pub fn frame(&self) -> &Frame {
        match self {
            Self::Borrowed(frame) => frame,
            Self::Owned(frame) => frame,
        }
    }
    /// The same frame, which is needed again.
    pub fn borrowed(&self) -> FrameSource<'_> {
        FrameSource::Borrowed(self.frame())
    }
    /// The image in another brightness.
    pub(crate) fn in_brightness(self, brightness: LinearBrightness) -> Result<Frame> {
        let device = self.frame().device().clone();
        let (grid, known) = (self.frame().grid().clone(), self.frame().known()?);
        let mut samples = self.own_samples()?;
        let LinearBrightness { gain, offset } = brightness;
        Operation::Rescale { gain, offset }.on(&mut samples).run(&device)?;
        let becomes = |map: IntensityMap| IntensityMap {
            lower: brightness.of(map.lower),
            upper: brightness.of(map.upper),
        };
        let map = known.map.map(becomes);
        Ok(Frame::with(&device, &grid, samples, ImageStats::Known(KnownStats { map, ..known })))
    }

    /// The samples in memory that may be changed.
    fn own_samples(self) -> Result<Buffer> {
        match self {
            Self::Owned(frame) if !frame.samples.is_shared() => Ok(frame.samples),
            _ => Ok(copied(self.frame().device(), self.frame().samples())?),
        }
    }

    /// The image with its intensities mapped; NaN, which only a mask can have let through, becomes 0.
    pub(crate) fn mapped(self, map: IntensityMap) -> Result<Buffer> {
        let device = self.frame().device().clone();
        let mut samples = self.own_samples()?;
        let (gain, offset) = map.gain_and_offset();
        Operation::MapAffine { gain, offset }.on(&mut samples).run(&device)?;
        Ok(samples)
    }
}
