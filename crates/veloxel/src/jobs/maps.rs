//! Fields and transforms from files, composed or inverted; the result to a file.

use super::{OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{self, ComposeRequest, FoundMap, Map, MapResult};
use crate::{Result, Session};
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Grid, LinearTransform, Stage, Warnings};
use veloxel_io::{self as io, ContentKind, ReadOptions, Reading};

/// Maps, and where what is made of them goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapsJob {
    /// Fields and linear transforms, the first one first; one to invert.
    pub maps: Vec<PathBuf>,
    /// An image on whose grid the result lies; none for the first map's.
    pub grid: Option<PathBuf>,
    /// The result: a transform where all maps are and no grid is given, else a field.
    pub output: PathBuf,
    /// How files are read.
    pub reading: ReadOptions,
}

/// A map of a file.
enum ReadMap {
    Field(Flow),
    Linear(LinearTransform),
}

impl ReadMap {
    fn read(path: &Path, reading: Reading, warnings: &mut Warnings) -> Result<Self> {
        Ok(if io::is_named_transform(path) {
            Self::Linear(io::read_transform(path, reading, warnings)?)
        } else {
            Self::Field(io::read_flow(path, reading, warnings)?)
        })
    }

    fn map(&self) -> Map<'_> {
        match self {
            Self::Field(flow) => Map::Field(flow),
            Self::Linear(transform) => Map::Linear(*transform),
        }
    }
}

impl MapsJob {
    fn run(
        &self,
        session: &Session,
        work: impl FnOnce(&[ReadMap], Option<&Grid>) -> Result<MapResult>,
    ) -> Result<Warnings> {
        let is_linear = self.grid.is_none() && self.maps.iter().all(|path| io::is_named_transform(path));
        let holds = match is_linear {
            true => OutputContent::Transform,
            false => OutputContent::Samples(ContentKind::Flow),
        };
        let mut plan = OutputPlan::of(session)
            .reads("map", &self.maps)
            .reads("grid", &self.grid)
            .writes(OutputRole::Output, [&self.output], holds)
            .checked()?;
        session.enter(Stage::Read)?;
        let mut warnings = Warnings::new();
        let reading = || session.reading(self.reading);
        let grid =
            self.grid.as_ref().map(|path| io::read_grid(path, reading(), &mut warnings)).transpose()?;
        let read = self.maps.iter().map(|path| ReadMap::read(path, reading(), &mut warnings));
        let maps = read.collect::<Result<Vec<_>>>()?;
        let found = work(&maps, grid.as_ref())?;
        warnings.extend(found.account.warnings);
        if let FoundMap::Field(flow) = &found.map {
            plan.check_grid(flow.grid())?;
        }
        session.enter(Stage::Write)?;
        plan.write(OutputRole::Output, |target| match &found.map {
            FoundMap::Field(flow) => io::write_flow(target, flow),
            FoundMap::Linear(transform) => io::write_transform(target, transform),
        })?;
        plan.finish()?;
        Ok(warnings)
    }
}

/// `veloxel compose`: fields and transforms one after the other, as one.
///
/// # Errors
/// As for every file, and [`pipelines::compose`].
pub fn compose(job: &MapsJob, session: &Session) -> Result<Warnings> {
    job.run(session, |maps, grid| {
        let maps: Vec<Map<'_>> = maps.iter().map(ReadMap::map).collect();
        pipelines::compose(&ComposeRequest { maps: &maps, grid }, session)
    })
}

/// `veloxel invert`: the way back of a field or of a transform.
///
/// # Errors
/// As for every file, and [`pipelines::invert`].
pub fn invert(job: &MapsJob, session: &Session) -> Result<Warnings> {
    job.run(session, |maps, grid| match maps.first() {
        Some(ReadMap::Field(flow)) => pipelines::invert(flow, grid, session),
        Some(ReadMap::Linear(transform)) => {
            let maps = [Map::Linear(transform.inverse())];
            pipelines::compose(&ComposeRequest { maps: &maps, grid }, session)
        }
        None => pipelines::compose(&ComposeRequest { maps: &[], grid }, session),
    })
}
