//! Rows shared between threads: the only place where kernels on the processor bypass the borrow checker.

use crate::memory::buffer::Buffer;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;

/// Samples of which different threads write disjoint parts. All threads may read a part that no thread writes.
pub struct Shared<'a, T = f32> {
    start: *mut T,
    len: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: access goes through `get` and `get_mut`, whose contracts rule out races.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Samples that threads write.
    pub fn new(samples: &'a mut [T]) -> Self {
        Self { start: samples.as_mut_ptr(), len: samples.len(), owner: PhantomData }
    }
    /// Samples that are only read: `get_mut` must not be called.
    pub fn read_only(samples: &'a [T]) -> Self {
        Self { start: samples.as_ptr().cast_mut(), len: samples.len(), owner: PhantomData }
    }
    /// The samples of a range.
    ///
    /// # Safety
    /// No thread may write into the range while the slice lives.
    pub unsafe fn get(&self, range: Range<usize>) -> &[T] {
        assert!(range.start <= range.end && range.end <= self.len, "a row should lie inside its buffer");
        // SAFETY: inside the buffer; the caller rules out writers.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.len()) }
    }
    /// The samples of a range, writable.
    ///
    /// # Safety
    /// No other thread may read or write the range while the slice lives.
    #[allow(clippy::mut_from_ref, reason = "exclusive by the caller's promise, which threads cannot express")]
    pub unsafe fn get_mut(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "a row should lie inside its buffer");
        // SAFETY: inside the buffer; the caller rules out everybody else.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// The samples of a range of every component, writable.
///
/// # Safety
/// As [`Shared::get_mut`].
#[allow(clippy::mut_from_ref, reason = "exclusive by the caller's promise, which threads cannot express")]
pub unsafe fn ranges_mut<'a, const D: usize>(
    components: &'a [Shared<'_>; D],
    range: Range<usize>,
) -> [&'a mut [f32]; D] {
    // SAFETY: forwarded.
    components.each_ref().map(|component| unsafe { component.get_mut(range.clone()) })
}

/// The samples of a field's components on the processor.
pub fn components<const D: usize>(field: &[Buffer]) -> [&[f32]; D] {
    std::array::from_fn(|c| field[c].host())
}

/// The samples of a field's components on the processor, writable.
pub fn components_mut<const D: usize>(field: &mut [Buffer]) -> [&mut [f32]; D] {
    let mut components = field.iter_mut().map(Buffer::host_mut);
    std::array::from_fn(|_| components.next().expect("a field should have a component for each axis"))
}

thread_local! {
    static SCRATCH: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// Bytes of a cache line: the loads and stores of a vector should not straddle two lines.
const LINE_BYTES: usize = 64;

/// Calls `work` with `len` samples of this thread's scratch memory, which start on a cache line. The memory grows as
/// needed and is reused by later calls.
///
/// The content is undefined: the last kernel on the thread left it.
pub fn with_scratch<R>(len: usize, work: impl FnOnce(&mut [f32]) -> R) -> R {
    SCRATCH.with(|cell| {
        let mut scratch = cell.borrow_mut();
        let needed = len + LINE_BYTES / size_of::<f32>();
        if scratch.len() < needed {
            scratch.resize(needed, 0.0);
        }
        let start = scratch.as_ptr().align_offset(LINE_BYTES);
        work(&mut scratch[start..][..len])
    })
}
