//! A smooth field of light: where a moving image is brighter in some places and darker in others than the fixed one, as a coil of a
//! scanner or the falling light of a picture makes it.
//!
//! *Method*: both images as means of cells, some 32 along an axis; the gain is the least-squares one within a Gaussian window of an
//! eighth of the image, found twice, the second time of what the first one left. So it is smoother than anything that moves. It counts only where it varies by
//! much and brings the cells of both images much closer together.
//! *Limits*: images that lie apart by more than a tenth of their size; offsets that vary.

use veloxel_core::{Axes, Shape, Volume};
use veloxel_motion::voxel_map;

/// Cells along an axis, at most.
const CELLS: usize = 32;
/// An axis with fewer voxels is not cut into cells of several.
const SHORT_AXIS: usize = 16;
/// Standard deviation of the window, in lengths of the image.
const WINDOW: f64 = 0.12;
/// How often the gain is found.
const ROUNDS: usize = 2;
/// Samples that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 21;
/// The gain counts where the mean difference of cells falls to this share, or less. Pairs of one scanner reach 0.87 to 1.01 (brains of
/// four persons, hearts, photographs, stereo), fields of 30 % on brains and textures 0.74 to 0.86.
const MOST_LEFT: f64 = 0.865;
/// Standard deviation of the gain's logarithm where the image is bright, at least.
const LEAST_SPREAD: f64 = 0.08;
/// Where the moving image has this share of its range, it is bright.
const BRIGHT: f32 = 0.15;

/// A smooth gain, by place.
#[derive(Debug, Clone)]
pub(crate) struct Light {
    shape: Shape,
    /// Voxels of the fixed grid along a cell.
    width: Axes<usize>,
    gain: Vec<f32>,
    /// The value that the gain leaves.
    dark: f32,
    /// The least and the greatest gain where the image is bright.
    range: [f32; 2],
}

/// Means of the samples of both images in cells of the fixed grid.
struct Cells {
    shape: Shape,
    width: Axes<usize>,
    fixed: Vec<f32>,
    moving: Vec<f32>,
    /// 1 where there are samples of both.
    known: Vec<f32>,
}

impl Light {
    /// The gain that brings a moving image closer to a fixed one; none where they are lit alike, or where nothing can be told.
    pub fn between(fixed: &Volume<f32>, moving: &Volume<f32>) -> Option<Self> {
        let cells = Cells::of(fixed, moving)?;
        let [low, high] = cells.range()?;
        let (mut gain, mut lit) = (vec![1.0; cells.known.len()], cells.moving.clone());
        for _ in 0..ROUNDS {
            let more = cells.gain(&lit, [low, high]);
            for i in 0..gain.len() {
                gain[i] *= more[i];
                lit[i] = low + (cells.moving[i] - low) * gain[i];
            }
        }
        let apart = |samples: &[f32]| -> f64 {
            let differences = samples.iter().zip(&cells.fixed).zip(&cells.known);
            differences.map(|((a, b), known)| f64::from(known * (a - b).abs())).sum()
        };
        let bright = |i: &usize| cells.known[*i] > 0.0 && cells.moving[*i] - low > BRIGHT * (high - low);
        let mut of_bright: Vec<f32> = (0..gain.len()).filter(bright).map(|i| gain[i]).collect();
        of_bright.sort_by(f32::total_cmp);
        let logarithms = || of_bright.iter().map(|gain| f64::from(gain.ln()));
        let count = of_bright.len() as f64;
        let mean = logarithms().sum::<f64>() / count;
        let spread = (logarithms().map(|l| (l - mean).powi(2)).sum::<f64>() / count).sqrt();
        if !(spread >= LEAST_SPREAD && apart(&lit) <= MOST_LEFT * apart(&cells.moving)) {
            return None;
        }
        let at = |share: f64| of_bright[(share * (of_bright.len() - 1) as f64) as usize];
        let Cells { shape, width, .. } = cells;
        Some(Self { shape, width, gain, dark: low, range: [at(0.02), at(0.98)] })
    }

    /// The least and the greatest gain where the image is bright, but for a fiftieth at either end.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// The moving image as lit as the fixed one, on whose grid the gain lies.
    pub fn applied(&self, moving: &Volume<f32>, fixed: &Volume<f32>) -> Volume<f32> {
        let map = voxel_map(moving.grid(), fixed.grid());
        let mut lit = moving.clone();
        for (index, v) in lit.data_mut().iter_mut().enumerate() {
            let place = map.apply(moving.grid().position(index).map(|p| p as f64));
            *v = self.dark + (*v - self.dark) * self.gain_at(place);
        }
        lit
    }

    /// The gain at a voxel position of the fixed grid: linear between the middles of cells, constant beyond.
    fn gain_at(&self, place: Axes<f64>) -> f32 {
        let size = self.shape.size;
        let cell = [0, 1, 2].map(|a| {
            let at = (place[a] + 0.5) / self.width[a] as f64 - 0.5;
            let at = at.clamp(0.0, (size[a] - 1) as f64);
            let low = (at as usize).min(size[a].saturating_sub(2));
            (low, (at - low as f64) as f32)
        });
        let mut sum = 0.0;
        for corner in 0..8 {
            let (mut weight, mut index, mut stride) = (1.0, 0, 1);
            for (a, &(low, share)) in cell.iter().enumerate() {
                let upper = corner >> a & 1;
                weight *= if upper == 1 { share } else { 1.0 - share };
                index += (low + upper).min(size[a] - 1) * stride;
                stride *= size[a];
            }
            sum += weight * self.gain[index];
        }
        sum
    }
}

impl Cells {
    /// The cells of two images, each on its own grid; none where they meet nowhere.
    fn of(fixed: &Volume<f32>, moving: &Volume<f32>) -> Option<Self> {
        let (map, whole) = (voxel_map(fixed.grid(), moving.grid()), fixed.grid().size());
        let width = whole.map(|n| if n < SHORT_AXIS { 1 } else { n.div_ceil(CELLS) });
        let size = [0, 1, 2].map(|a| whole[a].div_ceil(width[a]));
        let shape = Shape { size, dimension: fixed.grid().dimension() };
        let mut sums = vec![[0.0f64; 3]; shape.len()];
        // An odd step meets every column of the usual sizes.
        let step = fixed.data().len().div_ceil(MOST_SAMPLES) | 1;
        for index in (0..fixed.data().len()).step_by(step) {
            let place = fixed.grid().position(index);
            let at = map.apply(place.map(|p| p as f64)).map(|v| (v + 0.5).floor());
            let there = moving.grid().size();
            if (0..3).any(|a| at[a] < 0.0 || at[a] >= there[a] as f64) {
                continue;
            }
            let [own, other] =
                [fixed.data()[index], moving.data()[moving.grid().index(at.map(|v| v as usize))]];
            if own.is_finite() && other.is_finite() {
                let cell = [0, 1, 2].map(|a| place[a] / width[a]);
                let sum = &mut sums[cell[0] + size[0] * (cell[1] + size[1] * cell[2])];
                *sum = [sum[0] + f64::from(own), sum[1] + f64::from(other), sum[2] + 1.0];
            }
        }
        let mean = |nth: usize| sums.iter().map(|sum| (sum[nth] / sum[2].max(1.0)) as f32).collect();
        let known = sums.iter().map(|sum| f32::from(u8::from(sum[2] > 0.0))).collect();
        sums.iter().any(|sum| sum[2] > 0.0).then(|| Self {
            shape,
            width,
            fixed: mean(0),
            moving: mean(1),
            known,
        })
    }

    /// The dark end of both images and the bright end of the moving one; none without contrast.
    fn range(&self) -> Option<[f32; 2]> {
        let sorted = |samples: &[f32]| {
            let known = samples.iter().zip(&self.known).filter(|(_, known)| **known > 0.0);
            let mut sorted: Vec<f32> = known.map(|(v, _)| *v).collect();
            sorted.sort_by(f32::total_cmp);
            sorted
        };
        let at = |sorted: &[f32], share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
        let [fixed, moving] = [sorted(&self.fixed), sorted(&self.moving)];
        let range = [at(&fixed, 0.005).min(at(&moving, 0.005)), at(&moving, 0.98)];
        (range[0] < range[1]).then_some(range)
    }

    /// The gain of samples in cells towards the fixed image, smooth.
    fn gain(&self, samples: &[f32], [low, high]: [f32; 2]) -> Vec<f32> {
        // Where both are dark, nothing is known: 1.
        let least = 1e-3 * (high - low).powi(2);
        let product = |others: &[f32]| -> Vec<f32> {
            let pairs = samples.iter().zip(others).zip(&self.known);
            self.smooth(pairs.map(|((a, b), known)| known * (a - low) * (b - low) + least).collect())
        };
        let (with_fixed, own) = (product(&self.fixed), product(samples));
        with_fixed.iter().zip(&own).map(|(a, b)| (a / b).clamp(0.1, 10.0)).collect()
    }

    /// A mean of cells within the window, axis by axis; cells beyond the border are those at it.
    fn smooth(&self, mut cells: Vec<f32>) -> Vec<f32> {
        let size = self.shape.size;
        let strides = [1, size[0], size[0] * size[1]];
        for a in (0..3).filter(|a| size[*a] > 1) {
            let sigma = WINDOW * size[a] as f64;
            let radius = (3.0 * sigma).ceil() as isize;
            let weights: Vec<f32> =
                (-radius..=radius).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp() as f32).collect();
            let total: f32 = weights.iter().sum();
            let mean = |i: usize| {
                let at = (i / strides[a] % size[a]) as isize;
                let cell = |k: isize| (at + k).clamp(0, size[a] as isize - 1) - at;
                let sum = (-radius..=radius)
                    .zip(&weights)
                    .map(|(k, weight)| weight * cells[(i as isize + cell(k) * strides[a] as isize) as usize]);
                sum.sum::<f32>() / total
            };
            cells = (0..cells.len()).map(mean).collect();
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn texture(shift: f32) -> Volume<f32> {
        Volume::from_fn(Grid::volume(48, 44, 40).unwrap(), move |[x, y, z]| {
            let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
            120.0 + 40.0 * ((0.7 * x + 0.3 * z).sin() + (0.6 * y).cos() + (0.5 * z - 0.4 * y).sin())
        })
    }

    fn light([x, y, _]: [usize; 3]) -> f32 {
        1.0 + 0.3 * (0.08 * x as f32 + 0.03 * y as f32).sin()
    }

    #[test]
    fn a_smooth_field_of_light_is_found_and_divided_out() {
        let (fixed, moving) = (texture(0.0), texture(1.0));
        let lit = Volume::from_fn(moving.grid().clone(), |p| *moving.at(p) * light(p));
        let found = Light::between(&fixed, &lit).expect("a field of 30 % should be seen");
        let [least, most] = found.range();
        assert!(least < 0.85 && most > 1.2, "{least} to {most}");
        let again = found.applied(&lit, &fixed);
        let off = |image: &Volume<f32>| -> f32 {
            let differences = image.data().iter().zip(moving.data()).map(|(a, b)| (a - b).abs());
            differences.sum::<f32>() / moving.data().len() as f32
        };
        assert!(off(&again) < 0.35 * off(&lit), "{} left of {}", off(&again), off(&lit));
    }

    #[test]
    fn images_that_are_lit_alike_have_none() {
        let fixed = texture(0.0);
        assert!(Light::between(&fixed, &texture(2.0)).is_none());
        assert!(Light::between(&fixed, &fixed).is_none());
        assert!(Light::between(&fixed, &fixed.map(|_| 7.0)).is_none());
    }
}
