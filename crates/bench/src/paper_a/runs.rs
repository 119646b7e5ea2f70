//! Whole runs on one machine, measured as they are or, where that would take too long, at fewer iterations and scaled.

use super::components::{Component, Costs, LONG_MS};
use super::scene::Scene;
use super::settings::{ITERATIONS, TAPS, WARPS, params};
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

impl Time {
    pub const fn measured(ms: f64) -> Self {
        Self { ms, scaled: false }
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

    /// Predicts the time of a whole run, ms, from a run of one warp with one iteration.
    fn predicted_ms(&self) -> Result<f64, BenchError> {
        let params = params(1, 1, TAPS);
        let (mut total_ms, mut pending) = self.ask(&params)?;
        // The first run on a GPU may have compiled kernels; a short one found its memory new.
        if self.device.is_gpu() || total_ms < LONG_MS {
            (total_ms, pending) = self.ask(&params)?;
        }
        let level_ms = pending.finish(FlowExtras::default())?.statistics.method.device_ms.unwrap_or_default();
        let (once_ms, warp_ms) = ((total_ms - level_ms).max(0.0), (level_ms - self.iteration_ms).max(0.0));
        Ok(once_ms + WARPS as f64 * (warp_ms + ITERATIONS as f64 * self.iteration_ms))
    }

    /// The time of a whole run: measured, or predicted where that is longer than `longest_s`.
    pub fn whole(&self, longest_s: f64) -> Result<Time, BenchError> {
        if longest_s < f64::INFINITY {
            let ms = self.predicted_ms()?;
            if ms > 1e3 * longest_s {
                return Ok(Time { ms, scaled: true });
            }
        }
        Ok(Time::measured(self.measured_ms(&params(WARPS, ITERATIONS, TAPS))?))
    }

    /// The time of a run, ms: the median of several after a first one, or that of the first one where it is long.
    pub fn measured_ms(&self, params: &ClgParams) -> Result<f64, BenchError> {
        let one = || -> Result<f64, BenchError> {
            let (ms, pending) = self.ask(params)?;
            pending.wait()?;
            Ok(ms)
        };
        // The first run on a GPU may have compiled kernels.
        let first = if self.device.is_gpu() { one().and_then(|_| one())? } else { one()? };
        if first > LONG_MS {
            return Ok(first);
        }
        Ok(middle(&mut [one()?, one()?, one()?]))
    }
}
