//! All results of a frame, whatever stands for one: memory of a device, samples, or samples in the type in which they leave.

use super::types::{DeliveredResult, Delivery};
use crate::phase::features::FeatureMaps;
use crate::phase::results::{ConfidenceChoice, FeatureScales, PhaseFields};
use std::convert::Infallible;
use veloxel_core::{DeliveredSamples, Grid, Volume};
use veloxel_gpu::Device;

/// The results of a frame, each in place of a `T`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Results<T> {
    pub grid: Grid,
    pub flow: Option<Vec<T>>,
    pub flow_confidence: Option<T>,
    pub disparity_px: Option<T>,
    pub disparity_confidence: Option<T>,
    /// Size and energy, orientation, phase of each scale, the finest first.
    pub features: Vec<([usize; 2], [T; 3])>,
}

impl<T> Results<T> {
    /// No results, on a grid.
    pub fn none(grid: &Grid) -> Self {
        Self {
            grid: grid.clone(),
            flow: None,
            flow_confidence: None,
            disparity_px: None,
            disparity_confidence: None,
            features: Vec::new(),
        }
    }

    /// Replaces every result by what `made` makes of it; the order is always the same.
    pub fn map<U, E>(
        self,
        mut made: impl FnMut(DeliveredResult, T) -> Result<U, E>,
    ) -> Result<Results<U>, E> {
        use DeliveredResult::{Confidence, Disparity, Energy, Flow, Orientation, Phase};
        let Self { grid, flow, flow_confidence, disparity_px, disparity_confidence, features } = self;
        let components =
            |own: Vec<T>| own.into_iter().map(|one| made(Flow, one)).collect::<Result<Vec<U>, E>>();
        let flow = flow.map(components).transpose()?;
        let mut one = |result, own: Option<T>| own.map(|own| made(result, own)).transpose();
        let flow_confidence = one(Confidence, flow_confidence)?;
        let disparity_px = one(Disparity, disparity_px)?;
        let disparity_confidence = one(Confidence, disparity_confidence)?;
        let scale = |(size, [energy, orientation, phase]): ([usize; 2], [T; 3])| {
            Ok((size, [made(Energy, energy)?, made(Orientation, orientation)?, made(Phase, phase)?]))
        };
        let features = features.into_iter().map(scale).collect::<Result<Vec<_>, E>>()?;
        Ok(Results { grid, flow, flow_confidence, disparity_px, disparity_confidence, features })
    }
}

/// The results of a frame in memory, each in its own type; what was not asked for, or is not there, is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveredFields {
    /// Where the pixels or voxels lie.
    pub grid: Grid,
    /// Flow towards the next frame, voxels: a component an axis, x first; NaN where unknown.
    pub flow: Option<Vec<DeliveredSamples>>,
    /// Confidence of the flow, 0 to 1; in `u8` 255 is 1.
    pub flow_confidence: Option<DeliveredSamples>,
    /// Disparity in pixels; NaN where unknown.
    pub disparity_px: Option<DeliveredSamples>,
    /// Confidence of the disparity, 0 to 1; in `u8` 255 is 1.
    pub disparity_confidence: Option<DeliveredSamples>,
    /// Features of each scale that was asked for, the finest first.
    pub features: Vec<DeliveredFeatures>,
}

/// Features of one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveredFeatures {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Local energy, intensity².
    pub energy: DeliveredSamples,
    /// Local orientation, radians; in `u8` a step is π / 255, and 255 stands for unknown. NaN where unknown else.
    pub orientation: DeliveredSamples,
    /// Local phase, radians; in `u8` a step is 2π / 255 from 0 on, and 255 stands for unknown. NaN where unknown else.
    pub phase: DeliveredSamples,
}

impl From<Results<DeliveredSamples>> for DeliveredFields {
    fn from(results: Results<DeliveredSamples>) -> Self {
        let Results { grid, flow, flow_confidence, disparity_px, disparity_confidence, features } = results;
        let of_scale = |(size, maps): ([usize; 2], [DeliveredSamples; 3])| {
            let [energy, orientation, phase] = maps;
            DeliveredFeatures { size, energy, orientation, phase }
        };
        let features = features.into_iter().map(of_scale).collect();
        Self { grid, flow, flow_confidence, disparity_px, disparity_confidence, features }
    }
}

impl DeliveredFields {
    /// Fields in memory, on `grid`, in the types of a delivery: the same bits as when the device rounds them.
    pub fn of(grid: &Grid, fields: &PhaseFields, delivery: &Delivery) -> Self {
        let encoded = |result, samples: &[f32]| -> Result<_, Infallible> {
            let words = delivery.types.form(result).encoded(samples);
            Ok(DeliveredSamples::new(delivery.types.of(result), samples.len(), words))
        };
        let Ok(results) = samples_of(grid, fields, delivery).map(encoded);
        results.into()
    }

    /// Gives the memory of all results back to the device that found them, for those of later frames: see [`Device::reuse`].
    pub fn reuse(self, device: &Device) {
        let Self { flow, flow_confidence, disparity_px, disparity_confidence, features, .. } = self;
        let maps = features.into_iter().flat_map(|maps| [maps.energy, maps.orientation, maps.phase]);
        let single = [flow_confidence, disparity_px, disparity_confidence].into_iter().flatten();
        let all = flow.into_iter().flatten().chain(single).chain(maps);
        all.for_each(|samples| device.reuse(samples.into_words()));
    }
}

/// The samples of fields that a delivery asks for.
fn samples_of<'a>(grid: &Grid, fields: &'a PhaseFields, delivery: &Delivery) -> Results<&'a [f32]> {
    let PhaseFields { flow, flow_confidence, disparity_px, disparity_confidence, features, coarser_features } =
        fields;
    let coarser = match delivery.scales {
        FeatureScales::All => &coarser_features[..],
        FeatureScales::Finest => &[],
    };
    let of_scale = |maps: &'a FeatureMaps| {
        let [nx, ny, _] = maps.energy.grid().size();
        ([nx, ny], [maps.energy.data(), maps.orientation_rad.data(), maps.phase_rad.data()])
    };
    let is_taken = delivery.confidences == ConfidenceChoice::Taken;
    let sure = |map: &'a Option<Volume<f32>>| map.as_ref().filter(|_| is_taken).map(Volume::data);
    Results {
        flow: flow.as_ref().map(|flow| flow.components_vox().collect()),
        flow_confidence: sure(flow_confidence),
        disparity_px: disparity_px.as_ref().map(Volume::data),
        disparity_confidence: sure(disparity_confidence),
        features: features.iter().chain(coarser).map(of_scale).collect(),
        ..Results::none(grid)
    }
}
