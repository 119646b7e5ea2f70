//! What methods that solve for increments do alike on a level: constraints, joining an increment, the median after it, the
//! confidence at the end (`confidence.rs`); and keeping cells from folding (`unfolding.rs`).

mod confidence;
pub(crate) mod unfolding;

pub(crate) use confidence::{ConfidenceScales, NOISE_BEND, PooledData, reach_vox};

use crate::steps::choices::{IncrementUpdate, MedianFilter};
use crate::steps::image_pyramids::LevelImages;
use crate::steps::pyramid::LevelGeometry;
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::median::{Median, MedianKind, WeightedMedian};
use veloxel_kernels::image::pointwise::ClipLength;
use veloxel_kernels::image::warp::Border;
use veloxel_kernels::variational::compose::Compose;
use veloxel_kernels::variational::motion_tensor::{Constraint, DataTerm};
use veloxel_kernels::variational::occlusion::{self, Visibility};

/// The non-local median of pictures: scales chosen on plateaus, window and votes as Sun, Roth, Black 2010.
const NON_LOCAL: WeightedMedian =
    WeightedMedian { radius: 6, stride: 3, sigma_vox: 6.0, sigma_intensity: 0.025, edge: 0.1, reach: 1 };
/// Scales of the visibility that weighs its votes.
const VISIBILITY: occlusion::Scales = occlusion::Scales { divergence: 0.3, intensity: 0.06 };

/// Windows are cut here, in standard deviations.
pub(crate) const TRUNCATE: f64 = 2.5;

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
}
