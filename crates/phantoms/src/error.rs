//! Errors of making a phantom.

use veloxel_core::{CoreError, Diagnosis, ErrorKind};

/// Arguments from which no phantom can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PhantomError {
    /// A grid that is not possible.
    #[error(transparent)]
    Grid(#[from] CoreError),
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
        ErrorKind::Input
    }
}
