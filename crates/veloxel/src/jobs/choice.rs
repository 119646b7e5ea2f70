//! What every run of a method is told beside its images.

use super::{DeviceChoice, ParameterChoice};
use std::path::PathBuf;
use veloxel_core::Flow;
use veloxel_io::Strictness;
use veloxel_motion::{AffineModel, Start};

/// What is known before the first warp.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum StartChoice {
    /// Nothing.
    #[default]
    None,
    /// The shift between the centres of mass.
    CentreOfMass,
    /// An affine map, found first.
    Affine,
    /// A field from a file.
    Flow(PathBuf),
}

impl StartChoice {
    /// The start as methods take it; `flow` is what the file holds.
    pub fn start<'a>(&self, flow: Option<&'a Flow>) -> Start<'a> {
        match self {
            Self::None => Start::Zero,
            Self::CentreOfMass => Start::Registration(AffineModel::CentreOfMass),
            Self::Affine => Start::Registration(AffineModel::Affine),
            Self::Flow(_) => flow.map_or(Start::Zero, Start::Flow),
        }
    }
}

/// Which directions of a pair are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Directions {
    /// Fixed to moving.
    #[default]
    Forward,
    /// Both: where they disagree the confidence falls.
    Both,
}

/// Choices that a pair and a sequence share.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunChoice {
    /// The method's parameters.
    pub parameters: ParameterChoice,
    /// Where it runs.
    pub device: DeviceChoice,
    /// One direction, or both.
    pub directions: Directions,
    /// Where data count.
    pub mask: Option<PathBuf>,
    /// Where volume is preserved (β), on the fixed grid; none: wherever data count.
    pub volume_mask: Option<PathBuf>,
    /// How headers are read.
    pub strictness: Strictness,
    /// The command as typed, for the report.
    pub command_line: String,
}
