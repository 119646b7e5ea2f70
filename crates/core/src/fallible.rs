//! Allocations whose failure the caller handles.

use std::cell::Cell;

thread_local! {
    static HANDLES_FAILURE: Cell<bool> = const { Cell::new(false) };
}

/// Runs an allocation whose failure the caller handles, such as a `try_reserve`. An allocator that ends the program where
/// memory is short leaves this one to the caller.
pub fn handling_failure<T>(allocate: impl FnOnce() -> T) -> T {
    let before = HANDLES_FAILURE.replace(true);
    let allocated = allocate();
    HANDLES_FAILURE.set(before);
    allocated
}

/// Whether the allocation that just failed on this thread has a caller who handles it; for global allocators.
pub fn handles_failure() -> bool {
    HANDLES_FAILURE.try_with(Cell::get).unwrap_or(false)
}

/// An empty vector with room for exactly `count` values; none where the system has no memory for them.
pub fn room_for<T>(count: usize) -> Option<Vec<T>> {
    let mut room = Vec::new();
    handling_failure(|| room.try_reserve_exact(count)).ok()?;
    Some(room)
}

/// What a thread begins with lies in so many bytes at most.
const THREAD_BYTES: usize = 1 << 14;

/// Looks whether there is memory for what the standard library keeps of a thread, before one is started. It takes that from the system
/// past every global allocator, and aborts the program where there is none; what was just given back is there.
///
/// # Errors
/// [`std::io::ErrorKind::OutOfMemory`].
pub fn room_for_thread() -> std::io::Result<()> {
    room_for::<u8>(THREAD_BYTES).map(drop).ok_or_else(|| std::io::ErrorKind::OutOfMemory.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_inside_is_handled() {
        assert!(!handles_failure());
        assert_eq!(handling_failure(|| (handles_failure(), handling_failure(handles_failure))), (true, true));
        assert!(!handles_failure());
    }

    #[test]
    fn room_that_is_nowhere_is_none() {
        assert_eq!(room_for::<u64>(usize::MAX / 16), None);
        assert_eq!(room_for::<u64>(7).map(|room| room.capacity()), Some(7));
        assert!(room_for_thread().is_ok());
    }
}
