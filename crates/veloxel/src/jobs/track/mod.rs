//! Files of a cine and of outlines in; contours, fields, strain and function in one folder out.

mod contours;
mod region;
mod writing;

use super::inputs::frame_selection::ReadFrames;
use super::job_error::{JobError, require_nifti};
use super::{Account, DenseMethodOptions, FieldFormat, JobRun, OutputContent, OutputPlan, Stages};
use crate::jobs::OutputRole;
use crate::pipelines::heart::{self, Cavities, Cine, MotionSpace, Placement, PresetChoice, RegionChoice};
use crate::pipelines::heart::{Reader, TrackRequest, TrackResult};
use crate::{Result, Session};
pub use contours::ContourInput;
use contours::{ReadCine, ReaderFiles};
pub use region::RegionInput;
use std::path::PathBuf;
use veloxel_core::{ContourSet, Mask, Stage, Volume, Warnings};
use veloxel_io::{self as io, CineImage, CinePlace, Format, LabelMeaning, PlainNames, ReadOptions, Target};
use veloxel_motion::DenseDraft;
use veloxel_motion::over::cycle::{CycleEstimate, PeriodicChoice};
use veloxel_report::{InputReport, RunHeader, TrackReport, TrackView, track_html};
use writing::RunFiles;

/// One run over a cine.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackJob {
    /// A file with a time axis, a folder of frames, or the frames.
    pub inputs: Vec<PathBuf>,
    /// Outlines to start from.
    pub contours: Vec<ContourInput>,
    /// Outlines that are true, if some are known: files that outline the same places are those of several readers.
    pub truth: Vec<ContourInput>,
    /// The frames whose outlines are carried along; none: frame 0, or the only one that has some. The first is the reference.
    pub frames: Vec<usize>,
    /// What the labels of label images are.
    pub labels: LabelMeaning,
    /// What the names of plain texts mean.
    pub names: PlainNames,
    /// Where motion is estimated.
    pub region: RegionInput,
    /// In planes, or in the volume.
    pub space: MotionSpace,
    /// Where outlines of the left ventricle are carried from.
    pub placement: Placement,
    /// How outlines of cavities follow.
    pub cavities: Cavities,
    /// Whether the last frame is followed by the first.
    pub periodic: PeriodicChoice,
    /// Which motion is taken: of one way in time, of both, or from the start frame.
    pub estimate: CycleEstimate,
    /// The methods with their presets and parameters, one run each; at least one.
    pub methods: Vec<DenseMethodOptions>,
    /// Whether their presets are those given.
    pub presets: PresetChoice,
    /// How much data count, from 0 to 1, on the cine's grid: of finite elements.
    pub weight: Option<PathBuf>,
    /// How files are read.
    pub reading: ReadOptions,
    /// The command as typed, for the report.
    pub command_line: String,
    /// The format of the fields; none: `.flo` for pictures, `.nii.gz` for volumes.
    pub field_format: Option<FieldFormat>,
    /// Whether a film is written too.
    pub film: FilmChoice,
    /// Where everything goes.
    pub folder: PathBuf,
}

/// Whether the outlines over the moving images are written as `loop.gif`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FilmChoice {
    /// They are not.
    #[default]
    LeftOut,
    /// They are.
    Written,
}

/// How the names begin of the files that a run writes for each method.
const MEMBERS: [&str; 8] = [
    "contours.json",
    "contours.csv",
    "labels.nii.gz",
    "field_",
    "strain.csv",
    "function.csv",
    "distances.csv",
    "loop.gif",
];

impl TrackJob {
    /// A run as the command makes it without options: CLG's preset for cines by the number of frames, around the outlines of one
    /// file, in planes, one closed motion.
    pub fn new(inputs: Vec<PathBuf>, contours: PathBuf, folder: PathBuf) -> Self {
        let method = DenseMethodOptions::named("clg").and_then(|clg| clg.preset("cine"));
        Self {
            inputs,
            contours: vec![ContourInput { path: contours, frame: None }],
            truth: Vec::new(),
            frames: Vec::new(),
            labels: LabelMeaning::default(),
            names: PlainNames::default(),
            region: RegionInput::default(),
            space: MotionSpace::default(),
            placement: Placement::default(),
            cavities: Cavities::default(),
            periodic: PeriodicChoice::default(),
            estimate: CycleEstimate::Closed,
            methods: vec![method.expect("clg should have the preset cine")],
            presets: PresetChoice::ByFrames,
            weight: None,
            reading: ReadOptions::default(),
            command_line: String::new(),
            field_format: None,
            film: FilmChoice::default(),
            folder,
        }
    }

    /// The plan of its files, not checked yet.
    pub(super) fn plan(&self, session: &Session) -> Result<OutputPlan> {
        if Format::from_path(&self.folder).is_some() {
            return Err(JobError::HeartInFile { path: self.folder.clone() }.into());
        }
        let mask = match &self.region {
            RegionInput::Mask(file) => Some(&file.path),
            _ => None,
        };
        Ok(OutputPlan::of(session)
            .reads_settings(self.methods.iter().flat_map(|method| method.files()))
            .reads_settings(mask)
            .reads("weight", &self.weight)
            .reads_settings(self.contours.iter().chain(&self.truth).map(|file| &file.path))
            .reads("cine", &self.inputs)
            .writes(OutputRole::Folder, [&self.folder], OutputContent::Folder)
            .members(OutputRole::Folder, self.members()))
    }

    /// How the names begin of all files that the folder gets: with several methods, each with its method and its preset, which
    /// may be one that suits the cine.
    fn members(&self) -> Vec<String> {
        let presets_of = |method: &DenseMethodOptions| {
            let presets = method.draft().method().parameters.presets.iter();
            let name = method.method_name();
            presets.map(move |preset| prefix(name, preset.name)).collect::<Vec<_>>()
        };
        let prefixes = match &self.methods[..] {
            [_] => vec![String::new()],
            several => several.iter().flat_map(presets_of).collect(),
        };
        let of_run = |prefix: &String| MEMBERS.map(|name| format!("{prefix}{name}"));
        let of_all = ["report.json", "report.html"].map(str::to_owned);
        prefixes.iter().flat_map(of_run).chain(of_all).collect()
    }
}

/// Everything that files hold.
struct Inputs {
    cine: Cine,
    place: CinePlace,
    contours: ContourSet,
    readers: Vec<ReaderFiles>,
    mask: Option<Mask>,
    weight: Option<Volume<f32>>,
}

impl Inputs {
    fn read(job: &TrackJob, session: &Session, warnings: &mut Warnings) -> Result<Self> {
        let reading = &session.reading(job.reading);
        let ReadFrames { frames, interval_ms, mut images, paths } =
            ReadFrames::of(&job.inputs, reading, warnings)?;
        let cine = Cine::of_frames(frames, interval_ms, reading.options.strictness, session)?;
        let frames = cine.frames().len();
        if images.is_empty() && cine.grid().size()[2] == 1 {
            images = CineImage::of_frames(&paths);
        }
        let place = CinePlace { grid: cine.grid().clone(), frames, frame_interval_ms: interval_ms, images };
        let read = ReadCine { cine: &cine, place: &place };
        let contours = contours::read(job, &job.contours, read, reading, warnings)?;
        let readers = contours::read_readers(job, read, reading, warnings)?;
        let mask = match &job.region {
            RegionInput::Mask(file) => Some(file.read(reading, warnings)?),
            _ => None,
        };
        let weight = job.weight.as_ref().map(|path| io::read_image(path, reading, warnings)).transpose()?;
        Ok(Self { cine, place, contours, readers, mask, weight })
    }
}

/// Follows outlines over a cine with one method or several, measures, and writes everything into one folder, all of it or nothing.
///
/// # Errors
/// Anything that is wrong with files, outlines, parameters or the device, as one line;
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn track(job: &TrackJob, session: &Session) -> Result<JobRun<TrackReport>> {
    planned(job, session, job.plan(session)?.checked()?)
}

fn planned(job: &TrackJob, session: &Session, mut plan: OutputPlan) -> Result<JobRun<TrackReport>> {
    session.enter(Stage::Read)?;
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    let inputs = stages.time("load", || Inputs::read(job, session, &mut warnings))?;
    require_nifti(&job.inputs, inputs.cine.grid(), inputs.place.frames)?;
    FieldFormat::check(job.field_format.as_ref(), inputs.cine.grid())?;
    let mut found = follow(job, &inputs, session)?;
    stages.merge(std::mem::take(&mut found.account.stages));
    warnings.extend(std::mem::take(&mut found.account.warnings));
    session.enter(Stage::Write)?;
    let folder = plan.target(OutputRole::Folder)?.expect("the folder should be planned");
    stages.time("write", || write(job, &inputs, &found, &folder))?;
    let account = Account { stages, warnings, ..std::mem::take(&mut found.account) };
    let grid = inputs.cine.grid();
    let report = report(job, &found, account, plan.input_reports(|_| grid));
    let page = track_html(&report, &views(&inputs, &found), session.control())?;
    plan.write(OutputRole::Folder, |folder| io::write_text(folder.join("report.html"), &page))?;
    plan.publish(report, |_| Ok(String::new()))
}

fn follow(job: &TrackJob, inputs: &Inputs, session: &Session) -> Result<TrackResult> {
    let methods: Vec<DenseDraft> = job.methods.iter().map(|method| method.draft().clone()).collect();
    let name = match &job.region {
        RegionInput::Mask(file) => file.path.display().to_string(),
        _ => String::new(),
    };
    let region = match (&job.region, &inputs.mask) {
        (RegionInput::Mask(_), Some(mask)) => RegionChoice::Mask { mask, name: &name },
        (RegionInput::Pixels(pixels), _) => RegionChoice::Pixels(*pixels),
        (RegionInput::All, _) => RegionChoice::All,
        _ => RegionChoice::Auto,
    };
    let readers: Vec<Reader<'_>> =
        inputs.readers.iter().map(|own| Reader { name: &own.name, contours: &own.contours }).collect();
    let request = TrackRequest {
        cine: &inputs.cine,
        contours: &inputs.contours,
        readers: &readers,
        start_frames: &job.frames,
        labels: job.labels,
        region,
        space: job.space,
        placement: job.placement,
        cavities: job.cavities,
        periodic: job.periodic,
        estimate: job.estimate,
        methods: &methods,
        presets: job.presets,
        weight: inputs.weight.as_ref(),
    };
    heart::track(&request, session)
}

/// What the page and the films show of each run.
fn views<'a>(inputs: &'a Inputs, found: &'a TrackResult) -> Vec<TrackView<'a>> {
    let view = |run: &'a heart::TrackedRun| TrackView {
        frames: inputs.cine.frames(),
        contours: &run.contours,
        truth: inputs.readers.first().map(|reader| &reader.contours),
        region_from_px: found.cine.region_from_px,
        region_size_px: found.cine.region_size_px,
    };
    found.runs.iter().map(view).collect()
}

fn write(job: &TrackJob, inputs: &Inputs, found: &TrackResult, folder: &Target) -> Result<()> {
    let reference = found.cine.start_frames[0];
    for (run, view) in found.runs.iter().zip(views(inputs, found)) {
        let prefix = match found.runs.len() {
            1 => String::new(),
            _ => prefix(&run.measures.method, &run.measures.preset),
        };
        let field_format = job.field_format.as_ref();
        let files = RunFiles { folder, prefix: &prefix, place: &inputs.place, field_format, reference };
        files.write(run)?;
        if job.film == FilmChoice::Written {
            files.write_film(view, &found.cine.slices)?;
        }
    }
    Ok(())
}

/// How the names of a run's files begin where there are several.
fn prefix(method: &str, preset: &str) -> String {
    format!("{method}-{preset}_")
}

fn report(job: &TrackJob, found: &TrackResult, account: Account, inputs: Vec<InputReport>) -> TrackReport {
    TrackReport {
        header: RunHeader {
            veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: job.command_line.clone(),
            method: "track".to_owned(),
            preset: found.runs.first().map(|run| run.measures.preset.clone()),
            device: account.device,
            parameters: account.parameters.into(),
            inputs,
            stage_times: account.stages.0,
            warnings: account.warnings,
        },
        cine: found.cine.clone(),
        runs: found.runs.iter().map(|run| run.measures.clone()).collect(),
        between_readers: found.between_readers.clone(),
    }
}
