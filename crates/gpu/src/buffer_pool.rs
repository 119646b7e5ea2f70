//! Memory that was given back and is kept for the next of its size: asking the system or a driver for it takes longer than a
//! small kernel. One mechanism for every kind of memory; what differs is a [`Policy`].

use crate::element::Word;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a pool keeps and hands out, of pieces `P`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy<P> {
    /// Sizes are multiples of this, bytes: what differs little in size can then follow each other.
    pub grain_bytes: usize,
    /// Larger pieces are not kept.
    pub largest_bytes: usize,
    /// What is kept at most, all together; the oldest pieces go.
    pub most_bytes: usize,
    /// Which piece of a size is handed out first.
    pub first: First<P>,
}

/// Which piece of a size is handed out first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum First<P> {
    /// The one that was given back last: it may still be in a cache.
    Newest,
    /// The one that was given back first: what used it is most likely done.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "a policy of GPUs"))]
    Oldest,
    /// The one at the lowest address: the same requests then get the same memory.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "a policy of GPUs"))]
    Lowest(fn(&P) -> u64),
}

/// Where a piece comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was in use before, and holds what was written then.
    Kept,
    /// It is new.
    New,
}

/// What a device's memory was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Pieces that the system or the driver was asked for since the device was opened: all others were used before.
    pub allocations: u64,
    /// Bytes that are kept for whoever asks next.
    pub kept_bytes: usize,
}

/// Pieces that are free to take.
#[derive(Debug)]
pub(crate) struct BufferPool<P> {
    policy: Policy<P>,
    free: Mutex<Free<P>>,
    allocations: AtomicU64,
}

#[derive(Debug)]
struct Free<P> {
    /// By size, and in the order of their addresses where these decide, else of their age.
    pieces: HashMap<usize, BTreeMap<u64, P>>,
    bytes: usize,
    given_back: u64,
}

impl<P> BufferPool<P> {
    pub fn new(policy: Policy<P>) -> Self {
        let free = Free { pieces: HashMap::new(), bytes: 0, given_back: 0 };
        Self { policy, free: Mutex::new(free), allocations: AtomicU64::new(0) }
    }

    /// The size of a piece for so many words, bytes.
    pub fn size_for(&self, words: usize) -> usize {
        words.saturating_mul(size_of::<Word>()).max(1).next_multiple_of(self.policy.grain_bytes)
    }

    /// A piece of a size: what was kept, or what `allocate` makes.
    pub fn take<E>(&self, bytes: usize, allocate: impl FnOnce() -> Result<P, E>) -> Result<(P, Origin), E> {
        match self.take_kept_if(bytes, |_| true) {
            Some(piece) => Ok((piece, Origin::Kept)),
            None => {
                let piece = allocate()?;
                self.count_allocation();
                Ok((piece, Origin::New))
            }
        }
    }

    /// The piece that would be handed out first, if it is `usable`.
    pub fn take_kept_if(&self, bytes: usize, usable: impl FnOnce(&P) -> bool) -> Option<P> {
        let mut free = self.free();
        let pieces = free.pieces.get_mut(&bytes)?;
        let entry = match self.policy.first {
            First::Newest => pieces.last_entry(),
            First::Oldest | First::Lowest(_) => pieces.first_entry(),
        };
        let piece = entry.filter(|entry| usable(entry.get()))?.remove();
        free.bytes -= bytes;
        Some(piece)
    }

    /// Counts a piece that did not come from the pool.
    pub fn count_allocation(&self) {
        self.allocations.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a piece of a size.
    pub fn keep(&self, bytes: usize, piece: P) {
        if bytes > self.policy.largest_bytes {
            return;
        }
        let mut free = self.free();
        free.given_back += 1;
        let place = match self.policy.first {
            First::Newest | First::Oldest => free.given_back,
            First::Lowest(address) => address(&piece),
        };
        free.pieces.entry(bytes).or_default().insert(place, piece);
        free.bytes += bytes;
        while free.bytes > self.policy.most_bytes {
            let sizes =
                free.pieces.iter().filter_map(|(&size, pieces)| Some((*pieces.first_key_value()?.0, size)));
            let Some((_, oldest)) = sizes.min() else { break };
            free.pieces.get_mut(&oldest).and_then(BTreeMap::pop_first);
            free.bytes -= oldest;
        }
    }

    /// Everything that is kept.
    #[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "drivers of GPUs take memory back"))]
    pub fn drain(&self) -> Vec<P> {
        let mut free = self.free();
        free.bytes = 0;
        std::mem::take(&mut free.pieces).into_values().flat_map(BTreeMap::into_values).collect()
    }

    pub fn stats(&self) -> MemoryStats {
        MemoryStats { allocations: self.allocations.load(Ordering::Relaxed), kept_bytes: self.free().bytes }
    }

    fn free(&self) -> MutexGuard<'_, Free<P>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(first: First<u64>, most_bytes: usize) -> BufferPool<u64> {
        BufferPool::new(Policy { grain_bytes: 16, largest_bytes: 64, most_bytes, first })
    }

    /// What is handed out after pieces 3, 1 and 2 of one size were given back, and how often a new one was made.
    fn order(first: First<u64>) -> ([u64; 4], u64) {
        let pool = pool(first, usize::MAX);
        [3, 1, 2].into_iter().for_each(|piece| pool.keep(32, piece));
        pool.keep(48, 7);
        let taken = std::array::from_fn(|_| pool.take(32, || Ok::<_, ()>(9)).unwrap().0);
        assert_eq!(pool.stats().kept_bytes, 48);
        (taken, pool.stats().allocations)
    }

    #[test]
    fn the_policy_says_which_piece_comes_first() {
        assert_eq!(order(First::Newest), ([2, 1, 3, 9], 1));
        assert_eq!(order(First::Oldest), ([3, 1, 2, 9], 1));
        assert_eq!(order(First::Lowest(|piece| *piece)), ([1, 2, 3, 9], 1));
    }

    #[test]
    fn sizes_are_rounded_and_have_limits() {
        let pool = pool(First::Newest, 100);
        assert_eq!([0, 1, 4, 5].map(|words| pool.size_for(words)), [16, 16, 16, 32]);
        for (bytes, piece) in [(80, 1), (48, 2), (32, 3), (48, 4)] {
            pool.keep(bytes, piece);
        }
        // The first is too large, and the second has to go for the last.
        assert_eq!(pool.stats(), MemoryStats { allocations: 0, kept_bytes: 80 });
        let mut left = pool.drain();
        left.sort_unstable();
        assert_eq!((left, pool.stats().kept_bytes), (vec![3, 4], 0));
    }

    #[test]
    fn a_piece_that_is_still_in_use_stays() {
        let pool = pool(First::Oldest, usize::MAX);
        pool.keep(16, 1);
        pool.keep(16, 2);
        assert_eq!(pool.take_kept_if(16, |piece| *piece == 2), None, "the oldest comes first");
        assert_eq!(pool.take_kept_if(16, |piece| *piece == 1), Some(1));
    }
}
