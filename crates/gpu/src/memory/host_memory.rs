//! Memory of the processor: aligned to cache lines, taken from a pool and returned to it.

use crate::error::ComputeError;
use crate::memory::buffer_pool::{BufferPool, First, Origin, Policy};
use crate::memory::element::Word;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel_core::fallible;

/// Bytes of a cache line: an access by a vector that straddles two lines costs twice.
const LINE_BYTES: usize = 64;
/// Buffers of one size would all start at the same offset in their pages. A kernel that reads a dozen of them side by
/// side would find them in the same few sets of a cache. Each buffer therefore starts some lines behind the one before
/// (its colour); `COLOURS` buffers in succession are spread over a page.
const COLOURS: usize = 16;
const COLOUR_BYTES: usize = 4 * LINE_BYTES;
/// Extra bytes that allow a start on a cache line, in any colour.
const PADDING_BYTES: usize = LINE_BYTES + (COLOURS - 1) * COLOUR_BYTES;
static NEXT_COLOUR: AtomicUsize = AtomicUsize::new(0);
/// Smaller memory gets no large pages: it has no room for one between its ends.
const LARGE_PAGES_FROM_BYTES: usize = 8 << 20;

/// The content of newly taken memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryContent {
    /// Zeros.
    Zeros,
    /// Undefined; the caller writes it before it reads it.
    Any,
}

/// Memory of `len` words, which are `words[start..start + len]`. The rest of `words` is padding that lets them start on
/// a cache line. Returned to `pool`, if there is one, when dropped.
#[derive(Debug)]
pub(crate) struct HostMemory {
    words: Vec<Word>,
    start: usize,
    len: usize,
    pool: Option<Arc<HostPool>>,
}

/// The processor's pool of free memory.
pub(crate) type HostPool = BufferPool<Vec<Word>>;

/// New pages cost as much as a kernel that writes them, so memory is kept. The limits hold because larger memory is too
/// much to keep, and because the kept memory should fit the caches of processors with many cores.
pub(crate) const HOST_POLICY: Policy<Vec<Word>> = Policy {
    grain_bytes: size_of::<Word>(),
    largest_bytes: (8 << 20) + PADDING_BYTES,
    most_bytes: 48 << 20,
    first: First::Newest,
};

/// Allocates zeroed words; their pages cost nothing until they are first touched.
fn zeroed(len: usize) -> Result<Vec<Word>, ComputeError> {
    // `vec!` aborts when memory is short; this reservation returns an error instead.
    fallible::room_for::<Word>(len).ok_or_else(|| out_of_memory::<Word>(len))?;
    let words = vec![0; len];
    ask_for_large_pages(&words);
    Ok(words)
}

impl HostMemory {
    /// Takes memory for `len` words from `pool`.
    pub(crate) fn take(
        pool: &Arc<HostPool>,
        len: usize,
        content: MemoryContent,
    ) -> Result<Self, ComputeError> {
        let padded = len + PADDING_BYTES / size_of::<Word>();
        let (mut words, origin) = pool.take(pool.size_for(padded), || zeroed(padded))?;
        if origin == Origin::Kept && content == MemoryContent::Zeros {
            words.fill(0);
        }
        let address = words.as_ptr().addr();
        let colour = NEXT_COLOUR.fetch_add(1, Ordering::Relaxed) % COLOURS;
        let start =
            (address.next_multiple_of(LINE_BYTES) - address + colour * COLOUR_BYTES) / size_of::<Word>();
        Ok(Self { words, start, len, pool: Some(pool.clone()) })
    }
    pub(crate) fn from_words(words: Vec<Word>) -> Self {
        Self { len: words.len(), words, start: 0, pool: None }
    }
    pub(crate) fn words(&self) -> &[Word] {
        &self.words[self.start..self.start + self.len]
    }
    pub(crate) fn words_mut(&mut self) -> &mut [Word] {
        &mut self.words[self.start..self.start + self.len]
    }
    pub(crate) fn into_words(mut self) -> Vec<Word> {
        let mut words = std::mem::take(&mut self.words);
        if let Some(pool) = self.pool.take() {
            pool.forget(size_of_val(&words[..]));
        }
        words.truncate(self.start + self.len);
        words.drain(..self.start);
        words
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.words);
        if let Some(pool) = self.pool.take().filter(|_| !words.is_empty()) {
            pool.keep(size_of_val(&words[..]), words);
        }
    }
}

/// Advises the system to back large memory by large pages. First touch is then several times cheaper, and planes that
/// lie far apart need fewer entries of the TLB. It is only a hint: where it is refused or unknown, nothing changes.
pub(super) fn ask_for_large_pages<T>(words: &[T]) {
    #[cfg(target_os = "linux")]
    if size_of_val(words) >= LARGE_PAGES_FROM_BYTES {
        const PAGE: usize = 4096;
        let start = words.as_ptr().addr().next_multiple_of(PAGE);
        let end = (words.as_ptr().addr() + size_of_val(words)) / PAGE * PAGE;
        // SAFETY: the range lies inside the buffer, and the advice changes neither its content nor its protection.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (words, LARGE_PAGES_FROM_BYTES);
}

/// Reserves host memory for `len` words, with large pages advised; the vector is empty and nothing is written yet.
pub(crate) fn room_for(len: usize) -> Result<Vec<Word>, ComputeError> {
    let mut room = fallible::room_for(len).ok_or_else(|| out_of_memory::<Word>(len))?;
    ask_for_large_pages(room.spare_capacity_mut());
    Ok(room)
}

pub(super) fn out_of_memory<T>(len: usize) -> ComputeError {
    let needed_bytes = len.saturating_mul(size_of::<T>());
    ComputeError::OutOfMemory { device: "cpu".to_owned(), needed_bytes, free_bytes: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> Arc<HostPool> {
        Arc::new(BufferPool::new(HOST_POLICY))
    }

    #[test]
    fn memory_comes_back_and_zeros_are_zeros() {
        let pool = pool();
        let take = |len, content| HostMemory::take(&pool, len, content).unwrap();
        let mut first = take(1000, MemoryContent::Zeros);
        assert!(first.words().as_ptr().addr().is_multiple_of(LINE_BYTES));
        first.words_mut().fill(7);
        let address = first.words.as_ptr();
        drop(first);
        let second = take(1000, MemoryContent::Any);
        assert_eq!((second.words.as_ptr(), second.words()[500]), (address, 7));
        drop(second);
        assert!(take(999, MemoryContent::Any).words().iter().all(|s| *s == 0), "another size is new");
        assert!(take(1000, MemoryContent::Zeros).words().iter().all(|s| *s == 0));
        assert_eq!(pool.stats().allocations, 2);
    }

    #[test]
    fn memory_of_one_size_starts_at_different_places_of_its_pages() {
        let pool = pool();
        let all: Vec<_> =
            (0..COLOURS).map(|_| HostMemory::take(&pool, 1 << 21, MemoryContent::Any).unwrap()).collect();
        let places: std::collections::HashSet<_> =
            all.iter().map(|memory| memory.words().as_ptr().addr() % (COLOURS * COLOUR_BYTES)).collect();
        // Other tests that run at the same time take colours too.
        assert!(places.len() > COLOURS / 2, "{places:?}");
    }
}
