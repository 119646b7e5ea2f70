//! Fields that need not fit into memory, composed or inverted: they are read box by box, and the result is written so.

use super::MapsJob;
use crate::boxes::{BoxFiles, FileBoxes, input_state, is_in_boxes};
use crate::jobs::{OutputPlan, OutputRole};
use crate::pipelines::account::Account;
use crate::pipelines::{self, BoxesOutput, ComposePartsRequest, MapBoxes, MapsError, PartsKey, maps_room};
use crate::{Result, Session};
use std::path::Path;
use veloxel_core::{Grid, LinearTransform, Stage, Warnings};
use veloxel_io::{self as io, PartialFlow, Reading, StoreBoxes};
use veloxel_report::ReportError;

/// Whether the result is found in boxes: it and the fields do not fit into the session's budget of memory.
///
/// # Errors
/// [`DenseError::Memory`](pipelines::DenseError::Memory) where another format of the result holds it as a whole.
pub(super) fn is_in_parts(job: &MapsJob, session: &Session) -> Result<bool> {
    if session.max_memory_bytes().is_none() {
        return Ok(false);
    }
    let reading = &session.reading(job.reading);
    let grid = |path: &Path| io::read_grid(path, reading, &mut Warnings::new());
    let fields = job.maps.iter().filter(|path| !io::is_named_transform(path));
    // What is wrong with a header is said where it is read for the run.
    let Ok(fields) = fields.map(|path| grid(path)).collect::<Result<Vec<_>, _>>() else { return Ok(false) };
    let Ok(given) = job.grid.as_deref().map(grid).transpose() else { return Ok(false) };
    let fields: Vec<&Grid> = fields.iter().collect();
    let Some(result) = given.as_ref().or(fields.first().copied()) else { return Ok(false) };
    is_in_boxes(maps_room(&fields, result), &job.output, session)
}

/// Composes maps box by box, as [`compose`](super::compose) does at once.
///
/// # Errors
/// [`DenseError::InParts`](pipelines::DenseError::InParts); as [`pipelines::compose_in_parts`].
pub(super) fn compose(job: &MapsJob, session: &Session) -> Result<Warnings> {
    run(job, "compose", session, |maps, grid, out| {
        let maps: Vec<MapBoxes<'_>> = maps.iter().map(OpenedMap::boxes).collect();
        pipelines::compose_in_parts(&ComposePartsRequest { maps: &maps, grid }, out, session)
    })
}

/// Inverts a map box by box, as [`invert`](super::invert) does at once.
///
/// # Errors
/// [`DenseError::InParts`](pipelines::DenseError::InParts); as [`pipelines::invert_in_parts`].
pub(super) fn invert(job: &MapsJob, session: &Session) -> Result<Warnings> {
    run(job, "invert", session, |maps, grid, out| match maps.first() {
        Some(OpenedMap::Field(field)) => pipelines::invert_in_parts(&**field, grid, out, session),
        Some(OpenedMap::Linear(transform)) => {
            let maps = [MapBoxes::Linear(transform.inverse())];
            pipelines::compose_in_parts(&ComposePartsRequest { maps: &maps, grid }, out, session)
        }
        None => Err(MapsError::Empty.into()),
    })
}

/// A map of a file, which is read when it is asked for.
enum OpenedMap {
    Field(Box<FileBoxes<PartialFlow>>),
    Linear(LinearTransform),
}

impl OpenedMap {
    fn open(path: &Path, reading: &Reading, session: &Session, warnings: &mut Warnings) -> Result<Self> {
        Ok(if io::is_named_transform(path) {
            Self::Linear(io::read_transform(path, reading, warnings)?)
        } else {
            Self::Field(Box::new(FileBoxes::flow(path, reading, session, warnings)?))
        })
    }

    fn field(&self) -> Option<&FileBoxes<PartialFlow>> {
        match self {
            Self::Field(field) => Some(field),
            Self::Linear(_) => None,
        }
    }

    fn boxes(&self) -> MapBoxes<'_> {
        match self {
            Self::Field(field) => MapBoxes::Field(&**field),
            Self::Linear(transform) => MapBoxes::Linear(*transform),
        }
    }
}

/// What decides the boxes of a result.
fn key(job: &MapsJob, command: &str, grid: &Grid, session: &Session) -> Result<PartsKey> {
    let mut entries = vec![
        ("command".to_owned(), command.into()),
        ("grid".to_owned(), serde_json::to_value(grid).map_err(ReportError::from)?),
        ("reading".to_owned(), format!("{:?}", job.reading).into()),
    ];
    for (nth, map) in job.maps.iter().enumerate() {
        entries.push((format!("map {}", nth + 1), input_state(map, session)?));
    }
    Ok(PartsKey::of(entries))
}

/// Opens what is read, does the work, and gives the result its name.
fn run(
    job: &MapsJob,
    command: &str,
    session: &Session,
    work: impl FnOnce(&[OpenedMap], &Grid, BoxesOutput<'_>) -> Result<Account>,
) -> Result<Warnings> {
    let mut plan: OutputPlan = job.plan(session).checked()?;
    session.enter(Stage::Read)?;
    let (mut warnings, reading) = (Warnings::new(), session.reading(job.reading));
    let given = job.grid.as_ref().map(|path| io::read_grid(path, &reading, &mut warnings)).transpose()?;
    let maps = job.maps.iter().map(|path| OpenedMap::open(path, &reading, session, &mut warnings));
    let maps = maps.collect::<Result<Vec<_>>>()?;
    let of_first = match maps.first() {
        Some(OpenedMap::Field(field)) => Some(field.whole_grid()),
        _ => None,
    };
    let grid = given.as_ref().or(of_first).ok_or(MapsError::NoGrid)?;
    plan.check_grid(grid)?;
    let boxes = BoxFiles::open(&job.output, &key(job, command, grid, session)?, session)?;
    let target = plan.target(OutputRole::Output)?.expect("a result should have a place");
    let out = StoreBoxes::field(target, grid)?;
    let found = work(&maps, grid, BoxesOutput { sink: &out, store: Some(&boxes) });
    let (boxes, account) = boxes.after(found)?;
    warnings.extend(account.warnings);
    maps.iter().filter_map(OpenedMap::field).for_each(|field| warnings.extend(field.told()));
    session.enter(Stage::Write)?;
    out.finish()?;
    plan.finish()?;
    boxes.remove()?;
    Ok(warnings)
}
