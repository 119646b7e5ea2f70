//! Frames over time in, numbered fields with one report out.

use super::frame_selection::{FrameNames, ReadFrames};
use super::sequence_maps::{SequenceMaps, holds, is_folder};
use super::sequence_truth::TrueFields;
use super::{
    Account, FlowRun, FrameSelection, Holds, MaskFile, OutputPlan, Result, RunOptions, Stages, StartFrom,
    VeloxelError, flow,
};
use crate::pipelines::prepare::grids::{OutsideFill, WHOLE_IMAGE, covered_masks, mask_on, on_first_grid};
use crate::pipelines::prepare::sentinels::clip_sentinels;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use veloxel_core::{CoreError, Dimension, Flow, Mask, Observer, Sequence, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{self as io, Format};
use veloxel_measure::MeasureError;
use veloxel_motion::{
    AnyMethod, Extras, Method, Opened, Role, SequenceField, SequenceFrames, SequenceMode, SequencePlan,
    Takes, run_sequence, run_windows,
};
use veloxel_report::{PairReport, PairView, RunHeader, RunReport, Thumbnail, sequence_html};

/// One run over a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceJob {
    /// A 4-D file, a folder of frames, or the frames themselves.
    pub inputs: Vec<PathBuf>,
    /// Which of the frames.
    pub frames: FrameSelection,
    /// Which fields.
    pub mode: SequenceMode,
    /// The frame that reference fields live on, counted over all frames; none: the first that is taken.
    pub reference: Option<usize>,
    /// A folder with the true fields: by the names of the run's own, or one for every field in order.
    pub truth: Option<PathBuf>,
    /// Method, device and everything else that runs share; a mask counts for every frame.
    pub options: RunOptions,
    /// Where the fields and `report.json` go; made if it is not there.
    pub folder: PathBuf,
    /// The confidences: one 4-D file, or a folder where the name has no extension.
    pub confidence: Option<PathBuf>,
    /// The warped images, likewise.
    pub warped: Option<PathBuf>,
    /// What these hold where the moving frame has no sample.
    pub outside: OutsideFill,
    /// The JSON once more, elsewhere.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

impl SequenceJob {
    fn plan(&self) -> Result<OutputPlan> {
        if Format::from_path(&self.folder).is_some() {
            return Err(frames!(
                "{}: a sequence has many fields, and one file holds one: name a folder",
                self.folder.display()
            ));
        }
        for (option, path) in [("--confidence", &self.confidence), ("--warped", &self.warped)] {
            let is_one_file = |path: &&PathBuf| self.mode == SequenceMode::Both && !is_folder(path);
            if let Some(path) = path.as_ref().filter(is_one_file) {
                return Err(frames!(
                    "{option} {}: one file holds one series, and --sequence both has two: name a folder",
                    path.display()
                ));
            }
        }
        OutputPlan::default()
            .reads("sequence", &self.inputs)
            .reads_options(&self.options)
            .reads("truth", &self.truth)
            .writes("folder", [&self.folder], Holds::Folder)
            .writes("confidence", &self.confidence, holds(&self.confidence))
            .writes("warped", &self.warped, holds(&self.warped))
            .members("folder", &["consecutive_", "reference_", "report.json"])
            .members("confidence", &["confidence_"])
            .members("warped", &["warped_"])
            .writes("report", &self.report, Holds::Text)
            .writes("page", &self.html, Holds::Text)
            .checked()
    }

    /// The frames taken, where they have samples, and what they are called.
    fn load(&self, device: &Device, warnings: &mut Warnings) -> Result<Loaded> {
        let reading = self.options.reading;
        let ReadFrames { frames, interval_ms, paths, .. } = ReadFrames::of(&self.inputs, reading, warnings)?;
        let (mut frames, names) = self.frames.take(frames, &paths)?;
        for (nth, frame) in frames.iter_mut().enumerate() {
            let name = names.file(nth).map_or_else(|| format!("frame {}", names.number(nth)), str::to_owned);
            clip_sentinels(frame, &name, warnings);
        }
        let (frames, covered) = on_first_grid(device, frames, reading.strictness, warnings)?;
        let interval_ms = interval_ms.map(|ms| ms * self.frames.step() as f64);
        Ok(Loaded { sequence: Sequence::new(frames, interval_ms)?, covered, names })
    }
}

/// The frames of a sequence.
struct Loaded {
    /// All on the first one's grid.
    sequence: Sequence,
    /// Where each has samples there; none: everywhere.
    covered: Vec<Mask>,
    names: FrameNames,
}

/// Estimates the fields of a sequence: `consecutive_000_001.nii.gz`, `reference_000_005.nii.gz` (pictures: `.flo`) and
/// `report.json` in one folder, which gets all of them or none.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn sequence(job: &SequenceJob, observer: Option<Arc<dyn Observer>>) -> Result<FlowRun> {
    let options = &job.options;
    options.require_used(&StartFrom::None)?;
    let mut plan = job.plan()?;
    let truth = job.truth.as_deref().map(|folder| TrueFields::list(folder, options.reading)).transpose()?;
    let (device, mut log) = options.device.start()?;
    device.control().follow(observer);
    let warnings = &mut log.warnings;
    let Loaded { sequence, covered, names } = log.stages.time("load", || job.load(&device, warnings))?;
    plan.check_dimension(sequence.grid().dimension())?;
    let mut read = |file: &Option<MaskFile>| -> Result<Vec<Mask>, _> {
        let on_first = |mask| Ok::<_, VeloxelError>(mask_on(mask, sequence.grid())?);
        file.iter().map(|file| on_first(file.read(options.reading, warnings)?)).collect()
    };
    let (masks, volume_masks) = (covered_masks(read(&options.mask)?, covered), read(&options.volume_mask)?);
    let weight = options.read_weight(sequence.grid(), warnings)?;
    let mut opened = open(&sequence, options, &device)?;
    options.check_volume_mask(&opened.parameters, warnings);

    let (masks, volume_masks, weights) = (&masks[..], &volume_masks[..], weight.as_slice());
    let frames = SequenceFrames { frames: sequence.frames(), masks, volume_masks, weights };
    let folder = plan.path("folder")?.expect("the folder should be planned");
    let reference = job.reference.map_or(Ok(0), |number| names.position(number))?;
    let task_plan = SequencePlan { mode: job.mode, reference, extras: Extras::ALL };
    let count = field_count(&opened.method, job.mode, sequence.frames().len());
    let read_truth = |name: &str, nth: usize, warnings: &mut Warnings| {
        truth.as_ref().map_or(Ok(None), |truth| truth.of(name, nth, count, warnings))
    };
    let mut maps = [
        SequenceMaps::new(&mut plan, "confidence", &job.confidence)?,
        SequenceMaps::new(&mut plan, "warped", &job.warped)?,
    ];
    let (device, names, truth, folder, outside) = (&device, &names, &read_truth, &folder, job.outside);
    let task = SequenceTask { device, outside, frames, names, truth, plan: task_plan, folder };
    let result = task.run(&mut opened.method, &mut maps, &mut log)?;
    log.stages.time("write", || {
        maps.into_iter().try_for_each(|maps| maps.finish(&mut plan, sequence.frame_interval_ms()))
    })?;
    let inputs = plan.input_reports(|_| sequence.grid());
    let header = options.header(options.method.method_name(), opened.parameters, log, inputs);
    plan.publish(result.report(header), |report| result.page(report, &task))
}

/// The method of a run, opened for the frames of a sequence.
pub(crate) fn open(sequence: &Sequence, options: &RunOptions, device: &Device) -> Result<Opened> {
    let frames = match Method::of(options.method.draft()).takes {
        Takes::Pairs => 2,
        Takes::Windows { most } => most.min(sequence.frames().len()),
    };
    let first = sequence.frames().first().ok_or(CoreError::EmptySequence)?;
    options.open_for(first, frames, device)
}

/// How many fields a run has.
fn field_count(method: &AnyMethod, mode: SequenceMode, frames: usize) -> usize {
    match (method, mode) {
        (AnyMethod::Window(method), _) => (frames + 1).saturating_sub(method.window().frames),
        (_, SequenceMode::Both) => (2 * frames).saturating_sub(1),
        _ => frames.saturating_sub(1),
    }
}

/// The exact field of a name, such as `consecutive_000_001`, and of a number in its order, where it is known.
pub(crate) type Truth<'a> = &'a dyn Fn(&str, usize, &mut Warnings) -> Result<Option<Flow>>;

/// Frames in memory, to be estimated, measured and written.
pub(crate) struct SequenceTask<'a> {
    pub device: &'a Device,
    pub outside: OutsideFill,
    pub frames: SequenceFrames<'a>,
    pub names: &'a FrameNames,
    pub truth: Truth<'a>,
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
    title: String,
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
        maps: &mut [SequenceMaps; 2],
        log: &mut Account,
    ) -> Result<SequenceResult> {
        let is_consecutive = self.plan.mode == SequenceMode::Consecutive;
        let page_role = if is_consecutive { Role::Consecutive } else { Role::Reference };
        let mut result = SequenceResult { pairs: Vec::new(), drift_vox: None, shown: None, page_role };
        let (start, mut elsewhere, mut first) = (Instant::now(), Stages::default(), None);
        let warnings = &mut log.warnings;
        let mut keep = |field: SequenceField| {
            let title = self.title(&field);
            for warning in field.output.statistics.warnings.iter() {
                warnings.push(warning.kind, format!("{title}: {}", warning.message));
            }
            elsewhere.time("write", || self.write(&field, maps, warnings))?;
            let nth = self.position(&field, &result.pairs);
            let truth = elsewhere.time("truth", || (self.truth)(&self.field_name(&field), nth, warnings))?;
            self.take(field, truth, title, &mut result, &mut first, &mut elsewhere)
        };
        let drift_vox = match method {
            AnyMethod::Pair(method) => run_sequence(&mut **method, self.frames, self.plan, &mut keep)?,
            AnyMethod::Window(method) if is_consecutive => {
                run_windows(&mut **method, self.frames, self.plan.extras, &mut keep)?;
                None
            }
            AnyMethod::Window(_) => {
                return Err(frames!("a method that takes a window of frames gives consecutive fields alone"));
            }
        };
        result.drift_vox = drift_vox;
        let solve_ms = start.elapsed().as_secs_f64() * 1e3 - elsewhere.total_ms();
        log.stages.add("solve", solve_ms);
        log.stages.merge(elsewhere);
        result.pairs.sort_by_key(|pair| (pair.role == Role::Reference, pair.fixed, pair.moving));
        Ok(result)
    }

    fn title(&self, field: &SequenceField) -> String {
        let [fixed, moving] = [field.fixed, field.moving].map(|nth| self.names.number(nth));
        let series = if field.role == Role::Consecutive { "frame" } else { "reference" };
        let title = format!("{series} {fixed} → {moving}");
        match (self.names.file(field.fixed), self.names.file(field.moving)) {
            (Some(fixed), Some(moving)) => format!("{title} ({fixed} → {moving})"),
            _ => title,
        }
    }

    /// A field with its frames, as reports show it.
    fn view<'a>(&'a self, title: &'a str, field: &'a SequenceField, truth: Option<&'a Flow>) -> PairView<'a> {
        let [fixed, moving] = [field.fixed, field.moving].map(|nth| &self.frames.frames[nth]);
        let numbers = [field.fixed, field.moving].map(|nth| self.names.number(nth));
        PairView {
            truth,
            mask: self.frames.measured(field.fixed),
            frames: Some(numbers),
            ..flow::view(title, fixed, moving, &field.output)
        }
    }

    /// `consecutive_000_001`.
    fn field_name(&self, field: &SequenceField) -> String {
        let series = if field.role == Role::Consecutive { "consecutive" } else { "reference" };
        let [fixed, moving] = [field.fixed, field.moving].map(|nth| self.names.number(nth));
        format!("{series}_{fixed:03}_{moving:03}")
    }

    /// Where a field stands among all: consecutive ones, which come in order, then those of the reference by their frames.
    fn position(&self, field: &SequenceField, before: &[Measured]) -> usize {
        let consecutive = before.iter().filter(|pair| pair.role == Role::Consecutive).count();
        match (field.role, self.plan.mode) {
            (Role::Consecutive, _) => consecutive,
            (Role::Reference, mode) => {
                let first = if mode == SequenceMode::Both { self.frames.frames.len() } else { 0 };
                first + field.moving - usize::from(field.moving > self.plan.reference)
            }
        }
    }

    /// Writes a field and its maps.
    fn write(
        &self,
        field: &SequenceField,
        [confidences, warped]: &mut [SequenceMaps; 2],
        warnings: &mut Warnings,
    ) -> Result<()> {
        let (name, frames, output) = (self.field_name(field), [field.fixed, field.moving], &field.output);
        let extension = if output.flow.grid().dimension() == Dimension::Two { "flo" } else { "nii.gz" };
        io::write_flow(&self.folder.join(format!("{name}.{extension}")), &output.flow)?;
        confidences.take(&name, frames, &output.confidence, None, warnings)?;
        let Some(own) = output.warped.as_ref().filter(|_| warped.is_wanted()) else { return Ok(()) };
        let like = &self.frames.frames[field.moving];
        let continued = self.outside.continued(self.device, &output.flow, like, WHOLE_IMAGE)?;
        let mut map = continued.unwrap_or_else(|| own.clone());
        self.outside.fill(&mut map, &format!("warped_{name}"), warnings);
        warped.take(&name, frames, &map, Some(like), warnings)
    }

    /// Measures a field, and keeps what the report needs.
    fn take(
        &self,
        field: SequenceField,
        truth: Option<Flow>,
        title: String,
        result: &mut SequenceResult,
        first: &mut Option<SequenceField>,
        stages: &mut Stages,
    ) -> Result<()> {
        let (role, fixed, moving) = (field.role, field.fixed, field.moving);
        let report = stages.time("measure", || {
            let view = self.view(&title, &field, truth.as_ref());
            PairReport::measure(&view, field.output.statistics.clone())
        })?;
        let mean_vox = report.motion.mean_vox;
        let mut thumbnail = None;
        if role == result.page_role {
            let like = first.get_or_insert_with(|| field.clone());
            let like_title = self.title(like);
            thumbnail = Some(Thumbnail::of(
                &self.view(&title, &field, truth.as_ref()),
                &self.view(&like_title, like, None),
            ));
            if result.shown.as_ref().is_none_or(|shown| shown.mean_vox < mean_vox) {
                result.shown = Some(Shown { field, truth, mean_vox });
            }
        }
        result.pairs.push(Measured { title, role, fixed, moving, report, thumbnail });
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
    pub fn page(&self, report: &RunReport, task: &SequenceTask<'_>) -> Result<String> {
        let (what, reason) = ("report page", "the sequence has no field");
        let nothing = || MeasureError::NothingToMeasure { what, reason };
        let Shown { field, truth, .. } = self.shown.as_ref().ok_or_else(nothing)?;
        let on_page: Vec<_> = self.pairs.iter().filter(|pair| pair.role == self.page_role).collect();
        let position = on_page
            .iter()
            .position(|pair| (pair.fixed, pair.moving) == (field.fixed, field.moving))
            .ok_or_else(nothing)?;
        let page =
            RunReport { pairs: on_page.iter().map(|pair| pair.report.clone()).collect(), ..report.clone() };
        let thumbnails: Vec<Thumbnail> = on_page.iter().filter_map(|pair| pair.thumbnail.clone()).collect();
        let view = task.view(&on_page[position].title, field, truth.as_ref());
        Ok(sequence_html(&page, &view, position, &thumbnails)?)
    }
}
