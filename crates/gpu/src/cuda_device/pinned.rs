//! Page-locked memory, which the device's copy engines access directly, and the threads that copy between it and
//! ordinary memory.

use crate::memory::element::Word;
use cudarc::driver::{CudaContext, CudaEvent, DriverError, result};
use std::ffi::c_void;
use std::sync::Arc;

/// Maximal number of threads that copy between page-locked and ordinary memory: more do not help.
const MOST_THREADS: usize = 12;
/// Threads of the machine left free for the caller, which prepares the next run meanwhile.
const THREADS_LEFT: usize = 2;
/// Minimal number of bytes for each copying thread; fewer bytes are copied by one thread.
const BYTES_PER_THREAD: usize = 1 << 18;

/// A piece of page-locked memory of `len` words. `done` is the event after its last transfer over the bus.
pub(super) struct Pinned {
    start: *mut Word,
    len: usize,
    pub done: CudaEvent,
}

// SAFETY: it is plain memory, used by one thread at a time.
unsafe impl Send for Pinned {}

impl Pinned {
    pub fn new(context: &Arc<CudaContext>, len: usize) -> Result<Self, DriverError> {
        let done = context.new_event(None)?;
        // SAFETY: the context is current: creating the event made it so.
        let start = unsafe { result::malloc_host(len * size_of::<Word>(), 0)? };
        Ok(Self { start: start.cast(), len, done })
    }
    /// The first `count` words.
    pub fn words(&mut self, count: usize) -> &mut [Word] {
        assert!(count <= self.len, "a piece of pinned memory should hold its share");
        // SAFETY: at least `count` words were allocated, and every bit pattern is a valid word.
        unsafe { std::slice::from_raw_parts_mut(self.start, count) }
    }
    /// The first `count` bytes.
    pub fn bytes(&mut self, count: usize) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(self.words(count.div_ceil(size_of::<Word>())))[..count]
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // A transfer that is under way must end before the memory is freed; a failed device transfers nothing any more.
        let _ = self.done.synchronize();
        // SAFETY: allocated by `malloc_host`.
        let _ = unsafe { result::free_host(self.start.cast::<c_void>()) };
    }
}

/// A pool of threads for copies between page-locked and ordinary memory, because one thread is slower than the bus. The pool
/// starts on first use; `None` if there is only one thread for it.
#[derive(Default)]
pub(super) struct Copyists {
    threads: std::sync::OnceLock<Option<rayon::ThreadPool>>,
}

/// Bytes of a large page: no two threads should touch the same one first.
const LARGE_PAGE: usize = 2 << 20;
/// Bytes of the smallest page.
const PAGE: usize = 4096;

impl Copyists {
    fn threads(&self) -> Option<&rayon::ThreadPool> {
        let start = || {
            let all = std::thread::available_parallelism().map_or(1, |n| n.get());
            let count = all.saturating_sub(THREADS_LEFT).clamp(1, MOST_THREADS);
            // If the threads cannot be started, the calling thread copies alone.
            rayon::ThreadPoolBuilder::new().num_threads(count).build().ok().filter(|_| count > 1)
        };
        self.threads.get_or_init(start).as_ref()
    }

    /// Calls `work` for each of `jobs` in parallel, for the last one on the calling thread.
    fn share<T: Send>(&self, mut jobs: impl ExactSizeIterator<Item = T>, work: impl Fn(T) + Sync) {
        match self.threads() {
            Some(threads) if jobs.len() > 1 => threads.in_place_scope(|scope| {
                let others = jobs.len() - 1;
                for job in jobs.by_ref().take(others) {
                    let work = &work;
                    scope.spawn(move |_| work(job));
                }
                jobs.for_each(&work);
            }),
            _ => jobs.for_each(work),
        }
    }

    /// Copies `from` to `to`, which must have the same length.
    pub fn copy<T: Copy + Sync>(&self, from: &[T], to: &mut [T]) {
        assert_eq!(from.len(), to.len(), "a copy should be as long as what is copied");
        // SAFETY: `to` is as long as `from`, and the copied values are valid values of `T`.
        unsafe { self.copy_to(from, to.as_mut_ptr()) };
    }

    /// [`Self::copy`] to memory that may be uninitialised.
    ///
    /// # Safety
    /// At `to` there must be room for as many values as `from` has, and nothing else may access it.
    pub(crate) unsafe fn copy_to<T: Copy + Sync>(&self, from: &[T], to: *mut T) {
        let count = self.threads().map_or(1, rayon::ThreadPool::current_num_threads);
        let share = from.len().div_ceil(count).max(BYTES_PER_THREAD / size_of::<T>());
        let to = Room(to);
        self.share(from.chunks(share).enumerate(), |(nth, from)| {
            // SAFETY: chunks do not overlap, and the caller guarantees room for all of them.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.at(nth * share), from.len()) };
        });
    }

    /// Touches every page of the vectors' spare capacity: the system maps the pages now, while the device still
    /// computes, and not during the copy.
    pub fn touch<'a>(&self, rooms: impl Iterator<Item = &'a mut Vec<Word>>) {
        let pieces: Vec<_> = rooms
            .flat_map(|room| {
                let bytes = std::mem::size_of_val(room.spare_capacity_mut());
                let start = room.spare_capacity_mut().as_mut_ptr().cast::<u8>();
                let first = (start.addr().next_multiple_of(LARGE_PAGE) - start.addr()).min(bytes);
                let rest = (first..bytes).step_by(LARGE_PAGE).map(move |at| (at, LARGE_PAGE.min(bytes - at)));
                std::iter::once((0, first)).chain(rest).map(move |piece| (Room(start), piece))
            })
            .filter(|(_, (_, bytes))| *bytes > 0)
            .collect();
        self.share(pieces.into_iter(), |(start, (at, bytes))| {
            for offset in (at..at + bytes).step_by(PAGE) {
                // SAFETY: the address is inside the room's spare capacity, whose content is not in use yet, and the
                // pieces do not overlap.
                unsafe { start.at(offset).write_volatile(0) };
            }
        });
    }
}

/// The start of memory to which several threads write disjoint parts.
#[derive(Clone, Copy)]
struct Room<T>(*mut T);

// SAFETY: the parts do not overlap, and the owner of the memory waits for the threads.
unsafe impl<T> Send for Room<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Room<T> {}

impl<T> Room<T> {
    /// # Safety
    /// The memory must extend beyond `offset`.
    unsafe fn at(&self, offset: usize) -> *mut T {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.add(offset) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_copy_every_sample_into_rooms_they_touched() {
        let copyists = Copyists::default();
        let from: Vec<Word> = (0..3 * BYTES_PER_THREAD as Word / 4 + 77).collect();
        let mut rooms = [Vec::with_capacity(from.len()), Vec::new(), Vec::with_capacity(5)];
        copyists.touch(rooms.iter_mut());
        let room = &mut rooms[0];
        // SAFETY: the room has the capacity for all samples, and afterwards they are initialised.
        unsafe {
            copyists.copy_to(&from, room.as_mut_ptr());
            room.set_len(from.len());
        }
        assert_eq!(*room, from);
        let mut to = vec![0; from.len()];
        copyists.copy(&from, &mut to);
        assert_eq!(to, from);
    }
}
