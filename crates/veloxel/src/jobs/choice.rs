//! What every run of a method is told beside its images.

use super::{DeviceChoice, ParameterChoice};
use std::path::PathBuf;
use veloxel_io::Strictness;

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

/// Choices that a pair and a sequence share.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunChoice {
    /// The method's parameters.
    pub parameters: ParameterChoice,
    /// Where it runs.
    pub device: DeviceChoice,
    /// Where data count.
    pub mask: Option<PathBuf>,
    /// Where volume is preserved (β), on the fixed grid; none: wherever data count.
    pub volume_mask: Option<PathBuf>,
    /// How headers are read.
    pub strictness: Strictness,
    /// The command as typed, for the report.
    pub command_line: String,
}
