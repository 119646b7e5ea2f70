//! One intensity map for both images of a pair: robust percentiles become 0 and 1.

use crate::error::Result;
use veloxel_gpu::{Buffer, Device, Later, Pending, Timestamp};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::quantiles::{OrderStatistics, Quantiles};

/// Intensities `lower..upper` become `0..1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntensityMap {
    /// Becomes 0.
    pub lower: f32,
    /// Becomes 1.
    pub upper: f32,
}

/// Samples that a percentile is taken from, at most: its error is then below 0.05 %.
const MOST_SAMPLES: usize = 1 << 20;
/// With fewer, every sample counts.
const FEWEST_SAMPLES: usize = 1000;
/// Shares of the samples below the range, and below its end, thousandths.
const OUTLIERS: [u32; 2] = [5, 995];
/// The least sample and the greatest.
const EXTREMES: [u32; 2] = [0, 1000];

impl IntensityMap {
    /// Nothing changes.
    pub const IDENTITY: Self = Self { lower: 0.0, upper: 1.0 };

    /// `(gain, offset)`: v becomes gain · v + offset.
    pub(crate) fn gain_and_offset(&self) -> (f32, f32) {
        let gain = 1.0 / (self.upper - self.lower);
        (gain, -self.lower * gain)
    }

    /// The same range as −½..½: sums of squares then lose less to rounding.
    pub(crate) fn centred(self) -> Self {
        let half = 0.5 * (self.upper - self.lower);
        Self { lower: self.lower + half, upper: self.upper + half }
    }

    /// The 0.5 and 99.5 percentiles (where the weight is above 0); none if they coincide, which leaves nothing to see.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    pub fn percentiles(device: &Device, image: &Buffer, weight: Option<&Buffer>) -> Result<Option<Self>> {
        Percentiles::ask(device, image, weight)?.settle(device, image, weight, None)
    }
}

/// [`IntensityMap::percentiles`] that are asked for, and may still be on the way.
#[derive(Debug)]
pub(crate) struct Percentiles {
    step: usize,
    found: Later<Option<OrderStatistics>>,
}

impl Percentiles {
    /// Asks the device, which need not have done it when this returns.
    pub fn ask(device: &Device, image: &Buffer, weight: Option<&Buffer>) -> Result<Self> {
        let step = (image.len() / MOST_SAMPLES).max(1);
        Ok(Self { step, found: Quantiles { image, weight, step, shares: OUTLIERS }.run(device)? })
    }

    /// The number that settling waits for.
    pub fn pending(&mut self) -> &mut dyn Pending {
        &mut self.found
    }

    /// The map; what was found at a mark is looked at first, and seldom more is needed.
    pub fn settle(
        self,
        device: &Device,
        image: &Buffer,
        weight: Option<&Buffer>,
        mark: Option<&Timestamp>,
    ) -> Result<Option<IntensityMap>> {
        let mut samples = Quantiles { image, weight, step: self.step, shares: OUTLIERS };
        let mut found = self.found.get_after(device, mark)?;
        if samples.step > 1 && found.is_none_or(|found| found.count < FEWEST_SAMPLES) {
            samples.step = 1;
            found = samples.run(device)?.get(device)?;
        }
        let Some(OrderStatistics { samples: [mut lower, mut upper], .. }) = found else { return Ok(None) };
        if upper <= lower {
            // Almost everything is one value: what is left of the picture are its extremes.
            match (Quantiles { shares: EXTREMES, ..samples }).run(device)?.get(device)? {
                Some(extremes) => [lower, upper] = extremes.samples,
                None => return Ok(None),
            }
        }
        // The range must hold more than rounding errors.
        let scale = lower.abs().max(upper.abs());
        Ok((upper - lower > 1e-6 * scale).then_some(IntensityMap { lower, upper }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_move_the_map() {
        let device = Device::cpu(1).unwrap();
        let map = |image: Vec<f32>| {
            IntensityMap::percentiles(&device, &device.upload(image).unwrap(), None).unwrap()
        };
        let ramp = (0..10_000).map(|i| if i == 303 { 1e9 } else { (i % 100) as f32 }).collect();
        assert_eq!(map(ramp), Some(IntensityMap { lower: 0.0, upper: 99.0 }));
        assert_eq!(map(vec![7.0; 10_000]), None);
    }
}
