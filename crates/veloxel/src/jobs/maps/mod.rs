//! Fields and transforms from files, composed or inverted; the result to a file.

#[cfg(feature = "zarr")]
mod in_parts;

use super::{BoxesDryRun, OutputContent, OutputPlan, OutputRole};
use crate::pipelines::{self, ComposeRequest, FieldWork, FoundMap, Map, MapResult, MapsError, maps_plan};
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
    /// The plan of its files, not checked yet.
    fn plan(&self, session: &Session) -> OutputPlan {
        let is_linear = self.grid.is_none() && self.maps.iter().all(|path| io::is_named_transform(path));
        let holds = match is_linear {
            true => OutputContent::Transform,
            false => OutputContent::Samples(ContentKind::Flow),
        };
        OutputPlan::of(session).reads("map", &self.maps).reads("grid", &self.grid).writes(
            OutputRole::Output,
            [&self.output],
            holds,
        )
    }

    fn run(
        &self,
        session: &Session,
        work: impl FnOnce(&[ReadMap], Option<&Grid>) -> Result<MapResult>,
    ) -> Result<Warnings> {
        let mut plan = self.plan(session).checked()?;
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

/// `veloxel compose`: fields and transforms one after the other, as one. Where the fields and the result do not fit into the session's
/// budget of memory, and the result goes to a folder named `.ome.zarr`, all are read and written in boxes.
///
/// # Errors
/// As for every file, and [`pipelines::compose`]; in boxes [`pipelines::compose_in_parts`].
pub fn compose(job: &MapsJob, session: &Session) -> Result<Warnings> {
    #[cfg(feature = "zarr")]
    if in_parts::is_in_parts(job, session)? {
        return in_parts::compose(job, session);
    }
    job.run(session, |maps, grid| {
        let maps: Vec<Map<'_>> = maps.iter().map(ReadMap::map).collect();
        pipelines::compose(&ComposeRequest { maps: &maps, grid }, session)
    })
}

/// `veloxel invert`: the way back of a field or of a transform; in boxes as [`compose`].
///
/// # Errors
/// As for every file, and [`pipelines::invert`]; in boxes [`pipelines::invert_in_parts`].
pub fn invert(job: &MapsJob, session: &Session) -> Result<Warnings> {
    #[cfg(feature = "zarr")]
    if in_parts::is_in_parts(job, session)? {
        return in_parts::invert(job, session);
    }
    job.run(session, |maps, grid| match maps.first() {
        Some(ReadMap::Field(flow)) => pipelines::invert(flow, grid, session),
        Some(ReadMap::Linear(transform)) => {
            let maps = [Map::Linear(transform.inverse())];
            pipelines::compose(&ComposeRequest { maps: &maps, grid }, session)
        }
        None => pipelines::compose(&ComposeRequest { maps: &[], grid }, session),
    })
}

/// Tells what [`compose`] would do, and reads nothing but headers.
///
/// # Errors
/// As [`compose`]: what can be known before the samples are read; [`MapsError::NoGrid`] also for transforms alone, which take nothing.
pub fn compose_dry_run(job: &MapsJob, session: &Session) -> Result<BoxesDryRun> {
    dry_run(job, |fields| FieldWork::Compose { fields }, session)
}

/// Tells what [`invert`] would do, and reads nothing but headers.
///
/// # Errors
/// As [`compose_dry_run`].
pub fn invert_dry_run(job: &MapsJob, session: &Session) -> Result<BoxesDryRun> {
    dry_run(job, |_| FieldWork::Invert, session)
}

fn dry_run(job: &MapsJob, work: impl FnOnce(usize) -> FieldWork, session: &Session) -> Result<BoxesDryRun> {
    let plan = job.plan(session);
    plan.check()?;
    session.enter(Stage::Read)?;
    let (mut warnings, reading) = (Warnings::new(), session.reading(job.reading));
    let mut grid = |path: &Path| io::read_grid(path, &reading, &mut warnings);
    let given = job.grid.as_deref().map(&mut grid).transpose()?;
    let fields = job.maps.iter().filter(|path| !io::is_named_transform(path)).map(|path| grid(path));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let fields: Vec<&Grid> = fields.iter().collect();
    let first = fields.first().copied().filter(|_| !io::is_named_transform(&job.maps[0]));
    let result = given.as_ref().or(first).ok_or(MapsError::NoGrid)?;
    plan.check_grid(result)?;
    #[cfg(feature = "zarr")]
    let step = in_parts::is_in_parts(job, session)?.then(|| io::StoreBoxes::step_on(result));
    #[cfg(not(feature = "zarr"))]
    let step = None;
    let memory = maps_plan(&fields, result, step, session)?;
    BoxesDryRun::of(work(fields.len()), memory, result, &plan, warnings, session)
}
