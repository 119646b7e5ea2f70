//! How far noise alone would throw images off each other.
//!
//! *Source*: the noise of an image is what its second differences along all axes, one after the other, leave: they take away whatever
//! bends along at most one axis (J. Immerkær, "Fast noise variance estimation", CVIU 64 (1996), in any number of dimensions). An image
//! is then compared with itself and √2 times that noise on top, as much as two images of equal noise differ by, in the measure by which
//! the mismatch of two images is taken ([`Mismatch`]). Slices that lie twice as far apart as pixels, or farther, take no part in the
//! differences: what changes from one to the next is structure.
//!
//! *Two axes* leave speckle as well. Differences of twice the step tell it: independent noise gives them as much as those of one step,
//! waves of angular frequency ω along both axes 256 cos⁸(ω/2) times as much, as squares: 256 times where they are long, three times where
//! they are 3.3 voxels long. A third of what differences of two steps leave is taken for texture.
//!
//! ```text
//! m² = m₁²,                            along three axes
//! m² = 3/2 (m₁² − m₂²/3), 0 at least,  along two, with m₁, m₂ from differences of one step and of two
//! ```
//!
//! *Limits*: noise whose samples are not independent (smoothed, resampled, compressed images) is told in part; texture of pictures with
//! waves below 3.3 voxels passes for noise.
//!
//! *Evidence*: the tests below: no noise is told from texture, and the estimate grows with the noise.

use crate::steps::pyramid::LevelGeometry;
use std::slice::from_mut;
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Device, Later, Pending, fetch};
use veloxel_kernels::image::convolve::Convolve;
use veloxel_kernels::image::gradient::Scheme;
use veloxel_kernels::image::pointwise::{InPlace, Mix, Operation};
use veloxel_kernels::variational::motion_tensor::{Constraint, Mismatch};
use veloxel_kernels::{Kernel, Taps};

/// Factor by which a second difference, −1 2 −1, grows the standard deviation of noise: √6.
const SECOND_DIFFERENCE_GAIN: f64 = 2.449_489_742_783_178;
/// Distance of slices, edges, from which on what differs from one to the next may be structure.
const THICK_SLICE: f32 = 2.0;
/// Share of what differences of twice the step leave that is taken for texture.
const TEXTURE_SHARE: f64 = 1.0 / 3.0;

/// An image at the size at which its noise is looked at.
pub(crate) struct NoisyImage<'a> {
    pub geometry: &'a LevelGeometry,
    pub samples: &'a Buffer,
    /// 1 where data count.
    pub weight: Option<&'a Buffer>,
}

/// What the noise of both images of a pair would leave, once it is known.
pub(crate) struct NoiseLook {
    /// The mismatch of each image by each step.
    images: [Vec<Later<f64>>; 2],
    voxels: usize,
}

/// What the noise of both images leaves.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoiseFound {
    /// Mean squared distance by which noise alone would make them miss each other, edges² of the grid looked at.
    pub mismatch2: f64,
    /// Voxels of that grid.
    pub voxels: usize,
}

impl NoiseFound {
    /// How much the noise counts on a level of so many voxels, from 0 where it alone leaves `limit_vox` voxels of mismatch or less, to 1
    /// at twice of it: `t = m √s / limit − 1`, as a voxel of the level is the mean of 1/s voxels.
    pub fn share(self, level_voxels: usize, limit_vox: f64) -> f64 {
        if limit_vox == 0.0 {
            return 0.0;
        }
        let share = level_voxels as f64 / self.voxels.max(1) as f64;
        ((self.mismatch2 * share).sqrt() / limit_vox - 1.0).clamp(0.0, 1.0)
    }
}

impl NoiseLook {
    /// Looks at the fixed image and the moving one.
    pub fn new(
        device: &Device,
        constraint: Constraint,
        images: [NoisyImage<'_>; 2],
    ) -> Result<Self, ComputeError> {
        let voxels = images[0].geometry.shape.len();
        let [fixed, moving] = images.map(|image| mismatches2(device, constraint, &image));
        Ok(Self { images: [fixed?, moving?], voxels })
    }

    /// Waits for the numbers.
    pub fn get(mut self, device: &Device) -> Result<NoiseFound, ComputeError> {
        let numbers = self.images.iter_mut().flatten();
        fetch(device, None, numbers.map(|number| number as &mut dyn Pending).collect())?;
        let mut sum = 0.0;
        for of_steps in self.images {
            let of_steps: Result<Vec<f64>, _> =
                of_steps.into_iter().map(|number| number.get(device)).collect();
            sum += noise_alone(&of_steps?);
        }
        Ok(NoiseFound { mismatch2: 0.5 * sum, voxels: self.voxels })
    }
}

/// What is left of the mismatch by one step without texture, where that by two steps is known.
fn noise_alone(of_steps: &[f64]) -> f64 {
    match of_steps {
        [one, two] => (one - TEXTURE_SHARE * two).max(0.0) / (1.0 - TEXTURE_SHARE),
        _ => of_steps[0],
    }
}

/// Mean squared distance, edges², by which the noise of an image alone would make it miss an image of the same scene: by differences
/// of one step, and along two axes of two.
fn mismatches2(
    device: &Device,
    constraint: Constraint,
    image: &NoisyImage<'_>,
) -> Result<Vec<Later<f64>>, ComputeError> {
    let (geometry, samples) = (image.geometry, image.samples);
    let shape = geometry.shape;
    let mut noisy = device.scratch(shape.len())?;
    let steps = if fine_axes(geometry).count() < 3 { 2 } else { 1 };
    let mut found = Vec::new();
    for step in 1..=steps {
        let taps = &second_differences(geometry, step);
        Convolve { shape, taps, input: samples, output: &mut noisy }.run(device)?;
        // The sum of both: half of each, twice.
        Mix { with: samples, share: 0.5, out: &mut noisy }.run(device)?;
        let operation = Operation::Rescale { gain: 2.0, offset: 0.0 };
        InPlace { operation, field: from_mut(&mut noisy) }.run(device)?;
        let pairs = [(samples, &noisy)];
        let term = geometry.data_term(Scheme::Central4, constraint, &pairs, image.weight);
        found.push(Mismatch { term }.run(device)?);
    }
    Ok(found)
}

/// Axes along which neighbours show the same structure.
fn fine_axes(geometry: &LevelGeometry) -> impl Iterator<Item = usize> {
    let (axes, spacing) = (geometry.shape.components(), geometry.spacing_edges);
    (0..axes).filter(move |axis| spacing[*axis] < THICK_SLICE)
}

/// The filters that leave √2 times the noise of an image, from differences of so many voxels.
fn second_differences(geometry: &LevelGeometry, step: usize) -> Axes<Taps> {
    let fine: Vec<usize> = fine_axes(geometry).collect();
    let per_axis = 2f64.powf(0.5 / fine.len() as f64) / SECOND_DIFFERENCE_GAIN;
    let mut weights = vec![0.0; step + 1];
    (weights[0], weights[step]) = ((2.0 * per_axis) as f32, -per_axis as f32);
    let second_difference = Taps::of_weights(weights);
    [0, 1, 2].map(|axis| match fine.contains(&axis) {
        true => second_difference.clone(),
        false => Taps::of_weights(vec![1.0]),
    })
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
        let noisy = || NoisyImage { geometry, samples: &image, weight: None };
        let look = NoiseLook::new(&device, constraint, [noisy(), noisy()]).expect("a look");
        look.get(&device).expect("a number").mismatch2.sqrt()
    }

    #[test]
    fn texture_is_no_noise() {
        use {Dimension::*, TextureKind::*};
        for (dimension, texture) in [(Two, Smooth), (Two, Speckle), (Three, Smooth), (Three, Speckle)] {
            let found = estimate(dimension, texture, 0.0);
            assert!(found < 0.12, "{dimension:?}, {texture:?}: {found} voxel");
        }
    }

    #[test]
    fn noise_is_told_as_much_as_there_is() {
        // What is taken for texture along two axes counts most where noise is little.
        for (dimension, twice) in [(Dimension::Two, 1.5..2.5), (Dimension::Three, 1.5..2.1)] {
            let at = |sd| estimate(dimension, TextureKind::Smooth, sd);
            let [little, more, much] = [0.02, 0.04, 0.08].map(at);
            assert!((0.17..0.35).contains(&little), "{dimension:?}: {little} voxel");
            assert!(twice.contains(&(more / little)), "{dimension:?}, twice as much: {little}, {more} voxel");
            assert!(much > more, "{dimension:?}: {more}, {much} voxel");
        }
    }
}
