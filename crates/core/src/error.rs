//! Errors of the types of this crate.

use crate::diagnosis::{Diagnosis, ErrorKind, Hint};

/// A value that would break a promise of this crate's types.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoreError {
    /// The number of samples does not belong to the grid.
    #[error("expected {expected} samples for a grid of {size}, got {got}")]
    SampleCount {
        /// Samples that the grid needs.
        expected: usize,
        /// Samples that were given.
        got: usize,
        /// The grid's size, as text.
        size: String,
    },
    /// Strides by which two voxels would share a sample.
    #[error(
        "strides {strides:?} do not tell the voxels of a grid of {size:?} apart: two of them would share a sample"
    )]
    Strides {
        /// Voxels per axis.
        size: [usize; 3],
        /// The strides that were given, in samples.
        strides: [usize; 3],
    },
    /// A size of zero, or a product of sizes that no memory could hold.
    #[error(
        "a grid of {size} is not possible: every axis needs 1 to 2^24 voxels, and all together at most 2^40"
    )]
    Size {
        /// The size asked for, as text.
        size: String,
    },
    /// A spacing that is zero, negative or not finite.
    #[error("spacing {spacing_mm:?} mm is not possible: every axis needs a finite value above 0")]
    Spacing {
        /// The spacing asked for.
        spacing_mm: [f64; 3],
    },
    /// A direction matrix without an inverse.
    #[error("direction matrix {direction:?} has no inverse: its axes lie in one plane")]
    Direction {
        /// The matrix asked for.
        direction: [[f64; 3]; 3],
    },
    /// A linear transform that is none.
    #[error("the transform {reason}")]
    Transform {
        /// What is wrong with it.
        reason: String,
    },
    /// Two grids that should be one.
    #[error("{what}: the grids differ in {property} ({left} against {right})")]
    GridMismatch {
        /// What was being put together.
        what: String,
        /// The property that differs.
        property: &'static str,
        /// The first grid's value.
        left: String,
        /// The second grid's value.
        right: String,
    },
    /// The wrong number of components for the grid's dimension.
    #[error("expected {expected} components for a {expected}-D flow, got {got}")]
    ComponentCount {
        /// Components that the grid needs.
        expected: usize,
        /// Components that were given.
        got: usize,
    },
    /// A NaN or an infinity where a finite sample is needed.
    #[error("{what} holds {value} at voxel (x, y, z) = {position:?}: replace it")]
    NotFinite {
        /// Which input.
        what: String,
        /// The value found.
        value: f32,
        /// Where: (x, y, z).
        position: [usize; 3],
    },
    /// An image without a single sample that is a number.
    #[error("{what} has no data: none of its samples is a number")]
    NoData {
        /// Which input.
        what: String,
    },
    /// A mask that leaves nothing.
    #[error("{what} is empty: {reason}")]
    EmptyMask {
        /// Which mask.
        what: String,
        /// Why nothing is inside.
        reason: &'static str,
    },
    /// A weight image holds a number outside of [0, 1].
    #[error(
        "the weight image holds {value} at voxel (x, y, z) = {position:?}: weights lie from 0 to 1; scale it"
    )]
    NotAWeight {
        /// The value found.
        value: f32,
        /// Where: (x, y, z).
        position: [usize; 3],
    },
    /// A sequence needs at least one frame.
    #[error("a sequence needs at least one frame, got none")]
    EmptySequence,
    /// A time between frames that no sequence has.
    #[error("a time of {interval_ms:e} ms between frames: expected one from 1e-9 to 1e12 ms, or none")]
    FrameInterval {
        /// The time, ms.
        interval_ms: f64,
    },
    /// Points that are no closed outline.
    #[error("the outline cannot be used: {reason}")]
    Outline {
        /// What is wrong with it.
        reason: String,
    },
    /// A camera, or a pair of them, that cannot be.
    #[error("{what}: expected {expected}, got {got}")]
    Camera {
        /// The number or property.
        what: String,
        /// What would be right.
        expected: String,
        /// What it is.
        got: String,
    },
    /// A mesh without a face.
    #[error("a mesh needs at least one face, and there are no faces")]
    NoFaces,
    /// A corner of a face that is no point of the mesh.
    #[error("face {face} names point {corner}, and there are {points} points, counted from 0")]
    Corner {
        /// Which face of the file, counted from 0.
        face: usize,
        /// The index given.
        corner: u32,
        /// How many points there are.
        points: usize,
    },
    /// A point with a coordinate that is not finite.
    #[error("point {point} lies at {coordinates:?}: every coordinate must be finite")]
    Point {
        /// Which, counted from 0.
        point: usize,
        /// Its coordinates.
        coordinates: [f64; 3],
    },
    /// A face that is not convex and has too many corners.
    #[error(
        "face {face} has {corners} corners, some of which turn inwards: such a face can have {most} at most; cut it first"
    )]
    LargePolygon {
        /// Which, counted from 0.
        face: usize,
        /// How many corners it has.
        corners: usize,
        /// How many it can have.
        most: usize,
    },
    /// A face with too few corners.
    #[error("face {face} has {corners} corners: a face needs three or more")]
    Polygon {
        /// Which, counted from 0.
        face: usize,
        /// How many corners it has.
        corners: usize,
    },
}

impl Diagnosis for CoreError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
    fn hint(&self) -> Option<Hint> {
        matches!(self, Self::NotFinite { .. } | Self::NotAWeight { .. }).then_some(Hint::Mask)
    }
}
