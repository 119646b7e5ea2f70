//! What was found for a frame: on the device, and fetched.

use super::found_on_device::{FoundOnDevice, InMemory};
use super::rounding::Rounding;
use super::unknown::Unknown;
use crate::Result;
use std::time::Instant;
use veloxel_core::{Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_motion::{DeliveredFields, KnownShares, PhaseFields};
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
    pub(super) rounding: Option<Rounding>,
    pub(super) unknown: Option<Unknown>,
    /// What there is to say of the frames beside what the method says.
    pub(super) notes: Warnings,
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
    /// Its fields in the types of [`EngineRequest::delivery`](super::EngineRequest::delivery), where that is given.
    pub delivered: Option<DeliveredFields>,
    /// What there is to say of the frames, and what the method says of them where its field is fetched.
    pub warnings: Warnings,
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
        let Self { frame, since, begin, image, white, found, rounding, unknown, notes: mut warnings } = self;
        let InMemory { mut fields, mut delivered, mut shares, warnings: of_method } = found.fetch()?;
        warnings.extend(of_method);
        if let (Some(unknown), Some(fields)) = (unknown, &mut fields) {
            unknown.leave_out(fields, &mut shares);
        }
        if let Some(rounding) = rounding
            && let Some(own) = fields.take()
        {
            let (kept, rounded) = rounding.of(own);
            (fields, delivered) = (kept, rounded);
        }
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
        Ok(EngineFound { report, image, white, fields, delivered, warnings, begin, here })
    }
}

impl EngineFound {
    /// Gives the memory of its fields back to the device that found them, for those of later frames: a stream whose results all
    /// come back needs no new memory for them.
    pub fn reuse(self, device: &Device) {
        if let Some(fields) = self.fields {
            fields.reuse(device);
        }
        if let Some(delivered) = self.delivered {
            delivered.reuse(device);
        }
    }
}
