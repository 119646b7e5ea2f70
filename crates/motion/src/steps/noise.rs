//! How far noise alone would throw images off each other.
//!
//! *Source*: the noise of an image is what its second differences along all axes, one after the other, leave: they take away whatever
//! bends along at most one axis (J. Immerkær, "Fast noise variance estimation", CVIU 64 (1996), in any number of dimensions). An image
//! is then compared with itself and √2 times that noise on top, as much as two images of equal noise differ by, in the measure by which
//! the mismatch of two images is taken ([`Mismatch`]). Slices that lie twice as far apart as pixels, or farther, take no part in the
//! differences: what changes from one to the next is structure.
//!
//! *Limits*: pictures have two second differences and volumes three, so that speckle of a picture passes for noise (0.23 pixel).
//!
//! *Evidence*: the tests below: no noise is told from smooth texture, and the estimate grows with the noise.

use crate::steps::pyramid::LevelGeometry;
use std::slice::from_mut;
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Device, Later};
use veloxel_kernels::image::convolve::Convolve;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::pointwise::{InPlace, Mix, Operation};
use veloxel_kernels::variational::motion_tensor::{Constraint, Mismatch};
use veloxel_kernels::{Kernel, Taps};

/// Factor by which a second difference, −1 2 −1, grows the standard deviation of noise: √6.
const SECOND_DIFFERENCE_GAIN: f64 = 2.449_489_742_783_178;
/// Distance of slices, edges, from which on what differs from one to the next may be structure.
const THICK_SLICE: f32 = 2.0;

/// Mean squared distance, edges², by which the noise of an image alone would make it miss an image of the same scene.
///
/// `weight` is 1 where data count.
pub(crate) fn noise_mismatch2(
    device: &Device,
    geometry: &LevelGeometry,
    constraint: Constraint,
    image: &Buffer,
    weight: Option<&Buffer>,
) -> Result<Later<f64>, ComputeError> {
    let shape = geometry.shape;
    let mut noisy = device.scratch(shape.len())?;
    let taps = &second_differences(geometry);
    Convolve { shape, taps, input: image, output: &mut noisy }.run(device)?;
    // The sum of both: half of each, twice.
    Mix { with: image, share: 0.5, out: &mut noisy }.run(device)?;
    let operation = Operation::Rescale { gain: 2.0, offset: 0.0 };
    InPlace { operation, field: from_mut(&mut noisy) }.run(device)?;
    let pairs = [(image, &noisy)];
    let term = geometry.data_term(Scheme::Central4, constraint, &pairs, weight);
    Mismatch { term }.run(device)
}

/// The filters that leave √2 times the noise of an image.
fn second_differences(geometry: &LevelGeometry) -> Axes<Taps> {
    let axes = geometry.shape.components();
    let is_fine = |axis: usize| axis < axes && geometry.spacing_edges[axis] < THICK_SLICE;
    let fine = (0..axes).filter(|axis| is_fine(*axis)).count();
    let per_axis = 2f64.powf(0.5 / fine as f64) / SECOND_DIFFERENCE_GAIN;
    let second_difference = Taps::of_weights([2.0, -1.0].map(|w| (w * per_axis) as f32).to_vec());
    [0, 1, 2].map(|axis| if is_fine(axis) { second_difference.clone() } else { Taps::of_weights(vec![1.0]) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::pyramid::levels;
    use veloxel_core::Dimension;
    use veloxel_phantoms::Noise;
    use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind, isotropic_grid};

    /// The mismatch that noise alone would leave, voxels.
    fn estimate(dimension: Dimension, texture: TextureKind, sd: f64) -> f64 {
        let grid = isotropic_grid(dimension, 32).expect("a grid");
        let noise = if sd > 0.0 { Noise::Gaussian { sd, seed: 3 } } else { Noise::None };
        let fixed = Case { motion: MotionKind::Shift, texture, noise }.build(&grid).fixed;
        let device = Device::cpu(1).expect("a device");
        let image = device.upload_copy(fixed.data()).expect("samples");
        let geometry = &levels(&grid, 0.5, 1)[0];
        let constraint = Constraint::Normalised { zeta: 0.1 };
        let mismatch2 = noise_mismatch2(&device, geometry, constraint, &image, None).expect("a number");
        mismatch2.get(&device).expect("a number").sqrt()
    }

    #[test]
    fn texture_is_no_noise() {
        use {Dimension::*, TextureKind::*};
        for (dimension, texture) in [(Two, Smooth), (Three, Smooth), (Three, Speckle)] {
            let found = estimate(dimension, texture, 0.0);
            assert!(found < 0.12, "{dimension:?}, {texture:?}: {found} voxel");
        }
    }

    #[test]
    fn noise_is_told_as_much_as_there_is() {
        let at = |sd| estimate(Dimension::Three, TextureKind::Smooth, sd);
        let [little, more, much] = [0.02, 0.04, 0.08].map(at);
        assert!((0.17..0.35).contains(&little), "{little} voxel");
        assert!((1.5..2.1).contains(&(more / little)), "twice as much: {little}, {more} voxel");
        assert!(much > more, "{more}, {much} voxel");
    }
}
