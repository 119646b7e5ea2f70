//! What can go wrong when a phantom is asked for.

use veloxel_core::{CoreError, Diagnosis, ErrorKind};

/// Arguments from which no phantom can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PhantomError {
    /// A grid that cannot be.
    #[error(transparent)]
    Grid(#[from] CoreError),
    /// A picture where a volume is needed.
    #[error("the heart phantom needs a 3-D grid, got {got}")]
    NeedsVolume {
        /// The grid's size, as text.
        got: String,
    },
    /// A sequence without motion.
    #[error("the heart phantom needs at least 2 frames a beat, got {got}")]
    FrameCount {
        /// Frames asked for.
        got: usize,
    },
    /// A heart that no longer is one.
    #[error("the heart phantom's {name} has to lie in {range}, got {got}")]
    HeartParameter {
        /// Which parameter.
        name: &'static str,
        /// Its range, as text.
        range: String,
        /// What was given.
        got: f64,
    },
    /// Two times of a mesh that are not one mesh.
    #[error("the meshes differ in {what}: {expected} in the reference, {got} in the {which} mesh")]
    MeshMismatch {
        /// The property that differs.
        what: &'static str,
        /// Which mesh differs from the reference.
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
        ErrorKind::Input
    }
}
