//! Work that a device does beside other work.

use crate::device::{Device, DeviceKind};
use crate::error::ComputeError;
use crate::gpu::{Gpu, QueueNumber};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

/// Work that was asked for beside other work; what is asked for after [`Self::join`] may use its results.
///
/// Until the two are joined the device does both in an order of its own, so neither may write what the other one uses: the
/// values that the work borrows stay borrowed until then. Dropping this joins them too.
#[derive(Debug)]
#[must_use = "nothing waits for it before it is joined"]
pub struct Concurrent<'a, T> {
    found: T,
    fork: Option<Fork>,
    borrowed: PhantomData<&'a ()>,
}

impl<T> Concurrent<'_, T> {
    /// Makes everything that is asked for from here on wait for this work.
    pub fn join(self) -> T {
        let Self { found, fork, .. } = self;
        drop(fork);
        found
    }
}

/// A queue that was taken; dropping this waits for the end of its work.
#[derive(Debug)]
struct Fork {
    gpu: Arc<dyn Gpu>,
    queue: QueueNumber,
}

impl Drop for Fork {
    fn drop(&mut self) {
        self.gpu.join(self.queue);
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
    /// Runs `work` with everything in it done one after the other, even what it asks for [concurrently](Self::concurrently):
    /// pieces of work that run side by side each keep memory, which a budget has not counted.
    pub fn serialised<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = SERIALISED.replace(true);
        let _then = AtEnd(|| SERIALISED.set(before));
        work()
    }

    /// Asks for work that the device may do beside what is asked for until the two are [joined](Concurrent::join). A GPU with
    /// several queues does so; every other device does the work at once.
    ///
    /// # Errors
    /// Whatever `work` fails with; [`ComputeError::DeviceFailed`].
    pub fn concurrently<'a, T, E: From<ComputeError>>(
        &self,
        work: impl FnOnce() -> Result<T, E> + 'a,
    ) -> Result<Concurrent<'a, T>, E> {
        let fork = match self.kind() {
            DeviceKind::Cpu(_) => None,
            DeviceKind::Gpu(_) if SERIALISED.get() => None,
            DeviceKind::Gpu(gpu) => gpu.fork()?.map(|queue| Fork { gpu: gpu.clone(), queue }),
        };
        let until_then = fork.as_ref().map(|Fork { gpu, queue }| {
            let before = gpu.switch(*queue);
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
