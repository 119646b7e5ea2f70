//! Graphs of meshes: all distances between nodes ([`shortest_paths`]), from which parts are found.

mod error;
mod graph;
pub mod shortest_paths;

pub use error::MeshError;
pub use graph::{Graph, LeftOut};
pub use shortest_paths::{DistanceMatrix, Method, Request, RowBlock, ShortestPaths, Storage, WeightedSums};
