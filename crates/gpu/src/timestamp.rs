//! Timestamps on a device's clock.

use crate::error::ComputeError;
use std::any::Any;
use std::fmt::Debug;
use std::time::Instant;

/// The time when a device reached a point of the submitted work: on the device's clock, whose value is read later, or on the host's,
/// read after all earlier work was done.
#[derive(Debug)]
pub struct Timestamp(Box<dyn Moment>);

/// A timestamp on the clock of one kind of device, implemented by each back end that has a clock.
pub(crate) trait Moment: Any + Debug + Send + Sync {
    /// Milliseconds from `earlier`, a timestamp of the same kind; waits until the device has reached both.
    fn ms_after(&self, earlier: &Timestamp) -> Result<f64, ComputeError>;
}

impl Moment for Instant {
    fn ms_after(&self, earlier: &Timestamp) -> Result<f64, ComputeError> {
        Ok(self.duration_since(*earlier.moment()?).as_secs_f64() * 1e3)
    }
}

impl Timestamp {
    pub(crate) fn now() -> Self {
        Self::of(Instant::now())
    }
    pub(crate) fn of(moment: impl Moment) -> Self {
        Self(Box::new(moment))
    }
    /// The timestamp as the back end's own type `M`; an error for another kind.
    pub(crate) fn moment<M: Moment>(&self) -> Result<&M, ComputeError> {
        let moment: &dyn Any = &*self.0;
        moment.downcast_ref().ok_or(ComputeError::WrongDevice)
    }
    /// Milliseconds from `earlier`, a timestamp on the same device; waits until the device has reached this one.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`]; [`ComputeError::WrongDevice`] for timestamps on different clocks.
    pub fn ms_after(&self, earlier: &Self) -> Result<f64, ComputeError> {
        self.0.ms_after(earlier)
    }
}
