//! The devices of the machine.

use pyo3::prelude::*;

/// Every kind of device, and why the absent ones are, as JSON.
#[pyfunction]
pub fn devices(py: Python<'_>) -> String {
    let all = py.detach(veloxel::session::devices);
    serde_json::to_string(&all).unwrap_or_default()
}
