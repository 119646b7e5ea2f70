//! The flow of the centre of a window of frames in memory, of methods that take two, three or more frames at once.

use super::account::Account;
use super::dense::{
    DenseError, Image, MethodChoice, Outcome, PairNames, PairResult, PairWanted, PreparedPair, StartKind,
    doubt_phases, doubt_short, doubt_unexplained,
};
use super::memory_plan::{FlowSketch, tiles_of};
use super::prepare::depths::match_depths;
use super::prepare::full_scale::full_scale;
use super::prepare::grids::{intersection, mask_on};
use super::prepare::holes::{
    blank_sampled_holes, doubt_vectors_of_holes, fill_frames, known_within, require_inside,
};
use super::prepare::passes::Passes;
use super::prepare::sentinels::clip_sentinels;
use crate::{Result, Session};
use veloxel_core::{CoreError, Flow, Mask, Stage, Volume, Warnings};
use veloxel_motion::{AnyMethod, DenseFlow, FlowExtras, GivenInput, OpenedMethod, TilePlan, TiledWindows};

/// A window of frames, and what is wanted.
#[derive(Debug, Clone)]
pub struct WindowRequest<'a> {
    /// The frames in order of time, as many as the method takes.
    pub frames: Vec<Image<'a>>,
    /// What they are called in warnings and reports.
    pub names: PairNames<'a>,
    /// Where the flow is known, on a grid of its own; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// Where the frame that the flow lives on has a sample, as pictures with transparent pixels have it; counts with the mask.
    pub visible: Option<&'a Mask>,
    /// The true flow on the frames' grid, for the measures.
    pub truth: Option<&'a Flow>,
    /// How to estimate.
    pub method: &'a MethodChoice,
    /// What is wanted beside the flow and its confidence.
    pub wanted: PairWanted,
}

impl<'a> WindowRequest<'a> {
    /// Frames of which nothing else is known; the flow and its confidence are wanted.
    pub fn new<I: Into<Image<'a>>>(frames: impl IntoIterator<Item = I>, method: &'a MethodChoice) -> Self {
        let frames = frames.into_iter().map(Into::into).collect();
        let (names, wanted) = (PairNames::default(), PairWanted::default());
        Self { frames, names, mask: None, visible: None, truth: None, method, wanted }
    }

    /// Frames without sample values that stand for no data, and where they have data, within the mask.
    fn prepare(&self, passes: Passes<'_>, warnings: &mut Warnings) -> Result<PreparedWindow> {
        self.method.require_used(&[(GivenInput::Mask, self.mask.is_some())])?;
        let clipped = |(nth, frame): (usize, &Image<'_>)| {
            let mut frame = frame.volume();
            clip_sentinels(&mut frame, &self.names.image(nth), passes, warnings);
            frame
        };
        let mut frames: Vec<_> = self.frames.iter().enumerate().map(clipped).collect();
        match_depths(&mut frames, |nth| self.names.image(nth), warnings);
        let known = fill_frames(&mut frames, self.mask, |nth| self.names.image(nth), passes, warnings)?;
        let grid = frames.first().ok_or(CoreError::EmptySequence)?.grid();
        let on_first = |mask: &Mask| require_inside(mask_on(mask.clone(), grid)?, "the mask");
        let mask = self.mask.map(on_first).transpose()?;
        let mask = known_within(mask, self.visible)?;
        // Every vector is found from all frames.
        let known_in_all = known.iter().map(|own| mask_on(own.clone(), grid));
        let known_in_all = known_in_all.reduce(|all, own| Ok(intersection(all?, &own?))).transpose()?;
        let mask = known_within(mask, known_in_all.as_ref())?;
        Ok(PreparedWindow { frames, mask, known })
    }
}

/// The frames of a window as the method takes them.
struct PreparedWindow {
    frames: Vec<Volume<f32>>,
    mask: Option<Mask>,
    /// Where each frame has data; nothing: all of them everywhere.
    known: Vec<Mask>,
}

/// Estimates the flow of the centre frame of a window towards the next one.
///
/// # Errors
/// [`DenseError::Takes`] for a method of pairs; [`DenseError::NoLinearStart`]; [`DenseError::Memory`]; [`VeloxelError::Motion`](crate::VeloxelError::Motion) as
/// [`WindowMethod::run`](veloxel_motion::WindowMethod::run), also for a number of frames that the method cannot take.
pub fn window(request: &WindowRequest<'_>, session: &Session) -> Result<PairResult> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    StartKind::None.require_linear(request.wanted.transform, request.method.draft.method_name())?;
    let device = session.device()?;
    let passes = Passes::by(session);
    let PreparedWindow { frames, mask, known } = request.prepare(passes, &mut account.warnings)?;
    let (grid, white, count) = (frames[0].grid(), full_scale(&frames[0]), frames.len());
    let call = Call { request, frames: &frames, mask: mask.as_ref(), session };
    let Solved { mut found, tiles, centre } = session.with_method(
        &request.method.key(grid, white, count),
        || Ok(request.method.open(grid, white, count, device)?),
        |opened| call.find(opened, &mut account),
    )?;
    session.enter(Stage::Measure)?;
    let [fixed, moving] = [centre, centre + 1].map(|nth| frames[nth].clone());
    let known = [centre, centre + 1].map(|nth| known.get(nth).cloned());
    let of_pair = known.each_ref().map(Option::as_ref);
    doubt_vectors_of_holes(&found.flow, of_pair, &mut found.confidence, passes);
    let brightness = found.statistics.brightness;
    doubt_unexplained(&found.flow, brightness, &mut found.confidence, &mut account.warnings);
    doubt_phases(&found.flow, Some(&mut found.confidence), &mut account.warnings);
    doubt_short([&fixed, &moving], &found.flow, &mut found.confidence, &mut account.warnings);
    if let (Some(known), Some(warped)) = (of_pair[1], &mut found.warped) {
        blank_sampled_holes(&found.flow, known, false, warped, passes);
    }
    let prepared = PreparedPair { fixed, moving, toned: None, mask, volume_mask: None, known };
    let WindowRequest { names, wanted, truth, .. } = *request;
    let draft = &request.method.draft;
    let (fixed_frame, start, transform) = (centre, None, None);
    Outcome { draft, prepared, fixed_frame, names, start, wanted, truth, transform, device, tiles, passes }
        .finish(found, account)
}

/// One call of an opened method.
struct Call<'a> {
    request: &'a WindowRequest<'a>,
    frames: &'a [Volume<f32>],
    mask: Option<&'a Mask>,
    session: &'a Session,
}

struct Solved {
    found: DenseFlow,
    tiles: Option<TilePlan>,
    centre: usize,
}

impl Call<'_> {
    fn find(&self, opened: &mut OpenedMethod, account: &mut Account) -> Result<Solved> {
        let Self { request, frames, mask, session } = *self;
        account.parameters = opened.parameters.clone();
        account.errors = request.method.error_curves(frames[0].grid().dimension(), StartKind::None);
        let grids: Vec<_> = frames.iter().map(|frame| frame.grid()).collect();
        let sketch = FlowSketch {
            grids: &grids,
            method: request.method,
            masks: usize::from(request.mask.is_some()),
            weights: 0,
            truths: usize::from(request.truth.is_some()),
            start: StartKind::None,
            samples_moving: request.wanted.samples_moving(),
        };
        let tiles = tiles_of(&sketch, &opened.method, session, &mut account.warnings)?;
        let centre = opened.method.centre();
        let AnyMethod::Window(method) = &mut opened.method else {
            let (takes, given) = ("a pair of images", "window of frames");
            return Err(DenseError::Takes { method: request.method.draft.method_name(), takes, given }.into());
        };
        let window: Vec<_> = frames.iter().collect();
        // Only with the warped image is it known how well the frames of a window agree.
        let (extras, device) = (FlowExtras::ALL, session.device()?);
        let found = account.stages.time("solve", || match &tiles {
            None => method.run(&window, mask, extras),
            Some(plan) => TiledWindows { device, plan }.run(&mut **method, &window, mask, extras),
        })?;
        Ok(Solved { found, tiles, centre })
    }
}
