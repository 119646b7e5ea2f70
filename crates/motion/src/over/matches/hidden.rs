//! Which voxels are hidden: the way there and back does not end where it began, or what is seen there looks different, or a little
//! of both.
//!
//! Differences of the images, and of their derivatives, count by their means where vectors are confirmed: noise and sampling
//! leave as much anywhere.

use super::Work;
use crate::error::Result;
use crate::steps::buffers::{settled, written, written_field};
use crate::steps::moving_image::{FinerImage, MovingImage};
use veloxel_gpu::{Buffer, Field, Later, Timestamp};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::pointwise::{Multiply, Operation};
use veloxel_kernels::image::warp::{Border, Interpolation};
use veloxel_kernels::matching::agreement::AddDifference;
use veloxel_kernels::matching::confirmation::{Confirmation, PathTolerance, PathVerdict};

/// The distance that way there and back may leave, voxels, and how many times more makes no difference.
const TOLERANCE: PathTolerance = PathTolerance { least_vox: 0.2, share: 0.02 };
const MOST_TOLERANCES: f32 = 4.0;
/// What a difference as large as the mean one says, and the most that one can say: of the image, and of all derivatives.
const PER_MEAN: f64 = 0.05;
const MOST_OF_IMAGES: f32 = 0.5;
/// What all together must say; chosen on a plateau, on alley_1 and cave_2.
const HIDDEN_FROM: f32 = 0.85;

/// What says that a voxel of the first image is hidden, or outside of the other one; how much differences count waits for numbers
/// that the device may not have found yet.
pub(super) struct Doubt {
    /// What the way there and back says.
    doubt: Buffer,
    warped: Buffer,
    /// Derivatives of the first image, and of the warped one.
    gradients: [Field; 2],
    /// Σ |difference| of the images and of each derivative, and the number of voxels.
    sums: Vec<Later<(f64, f64)>>,
    /// When all of it is there.
    mark: Option<Timestamp>,
}

impl Doubt {
    /// Asks for it, with the differences where vectors are confirmed.
    pub fn ask(work: &Work<'_>, [forward, backward]: [&Field; 2], confirmed: &Buffer) -> Result<Self> {
        let (device, shape) = (work.device, work.shape());
        let verdict = PathVerdict::Doubt { most: MOST_TOLERANCES };
        let doubt = written(device, shape.len(), |out| {
            Confirmation { shape, tolerance: TOLERANCE, forward, backward, verdict, out }.run(device)
        })?;
        let spline = Interpolation::CubicSpline;
        let moving =
            MovingImage::new(device, work.images[1], work.grid, work.grid, spline, FinerImage::Smoothed)?;
        let warped = moving.warp(forward, Border::Unbounded)?;
        let gradient = |image: &Buffer| {
            let scheme = Scheme::Central4;
            written_field(device, shape, |out| Gradient { shape, scheme, image, out }.run(device))
        };
        let gradients = [gradient(work.images[0])?, gradient(&warped)?];
        let weight = Some(confirmed);
        let sums = channels(work, &warped, &gradients)
            .into_iter()
            .map(|[fixed, warped]| AbsoluteDifference { fixed, warped, weight }.run(device));
        let sums = sums.collect::<Result<_, _>>()?;
        Ok(Self { doubt, warped, gradients, sums, mark: device.mark()? })
    }

    /// Below ½ where a voxel is hidden.
    pub fn seen(self, work: &Work<'_>) -> Result<Buffer> {
        let (device, Self { mut doubt, warped, gradients, sums, mark }) = (work.device, self);
        let sums = settled(device, mark.as_ref(), sums)?;
        let means: Vec<f64> = sums.into_iter().map(|(sum, count)| sum / count.max(1.0)).collect();
        let channels = channels(work, &warped, &gradients);
        let parts = (channels.len() - 1) as f32;
        for (range, most) in [(0..1, MOST_OF_IMAGES), (1..channels.len(), MOST_OF_IMAGES / parts)] {
            let mean: f64 = means[range.clone()].iter().sum();
            let gain = if mean > 0.0 { (PER_MEAN / mean) as f32 } else { 0.0 };
            for &images in &channels[range] {
                AddDifference { gain, most, images, out: &mut doubt }.run(device)?;
            }
        }
        Operation::Rescale { gain: -0.5 / HIDDEN_FROM, offset: 1.0 }.on(&mut doubt).run(device)?;
        if let Some(mask) = work.sides.masks[0] {
            Multiply { factor: &mask.weight, out: &mut doubt }.run(device)?;
        }
        Ok(doubt)
    }
}

/// The images, and their derivatives: the first one's and the warped one's.
fn channels<'a>(work: &Work<'a>, warped: &'a Buffer, [a, b]: &'a [Field; 2]) -> Vec<[&'a Buffer; 2]> {
    let gradients = a.iter().zip(b).map(|(a, b)| [a, b]);
    std::iter::once([work.images[0], warped]).chain(gradients).collect()
}
