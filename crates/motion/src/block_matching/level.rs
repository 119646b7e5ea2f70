//! One pyramid level of [`BlockMatching`](crate::BlockMatching): searches on the image warped by what was found.

use super::parameters::{BlockMatchingParams, MatchQuality};
use crate::steps::buffers::{convolved, on_grid, resampled_field, written};
use crate::steps::image_pyramids::LevelImages;
use crate::steps::level_account::{Increments, LevelDiagnostics, LevelRun};
use crate::steps::level_by_level::{Certainty, LevelSolver, LevelTask};
use crate::steps::level_steps::TRUNCATE;
use crate::steps::pyramid::LevelGeometry;
use crate::steps::settling::Turn;
use serde::Serialize;
use veloxel_core::{Axes, DiagnosticCell, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::median::{Median, MedianKind};
use veloxel_kernels::image::warp::Border;
use veloxel_kernels::matching::best_candidate::{BestCandidate, Pull};
use veloxel_kernels::matching::match_confidence::{MatchConfidence, MatchError};
use veloxel_kernels::matching::window_scores::{BlockSearch, ScoreMeasure, ScoreOutput, WindowScores};
use veloxel_kernels::{Kernel, Taps};

/// Standard deviation of the window that neighbours' errors are seen in, voxels.
const CONFIDENCE_WINDOW_VOX: f64 = 3.0;
/// Squared error of a match whose windows do not correlate at all, edges².
const ERROR_PER_MISMATCH: f32 = 0.05;
/// Expected error at which the confidence is halved, edges.
const HALF_CONFIDENCE_EDGES: f32 = 0.5;
/// Deviation below which a window is flat for the confidence: rounding correlates less than it lets through.
const LEAST_FLOOR: f32 = 0.005;

/// One level and its memory.
pub(super) struct BlockMatchingLevel<'a> {
    device: &'a Device,
    params: &'a BlockMatchingParams,
    geometry: &'a LevelGeometry,
    nodes: Shape,
    images: &'a LevelImages,
    warped: Buffer,
    /// Derivatives of the fixed image and of the warped one, if the measure needs them.
    gradients: [Field; 2],
    scores: Buffer,
    /// The displacement after a search.
    moved: Field,
    mean: Field,
    window: Axes<Taps>,
}

impl<'a> BlockMatchingLevel<'a> {
    pub fn new(
        params: &'a BlockMatchingParams,
        LevelTask { device, geometry, images, .. }: LevelTask<'a>,
    ) -> Result<Self, ComputeError> {
        let (shape, nodes, d) = (geometry.shape, params.nodes(geometry).shape, geometry.shape.components());
        let candidates =
            BlockSearch::isotropic(shape, params.radius, params.reach.max(params.later_reach)).candidates();
        let gradient = || device.scratch_field(if params.gamma > 0.0 { d } else { 0 }, shape.len());
        let mut level = Self {
            device,
            params,
            geometry,
            nodes,
            images,
            warped: device.scratch(shape.len())?,
            gradients: [gradient()?, gradient()?],
            scores: device.scratch(candidates * nodes.len())?,
            moved: device.scratch_field(d, nodes.len())?,
            mean: device.scratch_field(d, nodes.len())?,
            window: isotropic(&params.smoothness_window()),
        };
        if params.gamma > 0.0 {
            let (scheme, out) = (Scheme::Central4, &mut level.gradients[0]);
            Gradient { shape, scheme, image: &images.fixed, out }.run(device)?;
        }
        Ok(level)
    }

    /// All searches of the level; `displacement`, in edges, lies on the blocks.
    pub fn run(&mut self, displacement: &mut Field) -> Result<LevelRun<Increments<Searches>>, ComputeError> {
        let start = self.device.stamp()?;
        let searches = 0..self.params.searches;
        let means = searches.map(|nth| self.search(nth, displacement)).collect::<Result<_, _>>()?;
        let LevelGeometry { spacing_vox, shape, .. } = *self.geometry;
        let (blocks, span) = (self.nodes.size, [start, self.device.stamp()?]);
        let settled =
            Box::new(move |mean_increments_edges| Searches { blocks, spacing_vox, mean_increments_edges });
        Ok(LevelRun { size: shape.size, own: Increments { means, settled }, span })
    }

    /// One search around the displacement so far; the mean length of its increments, edges.
    fn search(&mut self, nth: usize, displacement: &mut Field) -> Result<Later<f64>, ComputeError> {
        let (device, params, nodes) = (self.device, self.params, self.nodes);
        let reach = if nth == 0 { params.reach } else { params.later_reach };
        let search = BlockSearch::isotropic(self.geometry.shape, params.radius, reach);
        self.scores.resize(search.candidates() * nodes.len())?;
        self.score(search, displacement)?;
        let mut length = self.choose(search, None, displacement)?;
        let sweeps = if params.smoothness > 0.0 { params.sweeps } else { 0 };
        for _ in 0..sweeps {
            for (input, output) in self.moved.iter().zip(&mut self.mean) {
                Convolve { shape: nodes, taps: &self.window, input, output }.run(device)?;
            }
            length = self.choose(search, Some(params.smoothness), displacement)?;
        }
        std::mem::swap(displacement, &mut self.moved);
        if params.median > 0 {
            let kind = MedianKind::Plain { radius: params.median };
            // The plain median has no guide. What was before the search stays where it is.
            let (guide, out) = (&displacement[0], &mut self.mean);
            Median { shape: nodes, kind, field: displacement, guide, vote: None, out }.run(device)?;
            std::mem::swap(displacement, &mut self.mean);
        }
        let turn = Turn { nth: nth + 1, full: params.full_searches };
        turn.settle(device, &self.moved, displacement)?;
        let blocks = nodes.len() as f64;
        Ok(length.map(move |sum| sum / blocks))
    }

    /// Warps by the displacement and scores every candidate around it.
    fn score(&mut self, search: BlockSearch, displacement: &[Buffer]) -> Result<(), ComputeError> {
        self.warp(displacement)?;
        let Self { device, params, images, nodes, warped, scores, gradients: [of_fixed, of_warped], .. } =
            self;
        let (device, shape, gain) = (*device, self.geometry.shape, params.score_gain());
        let mut score = |measure, pairs: &[(&Buffer, &Buffer)], gain, output| {
            let (nodes, weight, scores) = (*nodes, images.mask.as_ref(), &mut *scores);
            WindowScores { shape, nodes, search, measure, pairs, weight, gain, output, scores }.run(device)
        };
        let [measure, of_gradients] = params.measures();
        score(measure, &[(&images.fixed, &*warped)], gain, ScoreOutput::Overwrite)?;
        if params.gamma > 0.0 {
            Gradient { shape, scheme: Scheme::Central4, image: warped, out: of_warped }.run(device)?;
            let pairs: Vec<_> = of_fixed.iter().zip(of_warped.iter()).collect();
            score(of_gradients, &pairs, gain * params.gamma, ScoreOutput::Add)?;
        }
        Ok(())
    }

    /// Samples the moving image at a displacement of the blocks.
    fn warp(&mut self, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let (device, shapes) = (self.device, [self.nodes, self.geometry.shape]);
        let between;
        let displacement = if shapes[0] == shapes[1] {
            displacement
        } else {
            between = resampled_field(device, displacement, shapes)?;
            &between
        };
        self.images.warp(device, self.geometry, Border::Unbounded, displacement, &mut self.warped)
    }

    /// Moves every block by its best increment, drawn to its neighbours' mean displacement with a weight if there is one; Σ |δ|,
    /// edges.
    fn choose(
        &mut self,
        search: BlockSearch,
        pull: Option<f32>,
        displacement: &[Buffer],
    ) -> Result<Later<f64>, ComputeError> {
        let choice = BestCandidate {
            nodes: self.nodes,
            spacing_edges: self.geometry.spacing_edges,
            search,
            scores: &self.scores,
            symmetry: self.params.symmetry(),
            sub_voxel: self.params.sub_voxel(),
            increment_cost: self.params.increment_cost,
            pull: pull.map(|weight| Pull { weight, towards: &self.mean }),
            displacement,
            out: &mut self.moved,
            distinctness: None,
        };
        choice.run(self.device)
    }

    /// Voxels beyond its own block that the confidence of a voxel depends on: the mean of the errors around it, each of them
    /// with a mean of displacements.
    pub(crate) fn confidence_reach_vox() -> usize {
        2 * Self::confidence_window().radius()
    }

    fn confidence_window() -> Taps {
        Taps::gaussian(CONFIDENCE_WINDOW_VOX, TRUNCATE)
    }

    /// The confidence of the displacement, which is brought to every voxel and becomes NaN where no data count.
    pub(crate) fn conclude(mut self, displacement: &mut Field) -> Result<Certainty, ComputeError> {
        let (device, shape) = (self.device, self.geometry.shape);
        self.warp(displacement)?;
        *displacement = on_grid(device, std::mem::take(displacement), [self.nodes, shape])?;
        let weight = self.images.mask.as_ref();
        let search = BlockSearch::isotropic(shape, self.params.radius, 0);
        let quality = written(device, shape.len(), |scores| {
            let kernel = WindowScores {
                shape,
                nodes: shape,
                search,
                measure: ScoreMeasure::Ncc { floor: self.params.floor.max(LEAST_FLOOR) },
                pairs: &[(&self.images.fixed, &self.warped)],
                weight,
                gain: 1.0,
                output: ScoreOutput::Overwrite,
                scores,
            };
            kernel.run(device)
        })?;
        let taps = isotropic(&Self::confidence_window());
        let mean = displacement.iter().map(|component| convolved(device, component, shape, &taps));
        let mean = mean.collect::<Result<Field, _>>()?;
        let error = written(device, shape.len(), |out| {
            let (quality, distinctness, per_mismatch) = (&quality, None, ERROR_PER_MISMATCH);
            MatchError { shape, displacement, mean: &mean, quality, distinctness, per_mismatch, out }
                .run(device)
        })?;
        let mut confidence = convolved(device, &error, shape, &taps)?;
        let kernel = MatchConfidence {
            shape,
            radius: search.radius,
            weight,
            quality: &quality,
            half_edges: HALF_CONFIDENCE_EDGES,
            displacement,
            error_to_confidence: &mut confidence,
        };
        kernel.run(device)?;
        let confidence = match self.params.confidence {
            MatchQuality::Error => confidence,
            MatchQuality::Ncc => quality,
        };
        Ok(Certainty { confidence, after: None })
    }
}

/// The searches of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Searches {
    /// Blocks per axis.
    blocks: [usize; 3],
    /// Spacing in voxels of the full grid `(x, y, z)`.
    spacing_vox: [f64; 3],
    /// Mean |δ| of each search over the blocks, edges of this level.
    mean_increments_edges: Vec<f64>,
}

impl LevelDiagnostics for Searches {
    const COLUMNS: &[&'static str] = &["blocks", "searches", "last mean |δ|"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        vec![
            DiagnosticCell::Count(self.blocks.iter().product()),
            DiagnosticCell::Count(self.mean_increments_edges.len()),
            DiagnosticCell::Number(self.mean_increments_edges.last().copied().unwrap_or(f64::NAN)),
        ]
    }
}
