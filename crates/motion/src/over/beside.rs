//! Pieces of work larger than memory: while one is computed, the next one is read on a thread of its own, and the one before is written
//! on another. Never more than one of each waits.

use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use veloxel_core::Stopped;
use veloxel_gpu::ComputeError;

/// Takes a piece.
pub type Deliver<'a, T, E> = dyn FnMut(T) -> Result<(), E> + 'a;
/// Hands a piece over.
pub type HandOver<'a, T, E> = dyn Fn(T) -> Result<(), E> + 'a;

/// Works through the pieces that `read` delivers on a thread of its own: `compute` takes each on the calling thread, in their order, and
/// hands what comes of it to its second argument, which `write` gets on a third thread. All of them are written when this returns.
///
/// # Errors
/// What `read`, `compute` and `write` fail with; [`ComputeError::Threads`] where a thread does not start.
pub fn read_and_written_beside<R: Send, W: Send, E: From<ComputeError> + From<Stopped> + Send>(
    read: impl FnOnce(&mut Deliver<'_, R, E>) -> Result<(), E> + Send,
    compute: impl FnMut(R, &HandOver<'_, W, E>) -> Result<(), E>,
    mut write: impl FnMut(W) -> Result<(), E> + Send,
) -> Result<(), E> {
    beside(read, compute, move |computed| computed.into_iter().try_for_each(&mut write))
}

/// Works as [`read_and_written_beside`] does. The third thread calls `follow` with each piece that was handed over, and without one as
/// long as none waits and the last call said that there may be more to do; what is left of that when the last piece was taken is left
/// to the caller. A piece waits for the end of one call at most.
///
/// # Errors
/// As [`read_and_written_beside`].
pub fn read_and_followed_beside<R: Send, W: Send, E: From<ComputeError> + From<Stopped> + Send>(
    read: impl FnOnce(&mut Deliver<'_, R, E>) -> Result<(), E> + Send,
    compute: impl FnMut(R, &HandOver<'_, W, E>) -> Result<(), E>,
    mut follow: impl FnMut(Option<W>) -> Result<bool, E> + Send,
) -> Result<(), E> {
    beside(read, compute, move |computed| {
        let mut has_more = false;
        loop {
            let piece = match has_more {
                true => computed.try_recv(),
                false => computed.recv().map_err(TryRecvError::from),
            };
            has_more = match piece {
                Ok(piece) => follow(Some(piece))?,
                Err(TryRecvError::Empty) => follow(None)?,
                Err(TryRecvError::Disconnected) => return Ok(()),
            };
        }
    })
}

/// Reads on one thread, computes on the calling one, and writes on a third.
fn beside<R: Send, W: Send, E: From<ComputeError> + From<Stopped> + Send>(
    read: impl FnOnce(&mut Deliver<'_, R, E>) -> Result<(), E> + Send,
    mut compute: impl FnMut(R, &HandOver<'_, W, E>) -> Result<(), E>,
    write: impl FnOnce(Receiver<W>) -> Result<(), E> + Send,
) -> Result<(), E> {
    std::thread::scope(|scope| {
        let (to_compute, pieces) = sync_channel(0);
        let (to_write, computed) = sync_channel(0);
        // Nobody listens any more once something else has failed, which tells why.
        let reading = move || {
            let mut deliver = |piece| to_compute.send(Ok(piece)).map_err(|_| Stopped.into());
            if let Err(error) = read(&mut deliver) {
                let _ = to_compute.send(Err(error));
            }
        };
        spawn(scope, reading)?;
        let writer = spawn(scope, move || write(computed))?;
        let hand_over = |piece| to_write.send(piece).map_err(|_| Stopped.into());
        let all = pieces.into_iter().try_for_each(|piece: Result<R, E>| compute(piece?, &hand_over));
        drop(to_write);
        match writer.join() {
            Ok(written) => written.and(all),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, ComputeError> {
    let no_thread = |error: std::io::Error| ComputeError::Threads { threads: 1, reason: error.to_string() };
    Builder::new().spawn_scoped(scope, work).map_err(no_thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::MotionError;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn pieces_stay_in_order_and_at_most_one_waits_on_either_side() {
        let (read, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut found = Vec::new();
        read_and_written_beside(
            |deliver: &mut Deliver<'_, usize, MotionError>| {
                (0..20).try_for_each(|piece| {
                    read.store(piece + 1, Ordering::SeqCst);
                    deliver(piece)
                })
            },
            |piece, hand_over| {
                // One is here, one waits.
                assert!(read.load(Ordering::SeqCst) <= piece + 2);
                assert!(written.load(Ordering::SeqCst) + 1 >= piece);
                hand_over(2 * piece)
            },
            |piece| {
                found.push(piece);
                written.fetch_add(1, Ordering::SeqCst);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(found, (0..20).map(|piece| 2 * piece).collect::<Vec<_>>());
    }

    #[test]
    fn what_follows_goes_on_between_pieces_and_makes_none_wait_for_all_of_it() {
        let (done, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        read_and_followed_beside(
            |deliver: &mut Deliver<'_, usize, MotionError>| (0..5).try_for_each(deliver),
            |piece, hand_over: &HandOver<'_, usize, MotionError>| {
                // Ten pieces of work follow each.
                while done.load(Ordering::SeqCst) < 10 * piece.min(3) {
                    std::thread::yield_now();
                }
                hand_over(piece)
            },
            |piece| {
                match piece {
                    Some(piece) => assert_eq!(taken.fetch_add(1, Ordering::SeqCst), piece),
                    None => drop(done.fetch_add(1, Ordering::SeqCst)),
                }
                Ok(done.load(Ordering::SeqCst) < 10 * taken.load(Ordering::SeqCst))
            },
        )
        .unwrap();
        assert_eq!(taken.into_inner(), 5);
        let done = done.into_inner();
        assert!((30..=50).contains(&done), "{done}: the rest is the caller's");
    }

    #[test]
    fn what_follows_ends_all_by_its_failure() {
        let fails_at = |nth: usize| {
            let mut calls = 0;
            read_and_followed_beside(
                |deliver: &mut Deliver<'_, usize, MotionError>| (0..9).try_for_each(deliver),
                |piece, hand_over: &HandOver<'_, usize, MotionError>| hand_over(piece),
                |_| {
                    calls += 1;
                    if calls > nth { Err(MotionError::Apart) } else { Ok(true) }
                },
            )
        };
        for nth in [0, 1, 8] {
            assert_eq!(fails_at(nth), Err(MotionError::Apart));
        }
    }

    #[test]
    fn the_first_failure_ends_all_and_is_told() {
        let run = |read_until: usize, compute_until: usize, write_until: usize| {
            let until = |end: usize, piece: usize| if piece < end { Ok(()) } else { Err(MotionError::Apart) };
            read_and_written_beside(
                |deliver: &mut Deliver<'_, usize, MotionError>| {
                    (0..9).try_for_each(|piece| until(read_until, piece).and_then(|()| deliver(piece)))
                },
                |piece, hand_over: &HandOver<'_, usize, MotionError>| {
                    until(compute_until, piece).and_then(|()| hand_over(piece))
                },
                |piece| until(write_until, piece),
            )
        };
        assert_eq!(run(9, 9, 9), Ok(()));
        for ends in [[0, 9, 9], [3, 9, 9], [9, 3, 9], [9, 9, 0], [9, 9, 8]] {
            let [read, compute, write] = ends;
            assert_eq!(run(read, compute, write), Err(MotionError::Apart), "{ends:?}");
        }
    }
}
