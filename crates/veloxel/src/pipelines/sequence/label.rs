//! Which field of a sequence, and what it is called.

use veloxel_motion::SequenceRole;

/// Which field of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLabel {
    /// Which series it belongs to.
    pub role: SequenceRole,
    /// The frame that it lives on, counted over those that are given.
    pub fixed: usize,
    /// The frame that it points into, counted over those that are given.
    pub moving: usize,
    /// The numbers of both in their sequence.
    pub numbers: [usize; 2],
    /// Its place among all fields: consecutive ones in order, then those of the reference.
    pub nth: usize,
    /// How many fields there are.
    pub count: usize,
}

impl FieldLabel {
    /// `consecutive_000_001`.
    pub fn name(&self) -> String {
        let series = if self.role == SequenceRole::Consecutive { "consecutive" } else { "reference" };
        let [fixed, moving] = self.numbers;
        format!("{series}_{fixed:03}_{moving:03}")
    }
}
