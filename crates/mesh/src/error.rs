//! What keeps a graph from being made, or its distances from being found.

use veloxel_core::{Diagnosis, ErrorKind, Hint, Stopped};
use veloxel_gpu::ComputeError;

/// A graph could not be made, or its distances not be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A graph without nodes.
    #[error("the graph has no nodes, so that there are no distances to find")]
    NoNodes,
    /// More nodes or arcs than 32 bits can number.
    #[error("{what}: {got} are too many, 2^32 - 2 are the most")]
    TooMany {
        /// What is too many.
        what: &'static str,
        /// How many there are.
        got: usize,
    },
    /// An arc that begins or ends at a node that there is not.
    #[error("arc {arc} (counted from 0) names node {node}, and the graph has {nodes} nodes, counted from 0")]
    NoSuchNode {
        /// Which arc.
        arc: usize,
        /// The node that it names.
        node: u32,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// Distances were asked for from a node that there is not.
    #[error("distances were asked for from node {node}, and the graph has {nodes} nodes, counted from 0")]
    NoSuchSource {
        /// The node.
        node: u32,
        /// Nodes of the graph.
        nodes: usize,
    },
    /// A weight that is negative or not finite.
    #[error(
        "the arc from node {from} to node {to} (counted from 0) has the weight {weight}: expected a finite number of 0 or more"
    )]
    Weight {
        /// Where the arc begins.
        from: u32,
        /// Where it ends.
        to: u32,
        /// Its weight.
        weight: f32,
    },
    /// A method for undirected graphs was asked for with a directed one.
    #[error("the method {method} takes undirected graphs alone, and this one is directed: use {ways_out}")]
    Directed {
        /// The method.
        method: &'static str,
        /// Methods that take it.
        ways_out: &'static str,
    },
    /// Too little memory.
    #[error("{what} needs {needed_bytes} bytes of memory, and {budget_bytes} may be used: {ways_out}")]
    Memory {
        /// What it is for.
        what: String,
        /// Bytes needed.
        needed_bytes: u64,
        /// Bytes allowed or free.
        budget_bytes: u64,
        /// What to do.
        ways_out: &'static str,
    },
    /// Shortest paths of so many arcs that the steps of 16 bits would not hold what rounding adds.
    #[error(
        "a shortest path may have {arcs} arcs, too many for distances of {most} steps: take 32-bit distances, or the method dissection \
         or dijkstra, which round once"
    )]
    TooManyArcs {
        /// Steps of the longest distance.
        most: usize,
        /// Arcs of a path.
        arcs: usize,
    },
    /// Compressed rows of arcs that do not lie one after the other, or have another number of weights.
    #[error(
        "the rows of a graph need offsets that rise from 0 to the number of targets, and a weight for every target: got {offsets} \
         offsets, {targets} targets and {weights} weights"
    )]
    Rows {
        /// Offsets given.
        offsets: usize,
        /// Targets given.
        targets: usize,
        /// Weights given.
        weights: usize,
    },
    /// A table of weights that does not belong to the graph.
    #[error("{what}: expected {expected} numbers, got {got}")]
    Count {
        /// The table.
        what: &'static str,
        /// Numbers needed.
        expected: usize,
        /// Numbers given.
        got: usize,
    },
    /// A mesh of points and lines alone.
    #[error("no face has an area ({triangles} in all): there is nothing to segment")]
    NoArea {
        /// Faces of the mesh.
        triangles: usize,
    },
    /// An edge of so many faces that the mesh is no surface.
    #[error("an edge has {faces} faces, and {most} are the most: the mesh is no surface there")]
    Crowded {
        /// Faces of the edge.
        faces: usize,
        /// How many it may have.
        most: usize,
    },
    /// A corner of a face too far away for 32-bit floats, which files of meshes hold.
    #[error(
        "point {point} (counted from 0) lies at {coordinate:e}, and 1e35 is the most: give the mesh in a larger unit of length"
    )]
    TooFar {
        /// Which point.
        point: usize,
        /// Its largest coordinate.
        coordinate: f64,
    },
    /// A mesh too small for 32-bit floats.
    #[error("the mesh is {size:e} across, and 1e-35 is the least: give it in a smaller unit of length")]
    TooSmall {
        /// The diagonal of the box around it.
        size: f64,
    },
    /// A number of parts that is not possible.
    #[error("{asked} parts of {faces} faces are not possible: ask for 1 to {faces}")]
    Parts {
        /// Parts asked for.
        asked: usize,
        /// Faces that there are.
        faces: usize,
    },
    /// The device failed.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// The run was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl Diagnosis for MeshError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory { .. } => ErrorKind::Memory,
            Self::Compute(error) => error.kind(),
            Self::Stopped(error) => error.kind(),
            Self::Directed { .. }
            | Self::TooManyArcs { .. }
            | Self::Parts { .. }
            | Self::NoSuchSource { .. } => ErrorKind::Parameter,
            _ => ErrorKind::Input,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::Memory { .. } => Some(Hint::MaxMemory),
            Self::Directed { .. } => Some(Hint::ShortestPaths),
            Self::TooManyArcs { .. } => Some(Hint::Precision),
            Self::Parts { .. } => Some(Hint::PartCount),
            Self::NoSuchSource { .. } => Some(Hint::Sources),
            Self::Compute(error) => error.hint(),
            _ => None,
        }
    }
}
