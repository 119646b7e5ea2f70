//! Memory of results that their owner has given back: the next results come in it.
//!
//! A result leaves the device as a vector of its owner's. New memory for each one costs the system a fault a page, at moments
//! that it chooses; a stream that gives every result back after use needs no new page from its third frame on.

use crate::error::ComputeError;
use crate::memory::element::Word;
use crate::memory::host_memory::room_for;
use std::sync::{Mutex, PoisonError};

/// Most bytes that are kept; beyond it the memory that was given back first is freed.
const MOST_BYTES: usize = 512 << 20;
/// Smaller memory is not worth a search.
const LEAST_BYTES: usize = 64 << 10;
/// A result takes memory that is larger than it needs by at most this share of its size.
const SPARE_SHARE: usize = 8;

/// Vectors that were given back, the newest last.
#[derive(Debug, Default)]
pub(crate) struct ResultMemory {
    kept: Mutex<Vec<Vec<Word>>>,
}

/// Memory for a result.
#[derive(Debug)]
pub(crate) struct ResultRoom {
    /// An empty vector with room for the result.
    pub words: Vec<Word>,
    /// Whether the system has still to find pages for it.
    pub is_new: bool,
}

impl ResultMemory {
    /// An empty vector with room for `len` words: one that was given back, where one of that size is there.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`] with the bytes asked for.
    pub fn room(&self, len: usize) -> Result<ResultRoom, ComputeError> {
        match self.take(len) {
            Some(words) => Ok(ResultRoom { words, is_new: false }),
            None => Ok(ResultRoom { words: room_for(len)?, is_new: true }),
        }
    }

    /// The newest vector with room for `len` words and little more, emptied.
    pub fn take(&self, len: usize) -> Option<Vec<Word>> {
        if len * size_of::<Word>() < LEAST_BYTES {
            return None;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |words: &Vec<Word>| (len..=len + len / SPARE_SHARE).contains(&words.capacity());
        let mut words = kept.iter().rposition(fits).map(|nth| kept.remove(nth))?;
        words.clear();
        Some(words)
    }

    /// Keeps a vector whose content is not needed any more.
    pub fn keep(&self, words: Vec<Word>) {
        let bytes = |words: &Vec<Word>| words.capacity() * size_of::<Word>();
        if bytes(&words) < LEAST_BYTES {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(words);
        while kept.iter().map(bytes).sum::<usize>() > MOST_BYTES {
            kept.remove(0);
        }
    }

    /// Frees everything that is kept.
    pub fn clear(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = LEAST_BYTES;

    #[test]
    fn a_result_comes_in_memory_that_was_given_back_if_that_fits() {
        let memory = ResultMemory::default();
        let given = vec![7; LEN];
        let address = given.as_ptr();
        memory.keep(given);
        assert!(memory.room(2 * LEN).unwrap().is_new, "it is too small");
        assert!(memory.room(LEN / 2).unwrap().is_new, "it is too large");
        let room = memory.room(LEN - LEN / 10).unwrap();
        assert_eq!((room.words.as_ptr(), room.words.len(), room.is_new), (address, 0, false));
        assert!(memory.room(LEN).unwrap().is_new, "it is taken");
    }

    #[test]
    fn what_is_kept_has_a_limit_and_can_be_freed() {
        let memory = ResultMemory::default();
        let words = MOST_BYTES / size_of::<Word>() / 2;
        for len in [words, words - 8, words - 16] {
            memory.keep(Vec::with_capacity(len));
        }
        assert!(memory.take(words).is_none(), "the first is freed to keep the third");
        assert_eq!(memory.take(words - 8).map(|kept| kept.capacity()), Some(words - 8));
        memory.clear();
        assert!(memory.take(words - 16).is_none());
    }
}
