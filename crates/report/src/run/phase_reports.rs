//! The content of `report.json` of stereo, features and the engine.

use crate::run::cameras_report::CamerasReport;
use crate::run::header::RunHeader;
use crate::run::value_range::ValueRange;
use serde::Serialize;
use veloxel_measure::{DisparityError, finite_quantiles};

/// The report of `veloxel stereo --report`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StereoReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Pixels of every level `(x, y)`, finest first.
    pub levels: Vec<[usize; 2]>,
    /// Share of pixels with a disparity.
    pub valid_share: f64,
    /// Mean confidence of the pixels with a disparity, 0 to 1.
    pub mean_confidence: f64,
    /// Range of the disparities, pixels; none if there is no disparity.
    pub disparity_px: Option<ValueRange>,
    /// Error against the truth, if a truth was given.
    pub error: Option<DisparityError>,
    /// The cameras and the range of depths, if they are known.
    pub cameras: Option<CamerasReport>,
}

/// The report of `veloxel features --report`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeaturesReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Every scale, full resolution first.
    pub scales: Vec<FeatureScaleReport>,
}

/// The features of one scale in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FeatureScaleReport {
    /// Pixels `(x, y)`.
    pub size: [usize; 2],
    /// Share of pixels with a phase.
    pub valid_share: f64,
    /// Range of the energies, squared intensity.
    pub energy: Option<ValueRange>,
}

/// The report of `veloxel engine --report`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Pixels of a frame `(x, y)`, or its voxels `(x, y, z)`.
    pub size: Vec<usize>,
    /// The outputs: `flow`, `stereo`, `features`.
    pub outputs: Vec<&'static str>,
    /// Number of frames that went in.
    pub frames: usize,
    /// Number of frames with outputs.
    pub results: usize,
    /// Number of frames that were dropped for newer ones before they went in, where that is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// When every frame that went in was taken, milliseconds, where its source says so: films and cameras do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_ms: Option<Vec<f64>>,
    /// Seconds from the first frame in to the last output out, reading and writing included.
    pub wall_s: f64,
    /// Number of frames that went in per second of that time.
    pub frames_per_s: f64,
    /// Latency from a frame in memory to its written outputs in memory. It includes the wait for the later frames that flow
    /// needs, and for earlier frames that are still being computed.
    pub latency: Option<LatencyReport>,
    /// Latency from the last frame that results need in memory to these in memory. It includes the wait for earlier frames that are
    /// still being computed, and no wait for frames.
    pub response: Option<LatencyReport>,
    /// Mean share of pixels or voxels with a vector.
    pub flow_valid_share: Option<f64>,
    /// Mean share of pixels with a disparity.
    pub stereo_valid_share: Option<f64>,
    /// Mean share of pixels with a phase.
    pub features_valid_share: Option<f64>,
    /// Every frame, in order.
    #[serde(skip)]
    pub per_frame: Vec<FrameReport>,
}

/// One frame of a stream in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameReport {
    /// Number of the frame; the first is 0.
    pub frame: u64,
    /// Latency, milliseconds, as [`EngineReport::latency`] counts it.
    pub latency_ms: f64,
    /// Latency, milliseconds, as [`EngineReport::response`] counts it.
    pub response_ms: f64,
    /// Share of pixels or voxels with a vector.
    pub flow_valid_share: Option<f64>,
    /// Share of pixels with a disparity.
    pub stereo_valid_share: Option<f64>,
    /// Share of pixels with a phase.
    pub features_valid_share: Option<f64>,
}

/// How long single frames take, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatencyReport {
    /// Half of the frames take at most this long.
    pub p50_ms: f64,
    /// 90 % of the frames take at most this long.
    pub p90_ms: f64,
    /// 99 % of the frames take at most this long.
    pub p99_ms: f64,
    /// Time of the slowest frame; for the first frames it includes compiling and allocating.
    pub max_ms: f64,
}

impl LatencyReport {
    /// Percentiles of measured times; none without times.
    pub fn of(times_ms: &[f64]) -> Option<Self> {
        let times = times_ms.iter().map(|&t| t as f32);
        let [p50_ms, p90_ms, p99_ms, max_ms] = finite_quantiles(times, [0.5, 0.9, 0.99, 1.0])?;
        Some(Self { p50_ms, p90_ms, p99_ms, max_ms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let times: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let latency = LatencyReport::of(&times).unwrap();
        assert_eq!(
            (latency.p50_ms, latency.p90_ms, latency.p99_ms, latency.max_ms),
            (100.0, 180.0, 198.0, 200.0)
        );
        assert_eq!(LatencyReport::of(&[]), None);
    }
}
