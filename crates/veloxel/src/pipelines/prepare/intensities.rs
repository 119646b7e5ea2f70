//! Two images whose intensities do not compare: another range, another depth of bits, or bright where the other is dark.
//!
//! Methods look for equal samples; a gain or an offset becomes motion, which this says before anybody believes it.

use veloxel_core::{Hint, Volume, WarningKind, Warnings};

/// Samples that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 14;
/// Spreads whose ratio differs from 1 by more than this are two ranges.
const GAIN: f32 = 0.25;
/// Medians that lie apart by more than this share of the spread are two ranges.
const OFFSET: f32 = 0.12;
/// Samples at the same places that correlate less than this are dark in one where they are bright in the other.
const INVERTED: f64 = -0.5;

/// Notes how the ranges of two images differ, and what would make them one.
pub(crate) fn compare_intensities(images: [&Volume<f32>; 2], names: [&str; 2], warnings: &mut Warnings) {
    let [Some(fixed), Some(moving)] = images.map(SampleRange::of) else { return };
    let [fixed_name, moving_name] = names;
    if correlation(images).is_some_and(|r| r < INVERTED) {
        let text = format!(
            "{moving_name} is dark where {fixed_name} is bright: methods look for equal samples; turn one of them over first"
        );
        warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
        return;
    }
    if fixed.is_like(&moving) {
        return;
    }
    let gain = fixed.spread() / moving.spread();
    let offset = fixed.low - gain * moving.low;
    let text = format!(
        "{fixed_name} has most samples from {} to {}, {moving_name} from {} to {}: methods look for equal samples; \
         bring both to one range first (moving × {} + {} has that of the fixed image)",
        told(fixed.low),
        told(fixed.high),
        told(moving.low),
        told(moving.high),
        told(gain),
        told(offset)
    );
    warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
}

/// A number with as many digits as tell it.
fn told(value: f32) -> String {
    let is_plain = value == 0.0 || (0.1..1e5).contains(&value.abs());
    if is_plain { format!("{value:.4}") } else { format!("{value:.4e}") }
}

/// Where most samples of an image lie.
pub(super) struct SampleRange {
    low: f32,
    median: f32,
    high: f32,
}

impl SampleRange {
    /// From the 5th to the 95th of a hundred samples; none of an image without contrast.
    pub fn of(image: &Volume<f32>) -> Option<Self> {
        let step = image.data().len().div_ceil(MOST_SAMPLES).max(1);
        let mut samples: Vec<f32> =
            image.data().iter().copied().step_by(step).filter(|v| v.is_finite()).collect();
        samples.sort_by(f32::total_cmp);
        let at = |share: usize| samples.get(samples.len() * share / 100).copied();
        let range = Self { low: at(5)?, median: at(50)?, high: at(95)? };
        (range.spread() > 0.0).then_some(range)
    }

    pub fn spread(&self) -> f32 {
        self.high - self.low
    }

    /// The range of an image so many times as bright.
    pub fn times(&self, gain: f32) -> Self {
        Self { low: gain * self.low, median: gain * self.median, high: gain * self.high }
    }

    /// Whether two images have one range.
    pub fn is_like(&self, other: &Self) -> bool {
        let gain = self.spread() / other.spread();
        let apart = (self.median - other.median).abs() / self.spread();
        (1.0 / (1.0 + GAIN)..=1.0 + GAIN).contains(&gain) && apart <= OFFSET
    }
}

/// How samples at the same places go together, from −1 to 1; none of images of two sizes.
fn correlation([a, b]: [&Volume<f32>; 2]) -> Option<f64> {
    if a.grid().size() != b.grid().size() {
        return None;
    }
    let step = a.data().len().div_ceil(MOST_SAMPLES).max(1);
    let pairs = || {
        let pairs = a.data().iter().zip(b.data()).step_by(step);
        pairs.map(|(a, b)| [f64::from(*a), f64::from(*b)]).filter(|two| two.iter().all(|v| v.is_finite()))
    };
    let count = pairs().count() as f64;
    let mean = [0, 1].map(|k| pairs().map(|two| two[k]).sum::<f64>() / count);
    let product =
        |i: usize, j: usize| pairs().map(|two| (two[i] - mean[i]) * (two[j] - mean[j])).sum::<f64>();
    let r = product(0, 1) / (product(0, 0) * product(1, 1)).sqrt();
    r.is_finite().then_some(r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn said(change: impl Fn(f32) -> f32) -> String {
        let waves = |shift: f32| {
            Volume::from_fn(Grid::image(64, 48).unwrap(), move |[x, y, _]| {
                300.0 + 100.0 * (0.2 * (x as f32 - shift)).sin() + 80.0 * (0.15 * y as f32).cos()
            })
        };
        let mut warnings = Warnings::new();
        let (fixed, moving) = (waves(0.0), waves(1.0).map(|v| change(*v)));
        compare_intensities([&fixed, &moving], ["fixed", "moving"], &mut warnings);
        warnings.iter().map(|w| w.message.clone()).collect()
    }

    #[test]
    fn ranges_that_differ_are_told_with_what_makes_them_one() {
        assert_eq!(said(|v| v), "");
        assert_eq!(said(|v| 1.02 * v), "");
        for change in [|v: f32| 1.5 * v, |v: f32| v + 100.0, |v: f32| 257.0 * v, |v: f32| 1e-9 * v] {
            assert!(said(change).contains("bring both to one range"), "{}", said(change));
        }
        let doubled = said(|v| 2.0 * v + 50.0);
        assert!(doubled.contains("moving × 0.") && doubled.contains("+ -2"), "{doubled}");
        assert!(said(|v| 600.0 - v).contains("dark where fixed is bright"));
    }
}
