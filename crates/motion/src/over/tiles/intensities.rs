//! What is decided once for the whole images, so that tiles agree: the maps of their intensities.

use super::cut::slabs;
use super::source::{BoxedPair, ImageBoxes};
use crate::error::Result;
use crate::steps::intensity::IntensityMap;
use veloxel_core::{CoreError, Mask};
use veloxel_gpu::Device;

/// Samples that percentiles are taken from, at most.
const MOST_SAMPLES: usize = 1 << 20;
/// With fewer, every sample counts.
const FEWEST_SAMPLES: usize = 1000;

/// The maps of the fixed image's intensities, within its mask, and of the moving one's; so many samples are read at a time.
///
/// # Errors
/// [`MotionError::Input`](crate::MotionError::Input) for a sample that is not finite where it counts;
/// [`MotionError::Compute`](crate::MotionError::Compute); what reading fails with.
pub(super) fn intensities(
    device: &Device,
    pair: &BoxedPair<'_>,
    most_samples: usize,
) -> Result<[Option<IntensityMap>; 2]> {
    let fixed = Counted { image: pair.fixed, what: "the fixed image", mask: pair.mask, most_samples };
    let moving = Counted { image: pair.moving, what: "the moving image", mask: None, most_samples };
    Ok([fixed.percentiles(device)?, moving.percentiles(device)?])
}

/// An image, and where its samples count.
struct Counted<'a> {
    image: &'a dyn ImageBoxes,
    what: &'static str,
    mask: Option<&'a Mask>,
    most_samples: usize,
}

impl Counted<'_> {
    fn percentiles(&self, device: &Device) -> Result<Option<IntensityMap>> {
        let step = (self.image.grid().len() / MOST_SAMPLES).max(1);
        let mut samples = self.every(step)?;
        if step > 1 && samples.len() < FEWEST_SAMPLES {
            samples = self.every(1)?;
        }
        if samples.is_empty() {
            return Ok(None);
        }
        IntensityMap::percentiles(device, &device.upload(samples)?, None)
    }

    /// The samples that count, of every so many.
    fn every(&self, step: usize) -> Result<Vec<f32>> {
        let grid = self.image.grid();
        let (size, axis) = (grid.size(), grid.dimension().count() - 1);
        let across = grid.len() / size[axis];
        let thickness = (self.most_samples / across).clamp(1, size[axis]);
        let counts = |i: usize| self.mask.is_none_or(|mask| mask.data()[i]);
        let mut out = Vec::new();
        for (slab, _) in slabs(size, axis, thickness, 0) {
            let (samples, first) = (self.image.samples(slab)?, slab.begin[axis] * across);
            let mut numbered = (first..).zip(samples.iter());
            if let Some((i, &value)) = numbered.find(|(i, v)| !v.is_finite() && counts(*i)) {
                let (what, position) = (self.what.to_owned(), grid.position(i));
                return Err(CoreError::NotFinite { what, value, position }.into());
            }
            let next = first.next_multiple_of(step) - first;
            let taken = (next..samples.len()).step_by(step).filter(|i| counts(first + i));
            out.extend(taken.map(|i| samples[i]));
        }
        Ok(out)
    }
}
