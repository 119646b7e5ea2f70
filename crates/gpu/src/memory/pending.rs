//! Results that stay on their device until they are fetched.

use crate::device::Device;
use crate::error::ComputeError;
use crate::memory::buffer::Buffer;
use crate::memory::element::{Element, Word};
use crate::timestamp::Timestamp;
use std::fmt;

/// A result of a kernel, one number or a few, that may still be on the device. Reading it waits for all work submitted
/// before.
///
/// Methods that only report a number read it at the end, so that the GPU never waits for the host in between. Callers
/// with many results [fetch](fetch) them in one transfer.
pub struct Later<T> {
    /// `None` while the result is on the device.
    value: Option<T>,
    /// `None` once the result is known.
    unfinished: Option<Unfinished<T>>,
}

/// Computes the result from the words that a kernel wrote.
type Finish<T> = Box<dyn FnOnce(&[Word]) -> T + Send>;

struct Unfinished<T> {
    partials: Buffer<Word>,
    finish: Finish<T>,
}

impl<T> Later<T> {
    /// A result that is already on the host.
    pub fn known(value: T) -> Self {
        Self { value: Some(value), unfinished: None }
    }
    /// A result on the device: `finish` computes it from the content of `partials` when it is fetched.
    pub fn on_device<E: Element>(
        partials: Buffer<E>,
        finish: impl FnOnce(&[E]) -> T + Send + 'static,
    ) -> Self {
        let len = partials.len();
        let finish = Box::new(move |words: &[Word]| finish(&bytemuck::cast_slice(words)[..len]));
        Self { value: None, unfinished: Some(Unfinished { partials: partials.into_words(), finish }) }
    }
    /// Waits for the result and returns it.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn get(self, device: &Device) -> Result<T, ComputeError> {
        self.get_after(device, None)
    }
    /// Waits for the result as [`Self::get`] does, but only for work submitted before `mark` ([`Device::mark`]), if one is
    /// given.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_after(mut self, device: &Device, mark: Option<&Timestamp>) -> Result<T, ComputeError> {
        fetch(device, mark, vec![&mut self])?;
        Ok(self.value.expect("a number that was fetched should be known"))
    }
    /// The result if it is on the host; `None` while it is on the device.
    pub fn peek(&self) -> Option<&T> {
        self.value.as_ref()
    }
    /// Applies `map` to the result, now if it is on the host, else when it is fetched.
    pub fn map<U>(self, map: impl FnOnce(T) -> U + Send + 'static) -> Later<U>
    where
        T: 'static,
    {
        let Some(Unfinished { partials, finish }) = self.unfinished else {
            return Later { value: self.value.map(map), unfinished: None };
        };
        let finish = Box::new(move |words: &[Word]| map(finish(words)));
        Later { value: None, unfinished: Some(Unfinished { partials, finish }) }
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
        self.unfinished.as_ref().map(|unfinished| &unfinished.partials)
    }
    fn finish(&mut self, partials: &[u32]) {
        if let Some(unfinished) = self.unfinished.take() {
            self.value = Some((unfinished.finish)(partials));
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
        match &self.value {
            Some(value) => f.debug_tuple("Later").field(value).finish(),
            None => f.write_str("Later(..)"),
        }
    }
}
