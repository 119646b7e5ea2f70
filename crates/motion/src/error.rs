//! What keeps a method from running.

use crate::method::uses::GivenInput;
use veloxel_core::parameters::ParameterError;
use veloxel_core::{CoreError, Diagnosis, ErrorKind, Hint, Stopped};
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
    /// Something that the method does not use.
    #[error("{method} does not {}: {}", input.what_is_done(), whoever(used_by))]
    NotUsed {
        /// The method.
        method: &'static str,
        /// What it was given.
        input: GivenInput,
        /// The methods that use it.
        used_by: Vec<&'static str>,
    },
    /// The images have nothing in common that an affine map could be found from.
    #[error("the affine start failed: {reason}; begin from the centres of mass, or from nothing")]
    Affine {
        /// What happened.
        reason: String,
    },
    /// Images that share no part of the world.
    #[error(
        "fixed and moving image do not overlap in the world: begin from their centres of mass or from an affine map, or mend their \
         headers"
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
    /// Something that the caller of a run does for it failed: reading a box of an image, or keeping a tile.
    #[error("{text}")]
    Elsewhere {
        /// What failed.
        text: String,
        /// What kind of failure that is.
        kind: ErrorKind,
        /// What would mend it.
        hint: Option<Hint>,
    },
    /// The run was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl MotionError {
    /// What an error means to a run that it was met in.
    pub fn elsewhere(error: &(impl Diagnosis + std::fmt::Display)) -> Self {
        match error.kind() {
            ErrorKind::Stopped => Self::Stopped(Stopped),
            kind => Self::Elsewhere { text: error.to_string(), kind, hint: error.hint() },
        }
    }
}

/// `clg does`, or `clg and fe do`.
fn whoever(methods: &[&str]) -> String {
    match methods {
        [] => "no method does".to_owned(),
        [one] => format!("{one} does"),
        [others @ .., last] => format!("{} and {last} do", others.join(", ")),
    }
}

impl Diagnosis for MotionError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Compute(error) => error.kind(),
            Self::Input(error) => error.kind(),
            Self::Parameter(error) => error.kind(),
            Self::Affine { .. } | Self::Apart | Self::NotAPicture { .. } | Self::Sequence { .. } => {
                ErrorKind::Input
            }
            Self::NotUsed { .. } => ErrorKind::Parameter,
            Self::Elsewhere { kind, .. } => *kind,
            Self::Stopped(error) => error.kind(),
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Compute(error) => error.hint(),
            Self::Input(error) => error.hint(),
            Self::Parameter(error) => error.hint(),
            Self::NotUsed { input, .. } => Some(input.hint()),
            Self::Affine { .. } | Self::Apart => Some(Hint::Start),
            Self::Sequence { .. } => Some(Hint::Engine),
            Self::Elsewhere { hint, .. } => *hint,
            _ => None,
        }
    }
}

/// What something gives, or why it could not.
pub(crate) type Result<T, E = MotionError> = std::result::Result<T, E>;
