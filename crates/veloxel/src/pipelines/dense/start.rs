//! What is known of a pair's motion before the first step.

use veloxel_core::Flow;
use veloxel_motion::{AffineModel, Start};

/// What is known before the first warp.
#[derive(Debug, Clone, Copy, Default)]
pub enum PairStart<'a> {
    /// Nothing.
    #[default]
    None,
    /// The shift between the centres of mass, which is found first.
    CentreOfMass,
    /// An affine map, which is found first.
    Affine,
    /// Matches over the whole range of motion, which are found first, both ways.
    Matches,
    /// A flow on the fixed grid.
    Flow(&'a Flow),
}

/// What a pair starts from, without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartKind {
    /// Nothing.
    #[default]
    None,
    /// A map that is found first: the shift between the centres of mass, or an affine one.
    Registration,
    /// Matches over the whole range of motion.
    Matches,
    /// A flow that is given.
    Flow,
}

impl<'a> PairStart<'a> {
    /// Without its data.
    pub fn kind(&self) -> StartKind {
        match self {
            Self::None => StartKind::None,
            Self::CentreOfMass | Self::Affine => StartKind::Registration,
            Self::Matches => StartKind::Matches,
            Self::Flow(_) => StartKind::Flow,
        }
    }

    /// As methods take it: those that begin from matches find them on their own.
    pub(crate) fn of_method(&self) -> Start<'a> {
        match self {
            Self::None | Self::Matches => Start::Zero,
            Self::CentreOfMass => Start::Registration(AffineModel::CentreOfMass),
            Self::Affine => Start::Registration(AffineModel::Affine),
            Self::Flow(flow) => Start::Flow(flow),
        }
    }
}
