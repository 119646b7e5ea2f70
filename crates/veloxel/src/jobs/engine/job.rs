//! The job of the engine: a stream, which outputs, and where they go.

use crate::jobs::OutputRole;
use crate::jobs::inputs::input_error::InputError;
use crate::jobs::inputs::read_ahead::{AtStop, FramesTaken, has_no_whole};
use crate::jobs::options::phase_options::PhaseOptions;
use crate::jobs::{JobRun, OutputContent, OutputPlan};
use crate::pipelines::Wanted;
use crate::pipelines::engine::{
    ConfidenceChoice, DeliveredTypes, Delivery, EngineRequest, FeatureScales, FrameImages,
};
use crate::{PhaseWanted, Result, Session};
use std::path::{Path, PathBuf};
use std::time::Duration;
use veloxel_io::shown_source;
use veloxel_motion::TakenImages;
use veloxel_report::EngineReport;

/// One run over a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineJob {
    /// Left (or the only) frames: `-` for Y4M or raw frames on standard input, a `.y4m`, `.gif` or `.frames` file, a film, a camera,
    /// an address, a file with a time axis, a folder, a pattern.
    pub source: PathBuf,
    /// Which frames are taken where they come faster than they are used; of both cameras together.
    pub taken: FramesTaken,
    /// How long the source, a folder, is watched for frames that are still to come; none: it has all of them.
    pub watch: Option<WatchUntil>,
    /// Right frames: a source of the same kinds as for the left frames.
    pub right: Option<PathBuf>,
    /// Which outputs; stereo needs right frames.
    pub wanted: PhaseWanted,
    /// The method, and how files are read.
    pub options: PhaseOptions,
    /// The folder for the fields of every frame; made if it is not there.
    pub folder: Option<PathBuf>,
    /// Whether the folder gets the confidences of flow and disparity as well.
    pub confidences: ConfidenceChoice,
    /// The types of the samples in the folder, which gets `.npy` files of them then; none: files of 32 bits, in the formats of pictures
    /// and fields.
    pub samples: Option<DeliveredTypes>,
    /// Which scales of the features the folder gets.
    pub scales: FeatureScales,
    /// Whether the folder gets all results of a frame in 63 bits a pixel as well: of pictures.
    pub packed: Wanted,
    /// The annotated video: `.y4m`, `.gif`, `-` for Y4M on standard output, or a folder for PNG pictures.
    pub video: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// When watching a folder ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WatchUntil {
    /// By a stop of the session alone.
    Stopped,
    /// After so long without a new frame as well.
    Idle(Duration),
}

impl WatchUntil {
    pub(super) fn idle(self) -> Option<Duration> {
        match self {
            Self::Stopped => None,
            Self::Idle(idle) => Some(idle),
        }
    }
}

/// Report of a run, and the files written.
pub type EngineRun = JobRun<EngineReport>;

impl EngineJob {
    /// The outputs, checked.
    pub(super) fn plan(&self, session: &Session) -> Result<OutputPlan> {
        self.planned_outputs(session)?.checked()
    }

    /// The outputs, before anything is looked at for them.
    pub(super) fn planned_outputs(&self, session: &Session) -> Result<OutputPlan> {
        if self.right.as_deref() == Some(Path::new("-")) && self.source == Path::new("-") {
            return Err(InputError::OneInput.into());
        }
        self.request().check()?;
        if let (Some(_), false) = (self.watch, self.source.is_dir()) {
            return Err(InputError::NotWatched { source_name: self.source.display().to_string() }.into());
        }
        let comes_by_itself = self.watch.is_some() || has_no_whole(&self.source);
        if self.taken == FramesTaken::Newest && !comes_by_itself {
            return Err(InputError::NothingToDrop { source_name: self.source.display().to_string() }.into());
        }
        Ok(OutputPlan::of(session)
            .reads_settings(self.options.method.files())
            .reads("left", [&self.source])
            .reads("right", &self.right)
            .writes(OutputRole::Fields, &self.folder, OutputContent::Folder)
            .writes(OutputRole::Video, &self.video, OutputContent::Video)
            .members(
                OutputRole::Fields,
                ["flow_", "disparity_", "energy_", "orientation_", "phase_", "packed_"],
            )
            .members(OutputRole::Video, ["frame_"])
            .writes(OutputRole::Report, &self.report, OutputContent::Text)
            .writes(OutputRole::Page, &self.html, OutputContent::Text))
    }

    /// What a stop means: a folder that grows has no whole, as a stream on standard input has none.
    pub(super) fn at_stop(&self) -> AtStop {
        match self.watch {
            Some(_) => AtStop::EndsStream,
            None => AtStop::of(std::iter::once(&self.source).chain(&self.right)),
        }
    }

    /// Whether the stream ends with the reader of its video: one without an end, and one whose results go nowhere else.
    pub(super) fn ends_with_its_reader(&self) -> bool {
        let has_others = self.folder.is_some() || self.report.is_some() || self.html.is_some();
        self.at_stop() == AtStop::EndsStream || !has_others
    }

    /// What the engine is asked for.
    pub(super) fn request(&self) -> EngineRequest {
        let is_shown = self.video.is_some() || self.html.is_some();
        EngineRequest {
            wanted: self.wanted(),
            fields: self.fields(),
            delivery: self.delivery(),
            scales: self.scales,
            images: if is_shown { FrameImages::Returned } else { FrameImages::Dropped },
            method: self.options.method.draft().clone(),
            name: shown_source(&self.source).display().to_string(),
        }
    }

    /// The types in which fields leave for the folder.
    fn delivery(&self) -> Option<Delivery> {
        let types = self.samples.filter(|_| self.folder.is_some())?;
        Some(Delivery { types, confidences: self.confidences, scales: self.scales })
    }

    /// Whether any field leaves the device as it is, and whether confidences do.
    fn fields(&self) -> Option<ConfidenceChoice> {
        let is_page = self.html.is_some();
        let is_written = self.folder.is_some() && (self.samples.is_none() || self.packed.is_yes());
        let any = is_page || is_written || self.video.is_some();
        any.then_some(if is_page { ConfidenceChoice::Taken } else { self.confidences })
    }

    pub(super) fn wanted(&self) -> PhaseWanted {
        PhaseWanted { stereo: self.wanted.stereo && self.right.is_some(), ..self.wanted }
    }

    /// The heading of the page.
    pub(super) fn heading(&self) -> String {
        let method = self.options.method.draft().method();
        match method.takes {
            TakenImages::Windows { .. } => "Phase engine".to_owned(),
            TakenImages::Pairs => format!("{}, frame by frame", method.title),
        }
    }

    /// What was run, for the report: the engine of phases has a name of its own.
    pub(super) fn method(&self) -> &'static str {
        match self.options.method.method_name() {
            "phase" => "phase-engine",
            method => method,
        }
    }

    /// The names of the results that are found.
    pub(super) fn outputs(&self) -> Vec<&'static str> {
        let PhaseWanted { flow, stereo, features } = self.wanted();
        let names = [("flow", flow), ("stereo", stereo), ("features", features)];
        names.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }
}
