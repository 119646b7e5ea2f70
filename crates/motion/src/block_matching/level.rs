//! One pyramid level of [`BlockMatching`](crate::BlockMatching): searches on the image warped by what was found.

use super::diagnostics::PendingSearches;
use super::parameters::BlockMatchingParams;
use crate::image_pyramids::LevelImages;
use crate::level_account::LevelRun;
use crate::pyramid::LevelGeometry;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::median::{Median, MedianKind};
use veloxel_kernels::image::resample::Resample;
use veloxel_kernels::image::warp::{Border, Warp};
use veloxel_kernels::matching::best_candidate::{BestCandidate, Pull, Symmetry};
use veloxel_kernels::matching::match_confidence::{MatchConfidence, MatchError};
use veloxel_kernels::matching::window_scores::{Measure, Output, Search, WindowScores};
use veloxel_kernels::{Kernel, Taps};

/// Standard deviation of the window that neighbours' errors are seen in, voxels.
const CONFIDENCE_WINDOW_VOX: f64 = 3.0;
/// Squared error of a match whose windows do not correlate at all, edges².
const ERROR_PER_MISMATCH: f32 = 0.05;
/// Expected error at which the confidence is halved, edges.
const HALF_CONFIDENCE_EDGES: f32 = 0.5;
/// Deviation below which a window is flat for the confidence: rounding correlates less than it lets through.
const LEAST_FLOOR: f32 = 0.005;
/// Windows are cut here, in standard deviations.
const TRUNCATE: f64 = 2.5;

/// The grid of blocks of a level.
pub(super) fn nodes_of(level: &LevelGeometry, stride: usize) -> LevelGeometry {
    let size = level.shape.size.map(|n| n.div_ceil(stride));
    LevelGeometry { shape: Shape { size, ..level.shape }, ..level.clone() }
}

/// A field on another grid over the same extent, linearly interpolated.
pub(super) fn on_grid(device: &Device, field: Field, [from, to]: [Shape; 2]) -> Result<Field, ComputeError> {
    if from == to {
        return Ok(field);
    }
    let mut output = device.scratch_field(field.len(), to.len())?;
    let output_shape = to;
    Resample { input: &field, input_shape: from, output: &mut output, output_shape, factor: 1.0 }
        .run(device)?;
    Ok(output)
}

/// One level and its memory.
pub(super) struct Level<'a> {
    device: &'a Device,
    params: &'a BlockMatchingParams,
    geometry: &'a LevelGeometry,
    nodes: Shape,
    images: &'a LevelImages,
    warped: Buffer,
    /// Of the fixed image and the warped one, where the measure has them.
    gradients: [Field; 2],
    scores: Buffer,
    /// The displacement after a search.
    moved: Field,
    mean: Field,
    window: Axes<Taps>,
}

impl<'a> Level<'a> {
    pub fn new(
        device: &'a Device,
        params: &'a BlockMatchingParams,
        [geometry, nodes]: [&'a LevelGeometry; 2],
        images: &'a LevelImages,
    ) -> Result<Self, ComputeError> {
        let (shape, nodes, d) = (geometry.shape, nodes.shape, geometry.shape.components());
        let candidates =
            Search::isotropic(shape, params.radius, params.reach.max(params.later_reach)).candidates();
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
            window: isotropic(&Taps::gaussian(params.smoothness_sigma, TRUNCATE)),
        };
        if params.gamma > 0.0 {
            let (scheme, out) = (Scheme::Central4, &mut level.gradients[0]);
            Gradient { shape, scheme, image: &images.fixed, out }.run(device)?;
        }
        Ok(level)
    }

    /// All searches of the level; `displacement`, in edges, lies on the blocks.
    pub fn run(&mut self, displacement: &mut Field) -> Result<LevelRun<PendingSearches>, ComputeError> {
        let start = self.device.stamp()?;
        let increments: Vec<Later<f64>> =
            (0..self.params.searches).map(|nth| self.search(nth, displacement)).collect::<Result<_, _>>()?;
        let LevelGeometry { spacing_vox, shape, .. } = *self.geometry;
        let span = [start, self.device.stamp()?];
        let own = PendingSearches { blocks: self.nodes.size, spacing_vox, increments };
        Ok(LevelRun { size: shape.size, own, span })
    }

    /// One search around the displacement so far; the mean length of its increments, edges.
    fn search(&mut self, nth: usize, displacement: &mut Field) -> Result<Later<f64>, ComputeError> {
        let (device, params, nodes) = (self.device, self.params, self.nodes);
        let reach = if nth == 0 { params.reach } else { params.later_reach };
        let search = Search::isotropic(self.geometry.shape, params.radius, reach);
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
            // The plain median has no guide.
            let (guide, out) = (&displacement[0], &mut self.moved);
            Median { shape: nodes, kind, field: displacement, guide, vote: None, out }.run(device)?;
            std::mem::swap(displacement, &mut self.moved);
        }
        let blocks = nodes.len() as f64;
        Ok(length.map(move |sum| sum / blocks))
    }

    /// Warps by the displacement and scores every candidate around it.
    fn score(&mut self, search: Search, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let (device, shape) = (self.device, self.geometry.shape);
        self.warp(displacement)?;
        let [measure, of_gradients] = self.params.measures();
        let scores = WindowScores {
            shape,
            nodes: self.nodes,
            search,
            measure,
            pairs: &[(&self.images.fixed, &self.warped)],
            weight: self.images.mask.as_ref(),
            gain: self.params.score_gain(),
            output: Output::Overwrite,
            scores: &mut self.scores,
        };
        scores.run(device)?;
        if self.params.gamma > 0.0 {
            let [fixed, warped] = &mut self.gradients;
            Gradient { shape, scheme: Scheme::Central4, image: &self.warped, out: warped }.run(device)?;
            let pairs: Vec<_> = fixed.iter().zip(warped.iter()).collect();
            let scores = WindowScores {
                shape,
                nodes: self.nodes,
                search,
                measure: of_gradients,
                pairs: &pairs,
                weight: self.images.mask.as_ref(),
                gain: self.params.score_gain() * self.params.gamma,
                output: Output::Add,
                scores: &mut self.scores,
            };
            scores.run(device)?;
        }
        Ok(())
    }

    /// Samples the moving image at a displacement of the blocks.
    fn warp(&mut self, displacement: &[Buffer]) -> Result<(), ComputeError> {
        let (shape, nodes) = (self.geometry.shape, self.nodes);
        let mut between = Field::new();
        if shape != nodes {
            between = self.device.scratch_field(displacement.len(), shape.len())?;
            let (input, output) = (displacement, &mut between);
            Resample { input, input_shape: nodes, output, output_shape: shape, factor: 1.0 }
                .run(self.device)?;
        }
        let warp = Warp {
            shape,
            moving_shape: self.images.moving_shape,
            spacing_edges: self.geometry.spacing_edges,
            interpolation: self.params.interpolation.of_kernel(),
            border: Border::Unbounded,
            cut: self.images.cut,
            moving_from_fixed: self.images.moving_from_fixed,
            moving: &self.images.moving,
            displacement: if shape == nodes { displacement } else { &between },
            out: &mut self.warped,
        };
        warp.run(self.device)
    }

    /// Moves every block by its best increment, drawn to its neighbours' mean displacement with a weight if there is one; Σ |δ|,
    /// edges.
    fn choose(
        &mut self,
        search: Search,
        pull: Option<f32>,
        displacement: &[Buffer],
    ) -> Result<Later<f64>, ComputeError> {
        let choice = BestCandidate {
            nodes: self.nodes,
            spacing_edges: self.geometry.spacing_edges,
            search,
            scores: &self.scores,
            symmetry: if self.nodes == self.geometry.shape {
                self.params.symmetry()
            } else {
                Symmetry::OneSided
            },
            sub_voxel: self.params.sub_voxel(),
            rest: self.params.rest,
            pull: pull.map(|weight| Pull { weight, towards: &self.mean }),
            displacement,
            out: &mut self.moved,
            distinctness: None,
        };
        choice.run(self.device)
    }

    /// The displacement of every voxel, edges, NaN where no data count; and its confidence.
    pub fn conclude(mut self, displacement: Field) -> Result<(Field, Buffer), ComputeError> {
        let (device, shape) = (self.device, self.geometry.shape);
        self.warp(&displacement)?;
        let mut displacement = on_grid(device, displacement, [self.nodes, shape])?;
        let weight = self.images.mask.as_ref();
        let search = Search::isotropic(shape, self.params.radius, 0);
        let pair = [(&self.images.fixed, &self.warped)];
        let (mut quality, mut error) = (device.scratch(shape.len())?, device.scratch(shape.len())?);
        let scores = WindowScores {
            shape,
            nodes: shape,
            search,
            measure: Measure::Ncc { floor: self.params.floor.max(LEAST_FLOOR) },
            pairs: &pair,
            weight,
            gain: 1.0,
            output: Output::Overwrite,
            scores: &mut quality,
        };
        scores.run(device)?;
        let taps = isotropic(&Taps::gaussian(CONFIDENCE_WINDOW_VOX, TRUNCATE));
        let mut mean = device.scratch_field(displacement.len(), shape.len())?;
        for (input, output) in displacement.iter().zip(&mut mean) {
            Convolve { shape, taps: &taps, input, output }.run(device)?;
        }
        let kernel = MatchError {
            shape,
            displacement: &displacement,
            mean: &mean,
            quality: &quality,
            distinctness: None,
            per_mismatch: ERROR_PER_MISMATCH,
            out: &mut error,
        };
        kernel.run(device)?;
        let mut confidence = device.scratch(shape.len())?;
        Convolve { shape, taps: &taps, input: &error, output: &mut confidence }.run(device)?;
        let kernel = MatchConfidence {
            shape,
            radius: search.radius,
            weight,
            quality: &quality,
            half_edges: HALF_CONFIDENCE_EDGES,
            displacement: &mut displacement,
            error_to_confidence: &mut confidence,
        };
        kernel.run(device)?;
        Ok((displacement, confidence))
    }
}
