//! The flow between two images in memory, with everything that belongs to it.

use super::account::Account;
use super::dense::{
    Image, MethodChoice, Opening, Outcome, PairNames, PairResult, PairStart, PairWanted, PreparedPair,
};
use super::memory_plan::{FlowSketch, tiles_of};
use super::prepare::depths::match_depths;
use super::prepare::full_scale::full_scale;
use super::prepare::grids::{allow_two_grids, intersection, mask_on};
use super::prepare::holes::{
    blank_sampled_holes, doubt_vectors_of_holes, fill_holes, known_in_both, known_within, leave_out,
    note_holes, require_inside,
};
use super::prepare::intensities::compare_intensities;
use super::prepare::passes::Passes;
use super::prepare::sentinels::clip_sentinels;
use crate::pipelines::dense::{DenseError, StartKind};
use crate::{Result, Session};
use veloxel_core::{CoreError, Flow, Grid, LinearTransform, Mask, Stage, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_motion::steps::maps::inverted;
use veloxel_motion::{
    AnyMethod, DenseFlow, FlowExtras, GivenInput, Matched, MotionError, OpenTile, OpenedMethod, Pair,
    PairMethod, TilePlan, Tiled, require_weights,
};

/// Two images, what is known of them, and what is wanted.
#[derive(Debug, Clone)]
pub struct PairRequest<'a> {
    /// The image that the flow lives on.
    pub fixed: Image<'a>,
    /// The image that the flow points into, on a grid of its own.
    pub moving: Image<'a>,
    /// What they are called in warnings and reports.
    pub names: PairNames<'a>,
    /// Where data count, on a grid of its own; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// Where the fixed image has a sample, as pictures with transparent pixels have it; counts with the mask.
    pub visible: Option<&'a Mask>,
    /// Where the moving image has data, on a grid of its own; none: everywhere. What lies outside is left out as samples that are NaN are.
    pub moving_mask: Option<&'a Mask>,
    /// Where volume is preserved, on a grid of its own; none: wherever data count.
    pub volume_mask: Option<&'a Mask>,
    /// How much data count, from 0 to 1 on the fixed grid; of methods with weights in their energy.
    pub weight: Option<&'a Volume<f32>>,
    /// What is known before the first step.
    pub start: PairStart<'a>,
    /// The true flow on the fixed grid, for the measures.
    pub truth: Option<&'a Flow>,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// How to estimate.
    pub method: &'a MethodChoice,
    /// What is wanted beside the flow and its confidence.
    pub wanted: PairWanted,
}

impl<'a> PairRequest<'a> {
    /// Two images of which nothing else is known; the flow and its confidence are wanted.
    pub fn new(fixed: impl Into<Image<'a>>, moving: impl Into<Image<'a>>, method: &'a MethodChoice) -> Self {
        Self {
            fixed: fixed.into(),
            moving: moving.into(),
            names: PairNames::default(),
            mask: None,
            visible: None,
            moving_mask: None,
            volume_mask: None,
            weight: None,
            start: PairStart::None,
            truth: None,
            strictness: Strictness::Lenient,
            method,
            wanted: PairWanted::default(),
        }
    }

    /// What the run holds, for a plan of its memory.
    fn sketch<'g>(&self, prepared: &PreparedPair, grids: &'g [&'g Grid]) -> FlowSketch<'g>
    where
        'a: 'g,
    {
        FlowSketch {
            grids,
            method: self.method,
            masks: [self.mask, self.moving_mask, prepared.volume_mask.as_ref()].iter().flatten().count(),
            weights: usize::from(self.weight.is_some()),
            truths: usize::from(self.truth.is_some()),
            start: self.start.kind(),
            samples_moving: self.wanted.samples_moving(),
        }
    }

    /// Images without sample values that stand for no data, and masks on the fixed grid.
    pub(crate) fn prepare(&self, passes: Passes<'_>, warnings: &mut Warnings) -> Result<PreparedPair> {
        self.method.require_used(&[
            (GivenInput::Mask, self.mask.is_some()),
            (GivenInput::VolumeMask, self.volume_mask.is_some()),
            (GivenInput::Weight, self.weight.is_some()),
            (GivenInput::Start, self.start.kind() != StartKind::None),
        ])?;
        let called = [0, 1].map(|nth| self.names.image(nth));
        let given = [(&self.fixed, &called[0]), (&self.moving, &called[1])];
        let plain = passes.both(self.fixed.grid().len(), given, |(image, name)| {
            let (mut image, mut told) = (image.volume(), Warnings::new());
            clip_sentinels(&mut image, name, passes, &mut told);
            (image, told)
        });
        let mut images = plain.map(|(image, told)| {
            warnings.extend(told);
            image
        });
        match_depths(&mut images, |nth| called[nth].clone(), warnings);
        let [mut fixed, mut moving] = images;
        let leave_out = |mask: &Mask| leave_out(&mut moving, mask, "the mask of the moving image", passes);
        let moving_mask = self.moving_mask.map(leave_out).transpose()?;
        let tones = compare_intensities([&fixed, &moving], [&called[0], &called[1]], passes, warnings);
        let (fixed_known, moving_known) =
            (fill_holes(&mut fixed, &called[0], passes)?, fill_holes(&mut moving, &called[1], passes)?);
        allow_two_grids(fixed.grid(), moving.grid(), self.strictness, warnings)?;
        let on_fixed = |mask: Option<&Mask>| -> Result<_, CoreError> {
            mask.map(|mask| mask_on(mask.clone(), fixed.grid())).transpose()
        };
        let mask = on_fixed(self.mask)?.map(|mask| require_inside(mask, "the mask")).transpose()?;
        let mask = match (mask, self.visible) {
            (Some(mask), Some(visible)) => Some(intersection(mask, visible)),
            (mask, visible) => mask.or(visible.cloned()),
        };
        let masks = [mask.as_ref(), moving_mask.as_ref()];
        for ((known, mask), name) in [&fixed_known, &moving_known].into_iter().zip(masks).zip(&called) {
            if let Some(known) = known {
                note_holes(known, mask, name, warnings);
            }
        }
        let known = known_in_both([fixed_known.as_ref(), moving_known.as_ref()], fixed.grid())?;
        let mask = known_within(mask, known.as_ref())?;
        if let Some(weight) = self.weight {
            let what = format!("the fixed image and {}", self.names.weight);
            fixed.grid().require_same(weight.grid(), &what)?;
            require_weights(weight)?;
        }
        Ok(PreparedPair {
            mask,
            volume_mask: on_fixed(self.volume_mask)?,
            toned: tones.map(|tones| tones.applied(&moving, &fixed, passes)),
            fixed,
            moving,
            known: [fixed_known, moving_known],
        })
    }

    /// [`Self::prepare`] by the threads of a session, as a stage of its own.
    pub(super) fn prepared(&self, session: &Session, account: &mut Account) -> Result<PreparedPair> {
        let (Account { stages, warnings, .. }, passes) = (account, Passes::by(session));
        let prepared = stages.time("prepare", || self.prepare(passes, warnings))?;
        session.control().check()?;
        Ok(prepared)
    }

    /// The pair as methods take it.
    ///
    /// # Errors
    /// [`CoreError::Transform`] for a start that is a transform of another dimension.
    pub(super) fn pair<'p>(&'p self, prepared: &'p PreparedPair) -> Result<Pair<'p>, CoreError> {
        let start = self.start.of_method(prepared.fixed.grid())?;
        Ok(Pair {
            mask: prepared.mask.as_ref(),
            volume_mask: prepared.volume_mask.as_ref(),
            weight: self.weight,
            start,
            ..Pair::new(&prepared.fixed, prepared.compared())
        })
    }

    /// The linear map that the run began from.
    ///
    /// # Errors
    /// [`DenseError::NoTransform`], [`CoreError::Transform`] if one is wanted that there is not.
    fn transform(&self, found: &DenseFlow, prepared: &PreparedPair) -> Result<Option<LinearTransform>> {
        let grids = [prepared.fixed.grid(), prepared.moving.grid()];
        let transform = self.start.transform(found.linear_start, grids);
        if self.wanted.transform.is_yes() {
            return Ok(Some(transform?.ok_or(DenseError::NoTransform)?));
        }
        Ok(transform.unwrap_or_default())
    }

    pub(super) fn opening(&self) -> Opening<'_> {
        Opening { method: self.method, start: self.start.kind() }
    }

    fn begins_from_matches(&self) -> bool {
        self.start.kind() == StartKind::Matches
    }
}

/// Estimates the flow from a fixed to a moving image: `fixed(x) ≈ moving(x + d(x))`, NaN where it is unknown.
///
/// Sample values that stand for no data are replaced, masks are looked up on the fixed grid, the moving image is sampled by
/// its place in the world, and images too large for the session's budget of memory are estimated in tiles.
///
/// ```
/// use veloxel::pipelines::{MethodChoice, PairRequest, pair};
/// use veloxel::{Device, Grid, Session, Volume};
///
/// let session = Session::on(Device::cpu(1)?);
/// let waves = |shift: f32| Volume::from_fn(Grid::image(48, 40).unwrap(), move |[x, y, _]| {
///     (0.3 * (x as f32 - shift)).sin() + (0.2 * y as f32).cos()
/// });
/// let (fixed, moving, method) = (waves(0.0), waves(0.5), MethodChoice::default());
/// let result = pair(&PairRequest::new(&fixed, &moving, &method), &session)?;
/// assert!((result.found.flow.vector_vox(20 * 48 + 24)[0] - 0.5).abs() < 0.1);
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// [`DenseError::Takes`] for a method of windows; [`DenseError::NoLinearStart`] and [`DenseError::NoTransform`] for a
/// [transform](PairWanted::transform) that there is not; [`DenseError::Memory`]; [`VeloxelError::Core`](crate::VeloxelError::Core) for
/// inputs that do not belong together; [`VeloxelError::Motion`](crate::VeloxelError::Motion) as
/// [`PairMethod::run`](veloxel_motion::PairMethod::run).
pub fn pair(request: &PairRequest<'_>, session: &Session) -> Result<PairResult> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let device = session.device()?;
    let prepared = request.prepared(session, &mut account)?;
    request.wanted.require_found_by(request.method, prepared.fixed.grid().dimension())?;
    let (wanted, method) = (request.wanted.transform, request.method.draft.method_name());
    request.start.kind().require_linear(wanted, method)?;
    let (grid, white) = (prepared.fixed.grid(), full_scale(&prepared.fixed));
    let call = Call { request, prepared: &prepared, white, session, device };
    let (found, tiles) = session.with_method(
        &request.opening().key(grid, white),
        || request.opening().open(grid, white, device),
        |opened| call.find(opened, &mut account),
    )?;
    session.enter(Stage::Measure)?;
    let transform = request.transform(&found, &prepared)?;
    let PairRequest { names, wanted, truth, .. } = *request;
    let draft = &request.method.draft;
    let start = Some(request.start.kind());
    let passes = Passes::by(session);
    Outcome { draft, prepared, fixed_frame: 0, names, start, wanted, truth, transform, device, tiles, passes }
        .finish(found, account)
}

/// One call of an opened method.
struct Call<'a> {
    request: &'a PairRequest<'a>,
    prepared: &'a PreparedPair,
    white: f32,
    session: &'a Session,
    device: &'a Device,
}

impl Call<'_> {
    /// What the method finds, in tiles where that is necessary.
    fn find(
        &self,
        opened: &mut OpenedMethod,
        account: &mut Account,
    ) -> Result<(DenseFlow, Option<TilePlan>)> {
        let Self { request, prepared, .. } = *self;
        account.parameters = opened.parameters.clone();
        account.errors = request.method.error_curves(prepared.fixed.grid().dimension(), request.start.kind());
        let grids = [prepared.fixed.grid(), prepared.moving.grid()];
        let sketch = request.sketch(prepared, &grids);
        let tiles = tiles_of(&sketch, &opened.method, self.session, &mut account.warnings)?;
        let wanted = request.wanted;
        let needs_determinant = wanted.measures.is_yes() || wanted.page.is_yes();
        let extras = FlowExtras {
            warped: wanted.samples_moving(),
            jacobian: needs_determinant,
            inverse: wanted.inverse.is_yes(),
        };
        let AnyMethod::Pair(method) = &mut opened.method else {
            return Err(request.opening().takes_windows().into());
        };
        let pair = request.pair(prepared)?;
        let mut found = account.stages.time("solve", || match &tiles {
            None => method.run_with(&pair, extras),
            Some(plan) => self.in_tiles(plan, &pair, extras),
        })?;
        let known = prepared.known.each_ref().map(Option::as_ref);
        let passes = Passes::by(self.session);
        doubt_vectors_of_holes(&found.flow, known, &mut found.confidence, passes);
        if let (Some(known), Some(warped)) = (known[1], &mut found.warped) {
            blank_sampled_holes(&found.flow, known, false, warped, passes);
        }
        if wanted.inverse.is_yes() && found.inverse.is_none() {
            let (grid, threads) = (prepared.moving.grid(), self.session.threads());
            let back = account.stages.time("invert", || inverted(&found.flow, grid, threads))?;
            found.inverse = Some(back.flow);
        }
        Ok((found, tiles))
    }

    fn in_tiles(
        &self,
        plan: &TilePlan,
        pair: &Pair<'_>,
        extras: FlowExtras,
    ) -> Result<DenseFlow, MotionError> {
        let Self { request, white, device, .. } = *self;
        let whole = pair.fixed.grid();
        let open = |part: &Grid| match request.method.open_part([part, whole], white, 2, device)?.method {
            AnyMethod::Pair(method) => Ok(method),
            AnyMethod::Window(_) => unreachable!("a method should take pairs of every size or of none"),
        };
        let matched = |grid: &Grid| Ok(Box::new(Matched::of_box(open(grid)?)) as Box<dyn PairMethod>);
        let open_coarse: Option<&OpenTile<'_>> =
            if request.begins_from_matches() { Some(&matched) } else { None };
        Tiled { open: &open, open_coarse, device, plan }.run(pair, extras)
    }
}
