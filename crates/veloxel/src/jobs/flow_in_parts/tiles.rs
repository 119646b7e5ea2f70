//! The tiles of a flow in parts, one by one: other processes may estimate them, and the run of the whole goes on with what they kept.

use super::{TilesPlace, is_in_parts, parts_request, placed_flow_in_parts, require_possible_in_parts};
use crate::boxes::{FileBoxes, TileFiles, TilesBeside};
use crate::jobs::flow_job::{FlowJob, takes_pair};
use crate::jobs::{FlowRun, JobError, name};
use crate::pipelines::{PairNames, PartsKey, Preparation, tiles_in_parts};
use crate::{Result, Session};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use veloxel_core::{Stage, Warnings};
use veloxel_io::{self as io, ContentKind};
use veloxel_motion::TileStore;

/// A flow whose tiles are estimated one by one, in any order, by any number of processes that see its files: tiles lie in a hidden folder
/// beside the field, or at its address.
///
/// The same budget of memory and the same kind of processor give the same plan of tiles and the same bits.
pub struct FlowTiles {
    job: FlowJob,
    /// What was found of both images in a pass over each, by the first tile.
    preparation: Mutex<Option<Preparation>>,
}

impl FlowTiles {
    /// The tiles of a flow.
    pub fn of(job: FlowJob) -> Self {
        Self { job, preparation: Mutex::new(None) }
    }

    /// Finds what all tiles begin from, unless it is kept already, and keeps it beside the field's place: how many tiles there are. None
    /// are there to be estimated one by one where the run fits into the session's budget of memory.
    ///
    /// # Errors
    /// As [`flow`](crate::jobs::flow()), and [`IoError::Busy`](veloxel_io::IoError::Busy) while a run of the same field is under way.
    pub fn begin(&self, session: &Session) -> Result<usize> {
        if !is_in_parts(&self.job, session)? {
            return Ok(0);
        }
        self.job.plan(session).checked()?;
        let target = session.files().target(&self.job.outputs.flow);
        self.run(None, session, |key| {
            #[cfg(feature = "remote")]
            if TilesPlace::Shared.is_address(target.path()) {
                return Ok(Box::new(crate::boxes::TilesAtAddress::begin(&target, key)?));
            }
            Ok(Box::new(TileFiles::open(&target, key)?.leave_open()))
        })
    }

    /// Estimates a tile, unless it is kept already.
    ///
    /// # Errors
    /// As [`begin`](Self::begin), which has to come first; [`JobError::OtherTiles`](crate::jobs::JobError::OtherTiles) where it did for
    /// something else.
    pub fn estimate(&self, nth: usize, session: &Session) -> Result<()> {
        let target = session.files().target(&self.job.outputs.flow);
        self.run(Some(nth), session, |key| {
            #[cfg(feature = "remote")]
            if TilesPlace::Shared.is_address(target.path()) {
                return Ok(Box::new(crate::boxes::TilesAtAddress::open(&target, key)?));
            }
            Ok(Box::new(TilesBeside::open(&target, key)?))
        })?;
        Ok(())
    }

    /// Puts the field together, with any tile that is not kept yet, and removes the tiles; where the run fits into memory, the whole run.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn finish(&self, session: &Session) -> Result<FlowRun> {
        match is_in_parts(&self.job, session)? {
            true => placed_flow_in_parts(&self.job, TilesPlace::Shared, session, |_| Ok(())),
            false => crate::jobs::flow(&self.job, session),
        }
    }

    /// Refuses an output at an address that cannot be written there, before any task begins: what is no whole store, an address where one
    /// is, a server that takes no object, and any address in a build without the feature `remote`. Outputs in folders are not looked at.
    ///
    /// # Errors
    /// [`JobError::NoStore`], [`IoError`](veloxel_io::IoError) with what the server says.
    pub fn check_addresses(&self, session: &Session) -> Result<()> {
        let outputs = &self.job.outputs;
        let both =
            [(Some(&outputs.flow), ContentKind::Flow), (outputs.confidence.as_ref(), ContentKind::Image)];
        for (path, kind) in both {
            let Some(path) = path.filter(|path| is_address(path)) else { continue };
            if !io::is_store_address(path) {
                return Err(JobError::NoStore { path: io::shown_source(path) }.into());
            }
            io::check_output(path, kind, None)?;
            io::check_writable(session.files().target(path))?;
        }
        Ok(())
    }

    fn run<'s>(
        &self,
        which: Option<usize>,
        session: &Session,
        open: impl FnOnce(&PartsKey) -> Result<Box<dyn TileStore + 's>>,
    ) -> Result<usize> {
        let job = &self.job;
        job.require_possible()?;
        require_possible_in_parts(job, session)?;
        session.enter(Stage::Read)?;
        let (reading, mut unsaid) = (session.reading(job.options.reading), Warnings::new());
        let paths = takes_pair(job)?;
        let fixed = FileBoxes::image(paths[0], &reading, session, &mut unsaid)?;
        let moving = FileBoxes::image(paths[1], &reading, session, &mut unsaid)?;
        let images: Vec<String> = job.inputs.iter().map(|path| name(path)).collect();
        let names = PairNames { images: &images, ..PairNames::default() };
        let method = &job.options.choice();
        let request = parts_request(job, [&fixed, &moving], names, method, &mut unsaid, session)?;
        // Threads of one process wait for the first one's passes over the images.
        let mut kept = self.preparation.lock().unwrap_or_else(PoisonError::into_inner);
        let mut preparation = kept.clone();
        if preparation.is_some() {
            drop(kept);
            return tiles_in_parts(&request, &mut preparation, which, open, session);
        }
        tiles_in_parts(&request, &mut kept, which, open, session)
    }
}

fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|name| name.contains("://"))
}
