//! Moments on a device's clock.

use crate::ComputeError;
use crate::gpu::CudaStamp;
use std::time::Instant;

/// When a device came to a point of what it was asked for.
#[derive(Debug)]
pub struct Stamp(pub(crate) Clock);

#[derive(Debug)]
pub(crate) enum Clock {
    /// The host's, read when everything before was done.
    Host(Instant),
    /// The GPU's, read later.
    Cuda(CudaStamp),
}

impl Stamp {
    pub(crate) fn now() -> Self {
        Self(Clock::Host(Instant::now()))
    }
    /// Milliseconds from an earlier moment on the same device; waits for this one.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`]; [`ComputeError::WrongDevice`] for moments on two clocks.
    pub fn ms_after(&self, earlier: &Self) -> Result<f64, ComputeError> {
        match (&earlier.0, &self.0) {
            (Clock::Host(start), Clock::Host(end)) => Ok(end.duration_since(*start).as_secs_f64() * 1e3),
            (Clock::Cuda(start), Clock::Cuda(end)) => end.ms_after(start),
            _ => Err(ComputeError::WrongDevice),
        }
    }
}
