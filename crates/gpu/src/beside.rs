//! Work that a device does beside other work.

use crate::gpu::Lane;
use crate::{ComputeError, Device, Gpu, Kind};
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

/// The calling thread asks of a lane until this is dropped.
struct Within<'a> {
    fork: &'a Fork,
    before: Lane,
}

impl<'a> Within<'a> {
    fn new(fork: &'a Fork) -> Self {
        Self { fork, before: fork.gpu.switch(fork.lane) }
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.fork.gpu.switch(self.before);
    }
}

impl Device {
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
            Kind::Gpu(gpu) => gpu.fork()?.map(|lane| Fork { gpu: gpu.clone(), lane }),
        };
        let within = fork.as_ref().map(Within::new);
        let found = work();
        drop(within);
        Ok(Beside { found: found?, fork, borrowed: PhantomData })
    }
}
