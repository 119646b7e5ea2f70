//! Distances of outlines over a cycle: all outlines in, their mean by frame out; and such curves on frames that patients share.
//!
//! *Paper*: B. Li, A. A. Young, B. R. Cowan, "GPU accelerated non-rigid registration for the evaluation of cardiac function",
//! MICCAI 2008, Fig. 3: each case interpolated to 25 generic frames, then the mean over cases.

use crate::contour_distance::ContourDistances;
use serde::Serialize;
use veloxel_core::Structure;

/// The distance of a structure's outlines, frame by frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistanceCurve {
    /// The structure that the outlines enclose.
    pub structure: Structure,
    /// Mean modified Hausdorff distance over the slices of each frame, millimetres; none where no outline was measured.
    pub modified_hausdorff_mm: Vec<Option<f64>>,
    /// Number of outlines behind each mean.
    pub outlines: Vec<usize>,
}

/// Shares of a cycle that differ by less are the same.
const ROUNDING: f64 = 1e-9;

impl DistanceCurve {
    /// The curve of every structure that was measured, over so many frames.
    pub fn all(distances: &ContourDistances, frames: usize) -> Vec<Self> {
        let of = |structure: Structure| {
            let (mut sums, mut outlines) = (vec![0.0; frames], vec![0; frames]);
            for one in distances.contours.iter().filter(|c| c.structure == structure && c.frame < frames) {
                sums[one.frame] += one.modified_hausdorff_mm;
                outlines[one.frame] += 1;
            }
            let mean = |(sum, &count): (f64, &usize)| (count > 0).then(|| sum / count as f64);
            let modified_hausdorff_mm = sums.into_iter().zip(&outlines).map(mean).collect();
            outlines.iter().any(|&count| count > 0).then_some(Self {
                structure,
                modified_hausdorff_mm,
                outlines,
            })
        };
        Structure::ALL.into_iter().filter_map(of).collect()
    }

    /// The mean over frames, each counted once; none without any.
    pub fn mean_mm(&self) -> Option<f64> {
        mean(self.modified_hausdorff_mm.iter().flatten())
    }
}

/// A value at a time of the cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CycleSample {
    /// When, as a share of the cycle: 0 at its begin, below 1.
    pub share: f64,
    /// The value.
    pub value: f64,
}

/// A curve around a cycle on `frames` generic frames at equal distances, the first at share 0.
///
/// Between two samples that lie at most `largest_gap` (a share of the cycle) from each other it is linear; elsewhere a frame takes a
/// sample within half a generic frame of it, or none.
pub fn on_generic_frames(samples: &[CycleSample], largest_gap: f64, frames: usize) -> Vec<Option<f64>> {
    let at = |frame: usize| {
        let share = frame as f64 / frames as f64;
        let gone = |sample: &CycleSample| (share - sample.share).rem_euclid(1.0);
        let left = |sample: &CycleSample| (sample.share - share).rem_euclid(1.0);
        let before = samples.iter().min_by(|a, b| gone(a).total_cmp(&gone(b)))?;
        let after = samples.iter().min_by(|a, b| left(a).total_cmp(&left(b)))?;
        let (gone, left) = (gone(before), left(after));
        let gap = gone + left;
        if gap > 0.0 && gap <= largest_gap + ROUNDING {
            return Some((before.value * left + after.value * gone) / gap);
        }
        let nearer = if gone <= left { before } else { after };
        (gone.min(left) <= 0.5 / frames as f64 + ROUNDING).then_some(nearer.value)
    };
    (0..frames).map(at).collect()
}

/// The mean of numbers; none without any.
fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Contour, ContourSet, Control, Polygon};

    fn square(slice: usize, frame: usize, grown: f64) -> Contour {
        let [low, high] = [10.0 - grown, 20.0 + grown];
        let polygon = Polygon::new(vec![[low, low], [high, low], [high, high], [low, high]]).unwrap();
        Contour { structure: Structure::Epi, frame, slice, polygon }
    }

    #[test]
    fn frames_have_the_mean_of_their_slices() {
        let truth = ContourSet::new(vec![square(0, 0, 0.0), square(1, 0, 0.0), square(0, 2, 0.0)]).unwrap();
        let found = ContourSet::new(vec![square(0, 0, 1.0), square(1, 0, 2.0), square(0, 2, 1.0)]).unwrap();
        let distances = ContourDistances::measure(&found, &truth, [1.0; 2], &Control::default()).unwrap();
        let curves = DistanceCurve::all(&distances, 3);
        let [curve] = &curves[..] else { panic!("{curves:?}") };
        assert_eq!((curve.structure, &curve.outlines[..]), (Structure::Epi, &[2, 0, 1][..]));
        let own = &curve.modified_hausdorff_mm;
        assert!((own[0].unwrap() - 1.5).abs() < 0.1 && own[1].is_none(), "{own:?}");
        assert!((own[2].unwrap() - 1.0).abs() < 0.1, "{own:?}");
        let mean = curve.mean_mm().unwrap();
        assert!((mean - 0.5 * (own[0].unwrap() + own[2].unwrap())).abs() < 1e-12);
    }

    #[test]
    fn cycles_are_resampled_around_their_end() {
        let ramp: Vec<CycleSample> =
            (0..10).map(|i| CycleSample { share: f64::from(i) / 10.0, value: f64::from(i) }).collect();
        let all = on_generic_frames(&ramp, 0.1, 25);
        assert_eq!(all.len(), 25);
        assert!((all[1].unwrap() - 0.4).abs() < 1e-9 && (all[5].unwrap() - 2.0).abs() < 1e-9);
        // Share 0.96 lies between 9 (0.9) and 0 (1.0).
        assert!((all[24].unwrap() - 9.0 * 0.4).abs() < 1e-9);
        let two = [CycleSample { share: 0.0, value: 0.0 }, CycleSample { share: 0.37, value: 2.0 }];
        let two = on_generic_frames(&two, 0.1, 25);
        assert_eq!((two[0], two[9], two.iter().flatten().count()), (Some(0.0), Some(2.0), 2));
        assert!(on_generic_frames(&[], 0.1, 3).iter().all(Option::is_none));
    }
}
