//! One tile: what it sees of the images, and what the method finds there.

use super::cut::part_of;
use super::moving_part::Moving;
use super::source::{BoxedPair, volume_of};
use crate::error::Result;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::{DenseFlow, FlowExtras};
use crate::method::resident::{ResidentFlow, ResidentRegion, ResidentStart};
use crate::steps::frame::Frame;
use crate::steps::intensity::IntensityMap;
use veloxel_core::{Axes, Flow, FlowStatistics, Grid, GridBox, Mask, SolveStatus, Volume, WarningKind};
use veloxel_gpu::Device;

/// Everything that the tiles of a pass share.
pub(super) struct TileRun<'a> {
    pub device: &'a Device,
    pub method: Box<dyn PairMethod>,
    pub pair: &'a BoxedPair<'a>,
    pub moving: Moving<'a>,
    pub map: IntensityMap,
    /// The grid that every tile is put on.
    pub local: Grid,
}

impl TileRun<'_> {
    /// What the method finds in a tile, and what the moving image was shifted by.
    pub fn estimate(
        &mut self,
        tile: GridBox,
        shift: Axes<isize>,
        mut start: Vec<Vec<f32>>,
    ) -> Result<(DenseFlow, Axes<f32>)> {
        let shift = shift.map(|s| s as f32);
        for (component, shift) in start.iter_mut().zip(shift) {
            component.iter_mut().for_each(|v| *v -= shift);
        }
        let (device, local) = (self.device, &self.local);
        let of_mask = |mask: Option<&Mask>| mask.map(|mask| part_of(tile, mask, local)).transpose();
        let mask = of_mask(self.pair.mask)?;
        let moving = self.moving.of(tile, &start, shift)?;
        let sees_nothing = mask.as_ref().is_some_and(|mask| !mask.data().contains(&true));
        let (Some(moving), false) = (moving, sees_nothing) else {
            return Ok((nothing_seen(Flow::new(local.clone(), start)?)?, shift));
        };
        let frame = |image: Volume<f32>| -> Result<Frame> {
            let grid = image.grid().clone();
            Ok(Frame::of_part(device, &grid, device.upload(image.into_data())?, self.map))
        };
        let fixed = frame(volume_of(self.pair.fixed, tile, &self.local)?)?;
        let moving = frame(moving)?;
        let volume_mask = of_mask(self.pair.volume_mask)?;
        let weight = self.pair.weight.map(|weight| part_of(tile, weight, local)).transpose()?;
        let region = ResidentRegion::upload(device, [mask.as_ref(), volume_mask.as_ref()], weight.as_ref())?;
        let components_vox = start.into_iter().map(|c| device.upload(c)).collect::<Result<_, _>>()?;
        let start = ResidentFlow { grid: local.clone(), components_vox };
        let (region, start) = (region.lend(), ResidentStart::Flow(&start));
        let images = ImagePair { fixed: fixed.into(), moving: moving.into(), region, start };
        Ok((self.method.estimate(images)?.finish(FlowExtras::default())?, shift))
    }
}

/// Where a tile has no data the start is all that is known, with confidence 0.
fn nothing_seen(start: Flow) -> Result<DenseFlow> {
    let confidence = Volume::new(start.grid().clone(), vec![0.0; start.grid().len()])?;
    Ok(DenseFlow::bare(start, confidence, FlowStatistics::default()))
}

/// The defined result for images without contrast: no motion, with confidence 0.
pub(super) fn no_content(grid: &Grid, why: String) -> Result<DenseFlow> {
    let mut found = nothing_seen(Flow::zeros(grid.clone()))?;
    found.statistics.status = SolveStatus::NoContent;
    found.statistics.warnings.push(WarningKind::Content, why);
    Ok(found)
}
