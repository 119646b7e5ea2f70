//! Real data that benches are measured on, named by the environment.

use crate::BenchError;
use std::path::PathBuf;

/// A path below the folder that `VELOXEL_DATA` names.
pub(super) fn data(below: &str) -> Result<PathBuf, BenchError> {
    let folder = std::env::var_os("VELOXEL_DATA").map(PathBuf::from);
    match folder.map(|f| f.join(below)) {
        Some(path) if path.exists() => Ok(path),
        Some(path) => Err(BenchError::NoData { missing: path.display().to_string() }),
        None => Err(BenchError::NoData { missing: below.to_owned() }),
    }
}
