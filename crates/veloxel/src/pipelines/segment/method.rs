//! The parts of a cleaned mesh, by either method, in one form.

use super::SegmentRequest;
use super::membership::{FaceMembership, MembershipChoice};
use crate::Result;
use veloxel_core::Dimension;
use veloxel_core::parameters::{ParameterError, ParameterValues, Parameters};
use veloxel_gpu::{Cpu, Device};
use veloxel_mesh::{
    ArcWeights, Cuts, CutsParams, DualGraph, FirstMedoids, FuzzyParams, MedoidSeeds, PartCount, Parts,
    PartsDraft, PartsMethod, TreeTop, cuts, fuzzy_clustering,
};
use veloxel_report::AnswerRole;

/// Parts that a tree shows, at least where there are so many: the slider of a page reaches them.
const MOST_SHOWN: usize = 40;

/// How parts are found.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentMethod {
    /// Agglomeration: a tree with the parts for every number of parts.
    Cuts(CutsParams),
    /// Fuzzy clustering around medoids, which gives probabilities.
    Fuzzy(FuzzyParams),
}

impl Default for SegmentMethod {
    /// Cuts with their standard parameters.
    fn default() -> Self {
        Self::Cuts(CutsParams::default())
    }
}

impl SegmentMethod {
    /// The method's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cuts(_) => CutsParams::METHOD,
            Self::Fuzzy(_) => FuzzyParams::METHOD,
        }
    }

    /// The method of a preset with settings.
    ///
    /// # Errors
    /// [`ParameterError::Value`] should not occur.
    pub fn of(draft: &PartsDraft) -> Result<Self, ParameterError> {
        match draft.method() {
            PartsMethod::Cuts => draft.build(Dimension::Three).map(Self::Cuts),
            PartsMethod::Fuzzy => draft.build(Dimension::Three).map(Self::Fuzzy),
        }
    }
}

/// What is to be found, and where it is computed.
pub(super) struct PartsTask<'a> {
    pub request: &'a SegmentRequest<'a>,
    pub graph: &'a DualGraph,
    pub device: &'a Device,
    pub cpu: &'a Cpu,
}

/// Parts, however they were found.
pub(super) struct Found {
    pub answer: Answer,
    /// The answer of cuts, where the method needs their votes.
    pub beside: Option<Answer>,
    pub membership: Option<FaceMembership>,
    /// By face, as a share of the square root of the mesh's area.
    pub thickness: Vec<f64>,
    /// Rays that passed too many boxes and faces, and count as if they met nothing.
    pub rays_given_up: usize,
    pub parameters: ParameterValues,
}

/// The answer of one method.
pub(super) struct Answer {
    /// What it is to the run.
    pub role: AnswerRole,
    /// What a reader calls the method.
    pub name: &'static str,
    /// By face.
    pub labels: Vec<u32>,
    pub count: usize,
    /// By face, 0 to 1.
    pub certainty: Vec<f32>,
    /// The tree of parts.
    pub top: TreeTop,
    /// The least share of the mesh's area that a part has.
    pub least_area: f64,
}

impl Answer {
    fn of_cuts(found: &Cuts, parts: Parts, role: AnswerRole, least_area: f64) -> Self {
        let top = found.hierarchy.top(MOST_SHOWN.max(parts.count));
        let Parts { labels, count, certainty } = parts;
        Self { role, name: "Cuts", labels, count, certainty, top, least_area }
    }
}

impl PartsTask<'_> {
    /// Finds the parts.
    pub fn solve(&self) -> Result<Found> {
        match &self.request.method {
            SegmentMethod::Cuts(params) => self.by_cuts(params),
            SegmentMethod::Fuzzy(params) => self.by_clustering(params),
        }
    }

    fn by_cuts(&self, params: &CutsParams) -> Result<Found> {
        let Self { request, graph, cpu, device } = *self;
        let found = cuts(graph, params, cpu)?;
        let parts = found.parts(graph, request.count, params, device.control())?;
        let (mut membership, mut rays_given_up) = (None, found.rays_given_up);
        if request.membership == MembershipChoice::Computed {
            // The parts stay as they are: their medoids tell how probable each is.
            let params = FuzzyParams { iterations: 0, band: 0.0, least_area: 0.0, ..FuzzyParams::default() };
            let (weights, seeds) =
                (ArcWeights::new(graph, &found, &params, cpu)?, MedoidSeeds::Parts(&parts.labels));
            rays_given_up += weights.rays_given_up;
            let clusters = fuzzy_clustering(graph, &weights, seeds, &params, device)?;
            membership = Some(FaceMembership::of(&clusters, device.control())?);
        }
        Ok(Found {
            answer: Answer::of_cuts(&found, parts, AnswerRole::Own, params.least_area),
            beside: None,
            membership,
            thickness: found.shape_diameter,
            rays_given_up,
            parameters: params.to_json(),
        })
    }

    fn by_clustering(&self, params: &FuzzyParams) -> Result<Found> {
        let Self { request, graph, cpu, device } = *self;
        let tree = CutsParams { part_worth: params.part_worth, ..CutsParams::default() };
        let found = cuts(graph, &tree, cpu)?;
        let weights = ArcWeights::new(graph, &found, params, cpu)?;
        let parts = found.parts(graph, request.count, &tree, device.control())?;
        let seeds = match (params.seeds, request.count) {
            (FirstMedoids::Cuts, _) => MedoidSeeds::Parts(&parts.labels),
            (FirstMedoids::Farthest, PartCount::Given(asked)) => MedoidSeeds::Farthest(asked),
            (FirstMedoids::Farthest, PartCount::Chosen) => MedoidSeeds::Farthest(parts.count),
        };
        let clusters = fuzzy_clustering(graph, &weights, seeds, params, device)?;
        let is_wanted = request.membership == MembershipChoice::Computed;
        let membership = is_wanted.then(|| FaceMembership::of(&clusters, device.control())).transpose()?;
        let top = found.tree_above(graph, &clusters.labels, &tree, device.control())?;
        let (count, certainty) = (clusters.parts(), clusters.certainty(device.control())?);
        let (role, labels) = (AnswerRole::Own, clusters.labels);
        let beside = match params.seeds {
            FirstMedoids::Cuts => AnswerRole::Beginning,
            FirstMedoids::Farthest => AnswerRole::Beside,
        };
        Ok(Found {
            answer: Answer {
                role,
                name: "Fuzzy clustering",
                labels,
                count,
                certainty,
                top,
                least_area: params.least_area,
            },
            beside: Some(Answer::of_cuts(&found, parts, beside, tree.least_area)),
            membership,
            thickness: found.shape_diameter,
            rays_given_up: found.rays_given_up + weights.rays_given_up,
            parameters: params.to_json(),
        })
    }
}
