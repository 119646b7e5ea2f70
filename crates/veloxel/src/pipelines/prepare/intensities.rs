//! Two images whose intensities do not compare: another range, another depth of bits, or bright where the other is dark.
//!
//! Methods look for equal samples; a gain or an offset would become motion. Where a curve of tones brings the moving image's samples to
//! those of the fixed one, methods see it through that curve, which is told; where none does, the difference is.

use super::light::Light;
use super::looked_at::{LookedAt, every};
use super::passes::Passes;
use super::tones::{EXCHANGED, ToneCurve, Toned, correlation, same_places};
use veloxel_core::{Grid, GridBox, Hint, Volume, WarningKind, Warnings};

/// Samples that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 14;
/// Spreads whose ratio differs from 1 by more than this are two ranges.
const GAIN: f32 = 0.25;
/// Medians that lie apart by more than this share of the spread are two ranges.
const OFFSET: f32 = 0.12;

/// What makes the samples of a moving image those of a fixed one.
#[derive(Debug, Clone)]
pub(crate) struct Tones {
    curve: Option<ToneCurve>,
    light: Option<Light>,
}

impl Tones {
    /// The moving image as methods compare it with the fixed one; what is not a number stays.
    pub fn applied(&self, moving: &Volume<f32>, fixed: &Volume<f32>, passes: Passes<'_>) -> Volume<f32> {
        let toned = self.curve.as_ref().map(|curve| curve.applied(moving, passes));
        let toned = toned.as_ref().unwrap_or(moving);
        self.light.as_ref().map_or_else(|| toned.clone(), |light| light.applied(toned, fixed, passes))
    }

    /// Does the same to the samples of a box of the moving image.
    pub fn apply(&self, samples: &mut [f32], part: GridBox, [moving, fixed]: [&Grid; 2]) {
        if let Some(curve) = &self.curve {
            samples.iter_mut().for_each(|v| *v = curve.tone(*v));
        }
        if let Some(light) = &self.light {
            light.apply(samples, part, [moving, fixed]);
        }
    }
}

/// Notes how the tones and the light of two images differ, and what would make them one; the curve of tones and the field of light that
/// do, where there are any.
pub(crate) fn compare_intensities(
    images: [&dyn LookedAt; 2],
    names: [&str; 2],
    passes: Passes<'_>,
    warnings: &mut Warnings,
) -> Option<Tones> {
    let voxels = images[0].grid().len();
    let [Some(fixed), Some(moving)] = passes.both(voxels, images, SampleRange::of) else { return None };
    let pairs = same_places(images[0], images[1]);
    // Most pairs need no curve: their light is looked at meanwhile.
    let (curve, light) = passes.join(
        voxels,
        || ToneCurve::of_pairs(&pairs, voxels, passes),
        || Light::between(images[0], images[1]),
    );
    match &curve {
        Some(curve) => note_curve(curve, [&fixed, &moving], names, warnings),
        None => note_difference(&pairs, [&fixed, &moving], names, warnings),
    }
    let light = match &curve {
        Some(curve) => Light::between(images[0], &Toned { image: images[1], curve }),
        None => light,
    };
    if let Some(light) = &light {
        note_light(light, names, warnings);
    }
    (curve.is_some() || light.is_some()).then_some(Tones { curve, light })
}

/// Says that a field of light was divided out.
fn note_light(light: &Light, [fixed_name, moving_name]: [&str; 2], warnings: &mut Warnings) {
    let [least, most] = light.range().map(|gain| (100.0 * gain).round());
    let text = format!(
        "{moving_name} is lit unlike {fixed_name}, by {least} to {most} % of it from place to place: it is compared with that smooth field \
         divided out"
    );
    warnings.push(WarningKind::Content, text);
}

/// Says that methods see the moving image in other tones.
fn note_curve(
    curve: &ToneCurve,
    [fixed, moving]: [&SampleRange; 2],
    names: [&str; 2],
    warnings: &mut Warnings,
) {
    let [fixed_name, moving_name] = names;
    let exchanged = if curve.is_falling() { ", dark and bright exchanged" } else { "" };
    let text = format!(
        "{fixed_name} has most samples from {} to {}, {moving_name} from {} to {}{exchanged}: samples of the moving image are compared \
         by the curve that brings their ranks together",
        told(fixed.low),
        told(fixed.high),
        told(moving.low),
        told(moving.high)
    );
    warnings.push(WarningKind::Content, text);
}

fn note_difference(
    pairs: &[[f32; 2]],
    [fixed, moving]: [&SampleRange; 2],
    names: [&str; 2],
    warnings: &mut Warnings,
) {
    let [fixed_name, moving_name] = names;
    if correlation(pairs).is_some_and(|r| r < EXCHANGED) {
        let text = format!(
            "{moving_name} is dark where {fixed_name} is bright: methods look for equal samples; turn one of them over first"
        );
        warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
        return;
    }
    if fixed.is_like(moving) {
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

/// Notes that frames which are compared as they are have other ranges than the frames before them: the first of these, and how many.
pub(crate) fn note_unlike_frames<'a>(
    frames: impl IntoIterator<Item = &'a dyn LookedAt>,
    name: impl Fn(usize) -> String,
    warnings: &mut Warnings,
) {
    let ranges: Vec<_> = frames.into_iter().map(SampleRange::of).collect();
    let mut unlike = ranges.windows(2).enumerate().filter_map(|(nth, two)| match two {
        [Some(before), Some(own)] if !own.is_like(before) => Some((nth + 1, [before, own])),
        _ => None,
    });
    let Some((nth, two)) = unlike.next() else { return };
    let mut text = unlike_frames(two, [&name(nth - 1), &name(nth)]);
    match unlike.count() {
        0 => {}
        more => text.push_str(&format!("; {more} more frames differ from the ones before them")),
    }
    warnings.push_with_hint(WarningKind::Content, Hint::Method, text);
}

/// Says that two frames which are compared as they are have two ranges.
pub(crate) fn unlike_frames([before, own]: [&SampleRange; 2], names: [&str; 2]) -> String {
    format!(
        "{} has most samples from {} to {}, {} from {} to {}: methods look for equal samples, and frames of a sequence are compared as they \
         are; bring them to one range first",
        names[0],
        told(before.low),
        told(before.high),
        names[1],
        told(own.low),
        told(own.high)
    )
}

/// A number with as many digits as tell it.
fn told(value: f32) -> String {
    let is_plain = value == 0.0 || (0.1..1e5).contains(&value.abs());
    if is_plain { format!("{value:.4}") } else { format!("{value:.4e}") }
}

/// By how many samples those lie apart that ranges are taken from.
pub(crate) fn step(samples: usize) -> usize {
    samples.div_ceil(MOST_SAMPLES) | 1
}

/// Where most samples of an image lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SampleRange {
    low: f32,
    median: f32,
    high: f32,
}

impl SampleRange {
    /// From the 5th to the 95th of a hundred samples; none of an image without contrast.
    pub fn of(image: &dyn LookedAt) -> Option<Self> {
        let mut samples: Vec<f32> = every(image, step(image.grid().len())).collect();
        let count = samples.len();
        let mut at = |share: usize| {
            let nth = Some(count * share / 100).filter(|nth| *nth < count)?;
            Some(*samples.select_nth_unstable_by(nth, f32::total_cmp).1)
        };
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
        told_of(waves(0.0), waves(1.0).map(|v| change(*v)))
    }

    fn told_of(fixed: Volume<f32>, moving: Volume<f32>) -> String {
        let mut warnings = Warnings::new();
        compare_intensities([&fixed, &moving], ["fixed", "moving"], Passes::ALONE, &mut warnings);
        warnings.iter().map(|w| w.message.clone()).collect()
    }

    #[test]
    fn curves_of_tones_are_told() {
        assert_eq!(said(|v| v), "");
        assert_eq!(said(|v| 1.02 * v), "");
        for change in [|v: f32| 1.5 * v, |v: f32| v + 100.0, |v: f32| 257.0 * v, |v: f32| 1e-9 * v] {
            assert!(said(change).contains("brings their ranks together"), "{}", said(change));
        }
        assert!(said(|v| 600.0 - v).contains("dark and bright exchanged"));
    }

    #[test]
    fn frames_of_other_ranges_are_told_once_and_counted() {
        let frame = |gain: f32| {
            Volume::from_fn(Grid::image(64, 48).unwrap(), move |[x, y, _]| {
                gain * (300.0 + 100.0 * (0.2 * x as f32).sin() + 80.0 * (0.15 * y as f32).cos())
            })
        };
        let told = |gains: &[f32]| {
            let frames: Vec<_> = gains.iter().map(|gain| frame(*gain)).collect();
            let mut warnings = Warnings::new();
            let looked_at = frames.iter().map(|frame| frame as &dyn LookedAt);
            note_unlike_frames(looked_at, |nth| format!("frame {nth}"), &mut warnings);
            warnings.iter().map(|w| w.message.clone()).collect::<String>()
        };
        assert_eq!(told(&[1.0, 1.02, 1.0]), "");
        let text = told(&[1.0, 1.0, 1.5, 1.0, 1.0]);
        assert!(text.starts_with("frame 1 has most") && text.contains("frame 2 from"), "{text}");
        assert!(text.ends_with("1 more frames differ from the ones before them"), "{text}");
    }

    #[test]
    fn ranges_that_no_curve_makes_one_are_told_with_what_would() {
        // The moving image shows a part of the field alone: its tones are the same, its range is not.
        let waves = Volume::from_fn(Grid::image(64, 48).unwrap(), |[x, y, _]| {
            300.0 + 100.0 * (0.2 * x as f32).sin() + 80.0 * (0.15 * y as f32).cos()
        });
        let part =
            Volume::from_fn(Grid::image(64, 48).unwrap(), |p| if p[0] < 40 { 0.0 } else { *waves.at(p) });
        let told = told_of(waves, part);
        assert!(told.contains("bring both to one range") && told.contains("moving × "), "{told}");
    }
}
