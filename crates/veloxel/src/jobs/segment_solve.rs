//! The parts of a cleaned mesh, by either method, in one form.

use super::MethodOptions;
use crate::VeloxelError;
use veloxel_core::Dimension;
use veloxel_core::parameters::{Parameters, Values};
use veloxel_gpu::{Cpu, Device};
use veloxel_mesh::{
    ArcWeights, Cuts, CutsParams, DualGraph, FirstMedoids, FuzzyClusters, FuzzyParams, PartCount, Parts,
    Seeds, TreeTop, cuts, fuzzy_clustering,
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
    pub answer: Answer,
    /// What cuts say, where the method begins with them.
    pub beside: Option<Answer>,
    /// Of each face: a row of probabilities, one for each part.
    pub membership: Option<Vec<f32>>,
    pub thickness: Vec<f64>,
    pub parameters: Values,
}

/// What one method says.
pub(super) struct Answer {
    /// What a reader calls the method.
    pub name: &'static str,
    /// Of each face.
    pub labels: Vec<u32>,
    pub count: usize,
    /// Of each face, 0 to 1.
    pub certainty: Vec<f32>,
    /// The tree of parts.
    pub top: TreeTop,
}

impl Answer {
    fn of_cuts(found: &Cuts, parts: Parts) -> Self {
        let top = found.hierarchy.top(MOST_SHOWN.max(parts.count));
        Self { name: "Cuts", labels: parts.labels, count: parts.count, certainty: parts.certainty, top }
    }
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
    let answer = Answer::of_cuts(&found, parts);
    let thickness = found.shape_diameter;
    Ok(Solved { answer, beside: None, membership, thickness, parameters: params.to_json() })
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
    let parts = found.parts(graph, wanted.count, &tree)?;
    let seeds = match (params.seeds, wanted.count) {
        (FirstMedoids::Cuts, _) => Seeds::Parts(&parts.labels),
        (FirstMedoids::Farthest, PartCount::Given(asked)) => Seeds::Farthest(asked),
        (FirstMedoids::Farthest, PartCount::Chosen) => Seeds::Farthest(parts.count),
    };
    let clusters = fuzzy_clustering(graph, &weights, seeds, &params, device)?;
    let membership = wanted.membership.then(|| membership(&clusters));
    let top = found.tree_above(graph, &clusters.labels, &tree);
    let (count, certainty) = (clusters.parts(), clusters.certainty());
    Ok(Solved {
        answer: Answer { name: "Fuzzy clustering", labels: clusters.labels, count, certainty, top },
        beside: Some(Answer::of_cuts(&found, parts)),
        membership,
        thickness: found.shape_diameter,
        parameters: params.to_json(),
    })
}

fn membership(clusters: &FuzzyClusters) -> Vec<f32> {
    let rows = (0..clusters.labels.len()).flat_map(|face| clusters.probabilities(face));
    rows.map(|probability| probability as f32).collect()
}
