//! Which methods follow a stream pair by pair.

use veloxel_motion::{DenseDraft, TakenImages};

/// Frames that a method of pairs finds a flow from.
pub(super) const PAIR: usize = 2;

/// Whether a method takes pairs; the others are the phase-based engine's.
pub(super) fn takes_pairs(draft: &DenseDraft) -> bool {
    draft.method().takes == TakenImages::Pairs
}
