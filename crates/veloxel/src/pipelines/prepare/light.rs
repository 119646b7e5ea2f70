//! A smooth field of light: where a moving image is brighter in some places and darker in others than the fixed one, as a coil of a
//! scanner or the falling light of a picture makes it.
//!
//! *Method*: both images as means of cells, some 32 along an axis of a picture and 16 of a volume. A gain that is a polynomial of second degree in place, fitted by least
//! squares, tells whether there is such a field: it can follow nothing that moves. Where it varies by much and brings the cells much
//! closer together, the gain is the least-squares one within a Gaussian window of an eighth of the image, found twice, the second time of
//! what the first one left.
//! *Limits*: images below 64 voxels along their longest axis or 32 along the next, where a texture is as long as the light; images that
//! lie apart by more than a tenth of their size; offsets that vary.

use super::looked_at::LookedAt;
use super::passes::Passes;
use super::tones::{SamePlaces, some_of};
use veloxel_core::{Axes, Grid, GridBox, Shape, Volume};
use veloxel_motion::voxel_map;

/// Cells along an axis of a picture and of a volume, at most.
const CELLS: [usize; 2] = [32, 16];
/// An axis with fewer voxels is not cut into cells of several.
const SHORT_AXIS: usize = 16;
/// Standard deviation of the window, in lengths of the image.
const WINDOW: f64 = 0.12;
/// How often the gain is found.
const ROUNDS: usize = 2;
/// Samples that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 16;
/// The polynomial counts where the mean difference of cells falls to this share, or less. Pairs of one scanner reach 0.877 to
/// 1.17 (brains of four persons, hearts, photographs, stereo), fields of 30 % on brains 0.74 and 0.85.
const MOST_LEFT: f64 = 0.865;
/// Standard deviation of the gain's logarithm where the image is bright, at least.
const LEAST_SPREAD: f64 = 0.1;
/// Voxels along the longest axis, and along the next one, at least.
const LEAST_VOXELS: [usize; 2] = [64, 32];
/// Terms of a polynomial of second degree in three places.
const TERMS: usize = 10;
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

/// By how many samples of the fixed image those lie apart that light is taken from.
pub(crate) fn step(samples: usize) -> usize {
    some_of(samples, MOST_SAMPLES)
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
    pub fn between(fixed: &dyn LookedAt, moving: &dyn LookedAt) -> Option<Self> {
        let mut longest = fixed.grid().size();
        longest.sort_unstable_by(|a, b| b.cmp(a));
        if longest[0] < LEAST_VOXELS[0] || longest[1] < LEAST_VOXELS[1] {
            return None;
        }
        let cells = Cells::of(fixed, moving)?;
        let range @ [low, high] = cells.range()?;
        let bright = |i: &usize| cells.known[*i] > 0.0 && cells.moving[*i] - low > BRIGHT * (high - low);
        let of_bright = |gain: &[f32]| -> Vec<f32> {
            let mut gains: Vec<f32> = (0..gain.len()).filter(bright).map(|i| gain[i]).collect();
            gains.sort_unstable_by(f32::total_cmp);
            gains
        };
        let polynomial = cells.polynomial_gain(range)?;
        let spread = deviation_of_logarithms(&of_bright(&polynomial));
        let left = cells.apart(&lit(&cells.moving, &polynomial, low));
        if !(spread >= LEAST_SPREAD && left <= MOST_LEFT * cells.apart(&cells.moving)) {
            return None;
        }
        let mut gain = vec![1.0; cells.known.len()];
        for _ in 0..ROUNDS {
            let more = cells.gain(&lit(&cells.moving, &gain, low), range);
            gain.iter_mut().zip(more).for_each(|(gain, more)| *gain *= more);
        }
        let bright = of_bright(&gain);
        let at = |share: f64| bright[(share * (bright.len() - 1) as f64) as usize];
        let range = [at(0.02), at(0.98)];
        let Cells { shape, width, .. } = cells;
        Some(Self { shape, width, gain, dark: low, range })
    }

    /// The least and the greatest gain where the image is bright, but for a fiftieth at either end.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// The moving image as lit as the fixed one, on whose grid the gain lies.
    pub fn applied(&self, moving: &Volume<f32>, fixed: &Volume<f32>, passes: Passes<'_>) -> Volume<f32> {
        let map = voxel_map(moving.grid(), fixed.grid());
        passes.mapped(moving, 64, |index, v| {
            self.lit(v, map.apply(moving.grid().position(index).map(|at| at as f64)))
        })
    }

    /// Lights the samples of a box of the moving image as the fixed one is lit.
    pub fn apply(&self, samples: &mut [f32], part: GridBox, [moving, fixed]: [&Grid; 2]) {
        let (map, [nx, ny, _]) = (voxel_map(moving, fixed), part.size);
        for (nth, v) in samples.iter_mut().enumerate() {
            let offset = [nth % nx, nth / nx % ny, nth / (nx * ny)];
            *v = self.lit(*v, map.apply([0, 1, 2].map(|a| (part.begin[a] + offset[a]) as f64)));
        }
    }

    /// A sample at a voxel position of the fixed grid as that is lit.
    fn lit(&self, sample: f32, place: Axes<f64>) -> f32 {
        self.dark + (sample - self.dark) * self.gain_at(place)
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

/// Samples in another light, which leaves `dark`.
fn lit(samples: &[f32], gain: &[f32], dark: f32) -> Vec<f32> {
    samples.iter().zip(gain).map(|(v, gain)| dark + (v - dark) * gain).collect()
}

/// The standard deviation of the logarithms of gains; NaN of none.
fn deviation_of_logarithms(gains: &[f32]) -> f64 {
    let logarithms = || gains.iter().map(|gain| f64::from(gain.max(1e-3).ln()));
    let count = gains.len() as f64;
    let mean = logarithms().sum::<f64>() / count;
    (logarithms().map(|l| (l - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// The solution of a symmetric system of equations by elimination; none of a singular one. The last column is the right-hand side.
fn solved(mut rows: [[f64; TERMS + 1]; TERMS], count: usize) -> Option<[f64; TERMS]> {
    for k in 0..count {
        let pivot = (k..count).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()))?;
        rows.swap(k, pivot);
        let own = rows[k];
        if own[k].abs() < 1e-12 * rows[0][0].abs() {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().take(count).filter(|(r, _)| *r != k) {
            let factor = row[k] / own[k];
            (k..=TERMS).for_each(|c| row[c] -= factor * own[c]);
        }
    }
    let mut solution = [0.0; TERMS];
    (0..count).for_each(|k| solution[k] = rows[k][TERMS] / rows[k][k]);
    Some(solution)
}

/// The positions of every so many voxels, without end.
fn places_of(grid: &Grid, step: usize) -> impl Iterator<Item = Axes<usize>> {
    let ([nx, ny, _], stride) = (grid.size(), grid.position(step));
    std::iter::successors(Some([0; 3]), move |[x, y, z]| {
        let (mut x, mut y, mut z) = (x + stride[0], y + stride[1], z + stride[2]);
        if x >= nx {
            (x, y) = (x - nx, y + 1);
        }
        if y >= ny {
            (y, z) = (y - ny, z + 1);
        }
        Some([x, y, z])
    })
}

impl Cells {
    /// The cells of two images, each on its own grid; none where they meet nowhere.
    fn of(fixed: &dyn LookedAt, moving: &dyn LookedAt) -> Option<Self> {
        let (whole, dimension) = (fixed.grid().size(), fixed.grid().dimension());
        let cells = CELLS[dimension.count() - 2];
        let width = whole.map(|n| if n < SHORT_AXIS { 1 } else { n.div_ceil(cells) });
        let size = [0, 1, 2].map(|a| whole[a].div_ceil(width[a]));
        let shape = Shape { size, dimension };
        let mut sums = vec![[0.0f64; 3]; shape.len()];
        let places = SamePlaces::of(fixed.grid(), moving.grid());
        let step = step(fixed.grid().len());
        let pairs = places.pairs([fixed, moving], step);
        // Divisions would take longer than all else here.
        let cell_of = [0, 1, 2].map(|a| (0..whole[a]).map(|place| place / width[a]).collect::<Vec<_>>());
        for ([own, other], [x, y, z]) in pairs.into_iter().zip(places_of(fixed.grid(), step)) {
            if own.is_finite() && other.is_finite() {
                let sum = &mut sums[cell_of[0][x] + size[0] * (cell_of[1][y] + size[1] * cell_of[2][z])];
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
            sorted.sort_unstable_by(f32::total_cmp);
            sorted
        };
        let at = |sorted: &[f32], share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
        let [fixed, moving] = [sorted(&self.fixed), sorted(&self.moving)];
        let range = [at(&fixed, 0.005).min(at(&moving, 0.005)), at(&moving, 0.98)];
        (range[0] < range[1]).then_some(range)
    }

    /// The mean difference of samples in cells from the fixed image's, times their number.
    fn apart(&self, samples: &[f32]) -> f64 {
        let differences = samples.iter().zip(&self.fixed).zip(&self.known);
        differences.map(|((a, b), known)| f64::from(known * (a - b).abs())).sum()
    }

    /// The products of places along axes that a polynomial of second degree has at a cell, and how many; places from −1 to 1.
    fn terms(&self, cell: usize) -> ([f64; TERMS], usize) {
        let [nx, ny, nz] = self.shape.size;
        let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        // An axis of fewer cells holds no bend.
        let axes = (0..3).filter(|a| [nx, ny, nz][*a] > 3);
        let (mut places, mut bends) = ([0.0f64; 3], 0);
        for a in axes {
            places[bends] = 2.0 * at[a] as f64 / ([nx, ny, nz][a] - 1) as f64 - 1.0;
            bends += 1;
        }
        let (mut terms, mut count) = ([0.0; TERMS], 1);
        terms[0] = 1.0;
        for (nth, place) in places[..bends].iter().enumerate() {
            for factor in std::iter::once(1.0).chain(places[..=nth].iter().copied()) {
                terms[count] = place * factor;
                count += 1;
            }
        }
        (terms, count)
    }

    /// The gain towards the fixed image that is a polynomial of second degree; none where the cells do not determine it.
    fn polynomial_gain(&self, [low, _]: [f32; 2]) -> Option<Vec<f32>> {
        let mut rows = [[0.0; TERMS + 1]; TERMS];
        let mut count = 0;
        for cell in (0..self.known.len()).filter(|cell| self.known[*cell] > 0.0) {
            let [fixed, moving] = [self.fixed[cell] - low, self.moving[cell] - low].map(f64::from);
            let (terms, of_cell) = self.terms(cell);
            count = of_cell;
            for r in 0..count {
                for c in 0..count {
                    rows[r][c] += terms[r] * terms[c] * moving * moving;
                }
                rows[r][TERMS] += terms[r] * moving * fixed;
            }
        }
        let solution = solved(rows, count)?;
        let gain = |cell: usize| {
            let (terms, count) = self.terms(cell);
            (0..count).map(|k| terms[k] * solution[k]).sum::<f64>() as f32
        };
        Some((0..self.known.len()).map(gain).collect())
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

    fn texture(shift: f32) -> Volume<f32> {
        Volume::from_fn(Grid::volume(72, 64, 40).unwrap(), move |[x, y, z]| {
            let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
            120.0 + 40.0 * ((0.7 * x + 0.3 * z).sin() + (0.6 * y).cos() + (0.5 * z - 0.4 * y).sin())
        })
    }

    /// Brighter in the middle.
    fn light([x, y, z]: [usize; 3]) -> f32 {
        let [x, y, z] = [x as f32 / 36.0 - 1.0, y as f32 / 32.0 - 1.0, z as f32 / 20.0 - 1.0];
        1.3 - 0.35 * (x * x + 0.6 * y * y) - 0.15 * z
    }

    #[test]
    fn a_smooth_field_of_light_is_found_and_divided_out() {
        let (fixed, moving) = (texture(0.0), texture(1.0));
        let lit = Volume::from_fn(moving.grid().clone(), |p| *moving.at(p) * light(p));
        let found = Light::between(&fixed, &lit).expect("a field of 30 % should be seen");
        let [least, most] = found.range();
        assert!(least < 0.85 && most > 1.15, "{least} to {most}");
        let again = found.applied(&lit, &fixed, Passes::ALONE);
        let off = |image: &Volume<f32>| -> f32 {
            let differences = image.data().iter().zip(moving.data()).map(|(a, b)| (a - b).abs());
            differences.sum::<f32>() / moving.data().len() as f32
        };
        assert!(off(&again) < 0.35 * off(&lit), "{} left of {}", off(&again), off(&lit));
    }

    #[test]
    fn positions_of_every_so_many_voxels_are_those_of_their_indices() {
        let grid = Grid::volume(13, 7, 5).unwrap();
        for step in [1, 2, 12, 13, 14, 90, 91, 92, 200, 454] {
            let found = places_of(&grid, step).zip((0..grid.len()).step_by(step));
            found.for_each(|(place, index)| assert_eq!(place, grid.position(index), "{step}"));
        }
    }

    #[test]
    fn images_that_are_lit_alike_have_none() {
        let fixed = texture(0.0);
        for shift in [1.0, 2.0, 4.0] {
            assert!(Light::between(&fixed, &texture(shift)).is_none(), "{shift}");
        }
        assert!(Light::between(&fixed, &fixed).is_none());
        assert!(Light::between(&fixed, &fixed.map(|_| 7.0)).is_none());
        // Two bends across a picture, moved by several pixels, are no light.
        let waves = |shift: f32| {
            Volume::from_fn(Grid::image(96, 96).unwrap(), move |[x, y, _]| {
                120.0 + 60.0 * ((0.13 * (x as f32 - shift)).sin() + (0.11 * y as f32).cos())
            })
        };
        for shift in [2.0, 5.0, 9.0] {
            assert!(Light::between(&waves(0.0), &waves(shift)).is_none(), "{shift}");
        }
    }
}
