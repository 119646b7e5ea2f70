//! Linear maps by mutual information, for images whose intensities mean different things: CT and MR, T1 and T2.
//!
//! *In*: a level of both images on the host, a map between their voxel positions. *Out*: the map that shares most information.
//!
//! *Papers*: P. Viola, W. M. Wells, "Alignment by maximization of mutual information", IJCV 24 (1997); D. Mattes et al., "PET-CT image
//! registration in the chest using free-form deformations", IEEE TMI 22 (2003), doi:10.1109/TMI.2003.809072: cubic windows along the
//! moving intensities, whose derivatives are exact; C. Studholme et al., "An overlap invariant entropy measure of 3D medical image
//! alignment", Pattern Recognition 32 (1999), doi:10.1016/S0031-3203(98)00091-0: the normalisation; A. Roche et al., "The correlation ratio as a new similarity measure", MICCAI 1998.
//!
//! *Energy*: `MI / H`, the share of the joint information `H = −Σ p(f, m) ln p(f, m)` that is mutual, `MI = Σ p(f, m) ln (p(f, m) /
//! (p(f) p(m)))`, of the joint histogram of as many voxels as [`Samples`] says. MI alone grows as an affine map makes an object larger
//! in the dark: on one that fills 3.5 % of a volume, to 2.5 voxels at the corners where the share is 1.2 off.
//!
//! *Method*: the force on a sample's intensity, `∂(MI/H)/∂m`, is what a residual is in least squares: the direction is that of
//! Gauss-Newton, its length is found by trial. Sums of so many samples each are added in one order, whatever threads found them, so
//! every device finds the same bits.
//!
//! *Where we differ*: a sample that leads outside sees the border, so that a map gains nothing by leading outside.
//!
//! *Limits*: turns of more than half a right angle from every start that is tried. Edges between three tones are no function, which draws
//! affine maps: a voxel or two at the corners where the object fills little of the image.

use super::joint_histogram::{Joint, slope_of_window, window};
use super::motion_group::{MotionGroup, farthest, solve};
use veloxel_core::matrix3::determinant;
use veloxel_core::{Axes, Shape, Stopped, Threads};
use veloxel_kernels::image::affine_normal_equations::NormalEquations;
use veloxel_kernels::image::warp::VoxelAffine;

/// How many voxels of a level are looked at, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Samples {
    /// To look for a map and to compare maps.
    Few,
    /// To place a map accurately. An object that fills 3.5 % of a volume of 128³, turned by 16°: 0.26 voxel off by 2¹⁸ samples of it,
    /// 0.04 by all.
    Many,
}

impl Samples {
    fn most(self) -> usize {
        match self {
            Self::Few => 1 << 16,
            Self::Many => 1 << 21,
        }
    }
}

/// Samples of a sum that one thread makes.
const CHUNK: usize = 1 << 13;
/// Values of intensity that are told apart, at most and at least.
const BINS: [usize; 2] = [32, 10];
/// Share of intensities beyond the range of bins, on either side.
const BEYOND: f64 = 0.005;
/// Steps of a level at most, and the first, longest and last of them, voxels at the farthest corner.
const STEPS: usize = 60;
const STEP_VOX: [f64; 3] = [1.0, 4.0, 0.01];

/// A level of both images on the host.
pub(crate) struct LevelPair {
    pub fixed: Vec<f32>,
    pub moving: Vec<f32>,
    pub shapes: [Shape; 2],
    /// Where data count.
    pub weight: Option<Vec<f32>>,
}

/// How much of the fixed image's variance the moving one explains.
pub(crate) struct Explained {
    /// The share that the image explains as it is.
    pub as_is: f64,
    /// The share that the best function of its intensity explains (the correlation ratio).
    pub by_function: f64,
}

/// Voxels of the fixed image, prepared to be compared with a moving one.
pub(crate) struct Comparison<'a> {
    pair: &'a LevelPair,
    threads: Threads<'a>,
    samples: Vec<Sample>,
    bins: usize,
    /// First moving intensity, and bins a unit of intensity.
    moving_range: [f64; 2],
}

/// A voxel of the fixed image, its intensity and the bin of that.
struct Sample {
    voxel: Axes<f64>,
    value: f64,
    bin: usize,
}

/// What a map sees at a sample.
struct Seen {
    value: f64,
    /// Along the axes of the moving image.
    slope: Axes<f64>,
}

/// The voxels of the moving image around a position.
struct Corners {
    base: usize,
    /// The position between the lower and the upper voxel along each axis, 0 to 1.
    share: Axes<f64>,
    step: [usize; 3],
    /// Whether the position lies in the image along each axis.
    inside: [bool; 3],
}

impl<'a> Comparison<'a> {
    /// Chooses the samples and the bins; there are none if an image has one value alone.
    pub fn new(pair: &'a LevelPair, samples: Samples, threads: Threads<'a>) -> Option<Self> {
        let most_samples = samples.most();
        let shape = pair.shapes[0];
        let [nx, ny, _] = shape.size;
        let stride = shape.len().div_ceil(most_samples).max(1);
        // One voxel of every run, now here, now there: no pattern of rows is followed.
        let chosen = (0..shape.len() / stride).map(|k| k * stride + (k * 7919) % stride);
        let counts = |i: &usize| pair.weight.as_ref().is_none_or(|weight| weight[*i] > 0.5);
        let chosen: Vec<usize> = chosen.filter(counts).collect();
        let [most, least] = BINS;
        let bins = ((chosen.len() as f64).cbrt() as usize).clamp(least, most);
        let values: Vec<f32> = chosen.iter().map(|&i| pair.fixed[i]).collect();
        let [low, high] = range(&values)?;
        let moving: Vec<f32> =
            pair.moving.iter().step_by(pair.moving.len().div_ceil(most_samples).max(1)).copied().collect();
        let [moving_low, moving_high] = range(&moving)?;
        let bin = |v: f64| ((v - low) / (high - low) * bins as f64).clamp(0.0, bins as f64 - 1.0) as usize;
        let sample = |i: usize| {
            let voxel = [i % nx, i / nx % ny, i / (nx * ny)].map(|v| v as f64);
            let value = f64::from(pair.fixed[i]);
            Sample { voxel, value, bin: bin(value) }
        };
        let samples = chosen.into_iter().map(sample).collect();
        let per_intensity = (bins as f64 - 5.0) / (moving_high - moving_low);
        Some(Self { pair, threads, samples, bins, moving_range: [moving_low, per_intensity] })
    }

    /// The share of the joint information that is mutual under a map.
    ///
    /// # Errors
    /// [`Stopped`], as of all that looks at samples.
    pub fn information(&self, map: &VoxelAffine) -> Result<f64, Stopped> {
        Ok(self.joint(map)?.shared())
    }

    /// How well the moving image explains the fixed one under a map.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn explained(&self, map: &VoxelAffine) -> Result<Explained, Stopped> {
        let n = self.samples.len().max(1) as f64;
        let mean = self.samples.iter().map(|sample| sample.value).sum::<f64>() / n;
        // Sums of squares; count, sum and sum of squares of the fixed intensities of each bin of the moving ones.
        let sums = self.sums(2 + 3 * self.bins, |samples, sums| {
            for &Sample { voxel, value, .. } in samples {
                let (seen, off) = (self.value(map.apply(voxel)), value - mean);
                sums[0] += off * off;
                sums[1] += (value - seen) * (value - seen);
                let class = 2 + 3 * self.place(seen).0.round() as usize;
                (0..3).for_each(|power| sums[class + power] += off.powi(power as i32));
            }
        })?;
        let ([variance, missed], classes) = ([sums[0], sums[1]], sums[2..].as_chunks::<3>().0);
        let within: f64 = classes
            .iter()
            .filter(|class| class[0] > 0.0)
            .map(|[n, sum, squares]| squares - sum * sum / n)
            .sum();
        let share = |left: f64| if variance > 0.0 { 1.0 - left / variance } else { 0.0 };
        Ok(Explained { as_is: share(missed), by_function: share(within) })
    }

    /// Sums of what `add` adds for samples, in one order.
    fn sums(&self, count: usize, add: impl Fn(&[Sample], &mut [f64]) + Sync) -> Result<Vec<f64>, Stopped> {
        let found = self.threads.each(self.samples.chunks(CHUNK).collect(), |chunk| {
            let mut own = vec![0.0; count];
            add(chunk, &mut own);
            own
        })?;
        let mut sums = vec![0.0; count];
        found.iter().for_each(|own| sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own));
        Ok(sums)
    }

    /// Goes from a map to one of more information, by steps of a group; the map, and its information.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn align(&self, group: &MotionGroup, start: VoxelAffine) -> Result<(VoxelAffine, f64), Stopped> {
        let shape = self.pair.shapes[0];
        let (d, centre) = (shape.components(), shape.size.map(|n| 0.5 * (n as f64 - 1.0)));
        let unmoved = determinant(&start.matrix);
        let [mut reach, longest, last] = STEP_VOX;
        let (mut map, mut joint) = (start, self.joint(&start)?);
        let mut most = joint.shared();
        let mut direction = None;
        for _ in 0..STEPS {
            if direction.is_none() {
                let equations = group.restricted(&self.equations(&map, &joint, centre)?);
                direction = solve(&equations).filter(|unknowns| unknowns.iter().all(|v| v.is_finite()));
            }
            let Some(unknowns) = &direction else { break };
            let whole = farthest(&group.step(unknowns, centre), d, centre);
            if whole <= 0.0 {
                break;
            }
            let shorter: Vec<f64> = unknowns.iter().map(|v| v * reach / whole).collect();
            let tried = map.after(&group.step(&shorter, centre));
            let is_sound = (0.25..=4.0).contains(&(determinant(&tried.matrix) / unmoved));
            let tried_joint = self.joint(&tried)?;
            let information = tried_joint.shared();
            if is_sound && information > most {
                (map, joint, most, direction) = (tried, tried_joint, information, None);
                reach = (1.5 * reach).min(longest);
            } else {
                reach *= 0.5;
                if reach < last {
                    break;
                }
            }
        }
        Ok((map, most))
    }

    fn joint(&self, map: &VoxelAffine) -> Result<Joint, Stopped> {
        let counts = self.sums(self.bins * self.bins, |samples, counts| {
            for &Sample { voxel, bin, .. } in samples {
                let (place, _) = self.place(self.value(map.apply(voxel)));
                let first = place as usize - 1;
                let row = &mut counts[bin * self.bins + first..][..4];
                row.iter_mut().zip(first..).for_each(|(count, k)| *count += window(place - k as f64));
            }
        })?;
        Ok(Joint { counts, bins: self.bins })
    }

    /// The equations of a step: forces of the samples against the squares of their slopes.
    fn equations(
        &self,
        map: &VoxelAffine,
        joint: &Joint,
        centre: Axes<f64>,
    ) -> Result<NormalEquations, Stopped> {
        let d = self.pair.shapes[0].components();
        let n = d * (d + 1);
        let gains = joint.gains();
        // The matrix, and behind it the right side.
        let mut matrix = self.sums(n * n + n, |samples, sums| {
            let (matrix, rhs) = sums.split_at_mut(n * n);
            let mut row = vec![0.0; n];
            for &Sample { voxel, bin, .. } in samples {
                let seen = self.seen(map.apply(voxel));
                let (place, is_inside) = self.place(seen.value);
                if !is_inside {
                    continue;
                }
                let first = place as usize - 1;
                let own = &gains[bin * self.bins..][..self.bins];
                let force: f64 =
                    (0..4).map(|k| slope_of_window(place - (first + k) as f64) * own[first + k]).sum();
                for r in 0..d {
                    // The slope along the fixed image's axes.
                    let g: f64 = (0..d).map(|c| seen.slope[c] * map.matrix[c][r]).sum();
                    (0..d).for_each(|c| row[r * (d + 1) + c] = g * (voxel[c] - centre[c]));
                    row[r * (d + 1) + d] = g;
                }
                rhs.iter_mut().zip(&row).for_each(|(rhs, left)| *rhs += force * left);
                for (i, left) in row.iter().enumerate() {
                    (0..=i).for_each(|j| matrix[i * n + j] += left * row[j]);
                }
            }
        })?;
        let rhs = matrix.split_off(n * n);
        for i in 0..n {
            (i + 1..n).for_each(|j| matrix[i * n + j] = matrix[j * n + i]);
        }
        Ok(NormalEquations { unknowns: n, matrix, rhs, mean_energy: 0.0 })
    }

    /// The place of a moving intensity among the bins, and whether it lies in their range.
    fn place(&self, value: f64) -> (f64, bool) {
        let [low, per_intensity] = self.moving_range;
        let (place, last) = (2.0 + (value - low) * per_intensity, self.bins as f64 - 3.0);
        (place.clamp(2.0, last), place > 2.0 && place < last)
    }

    /// The voxels of the moving image around a position; one outside sees the border.
    fn corners(&self, at: Axes<f64>) -> Corners {
        let size = self.pair.shapes[1].size;
        let mut corners = Corners { base: 0, share: [0.0; 3], step: [0; 3], inside: [false; 3] };
        let mut stride = 1;
        for a in 0..3 {
            let last = (size[a] - 1) as f64;
            let clamped = at[a].clamp(0.0, last);
            let low = (clamped as usize).min(size[a].max(2) - 2);
            corners.base += low * stride;
            corners.share[a] = clamped - low as f64;
            corners.step[a] = if size[a] > 1 { stride } else { 0 };
            corners.inside[a] = clamped == at[a] && size[a] > 1;
            stride *= size[a];
        }
        corners
    }

    /// The moving image at a position of its voxels, linear between them.
    fn value(&self, at: Axes<f64>) -> f64 {
        let Corners { base, share, step, .. } = self.corners(at);
        let between = |low: f64, high: f64, share: f64| low + share * (high - low);
        let sample = |i: usize| f64::from(self.pair.moving[i]);
        let along_x = |i: usize| between(sample(i), sample(i + step[0]), share[0]);
        let along_y = |i: usize| between(along_x(i), along_x(i + step[1]), share[1]);
        between(along_y(base), along_y(base + step[2]), share[2])
    }

    /// The moving image and its slope at a position of its voxels, linear between them.
    fn seen(&self, at: Axes<f64>) -> Seen {
        let (image, Corners { base, share, step, inside }) = (&self.pair.moving, self.corners(at));
        let (mut value, mut slope) = (0.0, [0.0; 3]);
        for corner in 0..8usize {
            let up = [0, 1, 2].map(|a| corner >> a & 1);
            let sample = f64::from(image[base + (0..3).map(|a| up[a] * step[a]).sum::<usize>()]);
            let along = [0, 1, 2].map(|a| if up[a] == 1 { share[a] } else { 1.0 - share[a] });
            value += along[0] * along[1] * along[2] * sample;
            for a in 0..3 {
                let sign = if up[a] == 1 { 1.0 } else { -1.0 };
                slope[a] += sign * along[(a + 1) % 3] * along[(a + 2) % 3] * sample;
            }
        }
        Seen { value, slope: [0, 1, 2].map(|a| if inside[a] { slope[a] } else { 0.0 }) }
    }
}

/// The range of nearly all values; none if it is none.
fn range(values: &[f32]) -> Option<[f64; 2]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let [low, high] =
        [BEYOND, 1.0 - BEYOND].map(|share| f64::from(sorted[(share * last as f64).round() as usize]));
    (high > low).then_some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::linear::motion_group::AffineModel;
    use veloxel_core::{Control, Dimension, Grid};
    use veloxel_gpu::Cpu;

    fn pair() -> LevelPair {
        let shape = Shape { size: [40, 32, 1], dimension: Dimension::Two };
        let wave = |i: usize, shift: f64| {
            let (x, y) = ((i % 40) as f64 + shift, (i / 40) as f64);
            (0.31 * x).sin() + (0.23 * y + 0.1 * x).cos()
        };
        let fixed = (0..shape.len()).map(|i| wave(i, 0.0) as f32).collect();
        let moving = (0..shape.len()).map(|i| (1.0 / (2.5 + wave(i, -1.5))) as f32).collect();
        LevelPair { fixed, moving, shapes: [shape; 2], weight: None }
    }

    #[test]
    fn forces_are_the_derivative_of_the_information() {
        let pair = pair();
        let control = Control::default();
        let compared = Comparison::new(&pair, Samples::Few, (&control).into()).unwrap();
        let map = VoxelAffine { offset: [0.3, 0.2, 0.0], ..VoxelAffine::IDENTITY };
        let centre = [19.5, 15.5, 0.0];
        let equations = compared.equations(&map, &compared.joint(&map).unwrap(), centre).unwrap();
        let grid = Grid::image(40, 32).unwrap();
        let group = MotionGroup::of(AffineModel::Affine, &grid, [1.0; 3]).unwrap();
        let total = compared.joint(&map).unwrap().total();
        for k in 0..6 {
            let h = 1e-4;
            let moved = |h: f64| {
                let mut unknowns = vec![0.0; 6];
                unknowns[k] = h;
                compared.information(&map.after(&group.step(&unknowns, centre))).unwrap()
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            let found = equations.rhs[k] * compared.moving_range[1] / total;
            assert!((slope - found).abs() < 0.02 * (0.01 + slope.abs()), "{k}: {found} where {slope} is");
        }
    }

    #[test]
    fn a_shift_is_found_through_a_function_that_no_brightness_follows() {
        let pair = pair();
        let control = Control::default();
        let compared = Comparison::new(&pair, Samples::Few, (&control).into()).unwrap();
        let grid = Grid::image(40, 32).unwrap();
        let group = MotionGroup::of(AffineModel::Rigid, &grid, [1.0; 3]).unwrap();
        let (found, _) = compared.align(&group, VoxelAffine::IDENTITY).unwrap();
        let centre = [19.5, 15.5, 0.0];
        let there = found.apply(centre);
        assert!((there[0] - centre[0] - 1.5).abs() < 0.2 && (there[1] - centre[1]).abs() < 0.2, "{found:?}");
        let explained = compared.explained(&found).unwrap();
        assert!(explained.as_is < 0.5 && explained.by_function > 0.7);
    }
    #[test]
    fn threads_find_the_same_bits() {
        let shape = Shape { size: [48, 40, 36], dimension: Dimension::Three };
        let wave = |i: usize, shift: f64| {
            let [x, y, z] = [i % 48, i / 48 % 40, i / 1920].map(|v| v as f64);
            ((0.31 * (x + shift)).sin() + (0.23 * y + 0.1 * z).cos()) as f32
        };
        let image = |shift: f64| (0..shape.len()).map(|i| wave(i, shift)).collect::<Vec<f32>>();
        let pair = LevelPair { fixed: image(0.0), moving: image(1.2), shapes: [shape; 2], weight: None };
        let group =
            MotionGroup::of(AffineModel::Affine, &Grid::volume(48, 40, 36).unwrap(), [1.0; 3]).unwrap();
        let control = Control::default();
        let found = [1, 2, 3, 5].map(|count| {
            let cpu = Cpu::new(count).unwrap();
            let threads = Threads::of(Some(&cpu), &control);
            let compared = Comparison::new(&pair, Samples::Few, threads).unwrap();
            let (map, most) = compared.align(&group, VoxelAffine::IDENTITY).unwrap();
            let Explained { as_is, by_function } = compared.explained(&map).unwrap();
            ([most, as_is, by_function].map(f64::to_bits), map)
        });
        assert!(found[0].1 != VoxelAffine::IDENTITY && found.iter().all(|own| *own == found[0]));
    }
}
