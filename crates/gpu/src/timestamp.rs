//! Timestamps on a device's clock.

use crate::ComputeError;
use std::any::Any;
use std::fmt::Debug;
use std::time::Instant;

/// The time when a device reached a point of the submitted work.
#[derive(Debug)]
pub struct Timestamp(Clock);

#[derive(Debug)]
enum Clock {
    /// The host's clock, read after all earlier work was done.
    Host(Instant),
    /// The device's clock; the value is read later.
    Device(Box<dyn Moment>),
}

/// A timestamp on the clock of one kind of device, implemented by each back end that has a clock.
pub(crate) trait Moment: Any + Debug + Send + Sync {
    /// Milliseconds from `earlier`, a timestamp of the same kind; waits until the device has reached both.
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
    /// The device's timestamp as the back end's own type `M`; an error for another kind.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have clocks of their own"))]
    pub(crate) fn moment<M: Moment>(&self) -> Result<&M, ComputeError> {
        match &self.0 {
            Clock::Device(moment) => moment_as(&**moment),
            Clock::Host(_) => Err(ComputeError::WrongDevice),
        }
    }
    /// Milliseconds from `earlier`, a timestamp on the same device; waits until the device has reached this one.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`]; [`ComputeError::WrongDevice`] for timestamps on different clocks.
    pub fn ms_after(&self, earlier: &Self) -> Result<f64, ComputeError> {
        match (&earlier.0, &self.0) {
            (Clock::Host(start), Clock::Host(end)) => Ok(end.duration_since(*start).as_secs_f64() * 1e3),
            (Clock::Device(start), Clock::Device(end)) => end.ms_after(&**start),
            _ => Err(ComputeError::WrongDevice),
        }
    }
}

/// A timestamp as the back end's own type `M`; an error for another kind.
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "only GPUs have clocks of their own"))]
pub(crate) fn moment_as<M: Moment>(moment: &dyn Moment) -> Result<&M, ComputeError> {
    let moment: &dyn Any = moment;
    moment.downcast_ref().ok_or(ComputeError::WrongDevice)
}
