//! Where a field goes that is found in parts: tiles into files, then boxes into OME-Zarr.

use super::TilesPlace;
use crate::boxes::{RunTiles, TileFiles};
use crate::jobs::flow_job::FlowJob;
use crate::jobs::{OutputPlan, OutputRole};
use crate::pipelines::boxes::BoxSink;
use crate::pipelines::{KeptField, PartsKey, PartsOutput};
use crate::{Result, Session};
use veloxel_core::Grid;
use veloxel_io::{StoreBoxes, Target};
use veloxel_motion::TileStore;

/// The outputs of a flow in parts.
pub(super) struct StoreOutput<'a> {
    plan: OutputPlan,
    grid: &'a Grid,
    /// The field's own place, beside which tiles are kept.
    beside: Target,
    #[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "fields at addresses are refused"))]
    place: TilesPlace,
    tiles: Option<Box<dyn RunTiles>>,
    /// Once all tiles are kept.
    stores: Option<FieldStores>,
}

/// The field, and its confidence where that is asked for.
struct FieldStores {
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
        Self { plan, grid, beside, place, tiles: None, stores: None }
    }

    /// Finishes the stores: the plan that gives them their names, and the tiles, which are not needed then.
    ///
    /// # Errors
    /// What keeps them from being written.
    pub fn finish(self) -> Result<(OutputPlan, Box<dyn RunTiles>)> {
        if let Some(FieldStores { field, confidence }) = self.stores {
            field.finish()?;
            confidence.map_or(Ok(()), StoreBoxes::finish)?;
        }
        Ok((self.plan, self.tiles.expect("a run should have begun")))
    }
}

impl PartsOutput for StoreOutput<'_> {
    fn begin(&mut self, key: &PartsKey) -> Result<usize> {
        let planes = self.grid.dimension().count() + 1;
        #[cfg(feature = "remote")]
        if self.place.is_address(self.beside.path()) {
            let tiles = crate::boxes::TilesAtAddress::begin(&self.beside, key, planes)?;
            self.tiles = Some(Box::new(tiles));
            // Those that are there belong to this run: others found them for it.
            return Ok(0);
        }
        let tiles = TileFiles::open(&self.beside, key, planes)?;
        let count = tiles.count();
        self.tiles = Some(Box::new(tiles));
        Ok(count)
    }

    fn tiles(&mut self) -> &mut dyn TileStore {
        &mut **self.tiles.as_mut().expect("a run should have begun")
    }

    fn boxes(&mut self) -> Result<KeptField<'_>> {
        let target = self.plan.target(OutputRole::Flow)?.expect("a flow should have a place");
        let field = StoreBoxes::field(target, self.grid)?;
        let confidence = match self.plan.target(OutputRole::Confidence)? {
            Some(target) => Some(StoreBoxes::image(target, self.grid)?),
            None => None,
        };
        let tiles = &**self.tiles.as_ref().expect("a run should have begun");
        let stores = self.stores.insert(FieldStores { field, confidence });
        let confidence = stores.confidence.as_ref().map(|image| image as &dyn BoxSink);
        Ok(KeptField { tiles, field: &stores.field, confidence })
    }
}
