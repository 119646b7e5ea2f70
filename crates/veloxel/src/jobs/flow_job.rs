//! A run of a dense method over files: what is asked for, and what it takes.

use super::{DenseOptions, JobError, OutputContent, OutputPlan, OutputRole, Result, StartFrom, name};
use crate::Session;
use crate::pipelines::{FlowSketch, MethodChoice, OutsideFill, Wanted};
use std::path::PathBuf;
use veloxel_core::Grid;
use veloxel_io::ContentKind;
use veloxel_motion::TakenImages;
use veloxel_report::FieldDrawing;

/// Files to write.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowOutputs {
    /// The field.
    pub flow: PathBuf,
    /// The field back, of a method that finds both together.
    pub inverse: Option<PathBuf>,
    /// The linear map that the run began from, given or found first, from points of the fixed image's space to the moving one's: `.tfm`,
    /// `.mat` or `.txt`.
    pub transform: Option<PathBuf>,
    /// Confidence of every vector, 0 to 1.
    pub confidence: Option<PathBuf>,
    /// The expected error of every vector, voxels.
    pub expected_error: Option<PathBuf>,
    /// The covariance of every vector's error, squared voxels: `.npy`.
    pub covariance: Option<PathBuf>,
    /// The probability, 0 to 1, that a vector's error is below [`Self::within_vox`].
    pub probability: Option<PathBuf>,
    /// The threshold of that, voxels; none: half a voxel.
    pub within_vox: Option<f32>,
    /// 1 where a voxel is hidden in the moving image or outside of it; of a run that begins from matches.
    pub occlusion: Option<PathBuf>,
    /// The moving image seen from the fixed grid.
    pub warped: Option<PathBuf>,
    /// What that holds where the moving image has no sample.
    pub outside: OutsideFill,
    /// The field in the colours of the wheel.
    pub picture: Option<PathBuf>,
    /// How that is drawn: plane, scale, ground and key.
    pub drawing: FieldDrawing,
    /// JSON.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// One run of a dense method over a pair of files, or over a window of frames.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowJob {
    /// Fixed and moving image; of a method that takes a window of frames: these in order of time, or one source of just
    /// these, a folder, a pattern, an animation or a video.
    pub inputs: Vec<PathBuf>,
    /// Before the first step, of a method that takes pairs.
    pub start: StartFrom,
    /// The true flow, on the fixed grid: the report says how far off the found one is.
    pub truth: Option<PathBuf>,
    /// The method, where its data count, and how files are read.
    pub options: DenseOptions,
    /// What to write.
    pub outputs: FlowOutputs,
}

impl FlowJob {
    /// The plan of its files, not checked yet.
    pub(super) fn plan(&self, session: &Session) -> OutputPlan {
        let outputs = &self.outputs;
        let plan = match (self.takes(), self.inputs.as_slice()) {
            (TakenImages::Pairs, [fixed, moving]) => {
                OutputPlan::of(session).reads("fixed", [fixed]).reads("moving", [moving])
            }
            (_, frames) => OutputPlan::of(session).reads("frame", frames),
        };
        plan.reads_dense(&self.options)
            .reads("start", self.start.file())
            .reads("truth", &self.truth)
            .writes(OutputRole::Flow, [&outputs.flow], OutputContent::Samples(ContentKind::Flow))
            .writes(OutputRole::InverseFlow, &outputs.inverse, OutputContent::Samples(ContentKind::Flow))
            .writes(OutputRole::Transform, &outputs.transform, OutputContent::Transform)
            .writes(OutputRole::Confidence, &outputs.confidence, OutputContent::Confidence)
            .writes(
                OutputRole::ExpectedError,
                &outputs.expected_error,
                OutputContent::Samples(ContentKind::Image),
            )
            .writes(OutputRole::Covariance, &outputs.covariance, OutputContent::Covariance)
            .writes(OutputRole::Probability, &outputs.probability, OutputContent::Confidence)
            .writes(OutputRole::Occlusion, &outputs.occlusion, OutputContent::Confidence)
            .writes(OutputRole::WarpedImage, &outputs.warped, OutputContent::Samples(ContentKind::Image))
            .writes(OutputRole::Picture, &outputs.picture, OutputContent::Picture)
            .writes(OutputRole::Report, &outputs.report, OutputContent::Text)
            .writes(OutputRole::Page, &outputs.html, OutputContent::Text)
    }

    /// Refuses, before a file is read, what the method does not take.
    ///
    /// # Errors
    /// [`MotionError::NotUsed`](veloxel_motion::MotionError::NotUsed), [`DenseError::MovingMask`](crate::pipelines::DenseError),
    /// [`DenseError::NoLinearStart`](crate::pipelines::DenseError).
    pub(super) fn require_possible(&self) -> Result<()> {
        self.options.require_used(&self.start)?;
        let is_window = matches!(self.takes(), TakenImages::Windows { .. });
        self.options.require_pair_for_moving_mask(is_window.then_some("a window of frames"))?;
        let wanted = Wanted::when(self.outputs.transform.is_some());
        Ok(self.start.kind().require_linear(wanted, self.options.method.draft().method_name())?)
    }

    pub(super) fn takes(&self) -> TakenImages {
        self.options.method.draft().method().takes
    }

    /// What the run holds, for a plan of its memory.
    pub(super) fn sketch<'a>(&self, grids: &'a [&'a Grid], method: &'a MethodChoice) -> FlowSketch<'a> {
        let options = &self.options;
        let masks = options.mask.iter().chain(&options.moving_mask).chain(&options.volume_mask).count();
        let (weights, truths) = (options.weight.iter().count(), self.truth.iter().count());
        let (start, samples_moving) = (self.start.kind(), self.samples_moving());
        FlowSketch { grids, method, masks, weights, truths, start, samples_moving }
    }

    /// Whether the moving image is sampled for an output.
    pub(super) fn samples_moving(&self) -> bool {
        self.outputs.warped.is_some() || self.outputs.html.is_some()
    }

    /// The names of the two images, or of the frames, between which the flow is.
    pub(super) fn title(&self, fixed: usize) -> String {
        match self.inputs.as_slice() {
            [one] => format!("{}, frame {fixed} → {}", name(one), fixed + 1),
            many => format!("{} → {}", name(&many[fixed]), name(&many[fixed + 1])),
        }
    }
}

/// The two inputs of a method that takes pairs.
///
/// # Errors
/// [`JobError::PairInputs`] for another number.
pub(super) fn takes_pair(job: &FlowJob) -> Result<[&PathBuf; 2]> {
    match job.inputs.as_slice() {
        [fixed, moving] => Ok([fixed, moving]),
        inputs => Err(JobError::PairInputs { got: inputs.len() }.into()),
    }
}

/// The inputs of a run, each a file of its own: their headers are all that a dry run reads.
///
/// # Errors
/// [`JobError::PairInputs`] for another number than the method takes; [`JobError::DryRunSource`] for one source of several frames.
pub(super) fn inputs_one_by_one(job: &FlowJob) -> Result<Vec<&PathBuf>> {
    match (job.takes(), job.inputs.as_slice()) {
        (TakenImages::Pairs, _) => Ok(takes_pair(job)?.to_vec()),
        (TakenImages::Windows { .. }, [one]) => Err(JobError::DryRunSource { source_name: name(one) }.into()),
        (TakenImages::Windows { .. }, frames) => Ok(frames.iter().collect()),
    }
}
