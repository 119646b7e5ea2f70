//! Whole runs on one machine, measured as they are or, where that would take too long, at fewer iterations and scaled.

use super::components::{Component, Costs, LONG_MS};
use super::scene::Scene;
use super::settings::{ITERATIONS, params};
use crate::BenchError;
use crate::experiments::middle;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_motion::{Clg, ClgParams, FlowExtras, Frame, ImagePair, PairMethod, PendingFlow};

/// Milliseconds of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Time {
    pub ms: f64,
    /// Whether it was computed from a run with fewer iterations.
    pub scaled: bool,
}

/// The cost of a run: once, for each warp, and for each iteration of a warp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prediction {
    taps: usize,
    once_ms: f64,
    warp_ms: f64,
    iteration_ms: f64,
}

impl Prediction {
    fn total_ms(&self, warps: usize) -> f64 {
        self.once_ms + warps as f64 * (self.warp_ms + ITERATIONS as f64 * self.iteration_ms)
    }
}

/// A pair that lies on a device, so that only computing is timed, as in the paper.
pub(super) struct Run<'a> {
    device: &'a Device,
    grid: Grid,
    frames: [Frame; 2],
    iteration_ms: f64,
}

impl<'a> Run<'a> {
    pub fn new(device: &'a Device, scene: &Scene, costs: &Costs) -> Result<Self, BenchError> {
        let frames = [Frame::upload(device, &scene.fixed)?, Frame::upload(device, &scene.moving)?];
        let iteration_ms = costs.ms(Component::Iteration).unwrap_or_default();
        Ok(Self { device, grid: scene.fixed.grid().clone(), frames, iteration_ms })
    }

    /// Makes one run; returns its time once it is done, and its flow.
    fn ask(&self, params: &ClgParams) -> Result<(f64, PendingFlow), BenchError> {
        let [fixed, moving] = &self.frames;
        let mut method = Clg::new(&self.grid, params.clone(), self.device)?;
        self.device.synchronise()?;
        let start = self.device.stamp()?;
        let pending = method.estimate(ImagePair::new(fixed, moving))?;
        let ms = self.device.stamp()?.ms_after(&start)?;
        Ok((ms, pending))
    }

    /// Predicts times from runs of one warp.
    pub(crate) fn predict(&self, taps: usize) -> Result<Prediction, BenchError> {
        let params = params(1, 1, taps);
        let (mut total_ms, mut pending) = self.ask(&params)?;
        // The first run on a GPU may have compiled kernels; a short one found its memory new.
        if self.device.is_gpu() || total_ms < LONG_MS {
            (total_ms, pending) = self.ask(&params)?;
        }
        let level_ms = pending.finish(FlowExtras::default())?.statistics.method.device_ms.unwrap_or_default();
        Ok(Prediction {
            taps,
            once_ms: (total_ms - level_ms).max(0.0),
            warp_ms: (level_ms - self.iteration_ms).max(0.0),
            iteration_ms: self.iteration_ms,
        })
    }

    /// The time of R warps: the median of several runs, or the prediction if that is longer than `longest_s`.
    pub fn time(&self, warps: usize, predicted: &Prediction, longest_s: f64) -> Result<Time, BenchError> {
        let predicted_ms = predicted.total_ms(warps);
        if predicted_ms > 1e3 * longest_s {
            return Ok(Time { ms: predicted_ms, scaled: true });
        }
        let params = params(warps, ITERATIONS, predicted.taps);
        let runs = if predicted_ms < LONG_MS { 3 } else { 1 };
        let mut times = Vec::new();
        for _ in 0..runs {
            let (ms, pending) = self.ask(&params)?;
            pending.wait()?;
            times.push(ms);
        }
        Ok(Time { ms: middle(&mut times), scaled: false })
    }
}
