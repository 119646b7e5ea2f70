//! A pool of free pieces of memory, reused by the next request of the same size: an allocation by the system or a
//! driver takes longer than a small kernel. All kinds of memory use this pool; they differ in their [`Policy`].

use crate::memory::element::Word;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which pieces `P` a pool keeps, and which it hands out first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy<P> {
    /// Sizes are rounded up to a multiple of this many bytes, so that requests of nearly equal size share pieces.
    pub grain_bytes: usize,
    /// Pieces of more bytes are not kept.
    pub largest_bytes: usize,
    /// Limit of the bytes kept, in total; beyond it pieces are freed, the oldest first (with [`First::Lowest`], the
    /// lowest address first).
    pub most_bytes: usize,
    /// Which of the free pieces of one size is handed out first.
    pub first: First<P>,
}

impl<P> Policy<P> {
    /// The policy of a GPU's memory: every piece is kept.
    pub(crate) fn of_gpu(first: First<P>) -> Self {
        Self { grain_bytes: 4096, largest_bytes: usize::MAX, most_bytes: usize::MAX, first }
    }
}

/// Which of the free pieces of one size is handed out first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum First<P> {
    /// The piece returned last: it may still be in a cache.
    Newest,
    /// The piece returned first: the work that used it is most likely done.
    Oldest,
    /// The piece at the lowest address: the same sequence of requests then gets the same memory. The function returns a
    /// piece's address.
    Lowest(fn(&P) -> u64),
}

/// Whether a piece is reused or new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Reused from the pool; holds the content of its last use.
    Kept,
    /// Newly allocated.
    New,
}

/// Statistics of a device's memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Number of allocations from the system or the driver since the device was opened; all other requests reused
    /// memory.
    pub allocations: u64,
    /// Bytes of free memory kept for later requests.
    pub kept_bytes: usize,
    /// Bytes in use now.
    pub used_bytes: usize,
    /// Most bytes that were in use at one time since the device was opened.
    pub most_used_bytes: usize,
}

/// The pool: free pieces, by size.
#[derive(Debug)]
pub(crate) struct BufferPool<P> {
    policy: Policy<P>,
    free: Mutex<Free<P>>,
}

#[derive(Debug)]
struct Free<P> {
    /// For each size in bytes, the free pieces ordered by address ([`First::Lowest`]) or by the number of their return.
    pieces: HashMap<usize, BTreeMap<u64, P>>,
    given_back: u64,
    stats: MemoryStats,
}

impl<P> BufferPool<P> {
    pub fn new(policy: Policy<P>) -> Self {
        let free = Free { pieces: HashMap::new(), given_back: 0, stats: MemoryStats::default() };
        Self { policy, free: Mutex::new(free) }
    }

    /// The size in bytes of a piece for `words` words.
    pub(crate) fn size_for(&self, words: usize) -> usize {
        words.saturating_mul(size_of::<Word>()).max(1).next_multiple_of(self.policy.grain_bytes)
    }

    /// Takes a free piece of `bytes` bytes from the pool, or calls `allocate` for a new one.
    pub fn take<E>(&self, bytes: usize, allocate: impl FnOnce() -> Result<P, E>) -> Result<(P, Origin), E> {
        match self.take_kept_if(bytes, |_| true) {
            Some(piece) => Ok((piece, Origin::Kept)),
            None => {
                let piece = allocate()?;
                self.count_allocation(bytes);
                Ok((piece, Origin::New))
            }
        }
    }

    /// Takes the piece that is first in the policy's order, if there is one and it is `usable`.
    pub(crate) fn take_kept_if(&self, bytes: usize, usable: impl FnOnce(&P) -> bool) -> Option<P> {
        let mut free = self.free();
        let pieces = free.pieces.get_mut(&bytes)?;
        let entry = match self.policy.first {
            First::Newest => pieces.last_entry(),
            First::Oldest | First::Lowest(_) => pieces.first_entry(),
        };
        let piece = entry.filter(|entry| usable(entry.get()))?.remove();
        free.stats.kept_bytes -= bytes;
        drop(free);
        self.count_use(bytes);
        Some(piece)
    }

    /// Counts an allocation made outside of [`Self::take`].
    pub(crate) fn count_allocation(&self, bytes: usize) {
        self.free().stats.allocations += 1;
        self.count_use(bytes);
    }

    fn count_use(&self, bytes: usize) {
        let stats = &mut self.free().stats;
        stats.used_bytes += bytes;
        stats.most_used_bytes = stats.most_used_bytes.max(stats.used_bytes);
    }

    /// Counts an allocation of `bytes` bytes that is given away from the start.
    pub(crate) fn count_given_away(&self, bytes: usize) {
        self.count_allocation(bytes);
        self.forget(bytes);
    }

    /// A piece of `bytes` bytes was given away for good.
    pub fn forget(&self, bytes: usize) {
        self.free().stats.used_bytes -= bytes;
    }

    /// Returns a piece of `bytes` bytes to the pool.
    pub fn keep(&self, bytes: usize, piece: P) {
        let mut free = self.free();
        free.stats.used_bytes -= bytes;
        if bytes > self.policy.largest_bytes {
            return;
        }
        free.given_back += 1;
        let place = match self.policy.first {
            First::Newest | First::Oldest => free.given_back,
            First::Lowest(address) => address(&piece),
        };
        free.pieces.entry(bytes).or_default().insert(place, piece);
        free.stats.kept_bytes += bytes;
        while free.stats.kept_bytes > self.policy.most_bytes {
            let sizes =
                free.pieces.iter().filter_map(|(&size, pieces)| Some((*pieces.first_key_value()?.0, size)));
            let Some((_, oldest)) = sizes.min() else { break };
            free.pieces.get_mut(&oldest).and_then(BTreeMap::pop_first);
            free.stats.kept_bytes -= oldest;
        }
    }

    /// Removes and returns all free pieces.
    pub fn drain(&self) -> Vec<P> {
        let mut free = self.free();
        free.stats.kept_bytes = 0;
        std::mem::take(&mut free.pieces).into_values().flat_map(BTreeMap::into_values).collect()
    }

    pub fn stats(&self) -> MemoryStats {
        self.free().stats
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

    /// Returns pieces 3, 1 and 2 of one size to a pool, then takes four: the order in which they are handed out, and
    /// the number of new pieces.
    fn order(first: First<u64>) -> ([u64; 4], u64) {
        let pool = pool(first, usize::MAX);
        let give = |bytes, piece| {
            pool.count_use(bytes);
            pool.keep(bytes, piece);
        };
        [3, 1, 2].into_iter().for_each(|piece| give(32, piece));
        give(48, 7);
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
            pool.count_use(bytes);
            pool.keep(bytes, piece);
        }
        // Piece 1 is too large to be kept; piece 2 is freed to keep piece 4 within the limit.
        let stats = MemoryStats { allocations: 0, kept_bytes: 80, used_bytes: 0, most_used_bytes: 80 };
        assert_eq!(pool.stats(), stats);
        let mut left = pool.drain();
        left.sort_unstable();
        assert_eq!((left, pool.stats().kept_bytes), (vec![3, 4], 0));
    }

    #[test]
    fn a_piece_that_is_still_in_use_stays() {
        let pool = pool(First::Oldest, usize::MAX);
        for piece in [1, 2] {
            pool.count_use(16);
            pool.keep(16, piece);
        }
        assert_eq!(pool.take_kept_if(16, |piece| *piece == 2), None, "the oldest comes first");
        assert_eq!(pool.take_kept_if(16, |piece| *piece == 1), Some(1));
    }
}
