//! What methods that solve for increments do alike on a level: constraints, joining an increment, the median after it, the
//! confidence at the end; and keeping cells from folding (`unfolding.rs`).

pub(crate) mod unfolding;

use crate::steps::buffers::written;
use crate::steps::choices::{IncrementUpdate, MedianFilter};
use crate::steps::image_pyramids::LevelImages;
use crate::steps::pyramid::LevelGeometry;
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::median::{Median, MedianKind, WeightedMedian};
use veloxel_kernels::image::pointwise::ClipLength;
use veloxel_kernels::image::warp::Border;
use veloxel_kernels::variational::bend::Bend;
use veloxel_kernels::variational::compose::Compose;
use veloxel_kernels::variational::confidence::Confidence;
use veloxel_kernels::variational::expected_error::ExpectedError;
use veloxel_kernels::variational::field_confidence::FieldConfidence;
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm};
use veloxel_kernels::variational::occlusion::{self, Visibility};
use veloxel_kernels::{Kernel, Taps};

/// The non-local median of pictures: scales chosen on plateaus, window and votes as Sun, Roth, Black 2010.
const NON_LOCAL: WeightedMedian =
    WeightedMedian { radius: 6, stride: 3, sigma_vox: 6.0, sigma_intensity: 0.025, edge: 0.1, reach: 1 };
/// Scales of the visibility that weighs its votes.
const VISIBILITY: occlusion::Scales = occlusion::Scales { divergence: 0.3, intensity: 0.06 };

/// Distance of the samples that tell whether the field is rough, edges: less, and errors of neighbours are alike; more, and
/// bends of the motion count as errors.
const ROUGHNESS_STEP_EDGES: f32 = 4.0;
/// Error expected of a vector that leads out of the image, edges.
const OUTSIDE_ERROR_EDGES: f32 = 1.0;
/// Standard deviation of the window that expected errors are averaged over, voxels.
const CONFIDENCE_WINDOW_VOX: f64 = 1.0;
/// Expected error at which the confidence is halved, edges.
const HALF_CONFIDENCE_EDGES: f32 = 0.5;
/// Windows are cut here, in standard deviations.
pub(crate) const TRUNCATE: f64 = 2.5;

/// Voxels that the expected error of a vector depends on: fourth differences of samples some edges apart, which are no shorter
/// than a voxel, and the mean over their window.
pub(crate) fn roughness_reach_vox() -> usize {
    2 * ROUGHNESS_STEP_EDGES as usize + confidence_window().radius()
}

fn confidence_window() -> Taps {
    Taps::gaussian(CONFIDENCE_WINDOW_VOX, TRUNCATE)
}

impl MedianFilter {
    /// As kernels know it, in so many dimensions, where a second difference of `edge` is a motion edge; only pictures have a
    /// non-local one.
    pub(crate) fn of_kernel(self, components: usize, edge: f32) -> Option<MedianKind> {
        match self {
            Self::Plain { radius } => Some(MedianKind::Plain { radius }),
            Self::NonLocal if components == 2 => {
                Some(MedianKind::Weighted(WeightedMedian { edge, ..NON_LOCAL }))
            }
            _ => None,
        }
    }
}

impl LevelGeometry {
    /// The constancy of images, or of their derivatives.
    pub(crate) fn data_term<'a>(
        &self,
        scheme: Scheme,
        constraint: Constraint,
        pairs: &'a [(&'a Buffer, &'a Buffer)],
        weight: Option<&'a Buffer>,
    ) -> DataTerm<'a> {
        let (shape, spacing_edges) = (self.shape, self.spacing_edges);
        DataTerm { shape, spacing_edges, scheme, constraint, pairs, weight }
    }

    /// Puts an increment, of a length up to a limit, on top of a displacement; its mean length, voxels.
    pub(crate) fn join(
        &self,
        device: &Device,
        [displacement, increment]: [&mut Field; 2],
        limit: f32,
        update: IncrementUpdate,
    ) -> Result<Later<f64>, ComputeError> {
        let length = ClipLength { limit, field: increment }.run(device)?;
        let (shape, spacing_edges, update) = (self.shape, self.spacing_edges, update.of_kernel());
        Compose { shape, spacing_edges, update, displacement, increment }.run(device)?;
        std::mem::swap(displacement, increment);
        let voxels = shape.len() as f64;
        Ok(length.map(move |sum| sum / voxels))
    }

    /// The median of a displacement by the help of a spare field; where there is memory for them, votes count by the visibility
    /// that the images, warped anew, tell of.
    pub(crate) fn median(
        &self,
        device: &Device,
        kind: MedianKind,
        images: &LevelImages,
        [displacement, spare]: [&mut Field; 2],
        [warped, votes]: [&mut Field; 2],
    ) -> Result<(), ComputeError> {
        if !votes.is_empty() {
            images.warp(device, self, Border::Centres, displacement, &mut warped[0])?;
        }
        self.weigh_votes(device, images, displacement, &warped[0], votes)?;
        self.weighted_median(device, kind, images, [displacement, spare], votes)
    }

    /// The median of an increment, before it joins the displacement to which the images are warped, as of a displacement.
    pub(crate) fn median_of_increment(
        &self,
        device: &Device,
        kind: MedianKind,
        images: &LevelImages,
        displacement: &[Buffer],
        [increment, spare]: [&mut Field; 2],
        [warped, votes]: [&mut Field; 2],
    ) -> Result<(), ComputeError> {
        self.weigh_votes(device, images, displacement, &warped[0], votes)?;
        self.weighted_median(device, kind, images, [increment, spare], votes)
    }

    /// The visibility of each pixel as the weight of its vote, where there is memory for votes.
    fn weigh_votes(
        &self,
        device: &Device,
        images: &LevelImages,
        displacement: &[Buffer],
        warped: &Buffer,
        votes: &mut Field,
    ) -> Result<(), ComputeError> {
        let Some(out) = votes.first_mut() else { return Ok(()) };
        let (shape, spacing_edges, scales, fixed) =
            (self.shape, self.spacing_edges, VISIBILITY, &images.fixed);
        Visibility { shape, spacing_edges, scales, displacement, fixed, warped, out }.run(device)
    }

    fn weighted_median(
        &self,
        device: &Device,
        kind: MedianKind,
        images: &LevelImages,
        [field, spare]: [&mut Field; 2],
        votes: &Field,
    ) -> Result<(), ComputeError> {
        let (shape, guide, vote) = (self.shape, &images.fixed, votes.first());
        Median { shape, kind, field, guide, vote, out: spare }.run(device)?;
        std::mem::swap(field, spare);
        Ok(())
    }

    /// The confidence of a displacement.
    pub(crate) fn confidence(
        &self,
        device: &Device,
        displacement: &[Buffer],
        tensor: &[Buffer],
        warped_to_error: &mut Buffer,
        scales: ConfidenceScales,
    ) -> Result<Buffer, ComputeError> {
        let ConfidenceScales { determinacy, pooled, contrast, half_eigenvalue, bend } = scales;
        let (shape, half_edges) = (self.shape, HALF_CONFIDENCE_EDGES);
        let errors = ExpectedError {
            shape,
            spacing_edges: self.spacing_edges,
            step_edges: ROUGHNESS_STEP_EDGES,
            determinacy,
            pooled,
            displacement,
            tensor,
            outside_edges: OUTSIDE_ERROR_EDGES,
            warped_to_error,
        };
        let taps = &isotropic(&confidence_window());
        written(device, shape.len(), |out| {
            if bend == 0.0 {
                return FieldConfidence { errors, taps, contrast, half_edges, half_eigenvalue, out }
                    .run(device);
            }
            ExpectedError { warped_to_error: &mut *errors.warped_to_error, ..errors }.run(device)?;
            let error = &mut *errors.warped_to_error;
            Bend { shape, spacing_edges: self.spacing_edges, weight: bend, displacement, error }
                .run(device)?;
            Convolve { shape, taps, input: errors.warped_to_error, output: &mut *out }.run(device)?;
            Confidence { shape, contrast, half_edges, tensor, error_to_confidence: out }.run(device)
        })
    }
}

/// Below this, J's eigenvalues are interpolation: the smoothness weight of a voxel's springs.
const DETERMINACY_PER_ALPHA: f32 = 0.1;
/// The confidence falls for lack of contrast alone below this share of that, where eight bits end.
const CONTRAST_PER_DETERMINACY: f32 = 1e-4;
/// Voxels along an axis whose data the smoothness pools.
const POOLED_ALONG_AXIS: i32 = 6;

/// What tells how sure a vector is.
pub(crate) struct ConfidenceScales {
    /// Eigenvalue of the tensor below which its residual tells little.
    pub determinacy: f32,
    /// Voxels whose data are pooled.
    pub pooled: f32,
    /// Below this the confidence falls for lack of contrast alone.
    pub contrast: f32,
    /// The least eigenvalue that halves the confidence; none: it is not asked for.
    pub half_eigenvalue: Option<f32>,
    /// Weight, edges², of the field's squared bend among the squared errors: where noise is averaged over wide windows, bends tell where
    /// it still pulls. 0: none. Above 0 `half_eigenvalue` is not asked for.
    pub bend: f32,
}

impl ConfidenceScales {
    /// The scales of a field of so many components that smoothness of the weight α holds together.
    pub fn of_smoothness(alpha: f32, components: usize) -> Self {
        let determinacy = DETERMINACY_PER_ALPHA * alpha;
        Self {
            determinacy,
            pooled: POOLED_ALONG_AXIS.pow(components as u32) as f32,
            contrast: CONTRAST_PER_DETERMINACY * determinacy,
            half_eigenvalue: None,
            bend: 0.0,
        }
    }
}
