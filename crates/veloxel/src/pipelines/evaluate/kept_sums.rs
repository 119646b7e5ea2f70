//! What a measurement box by box has found so far, which a run that was ended leaves to the next one.

use crate::Result;
use crate::pipelines::boxes::SumStore;
use std::time::{Duration, Instant};
use veloxel_core::Grid;
use veloxel_measure::{FlowErrorSpread, FlowErrorSums, FoldingSums};

/// Keeping sums takes at most this share of the time.
const SHARE_OF_TIME: u32 = 20;

/// The sums of boxes that are seen twice.
pub(super) struct KeptSums<'a> {
    pub first: FlowErrorSums,
    pub folding: FoldingSums,
    /// How many boxes were seen, those of the second time as well.
    seen: u64,
    /// What an ended run had found the second time.
    second: Vec<u64>,
    store: Option<&'a mut dyn SumStore>,
    /// When sums were kept last, and how long that took.
    last: Option<(Instant, Duration)>,
}

impl<'a> KeptSums<'a> {
    /// Begins to measure on a grid, or goes on.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn of(grid: &Grid, store: Option<&'a mut dyn SumStore>) -> Result<Self> {
        let kept = store.as_ref().map_or(Ok(None), |store| store.kept())?;
        let (first, folding) = (FlowErrorSums::new(grid), FoldingSums::default());
        let mut sums = Self { first, folding, seen: 0, second: Vec::new(), store, last: None };
        let mut words = kept.into_iter().flatten();
        let Some(seen) = words.next() else { return Ok(sums) };
        // Numbers that are too few are those of nothing.
        if sums.first.take_words(&mut words) && sums.folding.take_words(&mut words) {
            (sums.seen, sums.second) = (seen, words.collect());
        } else {
            (sums.first, sums.folding) = (FlowErrorSums::new(grid), FoldingSums::default());
        }
        Ok(sums)
    }

    /// How many boxes were seen, those of the second time as well.
    pub fn seen(&self) -> usize {
        self.seen as usize
    }

    /// Gives the sums of the second time what an ended run had found.
    pub fn go_on_again(&mut self, again: &mut FlowErrorSpread) {
        let words = std::mem::take(&mut self.second);
        again.take_words(&mut words.into_iter());
    }

    /// A box was counted in; the sums are kept where that takes little of the time.
    pub fn saw_a_box(&mut self, again: Option<&mut FlowErrorSpread>) {
        self.seen += 1;
        let Some(store) = &mut self.store else { return };
        if self.last.is_some_and(|(end, taken)| end.elapsed() < SHARE_OF_TIME * taken) {
            return;
        }
        let begin = Instant::now();
        let mut words = vec![self.seen];
        self.first.put_words(&mut words);
        self.folding.put_words(&mut words);
        if let Some(again) = again {
            again.put_words(&mut words);
        }
        if store.keep(&words).is_err() {
            // A full disk ends no measurement.
            self.store = None;
        }
        self.last = Some((Instant::now(), begin.elapsed()));
    }
}
