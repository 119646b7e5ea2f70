//! What is written once over any method: sequences and cycles of frames, tiles under a budget of memory, starts from matches,
//! both directions, and refinement.

pub mod beside;
pub mod cycle;
pub(crate) mod decorated;
pub(crate) mod inverse_consistency;
pub(crate) mod matches;
pub(crate) mod refined;
pub mod sample_memory;
pub mod sequence;
pub mod stream;
pub mod tiles;
