//! Outlines of a heart followed over a cine: contours, fields, strain and function out.

mod choices;
mod cine;
mod error;
mod follow;
mod labels;
mod motion;
mod outline_errors;
mod outlines;
mod placement;
mod readers;
mod region;
mod request;
mod run;
mod seeds;
mod setting;
mod slice_order;
mod tables;
mod walls;

use crate::pipelines::account::Account;
use crate::{Result, Session};
pub use choices::{Cavities, MotionSpace, Placement, PresetChoice};
pub use cine::Cine;
pub use error::HeartError;
use motion::are_apart;
use region::Region;
pub use region::RegionChoice;
pub use request::{Reader, TrackRequest, TrackResult, TrackedRun};
use seeds::Seeds;
use setting::Setting;
pub use slice_order::{ClearerFit, clearer_fit};
pub use tables::{
    DistanceTable, FunctionCurve, FunctionTable, NamedCurve, OutlineError, OutlineErrorTable, STRAIN_KINDS,
    StrainNumbers, StrainRow, StrainTable,
};
pub use veloxel_core::{Contour, ContourSet, Polygon, Structure};
use veloxel_core::{Portion, Stage, Volume};
pub use veloxel_motion::over::cycle::{CycleEstimate, PeriodicChoice};
use veloxel_motion::{DenseDraft, GivenInput, require_weights};

/// The preset of CLG for slices of frames far apart in time.
const APART: &str = "cine-apart";

/// Follows outlines over a cine with one method or several, and measures.
///
/// # Errors
/// [`HeartError`] for a request that cannot be followed; [`CoreError`](veloxel_core::CoreError) for a weight image of another grid
/// or beyond [0, 1]; whatever a method fails with; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn track(request: &TrackRequest<'_>, session: &Session) -> Result<TrackResult> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let (cine, warnings) = (request.cine, &mut account.warnings);
    warnings.extend(cine.warnings.clone());
    let methods = methods(request)?;
    let seeds = Seeds::of(request, warnings)?;
    let region = Region::of(&request.region, &seeds.contours, cine.grid())?;
    if let Some(weight) = request.weight {
        check_weight(request, weight)?;
    }
    let setting = Setting { request, seeds, region, session };
    let between_readers = setting.between_readers(&mut account.warnings)?;
    let mut runs: Vec<TrackedRun> = Vec::new();
    for (nth, draft) in methods.iter().enumerate() {
        let portion = Portion::nth_of(nth, methods.len());
        runs.push(session.control().portion(portion, || setting.run(draft, &mut account))?);
    }
    // Several methods tell their parameters each in its own part.
    if let [only] = &runs[..] {
        account.parameters = only.measures.parameters.as_object().cloned().unwrap_or_default();
    }
    for run in &mut runs {
        run.distances = DistanceTable::of(&run.measures.readers, &between_readers);
    }
    Ok(TrackResult { cine: setting.report(), runs, between_readers, account })
}

/// The methods with the presets that suit the cine, where they are not given.
fn methods(request: &TrackRequest<'_>) -> Result<Vec<DenseDraft>> {
    let mut methods = request.methods.to_vec();
    if methods.is_empty() {
        return Err(HeartError::NoMethod.into());
    }
    let are_planes = request.space.on(request.cine.grid()) == MotionSpace::InPlane;
    let is_by_frames = request.presets == PresetChoice::ByFrames;
    if is_by_frames && are_planes && are_apart(request.cine.frames().len()) {
        methods.iter_mut().try_for_each(|method| method.set_preset(APART))?;
    }
    Ok(methods)
}

/// Every method must have weights in its energy, and the image must hold weights.
fn check_weight(request: &TrackRequest<'_>, weight: &Volume<f32>) -> Result<()> {
    request.methods.iter().try_for_each(|method| method.method().require(&[GivenInput::Weight]))?;
    request.cine.grid().require_same(weight.grid(), "the cine and the weight image")?;
    Ok(require_weights(weight)?)
}
