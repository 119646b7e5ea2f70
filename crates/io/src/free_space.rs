//! Whether the file system of an output has room for it, asked before hours of work end in a full disk.

use crate::error::{IoError, Result};
use std::path::Path;

/// Refuses an output of `needed_bytes` where less is free; where the system does not tell, nothing is refused.
///
/// # Errors
/// [`IoError::DiskFull`].
pub(crate) fn require_free(path: &Path, needed_bytes: u64) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match free_bytes(folder) {
        Some(free_bytes) if free_bytes < needed_bytes => {
            Err(IoError::DiskFull { needed_bytes, free_bytes, path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
