//! Padding: one value far from all others that fills what a scan did not see, such as −1024, −3024 or −32768 around the round field of a
//! CT. It would stretch the range of intensities until tissue has no contrast, and its border is no edge of anything that moves.

use super::looked_at::{LookedAt, every};
use super::passes::Passes;
use veloxel_core::{Volume, WarningKind, Warnings};

/// The share of all samples that have the one value, at least.
const LEAST_SHARE: f64 = 0.05;
/// Its distance from the other samples, in widths of where 98 % of those lie, at least.
const LEAST_DISTANCE: f32 = 4.0;
/// Samples that are looked at, at most.
const MOST_SAMPLES: usize = 1 << 13;

/// Makes holes (NaN) of padding at either end of the samples' range, and notes it.
pub(crate) fn make_holes_of_padding(
    image: &mut Volume<f32>,
    name: &str,
    passes: Passes<'_>,
    warnings: &mut Warnings,
) {
    for end in ENDS {
        let Some(value) = padding_at(&*image, end) else { continue };
        let all = image.data().len();
        let count = passes.replace(image.data_mut(), f32::NAN, |_, v| v == value);
        let share = 100.0 * count as f64 / all as f64;
        let text = format!(
            "{name}: {share:.0} % of the samples are {value}, far from all others: padding, which is left out of the data"
        );
        warnings.push(WarningKind::Content, text);
    }
}

/// The two ends of a range of samples.
const ENDS: [fn(f32, f32) -> f32; 2] = [f32::min, f32::max];

/// The value that pads an image at either end of its range, if one does.
pub(crate) fn padding_of(image: &dyn LookedAt) -> Option<f32> {
    ENDS.into_iter().find_map(|end| padding_at(image, end))
}

fn padding_at(image: &dyn LookedAt, end: fn(f32, f32) -> f32) -> Option<f32> {
    // What a twentieth of all samples have, some of them show.
    some(image).reduce(end).filter(|value| is_padding(image, *value))
}

/// By how many samples those lie apart that are looked at; an odd step meets every column of the usual sizes.
pub(crate) fn step(samples: usize) -> usize {
    samples.div_ceil(MOST_SAMPLES) | 1
}

/// Some of the samples that are numbers.
fn some(image: &dyn LookedAt) -> impl Iterator<Item = f32> {
    every(image, step(image.grid().len()))
}

/// Whether many of some samples have this value and the others lie far from it.
fn is_padding(image: &dyn LookedAt, value: f32) -> bool {
    let (all, count) =
        some(image).fold((0.0, 0.0), |(all, count), v| (all + 1.0, count + f64::from(u8::from(v == value))));
    if count < LEAST_SHARE * all {
        return false;
    }
    let mut others: Vec<f32> = some(image).filter(|v| *v != value).collect();
    let Some(last) = others.len().checked_sub(1) else { return false };
    let mut at =
        |share: f64| *others.select_nth_unstable_by((share * last as f64) as usize, f32::total_cmp).1;
    let [low, high] = [at(0.01), at(0.99)];
    let distance = if value < low { low - value } else { value - high };
    // Labels, or one grey on another, are no padded scan.
    high > low && distance >= LEAST_DISTANCE * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn is_inside([x, y, _]: [usize; 3]) -> bool {
        (x as f32 - 19.5).hypot(y as f32 - 19.5) < 12.0
    }

    /// Soft tissue of 0 to 100 in a disc, a value around it.
    fn told(around: f32, tissue: impl Fn(usize) -> f32) -> (usize, String) {
        let mut image = Volume::from_fn(Grid::image(40, 40).unwrap(), |p| {
            if is_inside(p) { tissue(p[0] * 7 + p[1] * 13) } else { around }
        });
        let mut warnings = Warnings::new();
        make_holes_of_padding(&mut image, "ct.nii", Passes::ALONE, &mut warnings);
        let holes = image.data().iter().filter(|v| v.is_nan()).count();
        (holes, warnings.iter().map(|w| w.message.clone()).collect())
    }

    #[test]
    fn padding_becomes_holes_and_is_told() {
        let outside = Volume::from_fn(Grid::image(40, 40).unwrap(), |p| !is_inside(p));
        let outside = outside.data().iter().filter(|is_outside| **is_outside).count();
        for around in [-1024.0, -3024.0, -32768.0, 32767.0] {
            let (holes, told) = told(around, |i| (i % 101) as f32);
            assert_eq!(holes, outside);
            assert!(told.contains("72 % of the samples are") && told.contains("padding"), "{told}");
        }
    }

    #[test]
    fn backgrounds_and_labels_are_no_padding() {
        // A skull-stripped brain, a bright object on black, labels, and a few bad pixels.
        let tissues: [fn(usize) -> f32; 3] = [|i| (i % 101) as f32, |i| 200.0 + (i % 56) as f32, |_| 255.0];
        for tissue in tissues {
            assert_eq!(told(0.0, tissue).0, 0);
        }
        let mut bad = Volume::from_fn(Grid::image(40, 40).unwrap(), |[x, y, _]| {
            if x == 3 && y < 9 { -1024.0 } else { (x * 7 % 101) as f32 }
        });
        make_holes_of_padding(&mut bad, "ct.nii", Passes::ALONE, &mut Warnings::new());
        assert!(bad.data().iter().all(|v| v.is_finite()));
    }
}
