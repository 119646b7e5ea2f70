//! Results that stay on their device until they are fetched.

use crate::element::Word;
use crate::{Buffer, ComputeError, Device, Element, Timestamp};
use std::fmt;

/// A result of a kernel, one number or a few, that may still be on the device. Reading it waits for all work submitted
/// before.
///
/// Methods that only report a number read it at the end, so that the GPU never waits for the host in between. Callers
/// with many results [fetch](fetch) them in one transfer.
pub struct Later<T>(State<T>);

/// Computes the result from the words that a kernel wrote.
type Finish<T> = Box<dyn FnOnce(&[Word]) -> T + Send>;

enum State<T> {
    Known(T),
    /// `finish` is `None` once it has been called.
    OnDevice {
        partials: Buffer<Word>,
        finish: Option<Finish<T>>,
    },
}

impl<T> Later<T> {
    /// A result that is already on the host.
    pub fn known(value: T) -> Self {
        Self(State::Known(value))
    }
    /// A result on the device: `finish` computes it from the content of `partials` when it is fetched.
    pub fn on_device<E: Element>(
        partials: Buffer<E>,
        finish: impl FnOnce(&[E]) -> T + Send + 'static,
    ) -> Self {
        let len = partials.len();
        let finish = move |words: &[Word]| finish(&bytemuck::cast_slice(words)[..len]);
        Self(State::OnDevice { partials: partials.into_words(), finish: Some(Box::new(finish)) })
    }
    /// Waits for the result and returns it.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn get(self, device: &Device) -> Result<T, ComputeError> {
        self.get_after(device, None)
    }
    /// [`Self::get`], but waits only for work submitted before `mark` ([`Device::mark`]), if one is given.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_after(mut self, device: &Device, mark: Option<&Timestamp>) -> Result<T, ComputeError> {
        fetch(device, mark, vec![&mut self])?;
        match self.0 {
            State::Known(value) => Ok(value),
            State::OnDevice { .. } => unreachable!("a number that was fetched should be known"),
        }
    }
    /// The result if it is on the host; `None` while it is on the device.
    pub fn peek(&self) -> Option<&T> {
        match &self.0 {
            State::Known(value) => Some(value),
            State::OnDevice { .. } => None,
        }
    }
    /// Applies `map` to the result, now if it is on the host, else when it is fetched.
    pub fn map<U>(self, map: impl FnOnce(T) -> U + Send + 'static) -> Later<U>
    where
        T: 'static,
    {
        match self.0 {
            State::Known(value) => Later::known(map(value)),
            State::OnDevice { partials, finish } => {
                let finish = finish.expect("a number that is not known should have its finish");
                Later(State::OnDevice { partials, finish: Some(Box::new(move |p| map(finish(p)))) })
            }
        }
    }
}

/// A [`Later`] of any type, for [`fetch`].
pub trait Pending {
    /// The kernel's output on the device; `None` if the result is on the host.
    fn partials(&self) -> Option<&Buffer<u32>>;
    /// Computes the result from the downloaded output.
    fn finish(&mut self, partials: &[u32]);
}

impl<T> Pending for Later<T> {
    fn partials(&self) -> Option<&Buffer<u32>> {
        match &self.0 {
            State::Known(_) => None,
            State::OnDevice { partials, .. } => Some(partials),
        }
    }
    fn finish(&mut self, partials: &[u32]) {
        if let State::OnDevice { finish, .. } = &mut self.0
            && let Some(finish) = finish.take()
        {
            self.0 = State::Known(finish(partials));
        }
    }
}

/// Reads many results back in one transfer, and waits only for work submitted before `mark` ([`Device::mark`]), if one
/// is given.
///
/// # Errors
/// [`ComputeError::DeviceFailed`].
pub fn fetch(
    device: &Device,
    mark: Option<&Timestamp>,
    mut numbers: Vec<&mut dyn Pending>,
) -> Result<(), ComputeError> {
    numbers.retain(|number| number.partials().is_some());
    let partials: Vec<_> = numbers.iter().filter_map(|number| number.partials()).collect();
    let fetched = device.read_all_after(&partials, mark)?;
    numbers.into_iter().zip(fetched).for_each(|(number, partials)| number.finish(&partials));
    Ok(())
}

impl<T: fmt::Debug> fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            State::Known(value) => f.debug_tuple("Later").field(value).finish(),
            State::OnDevice { .. } => f.write_str("Later(..)"),
        }
    }
}
