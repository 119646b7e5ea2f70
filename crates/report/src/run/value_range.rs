//! The range of most of some values.

use serde::Serialize;
use veloxel_core::Volume;
use veloxel_measure::finite_quantiles;

/// The range of most of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ValueRange {
    /// 1 % of the values are at most this large.
    pub p1: f64,
    /// The median.
    pub p50: f64,
    /// 99 % of the values are at most this large.
    pub p99: f64,
}

impl ValueRange {
    /// The range of the finite values; none if there are none.
    pub fn of(volume: &Volume<f32>) -> Option<Self> {
        let [p1, p50, p99] = finite_quantiles(volume.data().iter().copied(), [0.01, 0.5, 0.99])?;
        Some(Self { p1, p50, p99 })
    }
}
