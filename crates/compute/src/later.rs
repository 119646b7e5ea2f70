//! Results that stay on their device until somebody asks.

use crate::{Buffer, ComputeError, Device, Stamp};
use std::fmt;

/// A number, or a few, that a kernel has found or will have found: asking waits for everything before it.
///
/// Methods that only report a number ask at the end, so that a GPU never waits for the host in between.
pub struct Later<T>(State<T>);

/// What makes a number of partial sums.
type Finish<T> = Box<dyn FnOnce(&[f32]) -> T + Send>;

enum State<T> {
    Known(T),
    OnDevice { partials: Buffer, finish: Finish<T> },
}

impl<T> Later<T> {
    /// It is here already.
    pub fn known(value: T) -> Self {
        Self(State::Known(value))
    }
    /// `finish` makes it of what a kernel leaves in `partials`.
    pub(crate) fn on_device(partials: Buffer, finish: impl FnOnce(&[f32]) -> T + Send + 'static) -> Self {
        Self(State::OnDevice { partials, finish: Box::new(finish) })
    }
    /// The number.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn get(self, device: &Device) -> Result<T, ComputeError> {
        self.get_after(device, None)
    }
    /// [`Self::get`] of what was found at a [`Device::mark`].
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_after(self, device: &Device, mark: Option<&Stamp>) -> Result<T, ComputeError> {
        match self.0 {
            State::Known(value) => Ok(value),
            State::OnDevice { partials, finish } => Ok(finish(&device.download_after(partials, mark)?)),
        }
    }
    /// The number, if asking for it costs nothing.
    pub fn peek(&self) -> Option<&T> {
        match &self.0 {
            State::Known(value) => Some(value),
            State::OnDevice { .. } => None,
        }
    }
    /// What `map` makes of the number, later as well.
    pub fn map<U>(self, map: impl FnOnce(T) -> U + Send + 'static) -> Later<U>
    where
        T: 'static,
    {
        match self.0 {
            State::Known(value) => Later::known(map(value)),
            State::OnDevice { partials, finish } => Later::on_device(partials, move |p| map(finish(p))),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            State::Known(value) => f.debug_tuple("Later").field(value).finish(),
            State::OnDevice { .. } => f.write_str("Later(..)"),
        }
    }
}

/// Sums `N` columns of partial sums, row after row, in `f64`: what every reduction of a GPU ends with.
pub(crate) fn sum_rows<const N: usize>(partials: &[f32]) -> [f64; N] {
    let mut total = [0.0; N];
    for row in partials.chunks_exact(N) {
        total.iter_mut().zip(row).for_each(|(t, &p)| *t += f64::from(p));
    }
    total
}
