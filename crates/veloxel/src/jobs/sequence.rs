//! Frames over time in, numbered fields with one report out.

use super::full_scale::full_scale;
use super::outputs::{check_distinct, check_outputs, format_text};
use super::stage::Stages;
use super::staging::Staging;
use super::{FlowRun, RunOptions};
use crate::VeloxelError;
use std::path::PathBuf;
use std::time::Instant;
use veloxel_core::parameters::Values;
use veloxel_core::{Dimension, Flow, Grid, Mask, Sequence, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_motion::{
    AnyMethod, Extras, Method, Observer, Opened, Opening, Role, SequenceField, SequenceFrames, SequenceMode,
    SequencePlan, Takes, run_sequence, run_windows,
};
use veloxel_report::{DeviceReport, InputReport, PairReport, PairView, RunReport, Thumbnail, sequence_html};

/// One run over a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceJob {
    /// A 4-D file, a folder of frames, or the frames themselves.
    pub inputs: Vec<PathBuf>,
    /// Which fields.
    pub plan: SequencePlan,
    /// Everything else that a run is told; a mask counts for every frame.
    pub options: RunOptions,
    /// Where the fields and `report.json` go; made if it is not there.
    pub folder: PathBuf,
    /// The JSON once more, elsewhere.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// Estimates the fields of a sequence: `consecutive_000_001.nii.gz`, `reference_000_005.nii.gz` (pictures: `.flo`) and
/// `report.json` in one folder, which gets all of them or none.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn sequence(job: &SequenceJob, observer: &dyn Observer) -> Result<FlowRun, VeloxelError> {
    let options = &job.options;
    check_outputs(&[(job.report.as_deref(), None), (job.html.as_deref(), None)], None)?;
    let inputs = job.inputs.iter().chain(&options.mask).chain(&options.volume_mask);
    let outputs = [Some(job.folder.as_path()), job.report.as_deref(), job.html.as_deref()];
    check_distinct(inputs.map(PathBuf::as_path), outputs)?;
    let (device, device_report) = options.device.open()?;
    let mut stages = Stages::default();
    let mut warnings = Warnings::new();
    let sequence = stages.time("load", || match job.inputs.as_slice() {
        [one] => io::read_sequence(one, options.strictness, &mut warnings),
        many => io::read_frames(many, options.strictness, &mut warnings),
    })?;
    let mut read = |path: &Option<PathBuf>| -> Result<Vec<Mask>, _> {
        path.iter().map(|path| io::read_mask(path, options.strictness, &mut warnings)).collect()
    };
    let (masks, volume_masks) = (read(&options.mask)?, read(&options.volume_mask)?);
    let grid = sequence.grid().clone();
    let mut opened = open(&sequence, options, &device)?;
    let staging = Staging::new(&job.folder)?;

    let frames = SequenceFrames { frames: sequence.frames(), masks: &masks, volume_masks: &volume_masks };
    let task = SequenceTask { frames, truth: None, plan: job.plan };
    let mut result = task.run(&mut opened.method, (&staging, &mut stages), observer)?;
    warnings.extend(std::mem::take(&mut result.warnings));

    let mut inputs: Vec<InputReport> = (job.inputs.iter())
        .map(|p| InputReport::new("sequence", &p.display().to_string(), &format_text(p), &grid))
        .collect();
    for (role, path) in [("mask", &options.mask), ("volume mask", &options.volume_mask)] {
        let Some(path) = path else { continue };
        inputs.push(InputReport::new(role, &path.display().to_string(), &format_text(path), &grid));
    }
    let report = result.report((opened.parameters, options), device_report, (inputs, stages, warnings))?;
    let json = report.to_json()?;
    io::write_text(&staging.path("report.json"), &json)?;
    staging.publish()?;
    let mut written = vec![("folder", job.folder.clone())];
    if let Some(path) = &job.report {
        io::write_text(path, &json)?;
        written.push(("report", path.clone()));
    }
    if let Some(path) = &job.html {
        io::write_text(path, &result.page(&report, frames)?)?;
        written.push(("page", path.clone()));
    }
    Ok(FlowRun { report, written })
}

/// The method of a run, opened for the frames of a sequence.
pub(crate) fn open(
    sequence: &Sequence,
    options: &RunOptions,
    device: &Device,
) -> Result<Opened, VeloxelError> {
    let draft = options.method.draft();
    let method = Method::of(draft);
    let frames = match method.takes {
        Takes::Pairs => 2,
        Takes::Windows { most } => most.min(sequence.frames().len()),
    };
    let white = sequence.frames().first().map_or(1.0, full_scale);
    let opened = method.open(&Opening { grid: sequence.grid(), frames, white, draft, device })?;
    Ok(Opened { method: options.directions.of(opened.method), ..opened })
}

/// The exact field from one frame to another, where it is known.
pub(crate) type Truth<'a> = &'a dyn Fn(usize, usize) -> Flow;

/// Frames in memory, to be estimated, measured and written.
pub(crate) struct SequenceTask<'a> {
    pub frames: SequenceFrames<'a>,
    pub truth: Option<Truth<'a>>,
    pub plan: SequencePlan,
}

/// What is kept of a sequence's fields once they are written.
pub(crate) struct SequenceResult {
    /// In order: consecutive, then reference.
    pub pairs: Vec<(Role, usize, usize, PairReport)>,
    pub drift_vox: Option<f64>,
    pub warnings: Warnings,
    thumbnails: Vec<(Role, usize, usize, Thumbnail)>,
    /// The field that the page shows in full, with its truth.
    shown: Option<Shown>,
    page_role: Role,
}

struct Shown {
    field: SequenceField,
    truth: Option<Flow>,
    mean_vox: f64,
}

impl SequenceTask<'_> {
    pub fn run(
        &self,
        method: &mut AnyMethod,
        (staging, stages): (&Staging, &mut Stages),
        observer: &dyn Observer,
    ) -> Result<SequenceResult, VeloxelError> {
        let page_role = match self.plan.mode {
            SequenceMode::Consecutive => Role::Consecutive,
            SequenceMode::Reference | SequenceMode::Both => Role::Reference,
        };
        let mut result = SequenceResult {
            pairs: Vec::new(),
            drift_vox: None,
            warnings: Warnings::new(),
            thumbnails: Vec::new(),
            shown: None,
            page_role,
        };
        let mut first = None;
        let start = Instant::now();
        let mut elsewhere = Stages::default();
        let plan = SequencePlan { extras: Extras::ALL, ..self.plan };
        let mut keep = |field| self.take(field, staging, (&mut result, &mut first), &mut elsewhere);
        let drift_vox = match method {
            AnyMethod::Pair(method) => run_sequence(&mut **method, self.frames, plan, observer, &mut keep)?,
            AnyMethod::Window(method) if plan.mode == SequenceMode::Consecutive => {
                run_windows(&mut **method, self.frames, plan.extras, &mut keep)?;
                None
            }
            AnyMethod::Window(_) => {
                let reason =
                    "a method that takes a window of frames gives consecutive fields alone".to_owned();
                return Err(VeloxelError::Frames { reason });
            }
        };
        result.drift_vox = drift_vox;
        let solve_ms = start.elapsed().as_secs_f64() * 1e3 - elsewhere.total_ms();
        stages.add("solve", solve_ms);
        stages.merge(elsewhere);
        result.pairs.sort_by_key(|(role, fixed, moving, _)| (*role == Role::Reference, *fixed, *moving));
        result.thumbnails.sort_by_key(|(role, fixed, moving, _)| (*role == Role::Reference, *fixed, *moving));
        Ok(result)
    }

    /// Measures a field, writes it, and keeps what the report needs.
    fn take(
        &self,
        field: SequenceField,
        staging: &Staging,
        (result, first): (&mut SequenceResult, &mut Option<Shown>),
        stages: &mut Stages,
    ) -> Result<(), VeloxelError> {
        let (role, fixed, moving) = (field.role, field.fixed, field.moving);
        let truth = stages.time("truth", || self.truth.map(|truth| truth(fixed, moving)));
        let title = title(role, fixed, moving);
        let on_page = role == result.page_role;
        let pair = stages.time("measure", || -> Result<PairReport, VeloxelError> {
            let view = view(&title, &field, self.frames, truth.as_ref());
            Ok(PairReport::measure(&view, field.output.statistics.clone())?)
        })?;
        stages.time("write", || {
            let name = field_name(role, (fixed, moving), field.output.flow.grid());
            io::write_flow(&staging.path(&name), &field.output.flow)
        })?;
        for warning in field.output.statistics.warnings.iter() {
            result.warnings.push(warning.kind, format!("{title}: {}", warning.message));
        }
        let mean_vox = pair.motion.mean_vox;
        result.pairs.push((role, fixed, moving, pair));
        if on_page {
            let own = Shown { field, truth, mean_vox };
            let like = first.as_ref().unwrap_or(&own);
            let like_title = self::title(role, like.field.fixed, like.field.moving);
            let thumbnail = Thumbnail::of(
                &view(&title, &own.field, self.frames, own.truth.as_ref()),
                &view(&like_title, &like.field, self.frames, None),
            );
            result.thumbnails.push((role, fixed, moving, thumbnail));
            if first.is_none() {
                *first = Some(Shown { field: own.field.clone(), truth: None, mean_vox });
            }
            if result.shown.as_ref().is_none_or(|shown| shown.mean_vox < mean_vox) {
                result.shown = Some(own);
            }
        }
        Ok(())
    }
}

impl SequenceResult {
    pub fn report(
        &self,
        (parameters, options): (Values, &RunOptions),
        device: DeviceReport,
        (inputs, stages, warnings): (Vec<InputReport>, Stages, Warnings),
    ) -> Result<RunReport, VeloxelError> {
        Ok(RunReport {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: options.command_line.clone(),
            method: options.method.method_name().to_owned(),
            preset: Some(options.method.preset_name().to_owned()),
            device,
            parameters: parameters.into(),
            inputs,
            pairs: self.pairs.iter().map(|(.., pair)| pair.clone()).collect(),
            cycle_closure_vox: self.drift_vox,
            label_overlap: None,
            stage_times: stages.into_times(),
            warnings,
        })
    }

    /// The page: the reference's fields where there are any, else the consecutive ones; the largest motion in full.
    pub fn page(&self, report: &RunReport, frames: SequenceFrames<'_>) -> Result<String, VeloxelError> {
        let reason = "the sequence has no field";
        let nothing = || veloxel_report::ReportError::NothingToMeasure { what: "report page", reason };
        let shown = self.shown.as_ref().ok_or_else(nothing)?;
        let on_page = || self.pairs.iter().filter(|(role, ..)| *role == self.page_role);
        let position = on_page()
            .position(|(_, fixed, moving, _)| (*fixed, *moving) == (shown.field.fixed, shown.field.moving))
            .ok_or_else(nothing)?;
        let page = RunReport { pairs: on_page().map(|(.., pair)| pair.clone()).collect(), ..report.clone() };
        let thumbnails: Vec<Thumbnail> = self.thumbnails.iter().map(|(.., t)| t.clone()).collect();
        let title = title(self.page_role, shown.field.fixed, shown.field.moving);
        let view = view(&title, &shown.field, frames, shown.truth.as_ref());
        Ok(sequence_html(&page, &view, position, &thumbnails)?)
    }
}

fn title(role: Role, fixed: usize, moving: usize) -> String {
    match role {
        Role::Consecutive => format!("frame {fixed} → {moving}"),
        Role::Reference => format!("reference {fixed} → {moving}"),
    }
}

fn field_name(role: Role, (fixed, moving): (usize, usize), grid: &Grid) -> String {
    let series = match role {
        Role::Consecutive => "consecutive",
        Role::Reference => "reference",
    };
    let extension = match grid.dimension() {
        Dimension::Two => "flo",
        Dimension::Three => "nii.gz",
    };
    format!("{series}_{fixed:03}_{moving:03}.{extension}")
}

fn view<'a>(
    title: &'a str,
    field: &'a SequenceField,
    frames: SequenceFrames<'a>,
    truth: Option<&'a Flow>,
) -> PairView<'a> {
    PairView {
        title,
        fixed: &frames.frames[field.fixed],
        moving: &frames.frames[field.moving],
        warped: field.output.warped.as_ref(),
        flow: &field.output.flow,
        confidence: &field.output.confidence,
        jacobian: field.output.jacobian.as_ref().expect("the determinant should have been asked for"),
        truth,
        mask: frames.measured(field.fixed),
    }
}
