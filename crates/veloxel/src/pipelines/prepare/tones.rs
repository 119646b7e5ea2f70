//! The curve of tones that brings the sample values of one image to those of another: a gain, an offset, a gamma, or light and dark
//! exchanged.
//!
//! *Method*: values of equal rank are the same tissue (Nyul, Udupa, IEEE Trans. Med. Imaging 18, 1999, doi:10.1109/42.832959: landmarks
//! of histograms); between 17 ranks the curve is straight. A background of one value is a landmark of its own. Two fields of view have
//! other histograms without other tones, so a curve counts only where it brings the samples at the same places much closer together, or
//! where the ranks differ clearly and these samples come no further apart.
//! *Limits*: tones that differ from place to place, as by a bias field, or tissues whose order differs, as between CT and MR, stay.

use super::looked_at::LookedAt;
use super::passes::Passes;
use veloxel_core::{Grid, Volume};
use veloxel_motion::{VoxelAffine, voxel_map};

/// Shares of the samples, in order of their value, that are brought onto each other.
const RANKS: [f64; 17] =
    [0.005, 0.02, 0.05, 0.1, 0.17, 0.24, 0.31, 0.4, 0.5, 0.6, 0.69, 0.76, 0.83, 0.9, 0.95, 0.98, 0.995];
/// Pairs of samples at the same places that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 13;
/// Fewer tell nothing.
const FEWEST_SAMPLES: usize = 64;
/// A curve counts where the mean difference at the same places falls to this share, or less. Pairs of one scanner reach 0.91 to 1.25
/// (brains of four persons, hearts, photographs), a gain of 1.25 0.37 to 0.73.
const MOST_LEFT: f64 = 0.85;
/// A curve counts as well where values of equal rank lie so far apart, in the mean over the ranks and in widths of the fixed image's range
/// (pairs of one scanner: 0.05 at most; gammas of 0.7 and 1.4: 0.054 to 0.15), and the differences at the same places grow to this share
/// at most.
const CLEARLY_APART: f32 = 0.052;
/// See [`CLEARLY_APART`].
const MOST_WITH_RANKS: f64 = 1.04;
/// The share of samples from which on one value is a background.
const BACKGROUND: f64 = 0.05;
/// Samples at the same places that correlate less than this are dark in one where they are bright in the other.
pub(super) const EXCHANGED: f64 = -0.5;

/// A curve of tones: values and what they become, rising in both, or falling in the second where dark and bright are exchanged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToneCurve {
    knots: Vec<[f32; 2]>,
}

impl ToneCurve {
    /// The curve from the tones of a moving image to those of a fixed one, of so many voxels, whose samples at the same places are given in
    /// pairs; none where they are alike, or where nothing can be told.
    pub fn of_pairs(pairs: &[[f32; 2]], voxels: usize, passes: Passes<'_>) -> Option<Self> {
        if pairs.len() < FEWEST_SAMPLES {
            return None;
        }
        let sorted = |nth: usize| {
            let mut values: Vec<f32> = pairs.iter().map(|pair| pair[nth]).collect();
            values.sort_unstable_by(f32::total_cmp);
            values
        };
        let [of_fixed, of_moving] = passes.both(voxels, [0, 1], sorted);
        let difference = |tone: &dyn Fn(f32) -> f32| -> f64 {
            pairs.iter().map(|[fixed, moving]| f64::from((fixed - tone(*moving)).abs())).sum()
        };
        let is_exchanged = correlation(pairs).is_some_and(|r| r < EXCHANGED);
        let curve = Self::of_ranks(&of_fixed, &of_moving, is_exchanged)?;
        let [as_it_is, left] = [difference(&|v| v), difference(&|v| curve.tone(v))];
        let is_much_closer = left < MOST_LEFT * as_it_is;
        let is_other = curve.apart() > CLEARLY_APART && left <= MOST_WITH_RANKS * as_it_is;
        (is_much_closer || is_other).then_some(curve)
    }

    /// From sorted samples. None where one of them has one value alone.
    fn of_ranks(fixed: &[f32], moving: &[f32], is_exchanged: bool) -> Option<Self> {
        let backgrounds = [background(fixed), background(moving)];
        let rest = |sorted: &[f32], background: Option<f32>| -> Vec<f32> {
            sorted.iter().copied().filter(|v| Some(*v) != background).collect()
        };
        let [fixed, moving] = [rest(fixed, backgrounds[0]), rest(moving, backgrounds[1])];
        if fixed.is_empty() || moving.is_empty() {
            return None;
        }
        let at = |sorted: &[f32], share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
        let rank =
            |share: f64| [at(&moving, share), at(&fixed, if is_exchanged { 1.0 - share } else { share })];
        let mut knots: Vec<[f32; 2]> = Vec::new();
        let mut alike = 0.0;
        for [from, to] in RANKS.map(rank) {
            match knots.last_mut() {
                // One value of many samples becomes the mean of what they should become.
                Some(last) if last[0] == from => {
                    alike += 1.0;
                    last[1] += (to - last[1]) / (alike + 1.0);
                }
                _ => {
                    knots.push([from, to]);
                    alike = 0.0;
                }
            }
        }
        if let [Some(to), Some(from)] = backgrounds {
            let place = knots.partition_point(|knot| knot[0] < from);
            knots.insert(place, [from, to]);
        }
        let (first, last) = (knots.first()?, knots.last()?);
        (first[0] < last[0] && first[1] != last[1]).then_some(Self { knots })
    }

    /// How far apart values of equal rank lie in the mean, in widths of what they become.
    fn apart(&self) -> f32 {
        let ends = [self.knots[0][1], self.knots[self.knots.len() - 1][1]];
        let mean =
            self.knots.iter().map(|[from, to]| (to - from).abs()).sum::<f32>() / self.knots.len() as f32;
        mean / (ends[1] - ends[0]).abs()
    }

    /// What a value becomes; beyond the curve it goes on with its mean slope.
    pub fn tone(&self, value: f32) -> f32 {
        let (first, last) = (self.knots[0], self.knots[self.knots.len() - 1]);
        let beyond = |[from, to]: [f32; 2]| to + (value - from) * (last[1] - first[1]) / (last[0] - first[0]);
        let upper = self.knots.partition_point(|knot| knot[0] <= value);
        match upper {
            0 => beyond(first),
            _ if upper == self.knots.len() => beyond(last),
            _ => {
                let ([from, to], [next_from, next_to]) = (self.knots[upper - 1], self.knots[upper]);
                to + (value - from) / (next_from - from) * (next_to - to)
            }
        }
    }

    /// The image in other tones; what is not a number stays.
    pub fn applied(&self, image: &Volume<f32>, passes: Passes<'_>) -> Volume<f32> {
        passes.mapped(image, 8, |_, v| self.tone(v))
    }

    /// Whether dark and bright are exchanged.
    pub fn is_falling(&self) -> bool {
        self.knots[0][1] > self.knots[self.knots.len() - 1][1]
    }
}

/// An image in other tones.
pub(super) struct Toned<'a> {
    pub image: &'a dyn LookedAt,
    pub curve: &'a ToneCurve,
}

impl LookedAt for Toned<'_> {
    fn grid(&self) -> &Grid {
        self.image.grid()
    }

    fn at(&self, index: usize) -> f32 {
        self.curve.tone(self.image.at(index))
    }

    fn each(&self, step: usize) -> Vec<f32> {
        let mut samples = self.image.each(step);
        samples.iter_mut().for_each(|v| *v = self.curve.tone(*v));
        samples
    }
}

/// The most common value of sorted samples, if a background's share of them have it.
fn background(sorted: &[f32]) -> Option<f32> {
    let least = (BACKGROUND * sorted.len() as f64).ceil() as usize;
    let alike = sorted.chunk_by(|a, b| a == b).max_by_key(|alike| alike.len())?;
    (alike.len() >= least.max(2)).then(|| alike[0])
}

/// How the samples of pairs go together, from −1 to 1; none without contrast.
pub(super) fn correlation(pairs: &[[f32; 2]]) -> Option<f64> {
    let of = |nth: usize| pairs.iter().map(move |pair| f64::from(pair[nth]));
    let mean = [0, 1].map(|nth| of(nth).sum::<f64>() / pairs.len() as f64);
    let product =
        |i: usize, j: usize| of(i).zip(of(j)).map(|(a, b)| (a - mean[i]) * (b - mean[j])).sum::<f64>();
    let r = product(0, 1) / (product(0, 0) * product(1, 1)).sqrt();
    r.is_finite().then_some(r)
}

/// Samples of a fixed and a moving image at the same places in the world, numbers both.
pub(super) fn same_places(fixed: &dyn LookedAt, moving: &dyn LookedAt) -> Vec<[f32; 2]> {
    let places = SamePlaces::of(fixed.grid(), moving.grid());
    let pairs = places.pairs([fixed, moving], step(fixed.grid().len()));
    pairs.into_iter().filter(|pair| pair.iter().all(|v| v.is_finite())).collect()
}

/// By how many samples of the fixed image those lie apart that tones are taken from.
pub(crate) fn step(samples: usize) -> usize {
    some_of(samples, MOST_SAMPLES)
}

/// By how many samples those lie apart that are so many at most; an odd step meets every column of the usual sizes.
pub(super) fn some_of(samples: usize, most: usize) -> usize {
    samples.div_ceil(most) | 1
}

/// Where the samples of a moving image lie that belong to those of a fixed one.
pub(crate) struct SamePlaces<'a> {
    fixed: &'a Grid,
    moving: &'a Grid,
    /// The map between the voxels of both; none where they have the same ones.
    map: Option<VoxelAffine>,
}

impl<'a> SamePlaces<'a> {
    pub fn of(fixed: &'a Grid, moving: &'a Grid) -> Self {
        let map = voxel_map(fixed, moving);
        let is_same = map == VoxelAffine::IDENTITY && fixed.size() == moving.size();
        Self { fixed, moving, map: (!is_same).then_some(map) }
    }

    /// Whether both images have the same voxels.
    pub fn are_voxels(&self) -> bool {
        self.map.is_none()
    }

    /// The samples of both images at every so many voxels of the fixed one; NaN outside of the moving one.
    pub fn pairs(&self, [fixed, moving]: [&dyn LookedAt; 2], step: usize) -> Vec<[f32; 2]> {
        let of_fixed = fixed.each(step);
        let of_moving = if self.are_voxels() {
            moving.each(step)
        } else {
            let at = |index| self.of_moving(index).map_or(f32::NAN, |other| moving.at(other));
            (0..self.fixed.len()).step_by(step).map(at).collect()
        };
        of_fixed.into_iter().zip(of_moving).map(|(own, other)| [own, other]).collect()
    }

    /// The index of the moving image's voxel next to one of the fixed one; none outside.
    pub fn of_moving(&self, index: usize) -> Option<usize> {
        let Some(map) = &self.map else { return Some(index) };
        let (size, place) = (self.moving.size(), self.fixed.position(index));
        let at = map.apply(place.map(|v| v as f64)).map(|v| (v + 0.5).floor());
        let is_inside = (0..3).all(|a| at[a] >= 0.0 && at[a] < size[a] as f64);
        is_inside.then(|| self.moving.index(at.map(|v| v as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(shift: f32) -> Volume<f32> {
        Volume::from_fn(Grid::image(64, 48).unwrap(), move |[x, y, _]| {
            300.0 + 100.0 * (0.2 * (x as f32 - shift)).sin() + 80.0 * (0.15 * y as f32).cos()
        })
    }

    fn between(fixed: &Volume<f32>, moving: &Volume<f32>) -> Option<ToneCurve> {
        ToneCurve::of_pairs(&same_places(fixed, moving), fixed.grid().len(), Passes::ALONE)
    }

    fn curve_of(change: impl Fn(f32) -> f32) -> Option<ToneCurve> {
        between(&waves(0.0), &waves(1.0).map(|v| change(*v)))
    }

    #[test]
    fn gains_offsets_gammas_and_negatives_are_turned_back() {
        let changes: [fn(f32) -> f32; 6] = [
            |v| 1.5 * v,
            |v| 0.5 * v - 30.0,
            |v| v + 100.0,
            |v| 480.0 * (v / 480.0).powf(0.6),
            |v| 480.0 * (v / 480.0).powf(1.6),
            |v| 600.0 - v,
        ];
        for (nth, change) in changes.into_iter().enumerate() {
            let curve = curve_of(change).unwrap_or_else(|| panic!("change {nth} should be seen"));
            assert_eq!(curve.is_falling(), nth == 5);
            for v in [150.0, 200.0, 300.0, 400.0, 450.0] {
                let back = curve.tone(change(v));
                assert!((back - v).abs() < 6.0, "change {nth}: {v} became {back}");
            }
            assert!(curve.tone(f32::NAN).is_nan());
        }
    }

    #[test]
    fn motion_alone_and_other_fields_of_view_have_no_curve() {
        assert_eq!(curve_of(|v| v), None);
        assert_eq!(curve_of(|v| 1.01 * v), None);
        // The moving image shows a part of the field alone: its histogram differs, its tones do not.
        let part = Volume::from_fn(Grid::image(64, 48).unwrap(), |p| {
            if p[0] < 40 { *waves(0.0).at(p) } else { f32::NAN }
        });
        assert_eq!(between(&waves(0.0), &part), None);
        assert_eq!(between(&waves(0.0), &waves(0.0).map(|_| 5.0)), None);
    }
}
