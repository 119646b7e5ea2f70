//! Work in host memory that several threads do side by side, with the bits that one thread finds.
//!
//! *Order*: what parts found comes back in the order of the parts, and their number does not depend on that of the threads: sums over
//! it are the same on each machine.

use crate::{Control, Stopped};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Threads that share work: those of a processor as a device.
pub trait ThreadPool: Sync {
    /// How many there are.
    fn threads(&self) -> usize;

    /// Calls `work` with each number below `count` once, on any of the threads, and returns after the last call.
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync));
}

/// Who does a piece of a run's work, and the run's channel.
#[derive(Clone, Copy)]
pub struct Threads<'a> {
    pool: Option<&'a dyn ThreadPool>,
    control: &'a Control,
    tells: bool,
}

impl std::fmt::Debug for Threads<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threads")
            .field("count", &self.count())
            .field("tells", &self.tells)
            .finish_non_exhaustive()
    }
}

/// The calling thread alone.
impl<'a> From<&'a Control> for Threads<'a> {
    fn from(control: &'a Control) -> Self {
        Self::of(None, control)
    }
}

/// Number of parts that a range is cut into.
const PARTS: usize = 64;
/// Fewer samples are looked at by the calling thread: it is done before another one has woken up.
const FEWEST_SAMPLES: usize = 1 << 15;

impl<'a> Threads<'a> {
    /// The threads of a pool, or the calling one, for the run of a channel.
    pub fn of(pool: Option<&'a dyn ThreadPool>, control: &'a Control) -> Self {
        Self { pool, control, tells: false }
    }

    /// The channel of the run, which is asked before each part.
    pub fn control(self) -> &'a Control {
        self.control
    }

    /// How many threads work.
    pub fn count(self) -> usize {
        self.pool.map_or(1, ThreadPool::threads)
    }

    /// The calling thread alone, where there are too few samples for others.
    #[must_use]
    pub fn for_samples(self, samples: usize) -> Self {
        Self { pool: self.pool.filter(|_| samples >= FEWEST_SAMPLES), ..self }
    }

    /// The same threads, which report after each part how much of the [portion](Control::portion) at hand is done.
    #[must_use]
    pub fn telling(self) -> Self {
        Self { tells: true, ..self }
    }

    /// The same threads, which report nothing: what they do is a part of what is reported.
    #[must_use]
    pub fn silent(self) -> Self {
        Self { tells: false, ..self }
    }

    /// What `work` makes of each item, in their order.
    ///
    /// # Errors
    /// [`Stopped`]; items are left out then.
    pub fn each<T: Send, R: Send>(
        self,
        items: Vec<T>,
        work: impl Fn(T) -> R + Sync,
    ) -> Result<Vec<R>, Stopped> {
        let (count, done) = (items.len(), Mutex::new(0usize));
        let slots: Vec<_> = items.into_iter().map(|item| Mutex::new((Some(item), None))).collect();
        let one = |nth: usize| {
            if self.control.check().is_err() {
                return;
            }
            let Some(item) = locked(&slots[nth]).0.take() else { return };
            let found = work(item);
            locked(&slots[nth]).1 = Some(found);
            if self.tells {
                let mut done = locked(&done);
                *done += 1;
                // Of many items every so many. A stop is noticed before the next one.
                if *done * PARTS / count > (*done - 1) * PARTS / count {
                    let _ = self.control.step(*done as f64 / count as f64, [None; 2]);
                }
            }
        };
        match self.pool.filter(|pool| pool.threads() > 1 && count > 1) {
            Some(pool) => pool.each(count, &one),
            None => (0..count).for_each(one),
        }
        self.control.check()?;
        let found = |slot: Mutex<(Option<T>, Option<R>)>| {
            slot.into_inner().unwrap_or_else(PoisonError::into_inner).1.ok_or(Stopped)
        };
        slots.into_iter().map(found).collect()
    }

    /// Cuts `0..count` into 64 parts and gives what `part` found in each, in order; a part may be empty.
    ///
    /// # Errors
    /// [`Stopped`], also that of a part.
    pub fn in_parts<R: Send>(
        self,
        count: usize,
        part: impl Fn(Range<usize>) -> Result<R, Stopped> + Sync,
    ) -> Result<Vec<R>, Stopped> {
        let bound = |nth: usize| count / PARTS * nth + count % PARTS * nth / PARTS;
        let parts = (0..PARTS).map(|nth| bound(nth)..bound(nth + 1)).collect();
        self.each(parts, part)?.into_iter().collect()
    }

    /// Sums over `0..count` that depend neither on its parts nor on their order, as exact ones do: those that threads have added up, of
    /// which each saw some of the parts. There are no more of them than threads.
    ///
    /// # Errors
    /// [`Stopped`], also that of `add`.
    pub fn summed<S: Send>(
        self,
        count: usize,
        zero: impl Fn() -> S + Sync,
        add: impl Fn(&mut S, Range<usize>) -> Result<(), Stopped> + Sync,
    ) -> Result<Vec<S>, Stopped> {
        let sums = Mutex::new(Vec::new());
        self.in_parts(count, |part| {
            let free = locked(&sums).pop();
            let mut own = free.unwrap_or_else(&zero);
            add(&mut own, part)?;
            locked(&sums).push(own);
            Ok(())
        })?;
        Ok(sums.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `work` with pieces of several slices of one length, cut at the same places, at multiples of `grain`, and with the place of
    /// the first sample: what it found, in order.
    ///
    /// # Errors
    /// [`Stopped`]; samples are left as they were then.
    ///
    /// # Panics
    /// If the slices differ in length, or `grain` is 0.
    pub fn fill<T: Send, R: Send>(
        self,
        slices: &mut [Vec<T>],
        grain: usize,
        work: impl Fn(usize, &mut [&mut [T]]) -> Result<R, Stopped> + Sync,
    ) -> Result<Vec<R>, Stopped> {
        let len = slices.first().map_or(0, Vec::len);
        assert!(slices.iter().all(|slice| slice.len() == len), "slices should have one length");
        let piece = grain * len.div_ceil(grain).div_ceil(PARTS).max(1);
        let mut cuts: Vec<_> = slices.iter_mut().map(|slice| slice.chunks_mut(piece)).collect();
        let pieces = (0..len)
            .step_by(piece)
            .map(|begin| (begin, cuts.iter_mut().filter_map(Iterator::next).collect::<Vec<&mut [T]>>()));
        let pieces = pieces.collect();
        self.each(pieces, |(begin, mut own)| work(begin, &mut own))?.into_iter().collect()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observer, Stage, Step};
    use std::ops::ControlFlow;
    use std::sync::Arc;

    /// Threads that are started for each call.
    struct Started(usize);

    impl ThreadPool for Started {
        fn threads(&self) -> usize {
            self.0
        }

        fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| {
                for thread in 0..self.0 {
                    scope.spawn(move || (thread..count).step_by(self.0).for_each(work));
                }
            });
        }
    }

    #[test]
    fn parts_cover_each_place_once_and_in_order_for_any_number_of_threads() {
        let control = Control::default();
        for threads in [1, 2, 3, 5] {
            let pool = Started(threads);
            let threads = Threads::of(Some(&pool), &control);
            for count in [0, 1, 63, 64, 65, 1000] {
                let places = threads.in_parts(count, |range| Ok(range.collect::<Vec<_>>())).unwrap();
                assert_eq!((places.len(), places.concat()), (PARTS, (0..count).collect::<Vec<_>>()));
                let mut slices = [vec![0; count], vec![0; count]];
                let begins = threads.fill(&mut slices, 7, |begin, own| {
                    for (nth, slice) in own.iter_mut().enumerate() {
                        slice.iter_mut().zip(begin..).for_each(|(sample, place)| *sample = place + nth);
                    }
                    Ok(begin)
                });
                assert!(begins.unwrap().iter().all(|begin| begin.is_multiple_of(7)));
                assert!(slices[0].iter().copied().eq(0..count) && slices[1].iter().copied().eq(1..=count));
            }
        }
    }

    #[test]
    fn sums_have_every_place_once() {
        let (control, pool) = (Control::default(), Started(3));
        let threads = Threads::of(Some(&pool), &control);
        let sums = threads.summed(
            1000,
            || 0,
            |sum, part| {
                *sum += part.sum::<usize>();
                Ok(())
            },
        );
        let sums = sums.unwrap();
        assert!((1..=3).contains(&sums.len()) && sums.iter().sum::<usize>() == 499_500, "{sums:?}");
    }

    #[test]
    fn a_stop_of_a_part_or_of_the_run_ends_it() {
        let (control, pool) = (Control::default(), Started(2));
        let threads = Threads::of(Some(&pool), &control);
        assert_eq!(
            threads.in_parts(9, |range| if range.contains(&4) { Err(Stopped) } else { Ok(()) }),
            Err(Stopped)
        );
        control.stop();
        assert_eq!(threads.each(vec![1], |_| panic!("no item is begun")), Err::<Vec<()>, _>(Stopped));
    }

    #[test]
    fn what_is_done_is_told_and_never_becomes_less() {
        #[derive(Default)]
        struct Recorder(Mutex<Vec<f64>>);
        impl Observer for Recorder {
            fn step(&self, step: Step) -> ControlFlow<()> {
                locked(&self.0).push(step.done);
                ControlFlow::Continue(())
            }
        }
        let recorder = Arc::new(Recorder::default());
        let (control, pool) = (Control::followed_by(recorder.clone()), Started(3));
        control.enter(Stage::Measure).unwrap();
        Threads::of(Some(&pool), &control).telling().in_parts(1000, |_| Ok(())).unwrap();
        let told = locked(&recorder.0);
        assert!(told.is_sorted() && told.last() == Some(&1.0) && told.len() > PARTS, "{told:?}");
    }
}
