//! What a set's function gives for an item.

/// An error and the seconds that it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    /// How the item was estimated.
    pub way: &'static str,
    /// The error, in the set's unit.
    pub error: f64,
    /// Seconds; none where nothing is estimated.
    pub time_s: Option<f64>,
}

impl Measured {
    /// An error with its time.
    pub fn new(way: &'static str, error: f64, time_s: f64) -> Self {
        Self { way, error, time_s: Some(time_s) }
    }
}
