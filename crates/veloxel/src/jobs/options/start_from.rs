//! Where the start of a pair comes from.

use crate::pipelines::StartKind;
use std::path::PathBuf;

/// What is known before the first warp.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StartFrom {
    /// Nothing.
    #[default]
    None,
    /// The shift between the centres of mass.
    CentreOfMass,
    /// A turn and a shift, found first.
    Rigid,
    /// A turn, a common scale and a shift, found first.
    Similarity,
    /// An affine map, found first.
    Affine,
    /// A linear transform from a file.
    Transform(PathBuf),
    /// Matches over the whole range of motion.
    Matches,
    /// A field from a file.
    Flow(PathBuf),
}

impl StartFrom {
    /// The file of a field or a transform.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Flow(path) | Self::Transform(path) => Some(path),
            _ => None,
        }
    }

    /// Without its data.
    pub(crate) fn kind(&self) -> StartKind {
        match self {
            Self::None => StartKind::None,
            Self::CentreOfMass | Self::Rigid | Self::Similarity | Self::Affine | Self::Transform(_) => {
                StartKind::Registration
            }
            Self::Matches => StartKind::Matches,
            Self::Flow(_) => StartKind::Flow,
        }
    }
}
