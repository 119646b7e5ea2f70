//! Vectors of host memory that several threads fill, outside of any device: what comes in from a caller's memory, which may be
//! looked at while the caller waits alone.
//!
//! The threads are started for one vector and end with it. A pool's threads may be busy with another run, for which a caller that
//! holds a lock must not wait.

use crate::error::ComputeError;
use crate::memory::host_memory::{ask_for_large_pages, out_of_memory};
use crate::rows::Shared;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use veloxel_core::fallible;

/// Samples that a thread fills before it takes the next ones.
const PIECE: usize = if cfg!(miri) { 64 } else { 1 << 18 };

/// A vector of `len` samples, which up to `threads` threads fill; 0: as many as the machine has. `fill` is called with ranges
/// that cover `0..len`, each a multiple of `grain` samples long but for the last one, and with the memory of that range.
///
/// # Errors
/// [`ComputeError::OutOfMemory`].
///
/// # Safety
/// `fill` writes every sample of the memory that it is given.
pub unsafe fn filled<T: Copy + Send + Sync>(
    len: usize,
    grain: usize,
    threads: usize,
    fill: impl Fn(Range<usize>, &mut [MaybeUninit<T>]) + Sync,
) -> Result<Vec<T>, ComputeError> {
    let mut room: Vec<T> = fallible::room_for(len).ok_or_else(|| out_of_memory::<T>(len))?;
    ask_for_large_pages(room.spare_capacity_mut());
    let slots = &mut room.spare_capacity_mut()[..len];
    let piece = grain.max(1) * (PIECE / grain.max(1)).max(1);
    let (pieces, next) = (len.div_ceil(piece), AtomicUsize::new(0));
    if pieces < 2 {
        fill(0..len, slots);
    } else {
        let slots = Shared::new(slots);
        let work = || {
            loop {
                let begin = next.fetch_add(1, Ordering::Relaxed) * piece;
                if begin >= len {
                    return;
                }
                let range = begin..len.min(begin + piece);
                // SAFETY: every number is taken once, so that ranges do not overlap.
                fill(range.clone(), unsafe { slots.get_mut(range) });
            }
        };
        with_helpers(helpers(threads, pieces), &work);
    }
    // SAFETY: there is room for as many, and the caller promises that all of them were written.
    unsafe { room.set_len(len) };
    Ok(room)
}

/// The threads that help the calling one.
fn helpers(threads: usize, pieces: usize) -> usize {
    let all =
        if threads == 0 { std::thread::available_parallelism().map_or(1, |n| n.get()) } else { threads };
    all.min(pieces) - 1
}

/// Does the same work on the calling thread and on so many others, or as many as the system gives.
fn with_helpers(count: usize, work: &(impl Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 0..count {
            let room = fallible::room_for_thread();
            if room.and_then(|()| std::thread::Builder::new().spawn_scoped(scope, work)).is_err() {
                break;
            }
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_is_filled_once_in_whole_grains() {
        for (len, grain, threads) in [
            (0, 1, 2),
            (1, 1, 2),
            (PIECE, 7, 3),
            (5 * PIECE + 11, 1, 2),
            (6 * PIECE, 3 * PIECE, 0),
            (4000 * 77, 77, 3),
        ] {
            let fill = |range: Range<usize>, slots: &mut [MaybeUninit<u32>]| {
                assert!(
                    range.start.is_multiple_of(grain)
                        && (range.end.is_multiple_of(grain) || range.end == len)
                );
                for (slot, i) in slots.iter_mut().zip(range) {
                    slot.write(i as u32);
                }
            };
            // SAFETY: every slot is written.
            let found = unsafe { filled(len, grain, threads, fill) }.unwrap();
            assert!(found.into_iter().eq(0..len as u32), "{len} {grain} {threads}");
        }
    }
}
