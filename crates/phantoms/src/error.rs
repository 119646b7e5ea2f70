//! Errors of making a phantom.

use veloxel_core::{CoreError, Diagnosis, ErrorKind, Hint, Stopped};

/// Arguments from which no phantom can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PhantomError {
    /// A grid that is not possible.
    #[error(transparent)]
    Grid(#[from] CoreError),
    /// Another name than those of the phantoms.
    #[error("there is no phantom {got}; there are {known}")]
    Unknown {
        /// The name.
        got: String,
        /// The names there are.
        known: String,
    },
    /// A size of too few or too many numbers.
    #[error("the phantom {phantom} takes {}, got {got}", axes(phantom))]
    Axes {
        /// The phantom's name.
        phantom: &'static str,
        /// How many numbers came.
        got: usize,
    },
    /// A size in which nothing could be seen.
    #[error("a phantom needs at least {least} voxels along an axis, got {got}")]
    TooSmall {
        /// The fewest voxels.
        least: usize,
        /// The shortest side that was asked for.
        got: usize,
    },
    /// A setting that the phantom does not use.
    #[error("the phantom {phantom} does not use {what}")]
    Unused {
        /// The phantom's name.
        phantom: &'static str,
        /// The setting.
        what: &'static str,
    },
    /// Noise outside of its range.
    #[error("the noise of a phantom has to lie in [0, 1], got {got}")]
    Noise {
        /// The standard deviation that was asked for.
        got: f64,
    },
    /// A size for which this machine has too little memory.
    #[error("a phantom of this size needs {:.1} GiB of memory, {:.1} GiB are free", gib(*needed), gib(*free))]
    Memory {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The work was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A picture where a volume is needed.
    #[error("the heart phantom needs a 3-D grid, got {got}")]
    NeedsVolume {
        /// The grid's size, as text.
        got: String,
    },
    /// A sequence with too few frames for motion.
    #[error("the heart phantom needs at least 2 frames a beat, got {got}")]
    FrameCount {
        /// Frames asked for.
        got: usize,
    },
    /// A parameter of a heart outside of its range.
    #[error("the heart phantom's {name} has to lie in {range}, got {got}")]
    HeartParameter {
        /// Which parameter.
        name: &'static str,
        /// Its range, as text.
        range: String,
        /// What was given.
        got: f64,
    },
    /// Two times of a mesh that differ in more than the positions of nodes.
    #[error("the meshes differ in {what}: {expected} in the reference, {got} in the {which} mesh")]
    MeshMismatch {
        /// The property that differs.
        what: &'static str,
        /// The mesh that differs from the reference.
        which: &'static str,
        /// The reference's value.
        expected: String,
        /// The other's value.
        got: String,
    },
    /// A mesh with nothing in it, or with nodes that are not finite.
    #[error("the {which} mesh {problem}")]
    UnusableMesh {
        /// Which mesh.
        which: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Diagnosis for PhantomError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Stopped(error) => error.kind(),
            _ => ErrorKind::Input,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Axes { .. } | Self::TooSmall { .. } | Self::Memory { .. } | Self::NeedsVolume { .. } => {
                Some(Hint::Size)
            }
            Self::Noise { .. } => Some(Hint::Noise),
            Self::Grid(error) => error.hint(),
            _ => None,
        }
    }
}

/// The numbers that the size of a phantom has.
fn axes(phantom: &str) -> &'static str {
    match phantom {
        "heart" => "a size of 3 numbers, X,Y,Z",
        "edge-to-line" => "a size of 2 numbers, X,Y",
        _ => "a size of 2 or 3 numbers, X,Y or X,Y,Z",
    }
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
