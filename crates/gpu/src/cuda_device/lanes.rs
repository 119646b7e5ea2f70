//! The queues of a device, side by side: kernels of one run in the order of their launches, those of two queues in any.
//!
//! A thread asks of the first queue until it [switches](Lanes::switch) to another one that it [took](Lanes::fork). That
//! one begins when all is done that the thread asked before, and [at the end](Lanes::join) the thread's queue waits for
//! it. Which queue is taken depends only on which are taken already, so that a run that repeats finds the same queues,
//! and the same memory in their pools.

use super::profile::HostTimes;
use super::queue::{Queue, Refusal, of_stream};
use cudarc::driver::{CudaContext, CudaEvent, DriverError};
use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Queues of a device at most.
pub(super) const MOST_LANES: usize = 2;

thread_local! {
    /// The device, by its address, and the number of the queue that the calling thread asks of. Any other device: 0.
    static AT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

pub(super) struct Lanes {
    context: Arc<CudaContext>,
    driver: i32,
    times: Arc<HostTimes>,
    /// The first one is open; the others are opened when they are first needed.
    queues: [OnceLock<Queue>; MOST_LANES],
    taken: Mutex<[bool; MOST_LANES]>,
}

impl Lanes {
    pub fn open(context: Arc<CudaContext>, driver: i32, times: Arc<HostTimes>) -> Result<Self, DriverError> {
        let lanes = Self { context, driver, times, queues: Default::default(), taken: Mutex::default() };
        lanes.open_queue(0)?;
        Ok(lanes)
    }

    /// The number of the queue that the calling thread asks of.
    pub fn current(&self) -> usize {
        let (device, nth) = AT.get();
        if device == self.address() { nth } else { 0 }
    }

    /// The queue that the calling thread asks of.
    pub fn queue(&self) -> &Queue {
        self.nth(self.current())
    }

    /// All queues that were opened.
    pub fn opened(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().filter_map(OnceLock::get)
    }

    /// Takes a queue, which waits for all that the calling thread asked for so far; none where all are taken, or while a
    /// profile measures launches one by one.
    pub fn fork(&self) -> Result<Option<usize>, Refusal> {
        if self.nth(0).is_profiled() {
            return Ok(None);
        }
        let Some(nth) = self.take() else { return Ok(None) };
        self.begin(nth).inspect_err(|_| self.give_back(nth)).map(|()| Some(nth))
    }

    /// From here on the calling thread asks of a queue; returns the number of the one before.
    pub fn switch(&self, nth: usize) -> usize {
        let before = self.current();
        AT.set((self.address(), nth));
        before
    }

    /// The calling thread's queue waits for a taken one, which is free again.
    pub fn join(&self, nth: usize) -> Result<(), Refusal> {
        let done = self.nth(nth).record_now();
        self.give_back(nth);
        self.queue().wait_for(&done?)
    }

    fn take(&self) -> Option<usize> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let nth = (1..MOST_LANES).find(|&nth| !taken[nth])?;
        taken[nth] = true;
        Some(nth)
    }

    fn give_back(&self, nth: usize) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)[nth] = false;
    }

    fn begin(&self, nth: usize) -> Result<(), Refusal> {
        let asked: CudaEvent = self.queue().record_now()?;
        self.open_queue(nth).map_err(of_stream)?;
        self.nth(nth).wait_for(&asked)
    }

    fn open_queue(&self, nth: usize) -> Result<(), DriverError> {
        if self.queues[nth].get().is_none() {
            let stream = self.context.new_stream()?;
            self.queues[nth].get_or_init(|| Queue::new(stream, self.driver, self.times.clone()));
        }
        Ok(())
    }

    /// A queue by its number.
    ///
    /// # Panics
    /// If the queue was not opened.
    pub fn nth(&self, nth: usize) -> &Queue {
        self.queues[nth].get().expect("a queue that is asked should have been opened")
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
