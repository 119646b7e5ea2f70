//! Timestamps of a device's clock.

use crate::ComputeError;
use std::any::Any;
use std::fmt::Debug;
use std::time::Instant;

/// When a device came to a point of what it was asked for.
#[derive(Debug)]
pub struct Timestamp(Clock);

#[derive(Debug)]
enum Clock {
    /// The host's, read when everything before was done.
    Host(Instant),
    /// The device's own, read later.
    Device(Box<dyn Moment>),
}

/// A moment on the clock of a kind of device.
pub(crate) trait Moment: Any + Debug + Send + Sync {
    /// Milliseconds from an earlier moment of the same kind; waits for both.
    fn ms_after(&self, earlier: &dyn Moment) -> Result<f64, ComputeError>;
}

impl Timestamp {
    pub(crate) fn now() -> Self {
        Self(Clock::Host(Instant::now()))
    }
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have clocks of their own"))]
    pub(crate) fn on_device(moment: impl Moment) -> Self {
        Self(Clock::Device(Box::new(moment)))
    }
    /// The device's moment, if it is of this kind.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have clocks of their own"))]
    pub(crate) fn moment<M: Moment>(&self) -> Result<&M, ComputeError> {
        match &self.0 {
            Clock::Device(moment) => moment_as(&**moment),
            Clock::Host(_) => Err(ComputeError::WrongDevice),
        }
    }
    /// Milliseconds from an earlier moment on the same device; waits for this one.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`]; [`ComputeError::WrongDevice`] for moments on two clocks.
    pub fn ms_after(&self, earlier: &Self) -> Result<f64, ComputeError> {
        match (&earlier.0, &self.0) {
            (Clock::Host(start), Clock::Host(end)) => Ok(end.duration_since(*start).as_secs_f64() * 1e3),
            (Clock::Device(start), Clock::Device(end)) => end.ms_after(&**start),
            _ => Err(ComputeError::WrongDevice),
        }
    }
}

/// A moment, if it is of this kind.
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have clocks of their own"))]
pub(crate) fn moment_as<M: Moment>(moment: &dyn Moment) -> Result<&M, ComputeError> {
    let moment: &dyn Any = moment;
    moment.downcast_ref().ok_or(ComputeError::WrongDevice)
}
