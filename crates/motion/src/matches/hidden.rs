//! Which voxels are hidden: the way there and back does not end where it began, or what is seen there looks different, or a little
//! of both.
//!
//! Differences of the images, and of their derivatives, count by their means where vectors are confirmed: noise and sampling
//! leave as much anywhere.

use super::Work;
use crate::MotionError;
use crate::moving_image::MovingImage;
use veloxel_gpu::{Buffer, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::gradient::{Gradient, Scheme};
use veloxel_kernels::image::pointwise::{Multiply, Operation};
use veloxel_kernels::image::warp::{Border, Interpolation};
use veloxel_kernels::matching::agreement::AddDifference;
use veloxel_kernels::matching::confirmation::{Confirmation, Tolerance, Verdict};

/// The distance that way there and back may leave, voxels, and how many times more makes no difference.
const TOLERANCE: Tolerance = Tolerance { least_vox: 0.2, share: 0.02 };
const MOST_TOLERANCES: f32 = 4.0;
/// What a difference as large as the mean one says, and the most that one can say: of the image, and of all derivatives.
const PER_MEAN: f64 = 0.05;
const MOST_OF_IMAGES: f32 = 0.5;
/// What all together must say; chosen on a plateau, on alley_1 and cave_2.
const HIDDEN_FROM: f32 = 0.85;

/// Below ½ where a voxel of the first image is hidden or outside of the other one.
pub(super) fn seen(
    work: &Work<'_>,
    [forward, backward]: [&Field; 2],
    confirmed: &Buffer,
) -> Result<Buffer, MotionError> {
    let (device, shape) = (work.device, work.shape());
    let mut doubt = device.scratch(shape.len())?;
    let verdict = Verdict::Doubt { most: MOST_TOLERANCES };
    Confirmation { shape, tolerance: TOLERANCE, forward, backward, verdict, out: &mut doubt }.run(device)?;
    let moving = MovingImage::new(device, work.images[1], work.grid, work.grid, Interpolation::CubicSpline)?;
    let warped = moving.warp(forward, Border::Unbounded)?;
    let gradient = |image: &Buffer| -> Result<Field, MotionError> {
        let mut out = device.scratch_field(shape.components(), shape.len())?;
        Gradient { shape, scheme: Scheme::Central4, image, out: &mut out }.run(device)?;
        Ok(out)
    };
    let mean = |images: [&Buffer; 2]| -> Result<f64, MotionError> {
        let [fixed, warped] = images;
        let (sum, count) =
            AbsoluteDifference { fixed, warped, weight: Some(confirmed) }.run(device)?.get(device)?;
        Ok(sum / count.max(1.0))
    };
    let gradients = [gradient(work.images[0])?, gradient(&warped)?];
    let of_gradients: Vec<_> = gradients[0].iter().zip(&gradients[1]).map(|(a, b)| [a, b]).collect();
    let parts = of_gradients.len() as f32;
    for (channels, most) in
        [(vec![[work.images[0], &warped]], MOST_OF_IMAGES), (of_gradients, MOST_OF_IMAGES / parts)]
    {
        let means: f64 = channels.iter().map(|images| mean(*images)).sum::<Result<f64, _>>()?;
        let gain = if means > 0.0 { (PER_MEAN / means) as f32 } else { 0.0 };
        for images in channels {
            AddDifference { gain, most, images, out: &mut doubt }.run(device)?;
        }
    }
    Operation::Rescale { gain: -0.5 / HIDDEN_FROM, offset: 1.0 }.on(&mut doubt).run(device)?;
    if let Some(mask) = work.sides.masks[0] {
        Multiply { factor: &mask.weight, out: &mut doubt }.run(device)?;
    }
    Ok(doubt)
}
