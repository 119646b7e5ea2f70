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
    /// Values of the set's further measures, in their order; empty for a way without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<f64>,
    /// The day and the machine of the run: `2026-11-28 on …`; empty for other programs, whose file says it once.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub measured: String,
}

impl Score {
    /// Whether both are scores of the same item by the same way.
    pub fn is_again(&self, other: &Self) -> bool {
        self.set == other.set && self.item == other.item && self.way == other.way
    }
}
