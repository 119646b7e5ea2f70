//! The fields between the frames of a sequence in memory, handed out one by one, measured, with all that a page draws.

mod fields;
mod found_field;
mod label;
mod names;
mod request;
mod result;
mod side_by_side;
mod view;

pub use fields::SequenceOutput;
pub use found_field::FoundField;
pub use label::FieldLabel;
pub use names::FrameNames;
pub use request::{SequenceRequest, TrueField};
pub use result::SequenceResult;

use super::account::{Account, Stages};
use super::dense::{
    ChangedPlace, DenseError, StartKind, note_idle_volume_mask, suggest_cine, warn_of_volume_change,
};
use super::prepare::full_scale::full_scale;
use super::prepare::passes::Passes;
use crate::{Result, Session, VeloxelError};
use fields::SequenceRun;
use result::Collected;
use side_by_side::SideBySide;
use std::time::Instant;
use veloxel_core::Stage;
use veloxel_gpu::Device;
use veloxel_motion::{
    AnyMethod, FlowExtras, PairMethod, SequenceField, SequenceMode, SequencePlan, run_pairs_side_by_side,
    run_sequence, run_windows,
};

/// Where the fields of a sequence go, one after the other; nothing of them is kept but what a page draws.
pub type Deliver<'a> = &'a mut dyn FnMut(SequenceOutput<'_>) -> Result<()>;

/// Estimates the fields of a sequence and hands each out as soon as it is found: consecutive ones in order, those of the
/// reference beside them, of [`SequenceMode::Both`] the one from the last frame to the first at the end.
///
/// Frames that lie on several grids are all seen from the first one's. Sample values that stand for no data are replaced.
///
/// # Errors
/// [`DenseError::ConsecutiveAlone`]; [`DenseError::Reference`]; [`VeloxelError::Core`] for inputs that do not belong together;
/// [`VeloxelError::Motion`] as [`run_sequence`]; whatever `deliver` fails with.
pub fn sequence(
    request: &SequenceRequest<'_>,
    session: &Session,
    deliver: Deliver<'_>,
) -> Result<SequenceResult> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let reference = request.reference.map_or(Ok(0), |number| request.names.position(number))?;
    let prepared = request.prepare(session, &mut account.warnings)?;
    let first = &prepared.frames[0];
    let (grid, white, count) = (first.grid(), full_scale(first), prepared.frames.len());
    suggest_cine(&request.method.draft, grid, count, &mut account.warnings);
    let frames = request.method.takes().of_sequence(count);
    let device = session.device()?;
    // Measured fields say how well the images agree, for which the moving one is sampled.
    let extras = match request.wanted.measures.is_yes() || request.wanted.page.is_yes() {
        true => FlowExtras::ALL,
        false => FlowExtras { warped: request.wanted.samples_moving(), ..FlowExtras::default() },
    };
    let plan = SequencePlan { mode: request.mode, reference, extras };
    let mut run = SequenceRun {
        request,
        prepared: &prepared,
        plan,
        device,
        passes: Passes::by(session),
        deliver: &mut *deliver,
    };
    let open = |device: &Device| request.method.open(grid, white, frames, device);
    let side_by_side = match plan.mode {
        SequenceMode::Consecutive => SideBySide::open(session, count.saturating_sub(1), open)?,
        _ => None,
    };
    let collected = match side_by_side {
        Some(SideBySide { mut methods, parameters }) => {
            account.parameters = parameters;
            let collected = run_with(&mut run, Estimating::SideBySide(&mut methods), &mut account);
            drop(methods);
            session.release_at_once();
            collected?
        }
        None => session.with_method(
            &request.method.key(grid, white, frames),
            || Ok::<_, VeloxelError>(open(device)?),
            |opened| {
                account.parameters = opened.parameters.clone();
                run_with(&mut run, Estimating::With(&mut opened.method), &mut account)
            },
        )?,
    };
    Ok(SequenceResult::new(request, prepared, collected, account))
}

/// What estimates the flows.
enum Estimating<'a> {
    /// A method on one device.
    With(&'a mut AnyMethod),
    /// A method of pairs on each of several GPUs, or several times on one.
    SideBySide(&'a mut [Box<dyn PairMethod>]),
}

fn run_with(
    run: &mut SequenceRun<'_>,
    estimating: Estimating<'_>,
    account: &mut Account,
) -> Result<Collected> {
    account.errors =
        run.request.method.error_curves(run.prepared.frames[0].grid().dimension(), StartKind::None);
    if !run.prepared.volume_masks.is_empty() {
        let name = run.request.volume_mask_name;
        note_idle_volume_mask(&run.request.method.draft, name, &account.parameters, &mut account.warnings);
    }
    let (plan, frames) = (run.plan, run.prepared.of_method(run.request));
    let is_consecutive = plan.mode == SequenceMode::Consecutive;
    let count = field_count(&estimating, plan.mode, frames.frames.len());
    let mut collected = Collected::of(plan.mode, count);
    let (start, mut elsewhere) = (Instant::now(), Stages::default());
    let mut take =
        |field: SequenceField| run.take(field, &mut collected, &mut elsewhere, &mut account.warnings);
    let drift_vox = match estimating {
        Estimating::SideBySide(methods) => {
            run_pairs_side_by_side(methods, frames, plan.extras, &mut take)?;
            None
        }
        Estimating::With(AnyMethod::Pair(method)) => run_sequence(&mut **method, frames, plan, &mut take)?,
        Estimating::With(AnyMethod::Window(method)) if is_consecutive => {
            run_windows(&mut **method, frames, plan.extras, &mut take)?;
            None
        }
        Estimating::With(AnyMethod::Window(_)) => {
            let method = run.request.method.draft.method_name();
            return Err(DenseError::ConsecutiveAlone { method }.into());
        }
    };
    let solve_ms = start.elapsed().as_secs_f64() * 1e3 - elsewhere.total_ms();
    account.stages.add("solve", solve_ms);
    account.stages.merge(elsewhere);
    collected.finish(drift_vox);
    account.warnings.sum_up();
    if !run.prepared.volume_masks.is_empty() {
        let (name, change) = (run.request.volume_mask_name, collected.volume_change);
        let (draft, parameters) = (&run.request.method.draft, &account.parameters);
        warn_of_volume_change(draft, parameters, ChangedPlace::mask(name), &change, &mut account.warnings);
    }
    Ok(collected)
}

/// How many fields a run has.
fn field_count(estimating: &Estimating<'_>, mode: SequenceMode, frames: usize) -> usize {
    match (estimating, mode) {
        (Estimating::With(AnyMethod::Window(method)), _) => {
            (frames + 1).saturating_sub(method.window().frames)
        }
        (_, SequenceMode::Both) => (2 * frames).saturating_sub(1),
        _ => frames.saturating_sub(1),
    }
}
