//! Memory of a field on the processor: each component is a buffer of its own, and together they lie one after the other, so that
//! the field leaves the device without a copy.

use crate::memory::element::Word;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

/// The memory of all components. Only the parts have access to its words.
#[derive(Debug)]
struct WholeMemory {
    start: NonNull<Word>,
    len: usize,
    capacity: usize,
}

// SAFETY: it is plain memory; its words are reached through the parts alone, of which each has its own.
unsafe impl Send for WholeMemory {}
// SAFETY: as above.
unsafe impl Sync for WholeMemory {}

impl WholeMemory {
    fn new(words: Vec<Word>) -> Self {
        let mut words = ManuallyDrop::new(words);
        let start = NonNull::new(words.as_mut_ptr()).unwrap_or(NonNull::dangling());
        Self { start, len: words.len(), capacity: words.capacity() }
    }

    fn into_words(self) -> Vec<Word> {
        let this = ManuallyDrop::new(self);
        // SAFETY: taken apart by `new`, and put together once: the value is not dropped.
        unsafe { Vec::from_raw_parts(this.start.as_ptr(), this.len, this.capacity) }
    }
}

impl Drop for WholeMemory {
    fn drop(&mut self) {
        // SAFETY: taken apart by `new`, and put together once: a value whose words were taken is not dropped.
        drop(unsafe { Vec::from_raw_parts(self.start.as_ptr(), self.len, self.capacity) });
    }
}

/// The memory of one component, which has sole access to its words.
#[derive(Debug)]
pub(crate) struct PlanarPart {
    whole: Arc<WholeMemory>,
    nth: usize,
    len: usize,
}

impl PlanarPart {
    /// Divides words into `count` parts of `len` words each, in their order; none may be left.
    pub fn divide(words: Vec<Word>, count: usize, len: usize) -> Vec<Self> {
        assert_eq!(count * len, words.len(), "the parts should have all words");
        let whole = Arc::new(WholeMemory::new(words));
        (0..count).map(|nth| Self { whole: whole.clone(), nth, len }).collect()
    }

    pub fn words(&self) -> &[Word] {
        // SAFETY: inside the whole; the ranges of parts do not overlap, and there is one part for each.
        unsafe { std::slice::from_raw_parts(self.start(), self.len) }
    }

    pub fn words_mut(&mut self) -> &mut [Word] {
        // SAFETY: as above, and nobody else has this part.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len) }
    }

    fn start(&self) -> *mut Word {
        // SAFETY: the whole has this many words.
        unsafe { self.whole.start.as_ptr().add(self.nth * self.len) }
    }

    /// Puts the parts of one memory together, without a copy; parts that are not all of one memory, in their order, are returned.
    pub fn join(parts: Vec<Self>) -> Result<Vec<Word>, Vec<Self>> {
        let is_next =
            |(nth, part): (usize, &Self)| nth == part.nth && Arc::ptr_eq(&part.whole, &parts[0].whole);
        let words = parts.iter().map(|part| part.len).sum::<usize>();
        let are_all = parts.first().is_some_and(|first| first.whole.len == words);
        if !are_all || !parts.iter().enumerate().all(is_next) {
            return Err(parts);
        }
        let whole = parts[0].whole.clone();
        drop(parts);
        Ok(Arc::into_inner(whole).expect("nothing but its parts should hold the whole").into_words())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_alone_and_leave_as_one() {
        let words: Vec<Word> = vec![0; 12];
        let address = words.as_ptr();
        let mut parts = PlanarPart::divide(words, 3, 4);
        for (nth, part) in parts.iter_mut().enumerate() {
            part.words_mut().fill(nth as Word + 1);
        }
        assert_eq!(parts[1].words(), [2; 4]);
        let all = PlanarPart::join(parts).unwrap();
        assert_eq!((all.as_ptr(), &all[..]), (address, &[1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3][..]));
    }

    #[test]
    fn parts_that_are_not_the_whole_are_returned() {
        let mut parts = PlanarPart::divide(vec![5; 6], 3, 2);
        parts.swap(0, 1);
        let mut parts = PlanarPart::join(parts).unwrap_err();
        parts.pop();
        let parts = PlanarPart::join(parts).unwrap_err();
        assert_eq!(parts[1].words(), [5; 2]);
        let mut mixed = PlanarPart::divide(vec![1; 4], 2, 2);
        mixed.truncate(1);
        mixed.extend(PlanarPart::divide(vec![2; 4], 2, 2).pop());
        assert_eq!(PlanarPart::join(mixed).unwrap_err().len(), 2);
    }
}
