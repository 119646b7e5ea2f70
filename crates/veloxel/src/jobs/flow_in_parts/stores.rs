//! Where a field goes that is found in parts: tiles into files, then boxes into OME-Zarr.

use crate::boxes::TileFiles;
use crate::jobs::flow_job::FlowJob;
use crate::jobs::{OutputPlan, OutputRole};
use crate::pipelines::{PartsOutput, TileKey};
use crate::{Result, Session};
use veloxel_core::Grid;
use veloxel_io::{StoreBoxes, Target};
use veloxel_motion::{FlowPart, TileStore};

/// The outputs of a flow in parts.
pub(super) struct StoreOutput<'a> {
    plan: OutputPlan,
    grid: &'a Grid,
    /// The field's own place, beside which tiles are kept.
    beside: Target,
    tiles: Option<TileFiles>,
    /// The field, and its confidence where that is asked for, once all tiles are kept.
    field: Option<StoreBoxes>,
    confidence: Option<StoreBoxes>,
}

impl<'a> StoreOutput<'a> {
    pub fn new(job: &FlowJob, session: &Session, plan: OutputPlan, grid: &'a Grid) -> Self {
        let beside = session.files().target(&job.outputs.flow);
        Self { plan, grid, beside, tiles: None, field: None, confidence: None }
    }

    /// Finishes the stores: the plan that gives them their names, and the tiles, which are not needed then.
    ///
    /// # Errors
    /// What keeps them from being written.
    pub fn finish(self) -> Result<(OutputPlan, TileFiles)> {
        for store in [self.field, self.confidence].into_iter().flatten() {
            store.finish()?;
        }
        Ok((self.plan, self.tiles.expect("a run should have begun")))
    }
}

impl PartsOutput for StoreOutput<'_> {
    fn begin(&mut self, key: &TileKey) -> Result<usize> {
        let planes = self.grid.dimension().count() + 1;
        let tiles = self.tiles.insert(TileFiles::open(&self.beside, key, planes)?);
        Ok(tiles.count())
    }

    fn tiles(&mut self) -> &mut dyn TileStore {
        self.tiles.as_mut().expect("a run should have begun")
    }

    fn step(&mut self) -> Result<[usize; 3]> {
        let target = self.plan.target(OutputRole::Flow)?.expect("a flow should have a place");
        let field = self.field.insert(StoreBoxes::field(target, self.grid)?);
        if let Some(target) = self.plan.target(OutputRole::Confidence)? {
            self.confidence = Some(StoreBoxes::image(target, self.grid)?);
        }
        Ok(field.step())
    }

    fn put(&mut self, part: &FlowPart) -> Result<()> {
        let field = self.field.as_ref().expect("a field should have begun");
        field.put(part.part, &part.components_vox)?;
        if let Some(confidence) = &self.confidence {
            confidence.put(part.part, std::slice::from_ref(&part.confidence))?;
        }
        Ok(())
    }
}
