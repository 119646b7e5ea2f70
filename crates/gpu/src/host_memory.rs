//! Memory of the processor: on cache lines, and kept for the next of its size.

use crate::ComputeError;
use crate::buffer_pool::{BufferPool, First, Origin, Policy};
use crate::element::Word;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cache line: vectors that straddle two of them cost twice.
const LINE_BYTES: usize = 64;
/// Volumes of one size would start at the same place of their pages, and a kernel that reads a dozen of them side by side
/// would have them all in the same few sets of a cache: each starts some lines behind the one before, and the first
/// `COLOURS` are spread over a page.
const COLOURS: usize = 16;
const COLOUR_BYTES: usize = 4 * LINE_BYTES;
/// Room to start on a line, in any colour.
const PADDING_BYTES: usize = LINE_BYTES + (COLOURS - 1) * COLOUR_BYTES;
static NEXT_COLOUR: AtomicUsize = AtomicUsize::new(0);
/// Smaller memory has no room for a large page between its borders.
const LARGE_PAGES_FROM_BYTES: usize = 8 << 20;

/// What memory holds before anyone writes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Zeros,
    /// Whatever was there before: it is written first.
    Any,
}

/// Words: those from `start` on, between what it takes to start them on a cache line.
#[derive(Debug)]
pub(crate) struct HostMemory {
    words: Vec<Word>,
    start: usize,
    len: usize,
    pool: Option<Arc<HostPool>>,
}

/// The processor's memory that is free to take.
pub(crate) type HostPool = BufferPool<Vec<Word>>;

/// New pages cost as much as a kernel that writes them; larger memory is too much to keep, and what is kept should fit the
/// caches of processors with many cores.
pub(crate) const HOST_POLICY: Policy<Vec<Word>> = Policy {
    grain_bytes: size_of::<Word>(),
    largest_bytes: (8 << 20) + PADDING_BYTES,
    most_bytes: 48 << 20,
    first: First::Newest,
};

/// New pages, which cost nothing until they are touched.
fn zeroed(len: usize) -> Result<Vec<Word>, ComputeError> {
    // Asked for first, so that too much is an error.
    Vec::<Word>::new().try_reserve_exact(len).map_err(|_| out_of_memory(len))?;
    let words = vec![0; len];
    ask_for_large_pages(&words);
    Ok(words)
}

impl HostMemory {
    /// Memory for `len` words from a pool.
    pub(crate) fn take(pool: &Arc<HostPool>, len: usize, content: Content) -> Result<Self, ComputeError> {
        let padded = len + PADDING_BYTES / size_of::<Word>();
        let (mut words, origin) = pool.take(pool.size_for(padded), || zeroed(padded))?;
        if origin == Origin::Kept && content == Content::Zeros {
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

/// Lets the system back large memory by large pages: touching it first is several times cheaper then, and planes that lie
/// far apart stay within reach of the address cache. A hint: refused or unknown, nothing changes.
pub(crate) fn ask_for_large_pages<T>(words: &[T]) {
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

/// Memory of the host for `len` words, asked for as large pages; nothing is written to it yet.
#[cfg(feature = "gpu")]
pub(crate) fn room_for(len: usize) -> Result<Vec<Word>, ComputeError> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| out_of_memory(len))?;
    ask_for_large_pages(room.spare_capacity_mut());
    Ok(room)
}

fn out_of_memory(len: usize) -> ComputeError {
    let needed_bytes = len.saturating_mul(size_of::<Word>());
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
        let mut first = take(1000, Content::Zeros);
        assert!(first.words().as_ptr().addr().is_multiple_of(LINE_BYTES));
        first.words_mut().fill(7);
        let address = first.words.as_ptr();
        drop(first);
        let second = take(1000, Content::Any);
        assert_eq!((second.words.as_ptr(), second.words()[500]), (address, 7));
        drop(second);
        assert!(take(999, Content::Any).words().iter().all(|s| *s == 0), "another size is new");
        assert!(take(1000, Content::Zeros).words().iter().all(|s| *s == 0));
        assert_eq!(pool.stats().allocations, 2);
    }

    #[test]
    fn memory_of_one_size_starts_at_different_places_of_its_pages() {
        let pool = pool();
        let all: Vec<_> =
            (0..COLOURS).map(|_| HostMemory::take(&pool, 1 << 21, Content::Any).unwrap()).collect();
        let places: std::collections::HashSet<_> =
            all.iter().map(|memory| memory.words().as_ptr().addr() % (COLOURS * COLOUR_BYTES)).collect();
        // Other tests take colours in between.
        assert!(places.len() > COLOURS / 2, "{places:?}");
    }
}
