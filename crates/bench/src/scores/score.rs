//! The error and the time of one estimate.

use super::split::Half;
use serde::{Deserialize, Serialize};

/// The error and the time of one estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The set.
    pub set: String,
    /// The item of the set.
    pub item: String,
    /// The half that the item belongs to.
    pub half: Half,
    /// How it was estimated: our preset, or the peer's name.
    pub way: String,
    /// The error, in the set's unit; less is better.
    pub error: f64,
    /// Seconds that the estimate took, images in memory unless the set says otherwise; none where nothing is estimated.
    pub time_s: Option<f64>,
}
