//! What was found for a frame: on the device, and fetched.

use crate::Result;
use crate::pipelines::dense::doubt_phases;
use std::time::Instant;
use veloxel_core::{Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_motion::{
    ConfidenceChoice, FeatureScales, KnownShares, PhaseCounts, PhaseFields, PhaseTaken, StreamFlow,
    StreamedFlow,
};
use veloxel_report::FrameReport;

/// What was found for a frame, on the device: any thread can fetch it while the next frame is pushed.
#[derive(Debug)]
pub struct EngineFrame {
    pub(super) frame: u64,
    /// When the frame was in memory.
    pub(super) since: Instant,
    /// When the last frame that its results need was.
    pub(super) begin: Instant,
    pub(super) image: Option<Volume<f32>>,
    pub(super) white: f32,
    pub(super) found: FoundOnDevice,
}

/// The results of either kind of engine.
pub(super) enum FoundOnDevice {
    Phase(Box<FoundByPhase>),
    Pair {
        flow: Box<StreamFlow>,
        /// Whether the field is fetched, and its confidence with it.
        fields: Option<ConfidenceChoice>,
    },
}

/// What the engine of phases has found.
pub(super) struct FoundByPhase {
    pub counts: PhaseCounts,
    pub fields: Option<PhaseTaken>,
    pub scales: FeatureScales,
}

impl std::fmt::Debug for FoundOnDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Phase(_) => "Phase",
            Self::Pair { .. } => "Pair",
        })
    }
}

/// What was found for a frame, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineFound {
    /// Which frame, how long it took, and the shares of its pixels that are known.
    pub report: FrameReport,
    /// The frame itself, where it comes back.
    pub image: Option<Volume<f32>>,
    /// What white is in the stream: at least that of 8 bits for the phase-based method.
    pub white: f32,
    /// Its fields, where they are fetched; of a method of pairs the flow and its confidence.
    pub fields: Option<PhaseFields>,
    /// What the method says of the pair, where its field is fetched.
    pub warnings: Warnings,
    /// When the last frame that its results need was in memory.
    pub(super) begin: Instant,
    /// When its results were.
    pub(super) here: Instant,
}

/// Fields and shares in memory.
struct InMemory {
    fields: Option<PhaseFields>,
    shares: KnownShares,
    warnings: Warnings,
}

impl EngineFrame {
    /// Which frame the results belong to: 0 is the first that was pushed.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Fetches the results; waits for them where they are under way.
    ///
    /// # Errors
    /// [`VeloxelError::Motion`](crate::VeloxelError::Motion) if the device fails.
    pub fn fetch(self) -> Result<EngineFound> {
        let Self { frame, since, begin, image, white, found } = self;
        let InMemory { fields, shares, warnings } = found.fetch()?;
        let KnownShares { flow, stereo, features } = shares;
        let here = Instant::now();
        let report = FrameReport {
            frame,
            latency_ms: here.duration_since(since).as_secs_f64() * 1e3,
            response_ms: here.duration_since(begin).as_secs_f64() * 1e3,
            flow_valid_share: flow,
            stereo_valid_share: stereo,
            features_valid_share: features,
        };
        Ok(EngineFound { report, image, white, fields, warnings, begin, here })
    }
}

impl EngineFound {
    /// Gives the memory of its fields back to the device that found them, for those of later frames: a stream whose results all
    /// come back needs no new memory for them.
    pub fn reuse(self, device: &Device) {
        if let Some(fields) = self.fields {
            fields.reuse(device);
        }
    }
}

impl FoundOnDevice {
    fn fetch(self) -> Result<InMemory> {
        let share_of_flow = |share| KnownShares { flow: Some(share), ..KnownShares::default() };
        Ok(match self {
            Self::Phase(found) => {
                let FoundByPhase { counts, fields, scales } = *found;
                let mut fields = fields.map(|taken| taken.fetch(scales)).transpose()?;
                let mut warnings = Warnings::new();
                if let Some(PhaseFields { flow: Some(flow), flow_confidence, .. }) = &mut fields {
                    doubt_phases(flow, flow_confidence.as_mut(), &mut warnings);
                }
                InMemory { fields, shares: counts.get()?, warnings }
            }
            Self::Pair { flow, fields: None } => {
                let shares = share_of_flow(flow.known_share()?);
                InMemory { fields: None, shares, warnings: Warnings::new() }
            }
            Self::Pair { flow, fields: Some(confidences) } => {
                let StreamedFlow { flow, confidence, statistics, known_share } = flow.fetch(confidences)?;
                let fields = PhaseFields {
                    flow: Some(flow),
                    flow_confidence: confidence,
                    disparity_px: None,
                    disparity_confidence: None,
                    features: None,
                    coarser_features: Vec::new(),
                };
                let (shares, warnings) = (share_of_flow(known_share), statistics.warnings);
                InMemory { fields: Some(fields), shares, warnings }
            }
        })
    }
}
