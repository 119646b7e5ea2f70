//! Work that a device does beside other work.

use crate::device::{Device, Kind};
use crate::error::ComputeError;
use crate::gpu::{Gpu, Lane};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

/// What was asked for beside other work: what is asked for after [`Self::join`] may use it.
///
/// Until then the device does both in an order of its own, so neither may write what the other one uses: what the work borrows
/// stays borrowed until they are joined. Joins when dropped.
#[derive(Debug)]
#[must_use = "nothing waits for it before it is joined"]
pub struct Concurrent<'a, T> {
    found: T,
    fork: Option<Fork>,
    borrowed: PhantomData<&'a ()>,
}

impl<T> Concurrent<'_, T> {
    /// Lets what is asked for from here on wait for it.
    pub fn join(self) -> T {
        let Self { found, fork, .. } = self;
        drop(fork);
        found
    }
}

/// A lane that was taken; its end is waited for when it is dropped.
#[derive(Debug)]
struct Fork {
    gpu: Arc<dyn Gpu>,
    lane: Lane,
}

impl Drop for Fork {
    fn drop(&mut self) {
        self.gpu.join(self.lane);
    }
}

/// Calls a function when it is dropped, after a panic as well.
struct AtEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

thread_local! {
    /// Whether the calling thread has its work serialised.
    static SERIALISED: Cell<bool> = const { Cell::new(false) };
}

impl Device {
    /// Runs `work`, in which nothing that the calling thread asks for is done [concurrently](Self::concurrently): work that runs
    /// side by side keeps memory for each, which a budget has not counted.
    pub fn serialised<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = SERIALISED.replace(true);
        let _then = AtEnd(|| SERIALISED.set(before));
        work()
    }

    /// Asks for work that the device may do beside what is asked for until the two are [joined](Concurrent::join): on a GPU with
    /// lanes. Elsewhere it is serialised.
    ///
    /// # Errors
    /// Whatever `work` fails with; [`ComputeError::DeviceFailed`].
    pub fn concurrently<'a, T, E: From<ComputeError>>(
        &self,
        work: impl FnOnce() -> Result<T, E> + 'a,
    ) -> Result<Concurrent<'a, T>, E> {
        let fork = match self.kind() {
            Kind::Cpu(_) => None,
            Kind::Gpu(_) if SERIALISED.get() => None,
            Kind::Gpu(gpu) => gpu.fork()?.map(|lane| Fork { gpu: gpu.clone(), lane }),
        };
        let until_then = fork.as_ref().map(|Fork { gpu, lane }| {
            let before = gpu.switch(*lane);
            AtEnd(move || {
                gpu.switch(before);
            })
        });
        let found = work();
        drop(until_then);
        Ok(Concurrent { found: found?, fork, borrowed: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialised_work_ends_even_with_a_panic() {
        let device = Device::cpu(1).unwrap();
        let seen = device
            .serialised(|| (SERIALISED.get(), device.serialised(|| SERIALISED.get()), SERIALISED.get()));
        assert_eq!((seen, SERIALISED.get()), ((true, true, true), false));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            device.serialised(|| panic!("no work"))
        }));
        assert!(panicked.is_err() && !SERIALISED.get());
    }
}
