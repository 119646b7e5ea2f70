//! Images and labels that need not fit into memory: a field and what it moves are read box by box, and the result is written so.

use super::{OutputContent, OutputRole, WarpJob, WarpSampling, name};
use crate::boxes::{BoxFiles, FileBoxes, input_state, is_in_boxes};
use crate::pipelines::{
    BoxesOutput, DenseError, FinerImage, LabelChoice, PartsKey, WarpNames, WarpPartsRequest, label_ends,
    warp_image_in_parts, warp_labels_in_parts, warp_room,
};
use crate::{Result, Session};
use veloxel_core::{Stage, Warnings};
use veloxel_io::{self as io, ContentKind, PartialFlow, PartialImage, StoreBoxes, Target};

/// Whether a field is applied in parts: it, the image and the result do not fit into the session's budget of memory, and the result goes
/// to a store that is written in boxes. On a GPU a budget is of the device, and all are held in memory.
///
/// # Errors
/// A device that is not there; [`DenseError::Memory`] where another format of the result holds it as a whole.
pub(super) fn is_in_parts(job: &WarpJob, session: &Session) -> Result<bool> {
    if session.max_memory_bytes().is_none() {
        return Ok(false);
    }
    let reading = &session.reading(job.reading);
    let grid = |path| io::read_grid(path, reading, &mut Warnings::new());
    // What is wrong with a header is said where it is read for the run.
    let (Ok(field), Ok(image)) = (grid(&job.flow), grid(&job.input)) else { return Ok(false) };
    is_in_boxes(warp_room([&field, &image]), &job.output, session)
}

/// Pulls an image back box by box, as [`warp_image`](super::warp_image) does at once.
///
/// # Errors
/// [`DenseError::InParts`]; as [`warp_image_in_parts`].
pub(super) fn image(job: &WarpJob, sampling: WarpSampling, session: &Session) -> Result<Warnings> {
    let WarpSampling { interpolation, finer, outside } = sampling;
    if finer == FinerImage::Smoothed {
        let what = "smooth an image that is finer than the field";
        return Err(DenseError::in_parts(what, session.max_memory_bytes()).into());
    }
    let choice = format!("{interpolation:?}, outside {outside:?}");
    run(job, ["image", &choice], session, |request, target, boxes| {
        let out = StoreBoxes::image(target, request.flow.grid())?;
        let output = BoxesOutput { sink: &out, store: Some(boxes) };
        let account = warp_image_in_parts(request, interpolation, outside, output, session)?;
        Ok((out, account.warnings))
    })
}

/// Pulls labels back box by box, as [`warp_labels`](super::warp_labels) does at once. Labels get the smallest type that holds all of the input, and not of the result.
///
/// # Errors
/// [`DenseError::InParts`]; as [`warp_labels_in_parts`].
pub(super) fn labels(job: &WarpJob, choice: LabelChoice, session: &Session) -> Result<Warnings> {
    run(job, ["labels", &format!("{choice:?}")], session, |request, target, boxes| {
        let ends = label_ends(request.image, request.names.image, session)?;
        let out = StoreBoxes::labels(target, request.flow.grid(), ends)?;
        let output = BoxesOutput { sink: &out, store: Some(boxes) };
        let account = warp_labels_in_parts(request, choice, output, session)?;
        Ok((out, account.warnings))
    })
}

/// What decides the boxes of a result: also the budget, which decides how large they are.
fn key(job: &WarpJob, [what, choice]: [&str; 2], session: &Session) -> Result<PartsKey> {
    let entries = [
        ("command", format!("warp {what}").into()),
        ("field", input_state(&job.flow, session)?),
        ("image", input_state(&job.input, session)?),
        ("interpolation", choice.into()),
        ("reading", format!("{:?}", job.reading).into()),
        ("budget of memory", session.max_memory_bytes().into()),
    ];
    Ok(PartsKey::of(entries.map(|(name, value)| (name.to_owned(), value))))
}

/// Opens what is read, does the work on what is said of it, and gives the result its name.
fn run(
    job: &WarpJob,
    what: [&str; 2],
    session: &Session,
    work: impl FnOnce(&WarpPartsRequest<'_>, Target, &BoxFiles) -> Result<(StoreBoxes, Warnings)>,
) -> Result<Warnings> {
    let mut plan = job.plan(OutputContent::Samples(ContentKind::Image), session).checked()?;
    session.enter(Stage::Read)?;
    let (mut warnings, reading) = (Warnings::new(), session.reading(job.reading));
    let flow: FileBoxes<PartialFlow> = FileBoxes::flow(&job.flow, &reading, session, &mut warnings)?;
    let image: FileBoxes<PartialImage> = FileBoxes::image(&job.input, &reading, session, &mut warnings)?;
    plan.check_grid(flow.whole_grid())?;
    let (input, output) = (job.input.display().to_string(), name(&job.output));
    let names = WarpNames { image: &input, warped: &output };
    let strictness = job.reading.strictness;
    let request = WarpPartsRequest { flow: &flow, image: &image, strictness, names };
    let boxes = BoxFiles::open(&job.output, &key(job, what, session)?, session)?;
    let target = plan.target(OutputRole::Output)?.expect("a result should have a place");
    let found = work(&request, target, &boxes);
    let (boxes, (out, told)) = boxes.after(found)?;
    warnings.extend(told);
    [flow.told(), image.told()].into_iter().for_each(|told| warnings.extend(told));
    session.enter(Stage::Write)?;
    out.finish()?;
    plan.finish()?;
    boxes.remove()?;
    Ok(warnings)
}
