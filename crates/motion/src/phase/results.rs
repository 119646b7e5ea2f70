//! Results of one frame that outlive the next push: fetched by another thread, while the engine goes on.

use super::features::FeatureMaps;
use crate::error::Result;
use veloxel_core::{Flow, Grid, Volume};
use veloxel_gpu::{Buffer, Device, Later, Timestamp, fetch};

/// Whether the confidences of flow and stereo are taken with their fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfidenceChoice {
    /// They are.
    Taken,
    /// They stay.
    Left,
}

/// A field, and its confidence where that was taken as well.
#[derive(Debug)]
pub(crate) struct TakenField {
    pub estimate: Buffer,
    pub confidence: Option<Buffer>,
}

/// Everything that was found for a frame, in memory of its own.
///
/// On a GPU it may still be under way: fetching waits for this frame, not for those that were pushed after it.
#[derive(Debug)]
pub struct PhaseTaken {
    pub(crate) device: Device,
    pub(crate) mark: Option<Timestamp>,
    pub(crate) frame: u64,
    pub(crate) grid: Grid,
    /// Both components in one buffer.
    pub(crate) flow: Option<TakenField>,
    pub(crate) disparity: Option<TakenField>,
    /// Energy, orientation, phase; levels one after the other, the finest first.
    pub(crate) features: Option<[Buffer; 3]>,
}

/// The fields of a frame, with those of its confidences that were taken.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseFields {
    /// Flow towards the next frame, NaN where unknown.
    pub flow: Option<Flow>,
    /// Confidence of the flow, 0 to 1.
    pub flow_confidence: Option<Volume<f32>>,
    /// Disparity in pixels, NaN where unknown.
    pub disparity_px: Option<Volume<f32>>,
    /// Confidence of the disparity, 0 to 1.
    pub disparity_confidence: Option<Volume<f32>>,
    /// Features at full resolution.
    pub features: Option<FeatureMaps>,
}

impl PhaseTaken {
    /// Which frame the results belong to: 0 is the first that was pushed.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Fetches all fields in one transfer.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn fetch(self) -> Result<PhaseFields> {
        let (grid, n) = (&self.grid, self.grid.len());
        let of_field = |field: &Option<TakenField>| field.as_ref().map(|field| field.confidence.is_some());
        let [of_flow, of_disparity] = [of_field(&self.flow), of_field(&self.disparity)];
        let has_features = self.features.is_some();
        let fields = [self.flow, self.disparity].into_iter().flatten();
        let buffers = fields.flat_map(|field| std::iter::once(field.estimate).chain(field.confidence));
        let buffers = buffers.chain(self.features.into_iter().flatten());
        let fetched = self.device.download_all_after(buffers.collect(), self.mark.as_ref())?;
        let mut fetched = fetched.into_iter();
        let mut next = || fetched.next().expect("every buffer that was asked for should come");
        let flow = of_flow.map(|_| Flow::from_planar_vox(grid.clone(), next()));
        let flow_confidence = (of_flow == Some(true)).then(|| Volume::new(grid.clone(), next()));
        let disparity = of_disparity.map(|_| Volume::new(grid.clone(), next()));
        let disparity_confidence = (of_disparity == Some(true)).then(|| Volume::new(grid.clone(), next()));
        let mut map = || {
            let mut levels = next();
            levels.truncate(n);
            Volume::new(grid.clone(), levels)
        };
        let features = match has_features {
            true => Some(FeatureMaps { energy: map()?, orientation_rad: map()?, phase_rad: map()? }),
            false => None,
        };
        Ok(PhaseFields {
            flow: flow.transpose()?,
            flow_confidence: flow_confidence.transpose()?,
            disparity_px: disparity.transpose()?,
            disparity_confidence: disparity_confidence.transpose()?,
            features,
        })
    }
}

/// Shares of a frame's pixels that are known, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KnownShares {
    /// With a flow vector.
    pub flow: Option<f64>,
    /// With a disparity.
    pub stereo: Option<f64>,
    /// With a phase.
    pub features: Option<f64>,
}

/// Counts of a frame's known pixels, which may still be on the device.
#[derive(Debug)]
pub struct PhaseCounts {
    pub(crate) device: Device,
    pub(crate) mark: Option<Timestamp>,
    pub(crate) pixels: usize,
    pub(crate) flow: Option<Later<f64>>,
    pub(crate) stereo: Option<Later<f64>>,
    pub(crate) features: Option<Later<f64>>,
}

impl PhaseCounts {
    /// Waits for them; no field is fetched.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn get(mut self) -> Result<KnownShares> {
        let counts = [&mut self.flow, &mut self.stereo, &mut self.features];
        let pending = counts.into_iter().flatten().map(|c| c as &mut dyn veloxel_gpu::Pending);
        fetch(&self.device, self.mark.as_ref(), pending.collect())?;
        let share = |count: Option<Later<f64>>| -> Result<Option<f64>> {
            Ok(count.map(|c| c.get(&self.device)).transpose()?.map(|c| c / self.pixels as f64))
        };
        Ok(KnownShares {
            flow: share(self.flow)?,
            stereo: share(self.stereo)?,
            features: share(self.features)?,
        })
    }
}
