//! What the pipelines of dense flow share: which method, what it starts from, what is wanted, and how a flow becomes a result.

mod choice;
mod error;
mod field_warnings;
mod image;
mod narrow;
mod opening;
mod outcome;
mod pair_wanted;
mod short;
mod start;
mod volume_change;
mod wanted;

pub use choice::{Directions, MethodChoice, Refinement};
pub use error::DenseError;
pub(crate) use field_warnings::{
    ImagesOfField, note_idle_volume_mask, suggest_cine, warn_of_vectors_outside,
};
pub use image::{Image, PairNames};
pub(crate) use narrow::{DOUBT, doubt_phases, doubt_unexplained, doubted_phases, is_narrow_for_phases};
pub(crate) use opening::Opening;
pub(crate) use outcome::{Outcome, view_of};
pub use outcome::{PairResult, PreparedPair};
pub use pair_wanted::PairWanted;
pub(crate) use short::doubt_short;
pub use start::{PairStart, StartKind};
pub(crate) use volume_change::{
    ChangedPlace, ChangedSpace, VolumeChange, preserves_volume, warn_of_volume_change,
};
pub use wanted::Wanted;
