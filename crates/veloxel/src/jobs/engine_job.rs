//! The job of the engine: a stream, which outputs, and where they go.

use super::output_plan::{Holds, OutputPlan};
use super::{JobRun, RunOptions};
use std::path::PathBuf;
use veloxel_motion::PhaseWanted;
use veloxel_report::EngineReport;

/// One run over a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineJob {
    /// Left (or the only) frames: `-` for Y4M on standard input, a `.y4m` or `.gif` file, a folder, a pattern.
    pub source: PathBuf,
    /// Right frames, likewise.
    pub right: Option<PathBuf>,
    /// Which outputs; stereo needs right frames.
    pub wanted: PhaseWanted,
    /// Method, device and everything else that runs share.
    pub options: RunOptions,
    /// The folder for the fields of every frame; made if it is not there.
    pub folder: Option<PathBuf>,
    /// The annotated video: `.y4m`, `.gif`, `-` for Y4M on standard output, or a folder for PNG pictures.
    pub video: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
}

/// What a run has to say, and the files it wrote.
pub type EngineRun = JobRun<EngineReport>;

impl EngineJob {
    pub(super) fn plan(&self) -> OutputPlan {
        OutputPlan::default()
            .reads_settings(self.options.method.files())
            .reads("left", [&self.source])
            .reads("right", &self.right)
            .writes("fields", &self.folder, Holds::Folder)
            .writes("video", &self.video, Holds::Video)
            .members("fields", &["flow_", "disparity_", "energy_", "orientation_", "phase_"])
            .members("video", &["frame_"])
            .writes("report", &self.report, Holds::Text)
    }

    pub(super) fn wanted(&self) -> PhaseWanted {
        PhaseWanted { stereo: self.wanted.stereo && self.right.is_some(), ..self.wanted }
    }
}
