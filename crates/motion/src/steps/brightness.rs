//! How two images that are nearly aligned differ in brightness, and what brings them together.
//!
//! *Model*: `F − M = a (F + M)/2 + b` at the same places, a gain and an offset. Both images go half of the way, so that exchanged images
//! give the exchanged result, bit by bit.
//! *Fit*: least squares over some of the voxels, weighted anew by `1/(1 + (r/τ)²)` where a residual r is left (Cauchy's weights; P. Holland,
//! R. Welsch, "Robust regression using iteratively reweighted least-squares", Commun. Stat. A 6 (1977), doi:10.1080/03610927708827533),
//! with τ four times the median |r| of places that differ at all: those that are not aligned yet, or that one image alone shows, count
//! little. A background that both images show alike counts, and keeps its brightness: without it the offset of brains that are not
//! aligned drifts, and their borders come apart.
//! *Units*: shares of the range that intensities are mapped to. *Limits*: brightness that differs from place to place stays.

use crate::error::Result;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::gather::{Gather, Places};
use veloxel_kernels::image::pointwise::Operation;

/// Voxels that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 14;
/// Fewer tell nothing.
const FEWEST_SAMPLES: usize = 64;
/// Times that weights are found anew.
const ROUNDS: usize = 6;
/// Share of the range up to which two samples are alike: in the dark, where a level of a pyramid spreads a little of what is bright. On
/// brains of four persons 0.02 gives the same, 0 an eighth less of the difference.
const ALIKE: f32 = 0.005;
/// τ over the median residual.
const SCALES: f64 = 4.0;
/// The least spread of (F + M)/2, as a share of its mean square, that tells a gain from an offset.
const LEAST_SPREAD: f64 = 1e-6;

/// By how much one image is brighter than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BrightnessDifference {
    /// The factor a of the images' mean.
    gain: f64,
    /// b.
    offset: f64,
}

impl BrightnessDifference {
    /// The difference of two images of a shape where both have samples and a weight, where there is one, is above 0; none where too little
    /// is seen.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute).
    pub fn of(
        device: &Device,
        shape: Shape,
        [fixed, moving]: [&Buffer; 2],
        weight: Option<&Buffer>,
    ) -> Result<Option<Self>> {
        let places = Places::Every(step(shape));
        let gathered = |image: &Buffer| -> Result<Buffer> {
            let mut out = device.scratch(places.count(image.len()))?;
            Gather { image, places, out: &mut out }.run(device)?;
            Ok(out)
        };
        let looked_at = [Some(fixed), Some(moving), weight].into_iter().flatten();
        let all = looked_at.map(gathered).collect::<Result<Vec<_>>>()?;
        let all = device.download_all_after(all, None)?;
        let (samples, weights) = (all[0].iter().zip(&all[1]).map(|(f, m)| [*f, *m]), all.get(2));
        let weighs = |nth: usize| weights.is_none_or(|weights| weights[nth] > 0.0);
        let counts = |(nth, sample): &(usize, [f32; 2])| weighs(*nth) && sample.iter().all(|v| v.is_finite());
        let counted: Vec<_> = samples.enumerate().filter(counts).map(|(_, sample)| sample).collect();
        Ok(Self::of_samples(&counted))
    }

    /// The difference of samples of both images at the same places.
    fn of_samples(samples: &[[f32; 2]]) -> Option<Self> {
        if samples.len() < FEWEST_SAMPLES {
            return None;
        }
        let mut own = Self { gain: 0.0, offset: 0.0 };
        for _ in 0..ROUNDS {
            let differing = samples.iter().filter(|[fixed, moving]| (fixed - moving).abs() > ALIKE);
            let mut left: Vec<f64> = differing.map(|sample| own.left(*sample).1.abs()).collect();
            let middle = left.len() / 2;
            if left.is_empty() {
                break;
            }
            let (_, median, _) = left.select_nth_unstable_by(middle, f64::total_cmp);
            if *median == 0.0 {
                break;
            }
            own = own.weighted_anew(samples, SCALES * *median)?;
        }
        Some(own)
    }

    /// (F + M)/2 and what is left of F − M.
    fn left(&self, [fixed, moving]: [f32; 2]) -> (f64, f64) {
        let [fixed, moving] = [fixed, moving].map(f64::from);
        let mean = 0.5 * (fixed + moving);
        (mean, (fixed - moving) - (self.gain * mean + self.offset))
    }

    /// The least squares where a residual of τ halves the weight; none where the images are constant.
    fn weighted_anew(&self, samples: &[[f32; 2]], tau: f64) -> Option<Self> {
        let mut sums = [0.0; 5];
        for sample in samples {
            let (mean, left) = self.left(*sample);
            let weight = 1.0 / (1.0 + (left / tau).powi(2));
            let own = [1.0, mean, mean * mean, left, left * mean];
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += weight * own);
        }
        let [count, mean, squares, left, products] = sums;
        let spread = squares - mean * mean / count;
        if spread <= LEAST_SPREAD * squares {
            return None;
        }
        let gain = (products - left * mean / count) / spread;
        let offset = (left - gain * mean) / count;
        Some(Self { gain: self.gain + gain, offset: self.offset + offset })
    }

    /// F − M where (F + M)/2 is 0, and where it is 1.
    pub fn at_ends(&self) -> [f64; 2] {
        [self.offset, self.gain + self.offset]
    }

    /// The gain and the offset by which the moving image becomes as bright as the fixed one.
    pub fn of_moving(&self) -> [f64; 2] {
        let own = 1.0 - 0.5 * self.gain;
        [(1.0 + 0.5 * self.gain) / own, self.offset / own]
    }

    /// What the fixed image and the moving one become: `gain · v + offset` each, half of the way.
    pub fn mapped(&self) -> [Operation; 2] {
        [-0.5, 0.5].map(|part| Operation::Rescale {
            gain: (1.0 + part * self.gain) as f32,
            offset: (part * self.offset) as f32,
        })
    }
}

/// Distance of the voxels that are looked at: without a divisor in common with the edges, so that they lie everywhere.
fn step(shape: Shape) -> usize {
    let least = shape.len().div_ceil(MOST_SAMPLES);
    let is_apart = |step: &usize| shape.size.iter().all(|edge| divisor(*step, *edge) == 1);
    (least..).find(is_apart).expect("a number should have no divisor in common with three others")
}

/// The greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_testkit::parity::noise;

    fn mapped(difference: &BrightnessDifference, samples: &[[f32; 2]]) -> Vec<[f32; 2]> {
        let maps = difference.mapped().map(|map| match map {
            Operation::Rescale { gain, offset } => (gain, offset),
            other => panic!("{other:?}"),
        });
        let of_one = |sample: &[f32; 2]| [0, 1].map(|nth| maps[nth].0 * sample[nth] + maps[nth].1);
        samples.iter().map(of_one).collect()
    }

    #[test]
    fn a_gain_and_an_offset_are_found_beside_what_one_image_alone_shows() {
        let values = noise(4000, 1);
        let samples: Vec<_> = values.iter().map(|v| [*v, (v - 0.05) / 1.2]).collect();
        let with_others = samples.iter().enumerate().map(|(nth, own)| match nth % 5 {
            0 => [own[0], 1.0 - own[0]],
            _ => *own,
        });
        for (samples, most) in [(samples.clone(), 1e-6), (with_others.collect(), 0.01)] {
            let found = BrightnessDifference::of_samples(&samples).unwrap();
            let together = mapped(&found, &samples);
            let apart = together.iter().enumerate().filter(|(nth, _)| nth % 5 > 0);
            let apart = apart.map(|(_, [a, b])| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < most, "{apart}");
        }
    }

    /// A level of a pyramid spreads what is bright a little into a dark background.
    #[test]
    fn places_that_are_nearly_alike_do_not_hide_a_gain() {
        let (values, left) = (noise(4000, 5), noise(4000, 6));
        let samples = values.iter().zip(&left).enumerate().map(|(nth, (v, left))| match nth % 5 {
            0 | 1 => [*v, (v + 0.05 * (left - 0.5)) / 1.05],
            _ => [2e-3 * v, 2e-3 * left],
        });
        let samples: Vec<_> = samples.collect();
        let [gain, _] = BrightnessDifference::of_samples(&samples).unwrap().of_moving();
        assert!((gain - 1.05).abs() < 0.005, "{gain}");
    }

    #[test]
    fn exchanged_images_give_the_exchanged_result() {
        let [one, other] = [noise(500, 2), noise(500, 3)];
        let samples: Vec<_> = one.iter().zip(&other).map(|(a, b)| [*a, 0.7 * a + 0.1 * b]).collect();
        let exchanged: Vec<_> = samples.iter().map(|[a, b]| [*b, *a]).collect();
        let found = |samples: &[[f32; 2]]| BrightnessDifference::of_samples(samples).unwrap().mapped();
        let ([fixed, moving], [own_moving, own_fixed]) = (found(&samples), found(&exchanged));
        assert_eq!((fixed, moving), (own_fixed, own_moving));
    }

    #[test]
    fn equal_images_stay_and_constant_ones_tell_nothing() {
        let same: Vec<_> = noise(500, 4).into_iter().map(|v| [v; 2]).collect();
        let found = BrightnessDifference::of_samples(&same).unwrap();
        assert_eq!(found, BrightnessDifference { gain: 0.0, offset: 0.0 });
        assert_eq!(BrightnessDifference::of_samples(&[[0.5, 0.25]; 500]), None);
        assert_eq!(BrightnessDifference::of_samples(&same[..FEWEST_SAMPLES - 1]), None);
    }

    #[test]
    fn voxels_that_are_looked_at_lie_in_all_columns() {
        for size in [[256, 300, 256], [512; 3], [7, 1, 1], [641, 480, 1]] {
            let dimension = if size[2] == 1 { Dimension::Two } else { Dimension::Three };
            let step = step(Shape { size, dimension });
            let columns = (0..size.iter().product()).step_by(step).map(|voxel: usize| voxel % size[0]);
            let mut seen = vec![false; size[0]];
            columns.for_each(|column| seen[column] = true);
            assert!(seen.iter().all(|seen| *seen), "{size:?}");
        }
    }
}
