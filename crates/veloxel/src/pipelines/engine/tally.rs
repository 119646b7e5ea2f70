//! A stream in numbers.

use super::found::EngineFound;
use std::time::Instant;
use veloxel_report::{FrameReport, LatencyReport};

/// Counts the results of a stream in the order in which they were fetched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EngineTally {
    frames: Vec<FrameReport>,
    busy_ms: f64,
    /// When the last results were in memory.
    before: Option<Instant>,
}

/// Mean shares of pixels that are known, over the frames that have such a result; none if no frame has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanShares {
    /// With a flow vector.
    pub flow: Option<f64>,
    /// With a disparity.
    pub stereo: Option<f64>,
    /// With a phase.
    pub features: Option<f64>,
}

impl EngineTally {
    /// Adds what was found for a frame.
    pub fn add(&mut self, found: &EngineFound) {
        self.frames.push(found.report);
        let begin = self.before.map_or(found.begin, |before| before.max(found.begin));
        self.busy_ms += found.here.duration_since(begin).as_secs_f64() * 1e3;
        self.before = Some(found.here);
    }

    /// Every frame with results, in order.
    pub fn frames(&self) -> &[FrameReport] {
        &self.frames
    }

    /// How long the engine had a frame to work on, milliseconds.
    pub fn busy_ms(&self) -> f64 {
        self.busy_ms
    }

    /// From a frame in memory to its results in memory; none without results.
    pub fn latency(&self) -> Option<LatencyReport> {
        let times_ms: Vec<f64> = self.frames.iter().map(|frame| frame.latency_ms).collect();
        LatencyReport::of(&times_ms)
    }

    /// From the last frame that the results of a frame need in memory to these in memory; none without results.
    pub fn response(&self) -> Option<LatencyReport> {
        let times_ms: Vec<f64> = self.frames.iter().map(|frame| frame.response_ms).collect();
        LatencyReport::of(&times_ms)
    }

    /// Mean shares of known pixels.
    pub fn mean_shares(&self) -> MeanShares {
        MeanShares {
            flow: self.mean(|frame| frame.flow_valid_share),
            stereo: self.mean(|frame| frame.stereo_valid_share),
            features: self.mean(|frame| frame.features_valid_share),
        }
    }

    /// The mean over frames that have it.
    fn mean(&self, of: impl Fn(&FrameReport) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.frames.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}
