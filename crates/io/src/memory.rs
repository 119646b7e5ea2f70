//! Room for samples that is claimed before it is allocated.

use crate::context::Context;
use crate::error::{IoError, Result};

/// An empty vector with room for `count` values, within the budget, or a clear error.
pub(crate) fn room_for<T>(count: usize, context: &Context) -> Result<Vec<T>> {
    let needed_bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    context.claim(needed_bytes)?;
    let mut room = Vec::new();
    // The system may have less than it said.
    let refused = |_| IoError::Memory { needed_bytes, budget_bytes: 0, path: context.path.to_owned() };
    room.try_reserve_exact(count).map_err(refused)?;
    Ok(room)
}
