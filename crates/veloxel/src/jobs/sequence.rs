//! Frames over time in, numbered fields with one report out.

use super::flow;
use super::output_plan::{Holds, OutputPlan};
use super::run_log::{RunLog, Stages, finish};
use super::{FlowRun, MaskFile, RunOptions};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use std::time::Instant;
use veloxel_core::{CoreError, Dimension, Flow, Grid, Mask, Sequence};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_motion::{
    AnyMethod, Extras, Method, Observer, Opened, Role, SequenceField, SequenceFrames, SequenceMode,
    SequencePlan, Takes, run_sequence, run_windows,
};
use veloxel_report::{PairReport, PairView, RunHeader, RunReport, Thumbnail, sequence_html};

/// One run over a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceJob {
    /// A 4-D file, a folder of frames, or the frames themselves.
    pub inputs: Vec<PathBuf>,
    /// Which fields.
    pub plan: SequencePlan,
    /// Method, device and everything else that runs share; a mask counts for every frame.
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
    let [mask, volume_mask] = options.mask_paths();
    let mut plan = OutputPlan::default()
        .reads_settings(options.method.files())
        .reads("sequence", &job.inputs)
        .reads("mask", mask)
        .reads("volume mask", volume_mask)
        .writes("folder", [&job.folder], Holds::Folder)
        .members("folder", &["consecutive_", "reference_", "report.json"])
        .writes("report", &job.report, Holds::Text)
        .writes("page", &job.html, Holds::Text);
    plan.check()?;
    let (device, mut log) = options.device.start()?;
    let warnings = &mut log.warnings;
    let sequence = log.stages.time("load", || match job.inputs.as_slice() {
        [one] => io::read_sequence(one, options.reading, warnings),
        many => io::read_frames(many, options.reading, warnings),
    })?;
    let mut read = |file: &Option<MaskFile>| -> Result<Vec<Mask>, _> {
        file.iter().map(|file| file.read(options.reading, warnings)).collect()
    };
    let (masks, volume_masks) = (read(&options.mask)?, read(&options.volume_mask)?);
    let mut opened = open(&sequence, options, &device)?;
    options.check_volume_mask(&opened.parameters, warnings);

    let frames = SequenceFrames { frames: sequence.frames(), masks: &masks, volume_masks: &volume_masks };
    let folder = plan.path("folder")?.expect("the folder should be planned");
    let task = SequenceTask { frames, truth: None, plan: job.plan, folder: &folder };
    let result = task.run(&mut opened.method, &mut log, observer)?;
    let inputs = plan.input_reports(|_| sequence.grid());
    let header = options.header(options.method.method_name(), opened.parameters, log, inputs);
    let report = result.report(header);
    finish(plan, report, |report| result.page(report, frames))
}

/// The method of a run, opened for the frames of a sequence.
pub(crate) fn open(
    sequence: &Sequence,
    options: &RunOptions,
    device: &Device,
) -> Result<Opened, VeloxelError> {
    let frames = match Method::of(options.method.draft()).takes {
        Takes::Pairs => 2,
        Takes::Windows { most } => most.min(sequence.frames().len()),
    };
    let first = sequence.frames().first().ok_or(CoreError::EmptySequence)?;
    options.open_method((first, frames), device)
}

/// The exact field from one frame to another, where it is known.
pub(crate) type Truth<'a> = &'a dyn Fn(usize, usize) -> Flow;

/// Frames in memory, to be estimated, measured and written.
pub(crate) struct SequenceTask<'a> {
    pub frames: SequenceFrames<'a>,
    pub truth: Option<Truth<'a>>,
    pub plan: SequencePlan,
    /// Where the fields go.
    pub folder: &'a Path,
}

/// The measurements of a sequence, and the one field that the page shows.
pub(crate) struct SequenceResult {
    /// In order: consecutive, then reference.
    pairs: Vec<Measured>,
    drift_vox: Option<f64>,
    /// The field that the page shows in full, with its truth.
    shown: Option<Shown>,
    page_role: Role,
}

/// A field in numbers, and small where the page shows it.
struct Measured {
    role: Role,
    fixed: usize,
    moving: usize,
    report: PairReport,
    thumbnail: Option<Thumbnail>,
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
        log: &mut RunLog,
        observer: &dyn Observer,
    ) -> Result<SequenceResult, VeloxelError> {
        let page_role = match self.plan.mode {
            SequenceMode::Consecutive => Role::Consecutive,
            SequenceMode::Reference | SequenceMode::Both => Role::Reference,
        };
        let mut result = SequenceResult { pairs: Vec::new(), drift_vox: None, shown: None, page_role };
        let mut first = None;
        let start = Instant::now();
        let mut elsewhere = Stages::default();
        let plan = SequencePlan { extras: Extras::ALL, ..self.plan };
        let warnings = &mut log.warnings;
        let mut keep = |field: SequenceField| {
            let title = title(field.role, field.fixed, field.moving);
            for warning in field.output.statistics.warnings.iter() {
                warnings.push(warning.kind, format!("{title}: {}", warning.message));
            }
            self.take(field, &title, (&mut result, &mut first), &mut elsewhere)
        };
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
        log.stages.add("solve", solve_ms);
        log.stages.merge(elsewhere);
        result.pairs.sort_by_key(|pair| (pair.role == Role::Reference, pair.fixed, pair.moving));
        Ok(result)
    }

    /// Measures a field, writes it, and keeps what the report needs.
    fn take(
        &self,
        field: SequenceField,
        title: &str,
        (result, first): (&mut SequenceResult, &mut Option<Shown>),
        stages: &mut Stages,
    ) -> Result<(), VeloxelError> {
        let (role, fixed, moving) = (field.role, field.fixed, field.moving);
        let truth = stages.time("truth", || self.truth.map(|truth| truth(fixed, moving)));
        let report = stages.time("measure", || -> Result<PairReport, VeloxelError> {
            let view = view(title, &field, self.frames, truth.as_ref());
            Ok(PairReport::measure(&view, field.output.statistics.clone())?)
        })?;
        stages.time("write", || {
            let name = field_name(role, (fixed, moving), field.output.flow.grid());
            io::write_flow(&self.folder.join(name), &field.output.flow)
        })?;
        let mean_vox = report.motion.mean_vox;
        let mut thumbnail = None;
        if role == result.page_role {
            let own = Shown { field, truth, mean_vox };
            let like = first.as_ref().unwrap_or(&own);
            let like_title = self::title(role, like.field.fixed, like.field.moving);
            thumbnail = Some(Thumbnail::of(
                &view(title, &own.field, self.frames, own.truth.as_ref()),
                &view(&like_title, &like.field, self.frames, None),
            ));
            if first.is_none() {
                *first = Some(Shown { field: own.field.clone(), truth: None, mean_vox });
            }
            if result.shown.as_ref().is_none_or(|shown| shown.mean_vox < mean_vox) {
                result.shown = Some(own);
            }
        }
        result.pairs.push(Measured { role, fixed, moving, report, thumbnail });
        Ok(())
    }
}

impl SequenceResult {
    pub fn report(&self, header: RunHeader) -> RunReport {
        RunReport {
            header,
            pairs: self.pairs.iter().map(|pair| pair.report.clone()).collect(),
            cycle_closure_vox: self.drift_vox,
            label_overlap: None,
        }
    }

    /// The page: the reference's fields where there are any, else the consecutive ones; the largest motion in full.
    pub fn page(&self, report: &RunReport, frames: SequenceFrames<'_>) -> Result<String, VeloxelError> {
        let reason = "the sequence has no field";
        let nothing = || veloxel_report::ReportError::NothingToMeasure { what: "report page", reason };
        let shown = self.shown.as_ref().ok_or_else(nothing)?;
        let on_page = || self.pairs.iter().filter(|pair| pair.role == self.page_role);
        let position = on_page()
            .position(|pair| (pair.fixed, pair.moving) == (shown.field.fixed, shown.field.moving))
            .ok_or_else(nothing)?;
        let page = RunReport { pairs: on_page().map(|pair| pair.report.clone()).collect(), ..report.clone() };
        let thumbnails: Vec<Thumbnail> = on_page().filter_map(|pair| pair.thumbnail.clone()).collect();
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
    let images = (&frames.frames[field.fixed], &frames.frames[field.moving]);
    PairView { truth, mask: frames.measured(field.fixed), ..flow::view(title, images, &field.output) }
}
