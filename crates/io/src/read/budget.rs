//! The memory that readers of this process may take, all of them together.
//!
//! A reader claims what a header declares before it decodes anything: the bytes of the file where it holds them, what
//! its decoder gives out, and the samples as 32-bit floats. What a decoder keeps beside that (tables, rows, palettes)
//! stays below 64 MiB and is not counted.
//! Without a budget of the caller's, half of the memory that is free counts: see [`SystemMemory`].

use crate::error::{IoError, Result};
use crate::read::reading::Reading;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use veloxel_core::SystemMemory;

/// Up to here the system's figures are not looked at.
const SMALL_BYTES: u64 = 64 << 20;

/// Memory belongs to the process, whoever reads in it: hence one ledger for all.
static LEDGER: Mutex<Ledger> = Mutex::new(Ledger { claimed_bytes: 0, share_bytes: None });

struct Ledger {
    claimed_bytes: u64,
    /// Half of what was free when claims became large; none while they are small.
    share_bytes: Option<u64>,
}

fn ledger() -> MutexGuard<'static, Ledger> {
    LEDGER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes in the ledger; dropped, they leave it.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    bytes: u64,
}

impl Claim {
    /// Claims more, for a file.
    ///
    /// # Errors
    /// [`IoError::Memory`] beyond the budget.
    pub fn add(&mut self, bytes: u64, reading: Reading, path: &Path) -> Result<()> {
        let mut ledger = ledger();
        let needed_bytes = ledger.claimed_bytes.saturating_add(bytes);
        if let Some(budget_bytes) = budget(&mut ledger, needed_bytes, reading).filter(|b| needed_bytes > *b) {
            return Err(IoError::Memory { needed_bytes, budget_bytes, path: path.to_owned() });
        }
        ledger.claimed_bytes = needed_bytes;
        self.bytes += bytes;
        Ok(())
    }
}

/// The budget for so many bytes; none if they are few, or if the system does not say what is free.
fn budget(ledger: &mut Ledger, claimed_bytes: u64, reading: Reading) -> Option<u64> {
    if reading.max_decode_bytes.is_some() || claimed_bytes <= SMALL_BYTES {
        return reading.max_decode_bytes;
    }
    if ledger.share_bytes.is_none() {
        ledger.share_bytes = SystemMemory::now().map(|memory| memory.available_bytes / 2);
    }
    ledger.share_bytes
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let mut ledger = ledger();
            ledger.claimed_bytes -= self.bytes;
            if ledger.claimed_bytes <= SMALL_BYTES {
                ledger.share_bytes = None;
            }
        }
    }
}
