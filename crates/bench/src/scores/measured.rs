//! What a set's function gives for an item.

/// An error, the seconds that it took, and the set's further values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// How the item was estimated.
    pub way: &'static str,
    /// The error, in the set's unit.
    pub error: f64,
    /// Seconds; none where nothing is estimated.
    pub time_s: Option<f64>,
    /// Values of the set's further measures, in their order; empty for a way without them.
    pub further: Vec<f64>,
}

impl Measured {
    /// An error with its time.
    pub fn new(way: &'static str, error: f64, time_s: f64) -> Self {
        Self { time_s: Some(time_s), ..Self::untimed(way, error) }
    }

    /// An error whose time is part of another one's.
    pub fn untimed(way: &'static str, error: f64) -> Self {
        Self { way, error, time_s: None, further: Vec::new() }
    }

    /// This error with further values.
    pub fn with(self, further: impl Into<Vec<f64>>) -> Self {
        Self { further: further.into(), ..self }
    }
}
