//! What keeps a method from running.

use veloxel_core::CoreError;
use veloxel_core::parameters::ParameterError;
use veloxel_gpu::ComputeError;

/// A method could not run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The device failed.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// The inputs do not belong together, or hold NaN.
    #[error(transparent)]
    Input(#[from] CoreError),
    /// A parameter outside its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The images have nothing in common that an affine map could be found from.
    #[error("the affine start failed: {reason}; try --init centre-of-mass, or none")]
    Affine {
        /// What happened.
        reason: String,
    },
    /// Images that share no part of the world.
    #[error(
        "fixed and moving image do not overlap in the world: begin with --init centre-of-mass or --init affine, or mend their \
         headers (`veloxel info FILE` shows where each lies)"
    )]
    Apart,
    /// A volume where a picture is needed.
    #[error("{what} must be a picture (2-D), got a volume of {got}")]
    NotAPicture {
        /// Which input.
        what: String,
        /// Its size.
        got: String,
    },
    /// Frames that cannot be run as asked.
    #[error("the sequence cannot be run: {reason}")]
    Sequence {
        /// What was expected and what was given.
        reason: String,
    },
}

/// What something gives, or why it could not.
pub(crate) type Result<T, E = MotionError> = std::result::Result<T, E>;
