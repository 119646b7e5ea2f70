//! Fuzzy clustering of faces: the dual graph of a surface with weights on its arcs in, parts and probabilities out.
//!
//! *Paper*: S. Katz, A. Tal, "Hierarchical Mesh Decomposition using Fuzzy Clustering and Cuts", ACM TOG 22(3), 2003,
//! doi:10.1145/882262.882369, section 3; as parallelised by gpgpu2011, section 4.
//! *Energy*: `Σ_f Σ_j P_j(f) D(f, c_j)` over faces f and medoids c_j, with D the shortest way over arcs of the weight
//! `δ Ang/avg(Ang) + (1 − δ) Geod/avg(Geod) + γ |Δ log d|/avg + β v/avg + κ s/avg`; `Ang = η (1 − cos θ)` with η = 1 where the
//! surface is concave; d is the shape diameter, v the votes of [`cuts`](mod@crate::cuts) for a border, s the share of blocked
//! lines of sight (`lines_of_sight.rs`). `P_j(f) = D(f, c_j)^−p / Σ_l D(f, c_l)^−p`.
//! *Notation*: δ `angle_share`, η `convex_share`, γ `thickness_weight`, β `vote_weight`, κ `sight_weight`, p `sharpness`, ε `band`.
//! *Where we differ*: the paper's p is 1, which lets far faces draw medoids to the middle of the mesh; faces count by their area;
//! medoids begin in the middles of the parts of cuts, and bands are cut where cuts pay least; the preset `paper` does neither.
//! The number of parts is that of cuts where it is not given.
//! *Cost*: some hundred rows of ways a part, fewer in later iterations (`medoids.rs`); medoids are exact.
//! *Evidence*: `tests.rs`; the Princeton segmentation benchmark in `veloxel bench segmentation`.
//! *Limits*: parts of different components never join; a part far smaller than the others draws a medoid late.

mod arc_weights;
mod band;
mod medoids;
mod parameters;
#[cfg(test)]
mod tests;

pub use arc_weights::{ArcLengths, ArcWeights, LENGTH_PARAMETERS, arc_lengths};
pub use parameters::{BandCosts, FirstMedoids, FuzzyParams, FuzzyPreset};

use crate::connected_parts::connected_parts;
use crate::dual_graph::DualGraph;
use crate::error::MeshError;
use crate::numbered::count_of;
use crate::shortest_paths::{DistanceRequest, ShortestPaths};
use medoids::MedoidSearch;
use veloxel_core::{Control, Stopped};
use veloxel_gpu::Device;

/// Faces between two questions whether to go on: some milliseconds.
const FACES_AT_ONCE: usize = 1 << 12;

/// Where medoids begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MedoidSeeds<'a> {
    /// A number of medoids, each as far as possible from those before it.
    Farthest(usize),
    /// The medoids of a segmentation: the number of its part for each face.
    Parts(&'a [u32]),
}

/// Parts and probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct FuzzyClusters {
    /// The face in the middle of each part.
    pub medoids: Vec<u32>,
    /// A row for each part: the distances from its medoid to every face.
    distances: Vec<f32>,
    /// The number of each face's part, from 0.
    pub labels: Vec<u32>,
    sharpness: f64,
}

/// Finds parts around medoids.
///
/// There are more parts than seeds where the mesh has more components.
///
/// # Errors
/// [`MeshError::Parts`] for no seed, or more than faces; [`MeshError::Count`] for costs that are not one an arc; as
/// [`ShortestPaths`].
pub fn fuzzy_clustering(
    graph: &DualGraph,
    weights: &ArcWeights,
    seeds: MedoidSeeds<'_>,
    params: &FuzzyParams,
    device: &Device,
) -> Result<FuzzyClusters, MeshError> {
    let paths = ShortestPaths::open(
        &graph.weighted(&weights.ways, device.control())?,
        DistanceRequest::default(),
        device,
    )?;
    let (expected, got) = (graph.arcs.len(), weights.cut_costs.len());
    if got != expected {
        return Err(MeshError::Count { what: "costs of cutting the arcs", expected, got });
    }
    let mut search = MedoidSearch::new(graph, &paths, device)?;
    let mut medoids = match seeds {
        MedoidSeeds::Farthest(count) if count == 0 || count > graph.faces() => {
            return Err(MeshError::Parts { asked: count, faces: graph.faces() });
        }
        MedoidSeeds::Farthest(count) => farthest(count, &paths, search.middle()?)?,
        MedoidSeeds::Parts(labels) => search.medoids_of(labels, count_of(labels))?,
    };
    let mut around = search.around(&medoids, params.sharpness)?;
    for _ in 0..params.iterations {
        let next = search.update(&medoids, &around)?;
        if next == medoids {
            break;
        }
        medoids = next;
        around = search.around(&medoids, params.sharpness)?;
    }
    let (distances, labels) = (device.download(around.ways).map_err(MeshError::from)?, around.labels);
    let mut clusters = FuzzyClusters { medoids, distances, labels, sharpness: params.sharpness };
    band::cut_bands(graph, &mut clusters, &weights.cut_costs, params, device.control())?;
    clusters.number(connected_parts(graph, &clusters.labels, params.least_area, device.control())?);
    Ok(clusters)
}

/// `first`, then each time the face farthest from all seeds; every component gets one.
fn farthest(count: usize, paths: &ShortestPaths, first: u32) -> Result<Vec<u32>, MeshError> {
    let mut seeds = vec![first];
    let mut nearest = paths.distances_from(&[first])?;
    loop {
        // Faces without a way count as farthest, the lowest number first.
        let best =
            (0..nearest.len()).fold(0, |best, face| if nearest[face] > nearest[best] { face } else { best });
        let is_apart = nearest[best] == f32::INFINITY;
        if (seeds.len() >= count && !is_apart) || nearest[best] == 0.0 {
            return Ok(seeds);
        }
        seeds.push(best as u32);
        for (nearest, way) in nearest.iter_mut().zip(paths.distances_from(&[best as u32])?) {
            *nearest = nearest.min(way);
        }
    }
}

impl FuzzyClusters {
    /// Takes other labels, and sorts the medoids by them: each label gets that of most of its faces.
    fn number(&mut self, labels: Vec<u32>) {
        let mut shared = vec![vec![0usize; self.parts()]; count_of(&labels)];
        for (&new, &old) in labels.iter().zip(&self.labels) {
            shared[new as usize][old as usize] += 1;
        }
        let most = |counts: &Vec<usize>| (0..counts.len()).rev().max_by_key(|&old| counts[old]).unwrap_or(0);
        let old: Vec<usize> = shared.iter().map(most).collect();
        let faces = labels.len();
        let distances = old.iter().flat_map(|&old| &self.distances[old * faces..(old + 1) * faces]).copied();
        self.distances = distances.collect();
        self.medoids = old.iter().map(|&old| self.medoids[old]).collect();
        self.labels = labels;
    }

    /// Number of medoids.
    pub fn parts(&self) -> usize {
        self.medoids.len()
    }

    fn distance(&self, part: usize, face: usize) -> f32 {
        self.distances[part * (self.distances.len() / self.medoids.len()) + face]
    }

    /// How probably a face belongs to the part of each medoid; all together 1.
    pub fn probabilities(&self, face: usize) -> Vec<f64> {
        let ways: Vec<f64> =
            (0..self.parts()).map(|part| f64::from(self.distance(part, face)).max(1e-9)).collect();
        let least = ways.iter().copied().fold(f64::INFINITY, f64::min);
        // In units of the shortest way, so that no power overflows.
        let mut shares: Vec<f64> = ways.iter().map(|way| (least / way).powf(self.sharpness)).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }

    /// Certainty of each face, 0 to 1: how much more probable the most probable part is than the second.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn certainty(&self, control: &Control) -> Result<Vec<f32>, Stopped> {
        let faces = self.labels.len();
        let mut pace = control.once_in(FACES_AT_ONCE);
        let certainty = |face| {
            pace.step()?;
            let mut shares = self.probabilities(face);
            shares.sort_unstable_by(|a, b| b.total_cmp(a));
            Ok((shares[0] - shares.get(1).unwrap_or(&0.0)) as f32)
        };
        (0..faces).map(certainty).collect()
    }
}
