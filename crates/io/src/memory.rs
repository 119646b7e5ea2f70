//! Checks that there is enough memory before it is allocated.

use crate::context::Context;
use crate::error::IoError;
use veloxel_core::SystemMemory;

/// Refuses an allocation that the system has no room for (known on Linux; elsewhere only the allocator decides).
pub(crate) fn require(needed_bytes: u64, context: &Context) -> Result<(), IoError> {
    // Small ones are not worth a look at the system's figures.
    if needed_bytes < 1 << 28 {
        return Ok(());
    }
    match available_bytes() {
        Some(available_bytes) if needed_bytes > available_bytes => {
            Err(IoError::Memory { needed_bytes, available_bytes, path: context.path.to_owned() })
        }
        _ => Ok(()),
    }
}

fn available_bytes() -> Option<u64> {
    Some(SystemMemory::now()?.available_bytes)
}

/// An empty vector with room for `count` values, or a clear error.
pub(crate) fn room_for<T>(count: usize, context: &Context) -> Result<Vec<T>, IoError> {
    let needed_bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    require(needed_bytes, context)?;
    let mut room = Vec::new();
    room.try_reserve_exact(count).map_err(|_| IoError::Memory {
        needed_bytes,
        available_bytes: available_bytes().unwrap_or(0),
        path: context.path.to_owned(),
    })?;
    Ok(room)
}
