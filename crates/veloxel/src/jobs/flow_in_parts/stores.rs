//! Where a field goes that is found in parts: tiles into files, and boxes into OME-Zarr meanwhile.

use super::TilesPlace;
use crate::boxes::{RunTiles, TileFiles};
use crate::jobs::flow_job::FlowJob;
use crate::jobs::{OutputPlan, OutputRole};
use crate::pipelines::{FieldOutput, PartsKey, PartsOutput};
use crate::{Result, Session};
use veloxel_core::{Grid, GridBox};
use veloxel_io::{StoreBoxes, Target};
use veloxel_motion::{FlowPart, TileStore};

/// The outputs of a flow in parts.
pub(super) struct StoreOutput<'a> {
    /// The field's own place, beside which tiles are kept.
    beside: Target,
    #[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "fields at addresses are refused"))]
    place: TilesPlace,
    tiles: Option<Box<dyn RunTiles>>,
    field: FieldStores<'a>,
}

/// The field, and its confidence where that is asked for.
struct FieldStores<'a> {
    plan: OutputPlan,
    grid: &'a Grid,
    /// Once there is a box.
    begun: Option<Begun>,
}

struct Begun {
    field: StoreBoxes,
    confidence: Option<StoreBoxes>,
}

impl<'a> StoreOutput<'a> {
    pub fn new(
        job: &FlowJob,
        session: &Session,
        plan: OutputPlan,
        grid: &'a Grid,
        place: TilesPlace,
    ) -> Self {
        let beside = session.files().target(&job.outputs.flow);
        Self { beside, place, tiles: None, field: FieldStores { plan, grid, begun: None } }
    }

    /// Finishes the stores: the plan that gives them their names, and the tiles, which are not needed then.
    ///
    /// # Errors
    /// What keeps them from being written.
    pub fn finish(self) -> Result<(OutputPlan, Box<dyn RunTiles>)> {
        let FieldStores { plan, begun, .. } = self.field;
        if let Some(Begun { field, confidence }) = begun {
            field.finish()?;
            confidence.map_or(Ok(()), StoreBoxes::finish)?;
        }
        Ok((plan, self.tiles.expect("a run should have begun")))
    }
}

impl FieldStores<'_> {
    fn begin(&mut self) -> Result<Begun> {
        let target = self.plan.target(OutputRole::Flow)?.expect("a flow should have a place");
        let field = StoreBoxes::field(target, self.grid)?;
        let confidence = match self.plan.target(OutputRole::Confidence)? {
            Some(target) => Some(StoreBoxes::image(target, self.grid)?),
            None => None,
        };
        Ok(Begun { field, confidence })
    }
}

impl FieldOutput for FieldStores<'_> {
    fn put(&mut self, own: GridBox, seen: &FlowPart) -> Result<()> {
        let begun = match self.begun.take() {
            Some(begun) => begun,
            None => self.begin()?,
        };
        let Begun { field, confidence } = self.begun.insert(begun);
        field.put_of(own, seen.part, &seen.components_vox)?;
        let put = |image: &StoreBoxes| image.put_of(own, seen.part, std::slice::from_ref(&seen.confidence));
        Ok(confidence.as_ref().map_or(Ok(()), put)?)
    }
}

impl PartsOutput for StoreOutput<'_> {
    fn begin(&mut self, key: &PartsKey) -> Result<usize> {
        #[cfg(feature = "remote")]
        if self.place.is_address(self.beside.path()) {
            let tiles = crate::boxes::TilesAtAddress::begin(&self.beside, key)?;
            self.tiles = Some(Box::new(tiles));
            // Those that are there belong to this run: others found them for it.
            return Ok(0);
        }
        let tiles = TileFiles::open(&self.beside, key)?;
        let count = tiles.count();
        self.tiles = Some(Box::new(tiles));
        Ok(count)
    }

    fn places(&mut self) -> (&mut dyn TileStore, &mut dyn FieldOutput) {
        (&mut **self.tiles.as_mut().expect("a run should have begun"), &mut self.field)
    }
}
