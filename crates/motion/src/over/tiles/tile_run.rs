//! One tile: what it sees of the images, and what the method finds there.

use super::Starts;
use super::account::{Account, TileAccount, TileProgress};
use super::cut::part_of;
use super::mosaic::Core;
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

/// What the tiles of a pass see of both images.
pub(super) struct TileImages<'a> {
    pub pair: &'a BoxedPair<'a>,
    pub moving: Moving<'a>,
    /// The grid that every tile is put on.
    pub local: Grid,
}

/// A tile's parts of both images.
pub(super) struct SeenTile {
    pub tile: GridBox,
    /// What the moving image was shifted by, voxels.
    shift: Axes<isize>,
    /// The fixed image and the moving one; none where the tile has no data.
    images: Option<[Volume<f32>; 2]>,
}

impl<'a> TileImages<'a> {
    pub fn new(pair: &'a BoxedPair<'a>, local: Grid) -> Self {
        Self { pair, moving: Moving::new(pair, &local), local }
    }

    /// Reads what a tile sees whose moving image is shifted by so much; one component of its start is asked for at a time.
    pub fn seen(
        &self,
        tile: GridBox,
        shift: Axes<isize>,
        start: impl Fn(usize) -> Vec<f32>,
    ) -> Result<SeenTile> {
        let mask = self.pair.mask;
        let sees_nothing = mask
            .is_some_and(|mask| !tile.rows(mask.grid().size()).any(|row| mask.data()[row].contains(&true)));
        let moving = if sees_nothing { None } else { self.moving.of(tile, start, shift)? };
        let images = match moving {
            Some(moving) => Some([volume_of(self.pair.fixed, tile, &self.local)?, moving]),
            None => None,
        };
        Ok(SeenTile { tile, shift, images })
    }
}

/// A tile whose turn it is.
pub(super) struct NextTile {
    /// What it contributes.
    pub core: Core,
    /// Voxels that it contributes to.
    pub voxels: usize,
    /// Voxels of work.
    pub work: usize,
    pub content: TileContent,
}

/// What is known of a tile.
pub(super) enum TileContent {
    /// It is kept already: its account.
    Kept(TileAccount),
    /// What it sees of the images.
    Seen(Box<SeenTile>),
}

/// Everything that the tiles of a pass share where they are estimated.
pub(super) struct TileRun<'a> {
    pub device: &'a Device,
    pub method: Box<dyn PairMethod>,
    pub pair: &'a BoxedPair<'a>,
    pub map: IntensityMap,
    /// The grid that every tile is put on.
    pub local: Grid,
    pub starts: &'a Starts<'a>,
    pub progress: &'a TileProgress,
    /// The account of all tiles so far.
    pub account: Account,
}

impl TileRun<'_> {
    /// Counts a tile in: one that is not kept yet is estimated, and goes to `add` with its core, the box that was estimated, and what
    /// the moving image was shifted by.
    pub fn take(
        &mut self,
        next: NextTile,
        add: impl FnOnce(Core, GridBox, DenseFlow, Axes<f32>) -> Result<()>,
    ) -> Result<()> {
        let NextTile { core, voxels, work, content } = next;
        let (portion, control) = (self.progress.of(work), self.device.control());
        match content {
            TileContent::Kept(own) => {
                self.account.add(&own, voxels);
                Ok(control.portion(portion, || control.step(1.0, [None; 2]))?)
            }
            TileContent::Seen(seen) => {
                let tile = seen.tile;
                let (found, shift) = control.portion(portion, || self.estimate(*seen))?;
                self.account.add(&TileAccount::of(&found.statistics), voxels);
                add(core, tile, found, shift)
            }
        }
    }

    /// What the method finds in a tile, and what the moving image was shifted by.
    pub fn estimate(&mut self, seen: SeenTile) -> Result<(DenseFlow, Axes<f32>)> {
        let SeenTile { tile, shift, images } = seen;
        let mut start = self.starts.of(tile);
        let shift = shift.map(|s| s as f32);
        for (component, shift) in start.iter_mut().zip(shift) {
            component.iter_mut().for_each(|v| *v -= shift);
        }
        let (device, local) = (self.device, &self.local);
        let Some([fixed, moving]) = images else {
            return Ok((nothing_seen(Flow::new(local.clone(), start)?)?, shift));
        };
        let frame = |image: Volume<f32>| -> Result<Frame> {
            let grid = image.grid().clone();
            Ok(Frame::of_part(device, &grid, device.upload(image.into_data())?, self.map))
        };
        let (fixed, moving) = (frame(fixed)?, frame(moving)?);
        let of_mask = |mask: Option<&Mask>| mask.map(|mask| part_of(tile, mask, local)).transpose();
        let (mask, volume_mask) = (of_mask(self.pair.mask)?, of_mask(self.pair.volume_mask)?);
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
