//! What the pipelines of dense flow share: which method, what it starts from, what is wanted, and how a flow becomes a result.

mod choice;
mod error;
mod image;
mod outcome;
mod start;
mod wanted;

pub use choice::{Directions, MethodChoice, Refinement};
pub use error::DenseError;
pub use image::{Image, PairNames};
pub(crate) use outcome::{Outcome, note_idle_volume_mask, view_of, warn_of_volume_change};
pub use outcome::{PairResult, PreparedPair};
pub use start::{PairStart, StartKind};
pub use wanted::{PairWanted, Wanted};
