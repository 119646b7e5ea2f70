//! The parts of a cleaned mesh, by either method, in one form.

use super::MethodOptions;
use crate::VeloxelError;
use veloxel_core::Dimension;
use veloxel_core::parameters::{Parameters, Values};
use veloxel_gpu::{Cpu, Device};
use veloxel_mesh::{
    ArcWeights, CutsParams, DualGraph, FirstMedoids, FuzzyClusters, FuzzyParams, MeshError, PartCount, Seeds,
    TreeTop, cuts, fuzzy_clustering,
};

/// The slider of a page reaches so many parts.
const MOST_SHOWN: usize = 40;

/// What is to be found.
pub(super) struct PartsWanted<'a> {
    pub method: &'a MethodOptions,
    pub count: PartCount,
    /// Whether the probability of each part is wanted as well.
    pub membership: bool,
}

/// Parts, however they were found.
pub(super) struct Solved {
    /// Of each face.
    pub labels: Vec<u32>,
    pub count: usize,
    /// Of each face, 0 to 1.
    pub certainty: Vec<f32>,
    /// Of each face: a row of probabilities, one for each part.
    pub membership: Option<Vec<f32>>,
    pub thickness: Vec<f64>,
    /// The tree of parts, where there is one.
    pub top: TreeTop,
    pub parameters: Values,
}

/// The method of fuzzy clustering, as users name it.
const FUZZY: &str = "fuzzy";

/// Finds the parts.
pub(super) fn solve(
    wanted: &PartsWanted<'_>,
    graph: &DualGraph,
    device: &Device,
    cpu: &Cpu,
) -> Result<Solved, VeloxelError> {
    match wanted.method.method_name() {
        FUZZY => by_clustering(wanted, graph, device, cpu),
        _ => by_cuts(wanted, graph, device, cpu),
    }
}

fn by_cuts(
    wanted: &PartsWanted<'_>,
    graph: &DualGraph,
    device: &Device,
    cpu: &Cpu,
) -> Result<Solved, VeloxelError> {
    let params: CutsParams = wanted.method.build(Dimension::Three)?;
    let found = cuts(graph, &params, cpu);
    let parts = found.parts(graph, wanted.count, &params)?;
    let membership = match wanted.membership {
        false => None,
        true => {
            // The parts stay as they are: their medoids tell how probable each is.
            let params = FuzzyParams { iterations: 0, band: 0.0, least_area: 0.0, ..FuzzyParams::default() };
            let weights = ArcWeights::new(graph, &found, &params, cpu);
            let clusters = fuzzy_clustering(graph, &weights, Seeds::Parts(&parts.labels), &params, device)?;
            Some(membership(&clusters))
        }
    };
    let top = found.hierarchy.top(MOST_SHOWN.max(parts.count));
    let (labels, count, certainty) = (parts.labels, parts.count, parts.certainty);
    let thickness = found.shape_diameter;
    Ok(Solved { labels, count, certainty, membership, thickness, top, parameters: params.to_json() })
}

fn by_clustering(
    wanted: &PartsWanted<'_>,
    graph: &DualGraph,
    device: &Device,
    cpu: &Cpu,
) -> Result<Solved, VeloxelError> {
    let params: FuzzyParams = wanted.method.build(Dimension::Three)?;
    let tree = CutsParams { part_worth: params.part_worth, ..CutsParams::default() };
    let found = cuts(graph, &tree, cpu);
    let weights = ArcWeights::new(graph, &found, &params, cpu);
    let parts;
    let seeds = match (wanted.count, params.seeds) {
        (PartCount::Given(asked), FirstMedoids::Farthest) => {
            if asked == 0 || asked > graph.faces() {
                return Err(MeshError::Parts { asked, faces: graph.faces() }.into());
            }
            Seeds::Farthest(asked)
        }
        (PartCount::Chosen, FirstMedoids::Farthest) => {
            Seeds::Farthest(found.parts(graph, PartCount::Chosen, &tree)?.count)
        }
        (count, FirstMedoids::Cuts) => {
            parts = found.parts(graph, count, &tree)?.labels;
            Seeds::Parts(&parts)
        }
    };
    let clusters = fuzzy_clustering(graph, &weights, seeds, &params, device)?;
    let membership = wanted.membership.then(|| membership(&clusters));
    let top = found.tree_above(graph, &clusters.labels, &tree);
    Ok(Solved {
        count: clusters.parts(),
        certainty: clusters.certainty(),
        membership,
        thickness: found.shape_diameter,
        top,
        labels: clusters.labels,
        parameters: params.to_json(),
    })
}

fn membership(clusters: &FuzzyClusters) -> Vec<f32> {
    let rows = (0..clusters.labels.len()).flat_map(|face| clusters.probabilities(face));
    rows.map(|probability| probability as f32).collect()
}
