//! The memory that the readers of one session may take, all of them together.
//!
//! A reader claims what a header declares before it decodes anything: the bytes of the file where it holds them, what
//! its decoder gives out, and the samples as 32-bit floats. What a decoder keeps beside that (tables, rows, palettes)
//! stays below 64 MiB and is not counted.
//! Without a limit of the caller's, half of the memory that is free counts: see [`SystemMemory`].

use crate::error::{IoError, Result};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use veloxel_core::SystemMemory;

/// Up to here the system's figures are not looked at.
const SMALL_BYTES: u64 = 64 << 20;

/// What the readers that share it have claimed. Clones are the same budget.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecodeBudget(Arc<Mutex<Ledger>>);

#[derive(Debug, Default)]
struct Ledger {
    claimed_bytes: u64,
    /// Half of what was free when claims became large; none while they are small.
    share_bytes: Option<u64>,
}

impl DecodeBudget {
    /// A claim of no byte yet.
    pub fn claim(&self) -> Claim {
        Claim { bytes: 0, budget: self.clone() }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a budget; dropped, they can be claimed again.
#[derive(Debug)]
pub(crate) struct Claim {
    bytes: u64,
    budget: DecodeBudget,
}

impl Claim {
    /// Claims more, for a file; `max_bytes` is the limit of all claims together, none: half of what is free.
    ///
    /// # Errors
    /// [`IoError::Memory`] beyond the limit.
    pub fn add(&mut self, bytes: u64, max_bytes: Option<u64>, path: &Path) -> Result<()> {
        let mut ledger = self.budget.ledger();
        let needed_bytes = ledger.claimed_bytes.saturating_add(bytes);
        if let Some(budget_bytes) = ledger.limit(needed_bytes, max_bytes).filter(|b| needed_bytes > *b) {
            return Err(IoError::Memory { needed_bytes, budget_bytes, path: path.to_owned() });
        }
        ledger.claimed_bytes = needed_bytes;
        self.bytes += bytes;
        Ok(())
    }
}

impl Ledger {
    /// The limit for so many bytes; none if they are few, or if the system does not say what is free.
    fn limit(&mut self, claimed_bytes: u64, max_bytes: Option<u64>) -> Option<u64> {
        if max_bytes.is_some() || claimed_bytes <= SMALL_BYTES {
            return max_bytes;
        }
        if self.share_bytes.is_none() {
            self.share_bytes = SystemMemory::now().map(|memory| memory.available_bytes / 2);
        }
        self.share_bytes
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let mut ledger = self.budget.ledger();
            ledger.claimed_bytes -= self.bytes;
            if ledger.claimed_bytes <= SMALL_BYTES {
                ledger.share_bytes = None;
            }
        }
    }
}
