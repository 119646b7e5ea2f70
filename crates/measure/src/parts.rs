//! Work over many places in parts, on as many threads as the processor has.
//!
//! The number of parts does not depend on that of the threads, and what the parts found comes back in their order: sums over it are
//! the same on each machine.

use std::ops::Range;
use veloxel_core::Stopped;

/// Number of parts.
const PARTS: usize = 64;

/// What some of the parts found.
type Found<T> = Result<Vec<T>, Stopped>;

/// Some of the parts: a thread works on them, or, where none could start, they are done already.
enum Share<'scope, T> {
    Running(std::thread::ScopedJoinHandle<'scope, Found<T>>),
    Done(Found<T>),
}

impl<T> Share<'_, T> {
    fn wait(self) -> Found<T> {
        match self {
            Self::Running(thread) => thread.join().expect("no thread should have failed"),
            Self::Done(found) => found,
        }
    }
}

/// Cuts `0..count` into parts and gives what `part` found in each, in order; a part may be empty.
///
/// # Errors
/// The [`Stopped`] of the first part that has one; all threads have ended by then.
pub fn in_parts<T: Send>(
    count: usize,
    part: impl Fn(Range<usize>) -> Result<T, Stopped> + Sync,
) -> Result<Vec<T>, Stopped> {
    let part = &part;
    let bound = |nth: usize| count / PARTS * nth + count % PARTS * nth / PARTS;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(PARTS);
    let of_thread = move |nth: usize| -> Found<T> {
        (PARTS * nth / threads..PARTS * (nth + 1) / threads)
            .map(|nth| part(bound(nth)..bound(nth + 1)))
            .collect()
    };
    std::thread::scope(|scope| {
        let spawn = |nth| match std::thread::Builder::new().spawn_scoped(scope, move || of_thread(nth)) {
            Ok(thread) => Share::Running(thread),
            Err(_) => Share::Done(of_thread(nth)),
        };
        let shares: Vec<_> = (0..threads).map(spawn).collect();
        // Every thread is waited for before the first stop is told.
        let found: Vec<_> = shares.into_iter().map(Share::wait).collect();
        let mut all = Vec::with_capacity(PARTS);
        for mut found in found.into_iter().collect::<Result<Vec<_>, _>>()? {
            all.append(&mut found);
        }
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_each_place_once_and_in_order() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let places = in_parts(count, |range| Ok(range.collect::<Vec<_>>())).unwrap().concat();
            assert_eq!(places, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(in_parts(9, |range| if range.contains(&4) { Err(Stopped) } else { Ok(()) }), Err(Stopped));
    }
}
