//! The content of `report.json` of a flow.

use crate::error::ReportError;
use crate::pictures::view::PairView;
use crate::run::header::RunHeader;
use crate::run::motion_report::MotionReport;
use serde::Serialize;
use veloxel_core::{FlowStatistics, Threads};
use veloxel_measure::{
    FlowError, FoldingCertificate, Foretold, LabelOverlapReport, Reliability, Sparsification, flow_error,
    folding_certificate, reliability as reliability_of, sparsification,
};

/// One run of one method over one pair or a sequence of pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The method's name for people, from the table of methods; pages alone show it.
    #[serde(skip)]
    pub method_title: &'static str,
    /// One entry for every pair, in the order of time; a plain run has one.
    pub pairs: Vec<PairReport>,
    /// Mean length of the motion composed over one whole cycle (voxels), for sequences that close.
    pub cycle_closure_vox: Option<f64>,
    /// Overlap of the labels carried by the field with the true ones, if both were given.
    pub label_overlap: Option<LabelOverlapReport>,
}

/// One pair of images: the statistics of the solver and measurements of its field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairReport {
    /// Title of the pair: `frame 3 → 4`, or the names of the two images.
    pub title: String,
    /// The numbers of the fixed and of the moving frame, in a sequence.
    pub frames: Option<[usize; 2]>,
    /// Statistics of the solver.
    pub statistics: FlowStatistics,
    /// Statistics of the field.
    pub motion: MotionReport,
    /// The cells between the voxels by what is proven of them.
    pub cells: FoldingCertificate,
    /// Error against the truth, if a truth was given.
    pub error: Option<FlowError>,
    /// How well the confidence predicts the error, if a truth was given.
    pub sparsification: Option<Sparsification>,
    /// How well the probability that vectors are off by less than half a voxel comes true, if a truth and a probability were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Reliability>,
}

/// The threshold of [`PairView::probability`], voxels.
const WITHIN_VOX: f64 = 0.5;

impl PairReport {
    /// Measures a pair, within its mask where it has one; by the calling thread where `threads` is a channel alone.
    ///
    /// # Errors
    /// [`ReportError::Core`] if something lies on another grid; [`ReportError::Measure`] if a truth is given
    /// that shares no valid voxel with the field.
    pub fn measure<'a>(
        view: &PairView,
        statistics: FlowStatistics,
        threads: impl Into<Threads<'a>>,
    ) -> Result<Self, ReportError> {
        view.require_one_grid()?;
        let threads = threads.into();
        let control = threads.control();
        let error = view.truth.map(|truth| flow_error(view.flow, truth, view.mask, threads)).transpose()?;
        let curve = |truth| sparsification(view.flow, truth, view.confidence, view.mask, control);
        let sparsification = view.truth.map(curve).transpose()?;
        let foretold = view.probability.map(|map| Foretold::Probability { map, within_vox: WITHIN_VOX });
        let reliability = view.truth.zip(foretold);
        let reliability = reliability
            .map(|(truth, foretold)| reliability_of(view.flow, truth, foretold, view.mask, control))
            .transpose()?;
        Ok(Self {
            title: view.title.to_owned(),
            frames: view.frames,
            statistics,
            motion: MotionReport::measure(view, threads)?,
            cells: folding_certificate(view.flow, view.mask, threads)?,
            error,
            sparsification,
            reliability,
        })
    }
}
