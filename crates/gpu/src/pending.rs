//! Results that stay on their device until they are fetched.

use crate::element::Word;
use crate::{Buffer, ComputeError, Device, Element, Timestamp};
use std::fmt;

/// A number, or a few, that a kernel has found or will have found: asking waits for everything before it.
///
/// Methods that only report a number ask at the end, so that a GPU never waits for the host in between; whoever wants many
/// [fetches](fetch) them together.
pub struct Later<T>(State<T>);

/// What makes a number of what a kernel left.
type Finish<T> = Box<dyn FnOnce(&[Word]) -> T + Send>;

enum State<T> {
    Known(T),
    /// `finish` is there until it has been called.
    OnDevice {
        partials: Buffer<Word>,
        finish: Option<Finish<T>>,
    },
}

impl<T> Later<T> {
    /// It is here already.
    pub fn known(value: T) -> Self {
        Self(State::Known(value))
    }
    /// `finish` makes it of what a kernel leaves in `partials`.
    pub fn on_device<E: Element>(
        partials: Buffer<E>,
        finish: impl FnOnce(&[E]) -> T + Send + 'static,
    ) -> Self {
        let len = partials.len();
        let finish = move |words: &[Word]| finish(&bytemuck::cast_slice(words)[..len]);
        Self(State::OnDevice { partials: partials.into_words(), finish: Some(Box::new(finish)) })
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
    pub fn get_after(mut self, device: &Device, mark: Option<&Timestamp>) -> Result<T, ComputeError> {
        fetch(device, mark, vec![&mut self])?;
        match self.0 {
            State::Known(value) => Ok(value),
            State::OnDevice { .. } => unreachable!("a number that was fetched should be known"),
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
            State::OnDevice { partials, finish } => {
                let finish = finish.expect("a number that is not known should have its finish");
                Later(State::OnDevice { partials, finish: Some(Box::new(move |p| map(finish(p)))) })
            }
        }
    }
}

/// A [`Later`] of any type, as [`fetch`] sees it.
pub trait Pending {
    /// What is still on the device.
    fn partials(&self) -> Option<&Buffer<u32>>;
    /// Finishes the number with what was there.
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

/// Makes many numbers known in one transfer, as they were at a [`Device::mark`] or are now.
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
