//! Graphs of meshes: all distances between nodes ([`shortest_paths`]), and parts of surfaces.
//!
//! A surface is cleaned ([`CleanMesh`]), its faces become the nodes of a graph ([`DualGraph`]), and parts are found on that:
//! by agglomeration ([`mod@cuts`]), a tree with the parts for every number of parts, or by fuzzy clustering ([`fuzzy`]), with
//! probabilities.
//!
//! # What is stable
//!
//! The library `veloxel` gives on [`Graph`] and [`MeshError`] as stable, and in its pipelines what requests for parts and distances
//! name: [`DistanceMethod`], [`DistancePrecision`], [`PartCount`] and the table of methods. Everything else may change in any version;
//! the library has it in its module `unstable`.

mod caps;
mod certainty;
mod cleaning;
#[cfg(test)]
mod cleaning_tests;
mod connected_parts;
mod cut_discrepancy;
pub mod cuts;
mod dual_graph;
mod error;
pub mod fuzzy;
mod graph;
mod lines_of_sight;
mod methods;
mod min_cut;
mod neighbours;
mod numbered;
mod part_probability;
mod rays;
mod seams;
mod shape_diameter;
pub mod shortest_paths;
mod vector;

pub use caps::cut_rings;
pub use certainty::certainty;
pub use cleaning::CleanMesh;
pub use cut_discrepancy::cut_discrepancy;
pub use cuts::{Cuts, CutsParams, CutsPreset, Hierarchy, PartCount, PartMerge, Parts, TreeTop, cuts};
pub use dual_graph::{DualArc, DualGraph, EdgeBend};
pub use error::MeshError;
pub use fuzzy::{
    ArcLengths, ArcWeights, BandCosts, FirstMedoids, FuzzyClusters, FuzzyParams, FuzzyPreset,
    LENGTH_PARAMETERS, MedoidSeeds, arc_lengths, fuzzy_clustering,
};
pub use graph::{Graph, LeftOut};
pub use methods::{PARTS_METHODS, PartsDraft, PartsMethod};
pub use part_probability::part_probabilities;
pub use rays::RayFindings;
pub use shape_diameter::shape_diameter;
pub use shortest_paths::{
    DistanceMatrix, DistanceMethod, DistancePrecision, DistanceRequest, DistanceStep, MatrixStorage,
    RowBlock, ShortestPaths, WeightedSums,
};
