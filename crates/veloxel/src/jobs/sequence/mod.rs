//! Frames over time in, numbered fields with one report out.

mod maps;
pub(in crate::jobs) mod memory;
#[cfg(feature = "zarr")]
mod pair_by_pair;
#[cfg(feature = "zarr")]
pub(in crate::jobs) mod pairs;

use crate::Session;
use crate::jobs::inputs::frame_selection::{ReadFrames, TakeFrames};
use crate::jobs::inputs::sequence_truth::TrueFields;
use crate::jobs::job_error::require_nifti;
use crate::jobs::options::dense_options::{DenseOptions, ReadRegion};
use crate::jobs::{FieldFormat, FlowRun, JobError, OutputContent, OutputPlan, OutputRole, Result, StartFrom};
use crate::pipelines::{
    Account, FieldLabel, FrameNames, OutsideFill, PairWanted, SequenceOutput, SequenceRequest, Wanted,
};
use maps::{SequenceMaps, holds, is_folder};
use std::path::PathBuf;
use veloxel_core::{Dimension, Hint, Stage, Volume, Warnings};
use veloxel_io::{self as io, Format, FrameSelection, Target};
use veloxel_motion::SequenceMode;
use veloxel_report::RunReport;

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
    /// The method, where its data count, and how files are read; a mask counts for every frame.
    pub options: DenseOptions,
    /// Where the fields and `report.json` go; made if it is not there.
    pub folder: PathBuf,
    /// The format of the fields; none: `.flo` for pictures, `.nii.gz` for volumes.
    pub field_format: Option<FieldFormat>,
    /// The confidences: one 4-D file, or a folder where the name has no extension.
    pub confidence: Option<PathBuf>,
    /// The warped images: one 4-D file, or a folder where the name has no extension.
    pub warped: Option<PathBuf>,
    /// What these hold where the moving frame has no sample.
    pub outside: OutsideFill,
    /// The JSON once more, elsewhere.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

impl SequenceJob {
    /// The plan of its files, not checked yet.
    pub(super) fn plan(&self, session: &Session) -> Result<OutputPlan> {
        if Format::from_path(&self.folder).is_some() {
            return Err(JobError::FieldsInFile { path: self.folder.clone() }.into());
        }
        let maps = [
            (&self.confidence, Hint::Confidence, "confidences"),
            (&self.warped, Hint::Warped, "warped images"),
        ];
        for (path, output, maps) in maps {
            let is_one_file = |path: &&PathBuf| self.mode == SequenceMode::Both && !is_folder(path);
            if let Some(path) = path.as_ref().filter(is_one_file) {
                return Err(JobError::SeriesInFile { path: path.clone(), output, maps }.into());
            }
        }
        Ok(OutputPlan::of(session)
            .reads("sequence", &self.inputs)
            .reads_dense(&self.options)
            .reads("truth", &self.truth)
            .writes(OutputRole::Folder, [&self.folder], OutputContent::Folder)
            .writes(OutputRole::Confidence, &self.confidence, holds(&self.confidence))
            .writes(OutputRole::Warped, &self.warped, holds(&self.warped))
            .members(OutputRole::Folder, ["consecutive_", "reference_", "report.json"])
            .members(OutputRole::Confidence, ["confidence_"])
            .members(OutputRole::Warped, ["warped_"])
            .writes(OutputRole::Report, &self.report, OutputContent::Text)
            .writes(OutputRole::Page, &self.html, OutputContent::Text))
    }

    /// Refuses, before a file is read, what the method does not take.
    ///
    /// # Errors
    /// [`MotionError::NotUsed`](veloxel_motion::MotionError::NotUsed), [`DenseError::MovingMask`](crate::pipelines::DenseError).
    pub(super) fn require_possible(&self) -> Result<()> {
        self.options.require_used(&StartFrom::None)?;
        self.options.require_pair_for_moving_mask(Some("a sequence"))?;
        Ok(())
    }

    /// The frames taken, and what they are called.
    fn load(&self, session: &Session, warnings: &mut Warnings) -> Result<Loaded> {
        let reading = &session.reading(self.options.reading).without_transparent();
        let truth = self.truth.as_deref().map(|folder| TrueFields::list(folder, reading)).transpose()?;
        let ReadFrames { frames, interval_ms, paths, .. } = ReadFrames::of(&self.inputs, reading, warnings)?;
        let (frames, names) = self.frames.take(frames, &paths)?;
        let interval_ms = interval_ms.map(|ms| ms * self.frames.step() as f64);
        let region = self.options.read_region(reading, warnings)?;
        Ok(Loaded { frames, interval_ms, names, region, truth })
    }
}

/// What was read.
struct Loaded {
    frames: Vec<Volume<f32>>,
    interval_ms: Option<f64>,
    names: FrameNames,
    region: ReadRegion,
    truth: Option<TrueFields>,
}

/// Estimates the fields of a sequence: `consecutive_000_001.nii.gz`, `reference_000_005.nii.gz` (pictures: `.flo`, where no format is
/// asked for) and
/// `report.json` in one folder, which gets all of them or none.
///
/// Frames that do not fit into the session's budget of memory with what a run over them holds are taken pair by pair, each as
/// [`flow`](super::flow()) takes two files: the fields have the bits that it gives, and so have those that are estimated in parts. Each
/// field gets its name when it is whole, and a hidden folder beside them (`.fields.tiles`) says which have theirs: a run that was ended at
/// any moment goes on when it is run again.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; [`DenseError::PairByPair`](crate::pipelines::DenseError) for
/// what is done with all frames in memory alone.
pub fn sequence(job: &SequenceJob, session: &Session) -> Result<FlowRun> {
    job.require_possible()?;
    #[cfg(feature = "zarr")]
    if let Some(pairs) = pairs::Pairs::of(job, session)? {
        return pair_by_pair::run(&pairs, session);
    }
    planned(job, session, job.plan(session)?.checked()?)
}

fn planned(job: &SequenceJob, session: &Session, mut plan: OutputPlan) -> Result<FlowRun> {
    session.enter(Stage::Read)?;
    let Account { mut stages, mut warnings, .. } = Account::default();
    let loaded = stages.time("load", || job.load(session, &mut warnings))?;
    let mut log = Account { stages, warnings, ..Account::default() };
    if let Some(first) = loaded.frames.first() {
        plan.check_grid(first.grid())?;
        FieldFormat::check(job.field_format.as_ref(), first.grid())?;
        if first.grid().dimension() == Dimension::Three {
            require_nifti(&job.inputs, first.grid(), 1)?;
        }
    }
    let options = &job.options;
    let Loaded { frames, interval_ms, names, region, truth } = &loaded;
    let read_truth = |label: &FieldLabel, warnings: &mut Warnings| {
        truth.as_ref().map_or(Ok(None), |truth| truth.of(label, warnings))
    };
    let (weight_name, volume_mask_name) = (options.weight_name(), options.volume_mask_name());
    let method = options.choice();
    let request = SequenceRequest {
        names: names.clone(),
        masks: region.mask.as_slice(),
        volume_masks: region.volume_mask.as_slice(),
        weight: region.weight.as_ref(),
        weight_name: &weight_name,
        volume_mask_name: &volume_mask_name,
        mode: job.mode,
        reference: job.reference,
        truth: truth.is_some().then_some(&read_truth),
        strictness: options.reading.strictness,
        wanted: PairWanted {
            warped: job.warped.is_some().then_some(job.outside),
            measures: Wanted::Yes,
            page: Wanted::when(job.html.is_some()),
            ..PairWanted::default()
        },
        ..SequenceRequest::new(frames, &method)
    };
    let mut writer = FieldWriter::new(job, &mut plan)?;
    let mut result = crate::pipelines::sequence(&request, session, &mut |field| writer.write(&field))?;
    log.absorb(std::mem::take(&mut result.account));

    session.enter(Stage::Write)?;
    let FieldWriter { maps, warnings, .. } = writer;
    log.warnings.extend(warnings);
    log.stages
        .time("write", || maps.into_iter().try_for_each(|maps| maps.finish(&mut plan, *interval_ms)))?;
    let inputs = plan.input_reports(|_| result.grid());
    let report = RunReport {
        header: options.header(log, inputs),
        method_title: options.method_title(),
        pairs: result.measured().cloned().collect(),
        cycle_closure_vox: result.drift_vox,
        label_overlap: None,
    };
    plan.publish(report, |report| result.page(report, session.control()))
}

/// Writes fields and their maps as they come.
struct FieldWriter {
    folder: Target,
    format: Option<FieldFormat>,
    /// Confidences and warped images.
    maps: [SequenceMaps; 2],
    warnings: Warnings,
}

impl FieldWriter {
    fn new(job: &SequenceJob, plan: &mut OutputPlan) -> Result<Self> {
        let folder = plan.target(OutputRole::Folder)?.expect("the folder should be planned");
        let confidences = SequenceMaps::new(plan, OutputRole::Confidence, &job.confidence)?;
        let maps = [confidences, SequenceMaps::new(plan, OutputRole::Warped, &job.warped)?];
        Ok(Self { folder, format: job.field_format.clone(), maps, warnings: Warnings::new() })
    }

    fn write(&mut self, field: &SequenceOutput<'_>) -> Result<()> {
        io::write_flow(self.folder.join(field_file(self.format.as_ref(), field)), &field.found.flow)?;
        let [confidences, warped] = &mut self.maps;
        confidences.take(&field.label, &field.found.confidence, None, &mut self.warnings)?;
        let Some(own) = &field.warped else { return Ok(()) };
        warped.take(&field.label, own, Some(field.moving), &mut self.warnings)
    }
}

/// The name of a field's file.
pub(super) fn field_file(format: Option<&FieldFormat>, field: &SequenceOutput<'_>) -> String {
    format!("{}.{}", field.label.name(), FieldFormat::extension(format, field.found.flow.grid()))
}
