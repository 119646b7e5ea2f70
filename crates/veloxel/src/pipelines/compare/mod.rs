//! Several methods on one pair of images in memory, side by side.

mod memory;

use super::account::Account;
use super::dense::{Image, MethodChoice, PairNames, PreparedPair, view_of};
use super::pair::PairRequest;
use super::prepare::full_scale::full_scale;
use super::prepare::grids::moving_on;
use super::prepare::passes::Passes;
use crate::{Result, Session, VeloxelError};
use std::time::Instant;
use veloxel_core::parameters::ParameterValues;
use veloxel_core::{Control, Flow, Mask, Stage, Stopped, Threads, Volume};
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_motion::{AnyMethod, DenseFlow, FlowExtras, GivenInput, MotionError, OpenedMethod, Pair};
use veloxel_report::{ComparedRun, ComparedView, LeftOut, PairReport, PairView};

/// Voxels that are looked at between two questions whether to go on: some milliseconds.
const VOXELS_AT_ONCE: usize = 1 << 17;

/// A method that took this long is not run a second time, ms.
const LONG_MS: f64 = 2000.0;

/// Two images, and the methods to compare on them.
#[derive(Debug, Clone)]
pub struct CompareRequest<'a> {
    /// The image that the flows live on.
    pub fixed: Image<'a>,
    /// The image that they point into.
    pub moving: Image<'a>,
    /// What they are called.
    pub names: PairNames<'a>,
    /// Where data count, on a grid of its own.
    pub mask: Option<&'a Mask>,
    /// Where the fixed image has a sample; counts with the mask.
    pub visible: Option<&'a Mask>,
    /// The true flow on the fixed grid.
    pub truth: Option<&'a Flow>,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// The methods, in the order of the comparison.
    pub methods: &'a [MethodChoice],
}

impl<'a> CompareRequest<'a> {
    /// Two images of which nothing else is known, and methods.
    pub fn new(
        fixed: impl Into<Image<'a>>,
        moving: impl Into<Image<'a>>,
        methods: &'a [MethodChoice],
    ) -> Self {
        Self {
            fixed: fixed.into(),
            moving: moving.into(),
            names: PairNames::default(),
            mask: None,
            visible: None,
            truth: None,
            strictness: Strictness::Lenient,
            methods,
        }
    }
}

/// What a method found, and in what time.
#[derive(Debug)]
pub struct ComparedMethod {
    /// The method.
    pub method: MethodChoice,
    /// Names and values of its parameters, as used.
    pub parameters: ParameterValues,
    /// The flow, its confidence and its diagnostics.
    pub found: DenseFlow,
    /// Occlusion: 1 where the moving image does not show a voxel; none on two grids, and for methods that take windows of
    /// frames.
    pub occlusion: Option<Volume<f32>>,
    /// Time of the faster one of two runs, milliseconds.
    pub time_ms: f64,
}

/// A comparison.
#[derive(Debug)]
pub struct CompareResult {
    /// The methods that could run.
    pub runs: Vec<ComparedMethod>,
    /// Each of them in numbers.
    pub measured: Vec<ComparedRun>,
    /// The methods that cannot take these images, and why.
    pub left_out: Vec<LeftOut>,
    /// Images and mask as the methods took them.
    pub prepared: PreparedPair,
    /// The moving image on the fixed grid where nothing has moved.
    pub moving_on_fixed: Volume<f32>,
    /// Device, times and warnings.
    pub account: Account,
}

impl CompareResult {
    /// All that a page draws.
    pub fn views<'a>(&'a self, title: &'a str, truth: Option<&'a Flow>) -> Vec<ComparedView<'a>> {
        let view = |run: &'a ComparedMethod| {
            let pair = compared_view(title, &self.prepared, &self.moving_on_fixed, truth, run)?;
            Some(ComparedView { pair, occlusion: run.occlusion.as_ref() })
        };
        self.runs.iter().filter_map(view).collect()
    }
}

fn compared_view<'a>(
    title: &'a str,
    prepared: &'a PreparedPair,
    moving: &'a Volume<f32>,
    truth: Option<&'a Flow>,
    run: &'a ComparedMethod,
) -> Option<PairView<'a>> {
    let view = view_of(title, &prepared.fixed, moving, &run.found)?;
    Some(PairView { truth, mask: prepared.measured(), moving_grid: Some(prepared.moving.grid()), ..view })
}

/// Runs every method on the pair, twice where that is quick, and measures what it found. A method that cannot take these images
/// is left out, with the reason. On a processor all results are in memory at once, which is asked for before the first method runs.
///
/// # Errors
/// As [`pair`](super::pair()).
pub fn compare(request: &CompareRequest<'_>, session: &Session) -> Result<CompareResult> {
    session.enter(Stage::Solve)?;
    let (mut account, none) = (Account::begin(session)?, MethodChoice::default());
    let device = session.device()?;
    let CompareRequest { names, mask, visible, truth, strictness, .. } = *request;
    let pair = PairRequest::new(request.fixed.clone(), request.moving.clone(), &none);
    let pair = PairRequest { names, mask, visible, strictness, ..pair };
    let prepared = pair.prepare(Passes::by(session), &mut account.warnings)?;
    memory::check_room(request, &prepared, session)?;
    let (mut runs, mut left_out) = (Vec::new(), Vec::new());
    let images = pair.pair(&prepared)?;
    for method in request.methods {
        match account.stages.time("solve", || run(method, &images, device)) {
            Ok(run) => runs.push(run),
            Err(
                error @ (MotionError::NotUsed { .. }
                | MotionError::NotAPicture { .. }
                | MotionError::Sequence { .. }),
            ) => {
                let method = method.draft.method_name().to_owned();
                left_out.push(LeftOut { method, reason: error.to_string() });
            }
            Err(error) => return Err(error.into()),
        }
    }
    session.enter(Stage::Measure)?;
    let moving_on_fixed = moving_on(device, &prepared.moving, prepared.fixed.grid())?.into_owned();
    let measured = account.stages.time("measure", || {
        let view = |run| compared_view(names.title, &prepared, &moving_on_fixed, truth, run);
        let measured = runs.iter().filter_map(|run| Some(measured(run, &view(run)?, session.threads())));
        measured.collect::<Result<Vec<_>>>()
    })?;
    Ok(CompareResult { runs, measured, left_out, prepared, moving_on_fixed, account })
}

/// Opens a method and runs it, twice where that is quick.
fn run(choice: &MethodChoice, pair: &Pair<'_>, device: &Device) -> Result<ComparedMethod, MotionError> {
    choice.require_used(&[(GivenInput::Mask, pair.mask.is_some())])?;
    let grid = pair.fixed.grid();
    let OpenedMethod { mut method, parameters } = choice.open(grid, full_scale(pair.fixed), 2, device)?;
    let mut solve = |extras: FlowExtras| {
        let begin = Instant::now();
        let found = match &mut method {
            AnyMethod::Pair(method) => method.run_with(pair, extras),
            AnyMethod::Window(method) => method.run(&[pair.fixed, pair.moving], pair.mask, extras),
        };
        found.map(|found| (found, begin.elapsed().as_secs_f64() * 1e3))
    };
    let (found, first_ms) = solve(FlowExtras::ALL)?;
    let time_ms = if first_ms < LONG_MS { solve(FlowExtras::default())?.1.min(first_ms) } else { first_ms };
    let backward = match &mut method {
        AnyMethod::Pair(method) if pair.moving.grid() == grid => {
            Some(method.run(&Pair::new(pair.moving, pair.fixed))?.flow)
        }
        _ => None,
    };
    let occlusion = backward.map(|back| hidden(&found.flow, &back, device.control())).transpose()?;
    Ok(ComparedMethod { method: choice.clone(), parameters, found, occlusion, time_ms })
}

/// 1 where a vector leaves the grid, or the field of the other direction does not lead back: by more than
/// `0.01 (|d|² + |b|²) + 0.5` voxels² (Sundaram, Brox, Keutzer 2010, eq. 5), looked up at the nearest voxel.
fn hidden(forward: &Flow, backward: &Flow, control: &Control) -> Result<Volume<f32>, MotionError> {
    let (grid, size) = (forward.grid(), forward.grid().size());
    let mut pace = control.once_in(VOXELS_AT_ONCE);
    let is_hidden = |i: usize| {
        pace.step()?;
        let (position, forward) = (grid.position(i), forward.vector_vox(i));
        let target = [0, 1, 2].map(|a: usize| (position[a] as f32 + forward[a]).round());
        let is_inside = (0..3).all(|a| target[a] >= 0.0 && target[a] < size[a] as f32);
        let [x, y, z] = target.map(|t| t as usize);
        let is_back = is_inside && {
            let back = backward.vector_vox((z * size[1] + y) * size[0] + x);
            let squares = |v: [f32; 3]| v.iter().map(|c| c * c).sum::<f32>();
            let apart = [0, 1, 2].map(|a: usize| forward[a] + back[a]);
            squares(apart) <= 0.01 * (squares(forward) + squares(back)) + 0.5
        };
        Ok(f32::from(u8::from(!is_back)))
    };
    let data = (0..grid.len()).map(is_hidden).collect::<Result<_, Stopped>>()?;
    Ok(Volume::new(grid.clone(), data)?)
}

fn measured(run: &ComparedMethod, view: &PairView<'_>, threads: Threads<'_>) -> Result<ComparedRun> {
    let statistics = run.found.statistics.clone();
    Ok(ComparedRun {
        method: run.method.draft.method_name().to_owned(),
        preset: run.method.draft.preset().to_owned(),
        parameters: run.parameters.clone().into(),
        time_ms: run.time_ms,
        occluded_share: run.occlusion.as_ref().map(|hidden| {
            hidden.data().iter().map(|&h| f64::from(h)).sum::<f64>() / hidden.data().len() as f64
        }),
        pair: PairReport::measure(view, statistics, threads).map_err(VeloxelError::from)?,
    })
}
