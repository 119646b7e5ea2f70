//! Results of one frame that outlive the next push: fetched by another thread, while the engine goes on.

use super::features::{FeatureMaps, ResidentFeatures, TakenFeatures, level_grid, levels_of};
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

/// Which scales of the features are fetched; all of them are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureScales {
    /// Full resolution alone.
    #[default]
    Finest,
    /// Every scale of the pyramid.
    All,
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
    pub(crate) features: Option<TakenFeatures>,
}

/// The fields of a frame, with those of its confidences that were taken.
#[derive(Debug, Clone, PartialEq, Default)]
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
    /// Features of the coarser scales, where all were asked for: half the pixels an axis each.
    pub coarser_features: Vec<FeatureMaps>,
}

impl PhaseFields {
    /// Gives the memory of all fields back to the device that found them, for those of later frames: see [`Device::reuse`].
    pub fn reuse(self, device: &Device) {
        let Self { flow, flow_confidence, disparity_px, disparity_confidence, features, coarser_features } =
            self;
        let maps = features.into_iter().chain(coarser_features);
        let maps = maps.flat_map(|maps| [maps.energy, maps.orientation_rad, maps.phase_rad]);
        let volumes = [flow_confidence, disparity_px, disparity_confidence].into_iter().flatten().chain(maps);
        let flow = flow.map(Flow::into_planar_vox);
        flow.into_iter().chain(volumes.map(Volume::into_data)).for_each(|samples| device.reuse(samples));
    }
}

/// The fields of a frame that stay in the memory of the device, with those of its confidences that were taken.
#[derive(Debug)]
pub struct ResidentPhase {
    /// The picture's grid.
    pub grid: Grid,
    /// Flow towards the next frame, pixels, NaN where unknown: both components, one after the other.
    pub flow: Option<Buffer>,
    /// Confidence of the flow, 0 to 1.
    pub flow_confidence: Option<Buffer>,
    /// Disparity in pixels, NaN where unknown.
    pub disparity_px: Option<Buffer>,
    /// Confidence of the disparity, 0 to 1.
    pub disparity_confidence: Option<Buffer>,
    /// Features, full resolution first.
    pub features: Vec<ResidentFeatures>,
}

impl PhaseTaken {
    /// Which frame the results belong to: 0 is the first that was pushed.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Leaves all fields on the device, with the features of these scales; the device may still be finding them.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device has too little memory.
    pub fn stay(self, scales: FeatureScales) -> Result<ResidentPhase> {
        let Self { device, grid, flow, disparity, features, .. } = self;
        let field = |taken: Option<TakenField>| match taken {
            Some(TakenField { estimate, confidence }) => (Some(estimate), confidence),
            None => (None, None),
        };
        let ((flow, flow_confidence), (disparity_px, disparity_confidence)) = (field(flow), field(disparity));
        let features = match features {
            None => Vec::new(),
            Some(TakenFeatures { maps, sizes }) => {
                let count = if scales == FeatureScales::All { sizes.len() } else { 1 };
                device.scope(|| levels_of(&maps, &sizes[..count], &grid, &device))?
            }
        };
        Ok(ResidentPhase { grid, flow, flow_confidence, disparity_px, disparity_confidence, features })
    }

    /// Fetches all fields in one transfer, with the features of these scales.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn fetch(self, scales: FeatureScales) -> Result<PhaseFields> {
        let grid = &self.grid;
        let of_field = |field: &Option<TakenField>| field.as_ref().map(|field| field.confidence.is_some());
        let [of_flow, of_disparity] = [of_field(&self.flow), of_field(&self.disparity)];
        let fields = [self.flow, self.disparity].into_iter().flatten();
        let buffers = fields.flat_map(|field| std::iter::once(field.estimate).chain(field.confidence));
        let (maps, sizes) = self.features.map_or((None, Vec::new()), |taken| (Some(taken.maps), taken.sizes));
        let buffers = buffers.chain(maps.into_iter().flatten());
        let fetched = self.device.download_all_after(buffers.collect(), self.mark.as_ref())?;
        let mut fetched = fetched.into_iter();
        let mut next = || fetched.next().expect("every buffer that was asked for should come");
        let flow = of_flow.map(|_| Flow::from_planar_vox(grid.clone(), next()));
        let flow_confidence = (of_flow == Some(true)).then(|| Volume::new(grid.clone(), next()));
        let disparity = of_disparity.map(|_| Volume::new(grid.clone(), next()));
        let disparity_confidence = (of_disparity == Some(true)).then(|| Volume::new(grid.clone(), next()));
        let mut features = Vec::new();
        if !sizes.is_empty() {
            let count = if scales == FeatureScales::All { sizes.len() } else { 1 };
            features = split_levels([next(), next(), next()], &sizes[..count], grid)?;
        }
        let mut features = features.into_iter();
        Ok(PhaseFields {
            flow: flow.transpose()?,
            flow_confidence: flow_confidence.transpose()?,
            disparity_px: disparity.transpose()?,
            disparity_confidence: disparity_confidence.transpose()?,
            features: features.next(),
            coarser_features: features.collect(),
        })
    }
}

/// The maps of levels that lie one after the other, the finest first.
fn split_levels(mut maps: [Vec<f32>; 3], sizes: &[[usize; 2]], grid: &Grid) -> Result<Vec<FeatureMaps>> {
    let mut levels = Vec::with_capacity(sizes.len());
    let mut start = sizes.iter().map(|[nx, ny]| nx * ny).sum::<usize>();
    maps.iter_mut().for_each(|map| map.truncate(start));
    // From the end, so that the finest level keeps the memory.
    for (level, size) in sizes.iter().enumerate().rev() {
        start -= size[0] * size[1];
        let grid = level_grid(grid, *size, level)?;
        let [energy, orientation, phase] =
            maps.each_mut().map(|map| if level == 0 { std::mem::take(map) } else { map.split_off(start) });
        levels.push(FeatureMaps {
            energy: Volume::new(grid.clone(), energy)?,
            orientation_rad: Volume::new(grid.clone(), orientation)?,
            phase_rad: Volume::new(grid, phase)?,
        });
    }
    levels.reverse();
    Ok(levels)
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
