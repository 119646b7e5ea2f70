//! The queues of a device: the kernels of one queue run in the order of their launches, those of two queues in any order.
//!
//! The work of a thread goes to the first queue until the thread [switches](Queues::switch) to another one that it
//! [took](Queues::fork). A taken queue begins when everything is done that the thread asked for before, and [at the
//! end](Queues::join) the thread's own queue waits for it. Which queue is taken depends only on which are taken already, so a
//! run that repeats finds the same queues, and the same memory in their pools.

use super::profile::HostTimes;
use super::queue::{Queue, Refusal, of_stream};
use super::several::Several;
use cudarc::driver::{CudaContext, CudaEvent, DriverError};
use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Maximal number of queues of a device.
pub(super) const MOST_QUEUES: usize = 2;

thread_local! {
    /// The device, by its address, and the number of the queue that the calling thread's work goes to; 0 for any other device.
    static AT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

pub(super) struct Queues {
    context: Arc<CudaContext>,
    several: Option<Arc<Several>>,
    driver: i32,
    times: Arc<HostTimes>,
    /// The queues: the first one is open, the others are opened when they are first needed.
    queues: [OnceLock<Queue>; MOST_QUEUES],
    taken: Mutex<[bool; MOST_QUEUES]>,
}

impl Queues {
    pub fn open(
        context: Arc<CudaContext>,
        several: Option<Arc<Several>>,
        driver: i32,
        times: Arc<HostTimes>,
    ) -> Result<Self, DriverError> {
        let queues =
            Self { context, several, driver, times, queues: Default::default(), taken: Mutex::default() };
        queues.open_queue(0)?;
        Ok(queues)
    }

    /// The number of the queue that the calling thread's work goes to.
    pub fn current(&self) -> usize {
        let (device, nth) = AT.get();
        if device == self.address() { nth } else { 0 }
    }

    /// The queue that the calling thread's work goes to.
    pub fn queue(&self) -> &Queue {
        self.nth(self.current())
    }

    /// All queues that were opened.
    pub fn opened(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().filter_map(OnceLock::get)
    }

    /// Takes a queue, which waits for everything that the calling thread asked for so far; none if all are taken, or while a
    /// profile measures launches one by one.
    pub(crate) fn fork(&self) -> Result<Option<usize>, Refusal> {
        if self.nth(0).is_profiled() {
            return Ok(None);
        }
        let Some(nth) = self.take() else { return Ok(None) };
        self.begin(nth).inspect_err(|_| self.give_back(nth)).map(|()| Some(nth))
    }

    /// Sends the calling thread's work to a queue from here on; returns the number of the queue before.
    pub fn switch(&self, nth: usize) -> usize {
        let before = self.current();
        AT.set((self.address(), nth));
        before
    }

    /// Makes the calling thread's queue wait for a taken one, and frees that one.
    pub fn join(&self, nth: usize) -> Result<(), Refusal> {
        let done = self.nth(nth).record_now();
        self.give_back(nth);
        self.queue().wait_for(&done?)
    }

    fn take(&self) -> Option<usize> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let nth = (1..MOST_QUEUES).find(|&nth| !taken[nth])?;
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
            self.queues[nth]
                .get_or_init(|| Queue::new(stream, self.several.clone(), self.driver, self.times.clone()));
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
