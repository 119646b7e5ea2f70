//! Every method that finds the parts of a mesh, by name.

use crate::cuts::CutsParams;
use crate::fuzzy::FuzzyParams;
use veloxel_core::parameters::{MethodDraft, MethodEntry, MethodParameters};

/// A method that finds the parts of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartsMethod {
    /// Agglomeration: a tree with the parts for every number of parts ([`cuts`](crate::cuts())).
    Cuts,
    /// Fuzzy clustering around medoids, which gives probabilities ([`fuzzy_clustering`](crate::fuzzy_clustering)).
    Fuzzy,
}

/// Every method that finds parts; the first is the one that faces begin with.
pub static PARTS_METHODS: [PartsMethod; 2] = [PartsMethod::Cuts, PartsMethod::Fuzzy];

/// A method that finds parts, with a preset and settings.
pub type PartsDraft = MethodDraft<PartsMethod>;

impl MethodEntry for PartsMethod {
    fn table() -> &'static [Self] {
        &PARTS_METHODS
    }

    fn parameters(&self) -> &MethodParameters {
        static CUTS: MethodParameters = MethodParameters::of::<CutsParams>();
        static FUZZY: MethodParameters = MethodParameters::of::<FuzzyParams>();
        match self {
            Self::Cuts => &CUTS,
            Self::Fuzzy => &FUZZY,
        }
    }
}
