//! Outlines of a heart followed over a cine: contours, fields, strain and function out.

mod animation;
mod cine;
mod follow;
mod motion;
mod outlines;
mod placement;
mod region;
mod seeds;
mod tables;
mod walls;
mod writing;

use super::{Account, Holds, JobRun, MethodOptions, OutputPlan, RunOptions};
use crate::{Result, VeloxelError};
use cine::Cine;
pub use motion::MotionSpace;
use motion::{CineMotion, Way, are_apart};
pub use outlines::Cavities;
pub use placement::Placement;
use region::Region;
pub use region::RegionChoice;
use seeds::Seeds;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use veloxel_core::{ContourSet, Flow, Observer, Portion, Volume, WarningKind, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{self as io, Format, LabelMeaning, PlainNames};
use veloxel_measure::{ContourDistances, Ventricles, strains};
use veloxel_motion::over::cycle::{CycleEstimate, Periodic};
use veloxel_motion::{Given, Method};
use veloxel_report::{CineReport, InputReport, TrackReport, TrackRun, TrackView, track_html};

/// A file of outlines, and the frame of those that say none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContourInput {
    /// The file, or a folder of plain texts.
    pub path: PathBuf,
    /// The frame; none: the first that tracking starts from.
    pub frame: Option<usize>,
}

/// One run over a cine.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackJob {
    /// A file with a time axis, a folder of frames, or the frames.
    pub inputs: Vec<PathBuf>,
    /// Outlines to start from.
    pub contours: Vec<ContourInput>,
    /// Outlines that are true, if some are known.
    pub truth: Vec<ContourInput>,
    /// The frames whose outlines are carried along; none: frame 0, or the only one that has some. The first is the reference.
    pub frames: Vec<usize>,
    /// What the labels of label images are.
    pub labels: LabelMeaning,
    /// What the names of plain texts mean.
    pub names: PlainNames,
    /// Where motion is estimated.
    pub region: RegionChoice,
    /// In planes, or in the volume.
    pub space: MotionSpace,
    /// Where outlines of the left ventricle are carried from.
    pub placement: Placement,
    /// How outlines of cavities follow.
    pub cavities: Cavities,
    /// Whether the last frame is followed by the first.
    pub periodic: Periodic,
    /// Which motion is taken: of one way in time, of both, or from the start frame.
    pub estimate: CycleEstimate,
    /// The methods with their presets and parameters, one run each; at least one.
    pub methods: Vec<MethodOptions>,
    /// Whether CLG takes the preset that suits the frames at hand in place of its own.
    pub preset_by_frames: bool,
    /// Device and everything else that the runs share, but the method.
    pub options: RunOptions,
    /// Whether the outlines over the moving images are written as `loop.gif` too.
    pub animation: bool,
    /// Where everything goes.
    pub folder: PathBuf,
}

/// How the names begin of the files that a run writes.
const MEMBERS: &[&str] =
    &["contours.", "labels.", "field_", "strain.csv", "function.csv", "loop.gif", "report."];

impl TrackJob {
    fn plan(&self) -> Result<OutputPlan> {
        if Format::from_path(&self.folder).is_some() {
            return Err(frames!("{}: tracking writes many files: name a folder", self.folder.display()));
        }
        let mask = match &self.region {
            RegionChoice::Mask(file) => Some(&file.path),
            _ => None,
        };
        OutputPlan::default()
            .reads_settings(self.methods.iter().flat_map(|method| method.files()))
            .reads_settings(mask)
            .reads("weight", &self.options.weight)
            .reads_settings(self.contours.iter().chain(&self.truth).map(|file| &file.path))
            .reads("cine", &self.inputs)
            .writes("folder", [&self.folder], Holds::Folder)
            .members("folder", MEMBERS)
            .checked()
    }

    /// The space that motion lives in.
    fn space_of(&self, cine: &Cine) -> MotionSpace {
        self.space.on(cine.sequence.grid())
    }

    /// The same with the presets that suit a cine, where they are not given: in planes, motion between frames far apart in time
    /// is as large as between stacks.
    fn with_presets_for(&self, cine: &Cine) -> Result<Self> {
        let mut job = self.clone();
        let are_planes = self.space_of(cine) == MotionSpace::InPlane;
        if self.preset_by_frames && are_planes && are_apart(cine.place.frames) {
            for method in &mut job.methods {
                *method = method.clone().preset(APART)?;
            }
        }
        Ok(job)
    }

    /// The options that all methods share, with the first of them.
    fn first_options(&self) -> RunOptions {
        RunOptions { method: self.methods[0].clone(), ..self.options.clone() }
    }
}

/// The preset of CLG for slices of frames far apart in time.
const APART: &str = "cine-apart";

/// Follows outlines over a cine with one method or several, measures, and writes everything into one folder, all of it or nothing.
///
/// # Errors
/// Anything that is wrong with files, outlines, parameters or the device, as one line.
pub fn track(job: &TrackJob, observer: Option<Arc<dyn Observer>>) -> Result<JobRun<TrackReport>> {
    // One weight image is for every method.
    let weight = job.options.weight.as_ref().map(|_| Given::Weight);
    job.methods.iter().try_for_each(|method| Method::of(method.draft()).require(weight.as_slice()))?;
    let mut plan = job.plan()?;
    let (device, mut log) = job.options.device.start()?;
    device.control().follow(observer);
    let warnings = &mut log.warnings;
    let cine = log.stages.time("load", || Cine::load(job, &device, warnings))?;
    let job = &job.with_presets_for(&cine)?;
    let grid = cine.sequence.grid();
    let seeds = Seeds::load(job, &cine, warnings)?;
    let truth = (!job.truth.is_empty()).then(|| seeds::read(job, &job.truth, &cine, warnings)).transpose()?;
    let region =
        Region::of(&job.region, &seeds.contours, grid, |file| file.read(job.options.reading, warnings))?;
    let weight = job.first_options().read_weight(grid, warnings)?;
    let folder = plan.path("folder")?.expect("the folder should be planned");
    let (truth, weight) = (truth.as_ref(), weight.as_ref());
    let setting = Setting { job, cine: &cine, seeds: &seeds, truth, weight, region, device: &device };
    let mut runs = Vec::new();
    for (nth, method) in job.methods.iter().enumerate() {
        let tracked = setting.run(method, nth, &mut log)?;
        let prefix = match job.methods.len() {
            1 => String::new(),
            _ => format!("{}-{}_", method.method_name(), method.preset_name()),
        };
        log.stages.time("write", || writing::write(&folder, &prefix, &tracked, &setting))?;
        runs.push(tracked);
    }
    let report = setting.report(log, plan.input_reports(|_| grid), &runs);
    let views = runs.iter().map(|tracked| TrackView {
        frames: cine.sequence.frames(),
        contours: &tracked.contours,
        truth,
        region_from_px: region.from,
        region_size_px: region.size,
    });
    let page = track_html(&report, &views.collect::<Vec<_>>())?;
    plan.write("folder", |folder| io::write_text(&folder.join("report.html"), &page))?;
    plan.publish(report, |_| Ok(String::new()))
}

/// What all methods of a run share.
struct Setting<'a> {
    job: &'a TrackJob,
    cine: &'a Cine,
    seeds: &'a Seeds,
    truth: Option<&'a ContourSet>,
    weight: Option<&'a Volume<f32>>,
    region: Region,
    device: &'a Device,
}

/// What one method found.
struct Tracked {
    run: TrackRun,
    contours: ContourSet,
    /// By frame.
    fields: Vec<Flow>,
}

impl Setting<'_> {
    fn run(&self, method: &MethodOptions, nth: usize, log: &mut Account) -> Result<Tracked> {
        let (frames, grid) = (self.cine.place.frames, self.cine.sequence.grid());
        let options = RunOptions { method: method.clone(), ..self.job.options.clone() };
        let begin = Instant::now();
        let motions = self.motions(&options, nth)?;
        let solve_ms = begin.elapsed().as_secs_f64() * 1e3;
        log.stages.add("solve", solve_ms);
        let motion = &motions[0];
        let warnings = &mut log.warnings;
        let contours = outlines::carried(self, &motions, Way::Wanted, warnings);
        note_crossings(&contours, method, warnings);
        let walls = walls::walls(self, motion, warnings);
        let [sx, sy, _] = grid.spacing_mm();
        // Seeds are the truth themselves.
        let apart = |contours: &ContourSet, truth: &ContourSet| {
            let distances = ContourDistances::measure(contours, truth, [sx, sy])?;
            Ok::<_, VeloxelError>(distances.of(|outline| !self.seeds.frames.contains(&outline.frame)))
        };
        let distances = self.truth.map(|truth| apart(&contours, truth)).transpose()?;
        let mut ways = Vec::new();
        if let Some(truth) = self.truth {
            for way in [Way::Forward, Way::Backward] {
                ways.push(apart(&outlines::carried(self, &motions, way, warnings), truth)?);
            }
        }
        let run = TrackRun {
            method: method.method_name().to_owned(),
            preset: method.preset_name().to_owned(),
            parameters: motion.parameters.clone().into(),
            time_ms: solve_ms,
            periodicity: motion.periodicity(),
            drift_mm: motion.drift_vox().map(|drift| drift.map(|vox| vox * sx)),
            folded: motion.folded(frames),
            ventricles: Ventricles::measure(&contours, frames, grid.spacing_mm()),
            strain: if walls.is_empty() { Vec::new() } else { strains(&walls, self.seeds.reference()) },
            distances,
            ways,
        };
        let fields = (0..frames).map(|frame| motion.field(frame)).collect::<Result<_, _>>()?;
        Ok(Tracked { run, contours, fields })
    }

    /// The motion from each frame that outlines are carried from.
    fn motions(&self, options: &RunOptions, nth: usize) -> Result<Vec<CineMotion>> {
        let starts = &self.seeds.frames;
        let count = self.job.methods.len() * starts.len();
        let follow = |(part, &start): (usize, &usize)| {
            let portion = Portion::nth_of(nth * starts.len() + part, count);
            self.device.control().portion(portion, || CineMotion::follow(self, options, start))
        };
        starts.iter().enumerate().map(follow).collect()
    }

    fn report(&self, log: Account, inputs: Vec<InputReport>, runs: &[Tracked]) -> TrackReport {
        let Self { job, cine, seeds, region, .. } = *self;
        let grid = cine.sequence.grid();
        // Several methods tell their parameters each in its own part.
        let parameters = match runs {
            [only] => only.run.parameters.as_object().cloned(),
            _ => None,
        };
        TrackReport {
            header: job.first_options().header("track", parameters.unwrap_or_default(), log, inputs),
            cine: CineReport {
                size: grid.size(),
                spacing_mm: grid.spacing_mm(),
                frames: cine.place.frames,
                frame_interval_ms: cine.place.frame_interval_ms,
                start_frames: seeds.frames.clone(),
                slices: seeds.contours.slices(),
                region_from_px: region.from,
                region_size_px: region.size,
                motion: job.space_of(cine).word().to_owned(),
                placement: job.placement.word().to_owned(),
                cavities: job.cavities.word().to_owned(),
            },
            runs: runs.iter().map(|tracked| tracked.run.clone()).collect(),
        }
    }
}

fn note_crossings(contours: &ContourSet, method: &MethodOptions, warnings: &mut Warnings) {
    let count = contours.contours().iter().filter(|c| c.polygon.crossing_px().is_some()).count();
    if count > 0 {
        let (all, name) = (contours.contours().len(), method.method_name());
        let text = format!("{name}: {count} of {all} outlines cross themselves once they are moved");
        warnings.push(WarningKind::Field, text);
    }
}
