//! What was found for a frame: on the device, and fetched.

use crate::Result;
use std::time::Instant;
use veloxel_core::Volume;
use veloxel_motion::{KnownShares, PhaseCounts, PhaseFields, PhaseTaken};
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
    pub(super) counts: PhaseCounts,
    pub(super) fields: Option<PhaseTaken>,
}

/// What was found for a frame, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineFound {
    /// Which frame, how long it took, and the shares of its pixels that are known.
    pub report: FrameReport,
    /// The frame itself, where it comes back.
    pub image: Option<Volume<f32>>,
    /// Its fields, where they are fetched.
    pub fields: Option<PhaseFields>,
    /// When the last frame that its results need was in memory.
    pub(super) begin: Instant,
    /// When its results were.
    pub(super) here: Instant,
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
        let Self { frame, since, begin, image, counts, fields } = self;
        let fields = fields.map(PhaseTaken::fetch).transpose()?;
        let KnownShares { flow, stereo, features } = counts.get()?;
        let here = Instant::now();
        let report = FrameReport {
            frame,
            latency_ms: here.duration_since(since).as_secs_f64() * 1e3,
            flow_valid_share: flow,
            stereo_valid_share: stereo,
            features_valid_share: features,
        };
        Ok(EngineFound { report, image, fields, begin, here })
    }
}
