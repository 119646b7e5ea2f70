//! The parts of a cleaned mesh, by either method, in one form.

use super::{MethodOptions, Result};
use veloxel_core::Dimension;
use veloxel_core::parameters::{Parameters, Values};
use veloxel_gpu::{Cpu, Device};
use veloxel_mesh::{
    ArcWeights, Cuts, CutsParams, DualGraph, FirstMedoids, FuzzyClusters, FuzzyParams, PartCount, Parts,
    Seeds, TreeTop, cuts, fuzzy_clustering,
};

/// The slider of a page reaches so many parts.
const MOST_SHOWN: usize = 40;

/// What is to be found, and where it is computed.
pub(super) struct PartsTask<'a> {
    pub method: &'a MethodOptions,
    pub count: PartCount,
    /// Whether the probability of each part is wanted as well.
    pub membership: bool,
    pub graph: &'a DualGraph,
    pub device: &'a Device,
    pub cpu: &'a Cpu,
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

impl PartsTask<'_> {
    /// Finds the parts.
    pub fn solve(&self) -> Result<Solved> {
        if self.method.method_name() == FUZZY { self.by_clustering() } else { self.by_cuts() }
    }

    fn by_cuts(&self) -> Result<Solved> {
        let Self { graph, cpu, .. } = *self;
        let params: CutsParams = self.method.build(Dimension::Three)?;
        let found = cuts(graph, &params, cpu)?;
        let parts = found.parts(graph, self.count, &params)?;
        let mut probabilities = None;
        if self.membership {
            // The parts stay as they are: their medoids tell how probable each is.
            let params = FuzzyParams { iterations: 0, band: 0.0, least_area: 0.0, ..FuzzyParams::default() };
            let (weights, seeds) =
                (ArcWeights::new(graph, &found, &params, cpu)?, Seeds::Parts(&parts.labels));
            let clusters = fuzzy_clustering(graph, &weights, seeds, &params, self.device)?;
            probabilities = Some(membership(&clusters));
        }
        Ok(Solved {
            answer: Answer::of_cuts(&found, parts),
            beside: None,
            membership: probabilities,
            thickness: found.shape_diameter,
            parameters: params.to_json(),
        })
    }

    fn by_clustering(&self) -> Result<Solved> {
        let Self { graph, cpu, .. } = *self;
        let params: FuzzyParams = self.method.build(Dimension::Three)?;
        let tree = CutsParams { part_worth: params.part_worth, ..CutsParams::default() };
        let found = cuts(graph, &tree, cpu)?;
        let weights = ArcWeights::new(graph, &found, &params, cpu)?;
        let parts = found.parts(graph, self.count, &tree)?;
        let seeds = match (params.seeds, self.count) {
            (FirstMedoids::Cuts, _) => Seeds::Parts(&parts.labels),
            (FirstMedoids::Farthest, PartCount::Given(asked)) => Seeds::Farthest(asked),
            (FirstMedoids::Farthest, PartCount::Chosen) => Seeds::Farthest(parts.count),
        };
        let clusters = fuzzy_clustering(graph, &weights, seeds, &params, self.device)?;
        let membership = self.membership.then(|| membership(&clusters));
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
}

fn membership(clusters: &FuzzyClusters) -> Vec<f32> {
    let rows = (0..clusters.labels.len()).flat_map(|face| clusters.probabilities(face));
    rows.map(|probability| probability as f32).collect()
}
