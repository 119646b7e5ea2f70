//! Work that a device does beside other work.

use crate::gpu::Lane;
use crate::{ComputeError, Device, Gpu, Kind};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

/// What was asked for beside other work: what is asked for after [`Self::join`] may use it.
///
/// Until then the device does both in an order of its own, so neither may write what the other one uses: what the work borrows
/// stays borrowed until they are joined. Joins when dropped.
#[derive(Debug)]
#[must_use = "nothing waits for it before it is joined"]
pub struct Beside<'a, T> {
    found: T,
    fork: Option<Fork>,
    borrowed: PhantomData<&'a ()>,
}

impl<T> Beside<'_, T> {
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
    /// Whether the calling thread has its work done in turn.
    static IN_TURN: Cell<bool> = const { Cell::new(false) };
}

impl Device {
    /// Runs `work`, in which nothing that the calling thread asks for is done [beside](Self::beside) other work: what runs side
    /// by side keeps memory for each, which a budget has not counted.
    pub fn in_turn<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = IN_TURN.replace(true);
        let _then = AtEnd(|| IN_TURN.set(before));
        work()
    }

    /// Asks for work that the device may do beside what is asked for until the two are [joined](Beside::join): on a GPU with
    /// lanes. Elsewhere it is done in turn.
    ///
    /// # Errors
    /// Whatever `work` fails with; [`ComputeError::DeviceFailed`].
    pub fn beside<'a, T, E: From<ComputeError>>(
        &self,
        work: impl FnOnce() -> Result<T, E> + 'a,
    ) -> Result<Beside<'a, T>, E> {
        let fork = match self.kind() {
            Kind::Cpu(_) => None,
            Kind::Gpu(_) if IN_TURN.get() => None,
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
        Ok(Beside { found: found?, fork, borrowed: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_turn_ends_even_with_a_panic() {
        let device = Device::cpu(1).unwrap();
        let seen = device.in_turn(|| (IN_TURN.get(), device.in_turn(|| IN_TURN.get()), IN_TURN.get()));
        assert_eq!((seen, IN_TURN.get()), ((true, true, true), false));
        let panicked =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| device.in_turn(|| panic!("no work"))));
        assert!(panicked.is_err() && !IN_TURN.get());
    }
}
