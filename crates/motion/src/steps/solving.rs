//! How a linear solve goes, and why it ends: residual norms that may still be on the device.

use crate::steps::buffers::settled;
use serde::Serialize;
use veloxel_gpu::{ComputeError, Device, Later, Pending, Timestamp};

/// Why a level's or a solve's iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The tolerance was reached.
    Converged,
    /// A fixed count was asked for and done.
    FixedCount,
    /// The limit came first: a status that faces must show.
    IterationLimit,
    /// The last iteration gained too little and was undone.
    NoGain,
    /// There was nothing to do (equal or constant images).
    Trivial,
}

impl StopReason {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::FixedCount => "fixed count",
            Self::IterationLimit => "limit reached",
            Self::NoGain => "no more gain",
            Self::Trivial => "nothing to do",
        }
    }
}

/// A solve that was asked for; its residuals may still be on the way.
#[derive(Debug)]
pub struct Solving {
    /// ‖r‖² at the start, then as in [`Solved::relative_residuals`].
    pub(crate) norms2: Vec<Later<f64>>,
    pub(crate) sweeps: f64,
    pub(crate) stop: StopReason,
}

impl Solving {
    /// A solve that begins at ‖r‖² = `start`.
    pub(crate) fn from(start: Later<f64>) -> Self {
        Self { norms2: vec![start], sweeps: 0.0, stop: StopReason::FixedCount }
    }
    /// ‖r‖/‖r₀‖ of the last check, if it is here already.
    pub fn peek(&self) -> Option<f64> {
        let (first, last) = (self.norms2.first()?.peek()?, self.norms2.last()?.peek()?);
        Some(if *first > 0.0 { (last / first).sqrt() } else { 1.0 })
    }
    /// Whether there was nothing to solve, as far as that is known.
    pub(crate) fn is_trivial(&self) -> bool {
        self.norms2.first().and_then(Later::peek) == Some(&0.0)
    }
    /// The numbers that settling waits for.
    pub fn pending(&mut self) -> impl Iterator<Item = &mut dyn Pending> {
        self.norms2.iter_mut().map(|norm2| norm2 as &mut dyn Pending)
    }
    /// How it went, once the device has done it.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn settle(self, device: &Device) -> Result<Solved, ComputeError> {
        self.settle_after(device, None)
    }
    /// [`Self::settle`] of what was done at a mark.
    ///
    /// # Errors
    /// As [`Self::settle`].
    pub(crate) fn settle_after(
        self,
        device: &Device,
        mark: Option<&Timestamp>,
    ) -> Result<Solved, ComputeError> {
        let Self { norms2, sweeps, stop } = self;
        let norms2 = settled(device, mark, norms2)?;
        if norms2[0] == 0.0 {
            return Ok(Solved { relative_residuals: vec![1.0], sweeps: 0.0, stop: StopReason::Trivial });
        }
        let relative_residuals = norms2.iter().map(|n| (n / norms2[0]).sqrt()).collect();
        Ok(Solved { relative_residuals, sweeps, stop })
    }
}

/// How a solve went.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// ‖r‖/‖r₀‖, the first entry 1; with a fixed count, as met on the way down of each cycle.
    pub relative_residuals: Vec<f64>,
    /// Work done, in sweeps of the finest grid (bytes moved, transfers included).
    pub sweeps: f64,
    /// Why it ended.
    pub stop: StopReason,
}
