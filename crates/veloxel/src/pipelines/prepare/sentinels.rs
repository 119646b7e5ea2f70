//! Sample values that stand for *no data* in files without a place for that: −FLT_MAX, 1e30 and the like.
//!
//! They would stretch the range of intensities until the picture is one value, or overflow once squared.

use super::looked_at::{LookedAt, every};
use super::padding::make_holes_of_padding;
use super::passes::Passes;
use veloxel_core::{Extremes, Hint, Volume, WarningKind, Warnings};

/// No scanner or camera gives intensities as large as this, and squares of it still fit `f32`.
const LARGEST: f32 = 1e15;
/// How many times wider than the middle half of the samples the whole may be, outliers aside, before that is noted.
const WIDEST: f32 = 1e6;
/// Samples that the spread is taken from, at most.
const MOST_SAMPLES: usize = 1 << 14;

/// Replaces samples beyond ±1e15 by the least or greatest of the others, and notes how many, which, and where the first is; notes
/// as well where what is left is spread so widely that little of the picture can be seen. NaN and infinities stay; padding becomes NaN.
pub(crate) fn clip_sentinels(
    image: &mut Volume<f32>,
    name: &str,
    passes: Passes<'_>,
    warnings: &mut Warnings,
) {
    if !is_plain(passes.extremes(image)) {
        replace_sentinels(image, name, warnings);
    }
    make_holes_of_padding(image, name, passes, warnings);
    note_spread(image, name, warnings);
}

/// Notes where samples are spread so widely that little of the picture can be seen.
pub(crate) fn note_spread(image: &dyn LookedAt, name: &str, warnings: &mut Warnings) {
    if let Some([middle, whole]) = spread(image)
        && whole > WIDEST * middle
    {
        let text = format!(
            "{name}: its samples spread over {whole:.3e}, the middle half of them over {middle:.3e}: values that stand for no data may \
             hide the picture; replace them"
        );
        warnings.push_with_hint(WarningKind::Content, Hint::Mask, text);
    }
}

/// Samples that are looked at together: as a vector, without a branch.
const BLOCK: usize = 1024;

/// Whether every sample is finite and within ±1e15.
pub(crate) fn is_plain(extremes: Extremes) -> bool {
    extremes.are_finite && extremes.least >= -LARGEST && extremes.greatest <= LARGEST
}

/// The first of some samples that is not a number, or beyond ±1e15.
pub(crate) fn first_not_plain(samples: &[f32]) -> Option<usize> {
    let within = |block: &[f32]| block.iter().fold(true, |all, v| all & (v.abs() <= LARGEST));
    let nth = samples.chunks(BLOCK).position(|block| !within(block))?;
    let is_within = |v: &f32| v.abs() <= LARGEST;
    samples[nth * BLOCK..].iter().position(|v| !is_within(v)).map(|place| nth * BLOCK + place)
}

fn replace_sentinels(image: &mut Volume<f32>, name: &str, warnings: &mut Warnings) {
    let is_sentinel = |v: f32| v.is_finite() && v.abs() > LARGEST;
    let grid = image.grid().clone();
    let (mut count, mut first, mut range) = (0usize, None, [f32::INFINITY, f32::NEG_INFINITY]);
    for (i, &v) in image.data().iter().enumerate() {
        if is_sentinel(v) {
            count += 1;
            first = first.or(Some((i, v)));
        } else if v.is_finite() {
            range = [range[0].min(v), range[1].max(v)];
        }
    }
    if let Some((index, value)) = first
        && range[0] <= range[1]
    {
        for v in image.data_mut().iter_mut().filter(|v| is_sentinel(**v)) {
            *v = if *v < 0.0 { range[0] } else { range[1] };
        }
        let text = format!(
            "{name}: {count} of {} samples are beyond ±1e15, the first {value:e} at voxel (x, y, z) = {:?}: no intensity is that \
             large, so they count as the {} of the others",
            grid.len(),
            grid.position(index),
            if value < 0.0 { "least" } else { "greatest" },
        );
        warnings.push(WarningKind::Content, text);
    }
}

/// By how many samples those lie apart that the spread is taken from.
pub(crate) fn step(samples: usize) -> usize {
    (samples / MOST_SAMPLES) | 1
}

/// Widths of the middle half of the samples and of the middle 99 %; none where the middle half is one value.
fn spread(image: &dyn LookedAt) -> Option<[f32; 2]> {
    let mut samples: Vec<f32> = every(image, step(image.grid().len())).collect();
    let last = samples.len().checked_sub(1)?;
    let mut at = |share: f64| {
        let nth = (share * last as f64).round() as usize;
        *samples.select_nth_unstable_by(nth, f32::total_cmp).1
    };
    let middle = at(0.75) - at(0.25);
    (middle > 0.0).then(|| [middle, at(0.995) - at(0.005)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn clipped(change: impl Fn(usize) -> Option<f32>) -> (Vec<f32>, Vec<String>) {
        let samples = (0..2000).map(|i| change(i).unwrap_or((i % 100) as f32)).collect();
        let mut image = Volume::new(Grid::image(50, 40).unwrap(), samples).unwrap();
        let mut warnings = Warnings::new();
        clip_sentinels(&mut image, "scan.mha", Passes::ALONE, &mut warnings);
        (image.into_data(), warnings.iter().map(|w| w.message.clone()).collect())
    }

    #[test]
    fn sentinels_count_as_the_extremes_and_are_told() {
        let (samples, told) = clipped(|i| (i % 20 == 7).then_some(f32::MIN));
        assert_eq!((samples[7], samples[8]), (0.0, 8.0));
        assert!(told[0].starts_with("scan.mha: 100 of 2000 samples"), "{told:?}");
        assert!(told[0].contains("[7, 0, 0]") && told[0].contains("least"), "{told:?}");
        let (samples, told) = clipped(|i| (i == 700).then_some(1e30));
        assert_eq!((samples[700], told.len()), (99.0, 1));
    }

    #[test]
    fn plain_images_stay_and_wide_ones_are_told() {
        let (samples, told) = clipped(|_| None);
        assert_eq!((samples[5], told.len()), (5.0, 0));
        let (samples, told) = clipped(|i| (i % 50 == 7).then_some(-1e10));
        assert_eq!(samples[7], -1e10);
        assert!(told[0].contains("middle half"), "{told:?}");
        let (samples, told) = clipped(|i| (i % 10 == 7).then_some(-1e10));
        assert!(samples[7].is_nan() && told.len() == 1 && told[0].contains("padding"), "{told:?}");
        assert_eq!(clipped(|i| (i == 3).then_some(f32::NAN)).1, Vec::<String>::new());
    }
}
