//! Maps in memory: chains of fields and linear transforms, and their inverses.

mod error;
mod in_parts;

use super::account::Account;
use super::prepare::grids::field_on;
use crate::{Result, Session};
pub use error::MapsError;
pub use in_parts::{ComposePartsRequest, MapBoxes, compose_in_parts, invert_in_parts, maps_plan, maps_room};
use std::borrow::Cow;
use veloxel_core::{Flow, Grid, LinearTransform, Portion, Stage, WarningKind, Warnings};
use veloxel_measure::{CellCounts, folding_certificate};
use veloxel_motion::require_sampled;
pub use veloxel_motion::steps::maps::Map;
use veloxel_motion::steps::maps::{self, MappedField};

/// Maps that follow each other, and the grid of the field that they become.
#[derive(Debug, Clone, Copy)]
pub struct ComposeRequest<'a> {
    /// The maps, the first one first: a point of the first one's space ends where the last one leads it.
    pub maps: &'a [Map<'a>],
    /// The grid of the result; none for that of the first map, which is a field then, or for a transform of transforms alone.
    pub grid: Option<&'a Grid>,
}

/// A map that was computed.
#[derive(Debug, Clone, PartialEq)]
pub enum FoundMap {
    /// A field, unknown (NaN) where its way leads out of a field.
    Field(Flow),
    /// A linear transform.
    Linear(LinearTransform),
}

/// A map, and how many of its vectors are unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct MapResult {
    /// The map.
    pub map: FoundMap,
    /// Voxels of a field that are unknown: their way leads out of a grid, or nothing leads there.
    pub unknown: usize,
    /// Device, times and warnings.
    pub account: Account,
}

/// Several maps as one: `x → last(… first(x))`.
///
/// # Errors
/// [`MapsError::Empty`]; [`MapsError::NoGrid`] if a transform comes first, a field behind it, and no grid is given;
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for a picture's map beside a volume's, or pictures of two
/// sizes; [`CoreError::Transform`](veloxel_core::CoreError::Transform); [`MapsError::Apart`] if no voxel has a way through all
/// maps; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn compose(request: &ComposeRequest<'_>, session: &Session) -> Result<MapResult> {
    session.enter(Stage::Solve)?;
    let ComposeRequest { maps, grid } = *request;
    let Some(first) = maps.first() else { return Err(MapsError::Empty.into()) };
    let transforms: Option<Vec<LinearTransform>> = maps
        .iter()
        .map(|map| match map {
            Map::Linear(transform) => Some(*transform),
            Map::Field(_) => None,
        })
        .collect();
    let own = match first {
        Map::Field(flow) => Some(flow.grid()),
        Map::Linear(_) => None,
    };
    let grid = match (transforms, grid.or(own)) {
        (Some(transforms), None) => {
            let whole = transforms[1..].iter().try_fold(transforms[0], |whole, next| next.after(&whole))?;
            return Ok(MapResult { map: FoundMap::Linear(whole), unknown: 0, account: Account::default() });
        }
        (_, Some(grid)) => grid,
        (None, None) => return Err(MapsError::NoGrid.into()),
    };
    let placed = maps.iter().map(|map| on_grid(map, grid)).collect::<Result<Vec<_>>>()?;
    let placed: Vec<Map<'_>> = placed.iter().map(PlacedMap::map).collect();
    let mut account = Account::default();
    let found = account.stages.time("compose", || {
        Ok::<_, crate::VeloxelError>(maps::chained(&placed, grid, session.threads().telling())?)
    })?;
    finished(found, account)
}

/// The way back of a field, on `grid` or the field's own: where `x + d(x)` is a voxel's place, the vector leads back to x.
///
/// # Errors
/// [`MapsError::Folds`] for a field that is proven to fold, with the count of cells; as [`compose`].
pub fn invert(flow: &Flow, grid: Option<&Grid>, session: &Session) -> Result<MapResult> {
    session.enter(Stage::Solve)?;
    let grid = grid.unwrap_or(flow.grid());
    let flow = on_grid(&Map::Field(flow), grid)?;
    let PlacedMap::Field(flow) = flow else { return Err(MapsError::Empty.into()) };
    let mut account = Account::default();
    let (control, threads) = (session.control(), session.threads().telling());
    let [proof, search] = [(0.0, 1.0), (1.0, 9.0)].map(|(before, own)| Portion { before, own, all: 10.0 });
    let certify = || control.portion(proof, || folding_certificate(&flow, None, threads));
    require_unfolded(&account.stages.time("certify", certify)?.everywhere)?;
    let found = account.stages.time("invert", || {
        Ok::<_, crate::VeloxelError>(control.portion(search, || maps::inverted(&*flow, grid, threads))?)
    })?;
    finished(found, account)
}

/// Refuses a field that is proven to fold.
fn require_unfolded(cells: &CellCounts) -> Result<(), MapsError> {
    if cells.folded == 0 {
        return Ok(());
    }
    let all = cells.certified + cells.undecided + cells.folded + cells.unknown;
    Err(MapsError::Folds { folded: cells.folded, cells: all })
}

/// A map that can be asked for points of a grid's space.
enum PlacedMap<'a> {
    Field(Cow<'a, Flow>),
    Linear(LinearTransform),
}

impl PlacedMap<'_> {
    fn map(&self) -> Map<'_> {
        match self {
            Self::Field(flow) => Map::Field(flow),
            Self::Linear(transform) => Map::Linear(*transform),
        }
    }
}

/// A map as it is; a field in pixels without a place is put on a picture of its size.
fn on_grid<'a>(map: &Map<'a>, grid: &Grid) -> Result<PlacedMap<'a>> {
    match map {
        Map::Linear(transform) if transform.dimension() != grid.dimension() => {
            let what = format!(
                "is {}-D, and the grid {}-D",
                transform.dimension().count(),
                grid.dimension().count()
            );
            Err(veloxel_core::CoreError::Transform { reason: what }.into())
        }
        Map::Linear(transform) => Ok(PlacedMap::Linear(*transform)),
        Map::Field(flow) => {
            require_sampled(grid, flow.grid())?;
            let is_elsewhere = flow.grid().is_unplaced() && !grid.is_unplaced();
            let flow = if is_elsewhere {
                Cow::Owned(field_on((*flow).clone(), grid)?)
            } else {
                Cow::Borrowed(*flow)
            };
            Ok(PlacedMap::Field(flow))
        }
    }
}

/// The result, with a warning where it is not known everywhere.
fn finished(found: MappedField, mut account: Account) -> Result<MapResult> {
    let MappedField { flow, unknown, unresolved } = found;
    say(&mut account.warnings, [unknown, unresolved], flow.grid().len())?;
    Ok(MapResult { map: FoundMap::Field(flow), unknown: unknown + unresolved, account })
}

/// Warns of so many voxels that lead out of a field, and that were not found, of all; refuses a field that is known nowhere.
fn say(warnings: &mut Warnings, counts: [usize; 2], all: usize) -> Result<(), MapsError> {
    if counts.iter().sum::<usize>() == all {
        return Err(MapsError::Apart);
    }
    let whats =
        ["lead out of a field's grid or meet unknown vectors", "have no point that was found to lead there"];
    for (count, what) in counts.into_iter().zip(whats) {
        if count > 0 {
            warnings
                .push(WarningKind::Note, format!("{count} of {all} voxels {what}: they are unknown (NaN)"));
        }
    }
    Ok(())
}
