//! Several methods on one pair of images, side by side.

use super::flow::{Inputs, Shown};
use super::{
    FlowJob, Holds, JobRun, MaskFile, MethodOptions, OutputPlan, Result, RunOptions, Stages, full_scale, name,
};
use crate::pipelines::prepare::grids::moving_on;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use veloxel_core::parameters::{ParameterError, Values};
use veloxel_core::{Flow, Observer, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_motion::{AnyMethod, DenseFlow, Extras, METHODS, MotionError, Opened, Pair};
use veloxel_report::{
    CompareReport, ComparedRun, ComparedView, LeftOut, PairReport, PairView, comparison_html,
};

/// A method that took this long is not run a second time, ms.
const LONG_MS: f64 = 2000.0;

/// The methods to compare on a pair of files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompareJob {
    /// The image that the fields live on.
    pub fixed: PathBuf,
    /// The image that they point into.
    pub moving: PathBuf,
    /// The true flow, on the fixed grid.
    pub truth: Option<PathBuf>,
    /// Where data count.
    pub mask: Option<MaskFile>,
    /// The methods with their presets and parameters; none: [`CompareJob::all_methods`].
    pub methods: Vec<MethodOptions>,
    /// Device and everything else that the runs share, but the method.
    pub options: RunOptions,
    /// The page.
    pub html: PathBuf,
    /// JSON.
    pub report: Option<PathBuf>,
}

impl CompareJob {
    /// Every dense method with its default preset.
    ///
    /// # Errors
    /// [`ParameterError`] should not occur.
    pub fn all_methods() -> Result<Vec<MethodOptions>, ParameterError> {
        METHODS.iter().map(|method| MethodOptions::new(method.parameters.method)).collect()
    }

    fn plan(&self) -> Result<OutputPlan> {
        OutputPlan::default()
            .reads("fixed", [&self.fixed])
            .reads("moving", [&self.moving])
            .reads("mask", self.mask.as_ref().map(|mask| &mask.path))
            .reads("truth", &self.truth)
            .writes("page", [&self.html], Holds::Text)
            .writes("report", &self.report, Holds::Text)
            .checked()
    }

    /// The job that loads the pair.
    fn loading(&self) -> FlowJob {
        FlowJob {
            inputs: vec![self.fixed.clone(), self.moving.clone()],
            truth: self.truth.clone(),
            options: RunOptions {
                method: Default::default(),
                mask: self.mask.clone(),
                ..self.options.clone()
            },
            ..FlowJob::default()
        }
    }
}

/// What a method found, and in what time.
struct Run {
    options: MethodOptions,
    parameters: Values,
    found: DenseFlow,
    /// 1 where the moving image does not show a voxel; none on two grids, and of methods that take windows of frames.
    occlusion: Option<Volume<f32>>,
    time_ms: f64,
}

/// Runs every method on the pair and writes a page with their fields, confidences, errors and times.
///
/// A method that cannot take these images is left out, with its reason on the page.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; the reason of the first method if none could run.
pub fn compare(job: &CompareJob, observer: Option<Arc<dyn Observer>>) -> Result<JobRun<CompareReport>> {
    let plan = job.plan()?;
    let load = |stages: &mut Stages, warnings: &mut Warnings| {
        stages.time("load", || Inputs::load(&job.loading(), warnings))
    };
    let (device, mut log, inputs) = job.options.device.start_and_load(load)?;
    device.control().follow(observer);
    let pair = inputs.pair(&Default::default(), 0);
    let methods = if job.methods.is_empty() { CompareJob::all_methods()? } else { job.methods.clone() };
    let (mut runs, mut left_out) = (Vec::new(), Vec::new());
    for options in methods {
        let method = options.method_name().to_owned();
        match log.stages.time("solve", || run(options, &pair, &device)) {
            Ok(run) => runs.push(run),
            Err(error @ (MotionError::NotAPicture { .. } | MotionError::Sequence { .. })) => {
                left_out.push(LeftOut { method, reason: error.to_string() });
            }
            Err(error) => return Err(error.into()),
        }
    }
    let title = format!("{} → {}", name(&job.fixed), name(&job.moving));
    let seen = moving_on(&device, pair.moving, pair.fixed.grid())?;
    let shown = Shown { title: &title, pair: &pair, moving: &seen, truth: inputs.truth.as_ref() };
    let views: Vec<ComparedView<'_>> = (runs.iter())
        .map(|run| ComparedView { pair: shown.view(&run.found), occlusion: run.occlusion.as_ref() })
        .collect();
    let measured = log.stages.time("measure", || {
        let measured = runs.iter().zip(&views).map(|(run, view)| measured(run, &view.pair));
        measured.collect::<Result<Vec<_>, _>>()
    })?;
    let read = plan.input_reports(|nth| inputs.frames.get(nth).map_or(pair.fixed.grid(), |f| f.grid()));
    let mut header = job.options.header("compare", Values::default(), log, read);
    header.preset = None;
    let report = CompareReport { header, runs: measured, left_out };
    plan.publish(report, |report| Ok(comparison_html(report, &views)?))
}

/// Opens a method and runs it, twice where that is quick.
fn run(options: MethodOptions, pair: &Pair<'_>, device: &Device) -> Result<Run, MotionError> {
    let grid = pair.fixed.grid();
    let opened = RunOptions { method: options.clone(), ..RunOptions::default() };
    let Opened { mut method, parameters } = opened.open_method(grid, full_scale(pair.fixed), 2, device)?;
    let mut solve = |extras: Extras| {
        let begin = Instant::now();
        let found = match &mut method {
            AnyMethod::Pair(method) => method.run_with(pair, extras),
            AnyMethod::Window(method) => method.run(&[pair.fixed, pair.moving], pair.mask, extras),
        };
        found.map(|found| (found, begin.elapsed().as_secs_f64() * 1e3))
    };
    let (found, first_ms) = solve(Extras::ALL)?;
    let time_ms = if first_ms < LONG_MS { solve(Extras::default())?.1.min(first_ms) } else { first_ms };
    let backward = match &mut method {
        AnyMethod::Pair(method) if pair.moving.grid() == grid => {
            let pair = Pair { mask: None, volume_mask: None, ..Pair::new(pair.moving, pair.fixed) };
            Some(method.run(&pair)?.flow)
        }
        _ => None,
    };
    let occlusion = backward.map(|backward| hidden(&found.flow, &backward));
    Ok(Run { options, parameters, found, occlusion, time_ms })
}

/// 1 where a vector leaves the grid, or the field of the other direction does not lead back: by more than
/// `0.01 (|d|² + |b|²) + 0.5` voxels² (Sundaram, Brox, Keutzer 2010, eq. 5), looked up at the nearest voxel.
fn hidden(forward: &Flow, backward: &Flow) -> Volume<f32> {
    let (grid, mut index) = (forward.grid().clone(), 0..);
    let size = grid.size();
    Volume::from_fn(grid, |position| {
        let forward = index.next().map_or([f32::NAN; 3], |i| forward.vector_vox(i));
        let target = [0, 1, 2].map(|a: usize| (position[a] as f32 + forward[a]).round());
        let is_inside = (0..3).all(|a| target[a] >= 0.0 && target[a] < size[a] as f32);
        let [x, y, z] = target.map(|t| t as usize);
        let is_back = is_inside && {
            let back = backward.vector_vox((z * size[1] + y) * size[0] + x);
            let squares = |v: [f32; 3]| v.iter().map(|c| c * c).sum::<f32>();
            let apart = [0, 1, 2].map(|a: usize| forward[a] + back[a]);
            squares(apart) <= 0.01 * (squares(forward) + squares(back)) + 0.5
        };
        f32::from(u8::from(!is_back))
    })
}

fn measured(run: &Run, view: &PairView<'_>) -> Result<ComparedRun> {
    Ok(ComparedRun {
        method: run.options.method_name().to_owned(),
        preset: run.options.preset_name().to_owned(),
        parameters: run.parameters.clone().into(),
        time_ms: run.time_ms,
        occluded_share: run.occlusion.as_ref().map(|hidden| {
            hidden.data().iter().map(|&h| f64::from(h)).sum::<f64>() / hidden.data().len() as f64
        }),
        pair: PairReport::measure(view, run.found.statistics.clone())?,
    })
}
