//! Pictures of several depths of bits: the same scene in 8 and in 16 bits, or as fractions of 1.
//!
//! Methods look for equal samples, so all pictures are brought to the white of the first one, and that is said. Depths are told from
//! samples: formats keep 12 bits in 16, and arrays in memory have no header.

use super::intensities::SampleRange;
use veloxel_core::{Dimension, Volume, WarningKind, Warnings};

/// White of floats, and of 8, 10, 12, 14 and 16 bits.
const WHITES: [f32; 6] = [1.0, 255.0, 1023.0, 4095.0, 16383.0, 65535.0];

/// Spreads of pictures of one scene differ by less than this share once their whites are one: a gain of 3 is no depth of 2 bits more.
const LIKE: f32 = 0.1;

/// Multiplies the samples of pictures whose depth differs from the first one's, where they have its range then; notes which, and by
/// what. Volumes, and pictures with samples below 0, have no depth.
pub(crate) fn match_depths(
    images: &mut [Volume<f32>],
    name: impl Fn(usize) -> String,
    warnings: &mut Warnings,
) {
    let Some((first, others)) = images.split_first_mut() else { return };
    let Some(reference) = Depth::of(first) else { return };
    for (nth, image) in others.iter_mut().enumerate() {
        let Some([white, own]) = Depth::of(image).and_then(|own| reference.whites_beside(&own)) else {
            continue;
        };
        image.data_mut().iter_mut().for_each(|sample| *sample = *sample / own * white);
        let text = format!(
            "{} is a picture of {}, {} one of {}: its samples are multiplied by {white}/{own}",
            name(0),
            told(white),
            name(nth + 1),
            told(own)
        );
        warnings.push(WarningKind::Samples, text);
    }
}

/// Whether two images, whose least and greatest sample these are, may be pictures of several depths.
pub(crate) fn may_differ(dimension: Dimension, ranges: [[f32; 2]; 2]) -> bool {
    let [fixed, moving] =
        ranges.map(|[least, largest]| (least >= 0.0).then(|| least_white(largest)).flatten());
    dimension == Dimension::Two && fixed.is_some() && moving.is_some() && fixed != moving
}

/// The least white that holds a sample.
fn least_white(largest: f32) -> Option<f32> {
    WHITES.into_iter().find(|white| largest <= *white)
}

/// A white in words.
fn told(white: f32) -> String {
    if white == 1.0 { "fractions of 1".to_owned() } else { format!("{:.0} bits", (white + 1.0).log2()) }
}

/// A picture, and the least white that holds its samples.
struct Depth<'a> {
    image: &'a Volume<f32>,
    least_white: f32,
}

impl<'a> Depth<'a> {
    fn of(image: &'a Volume<f32>) -> Option<Self> {
        if image.grid().dimension() != Dimension::Two || image.extremes().least < 0.0 {
            return None;
        }
        let largest = image.extremes().greatest.max(0.0);
        Some(Self { least_white: least_white(largest)?, image })
    }

    /// The whites of two pictures of several depths that give both one range; none where they have one depth, or are two scenes.
    fn whites_beside(&self, other: &Self) -> Option<[f32; 2]> {
        if self.least_white == other.least_white {
            return None;
        }
        let [range, other_range] = [SampleRange::of(self.image)?, SampleRange::of(other.image)?];
        let from = |least: f32| WHITES.into_iter().filter(move |white| *white >= least);
        let misfit =
            |[white, own]: [f32; 2]| (range.spread() / other_range.spread() * own / white).ln().abs();
        let is_one = |[white, own]: [f32; 2]| range.is_like(&other_range.times(white / own));
        // Ratios of several whites are nearly one: the narrowest that hold the samples count.
        from(self.least_white).find_map(|white| {
            let pairs = from(other.least_white).filter(|own| *own != white).map(|own| [white, own]);
            pairs
                .filter(|whites| is_one(*whites) && misfit(*whites) < LIKE)
                .min_by(|a, b| misfit(*a).total_cmp(&misfit(*b)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    fn picture(shift: f32) -> Volume<f32> {
        Volume::from_fn(Grid::image(64, 48).unwrap(), move |[x, y, _]| {
            (120.0 + 70.0 * (0.2 * (x as f32 - shift)).sin() + 50.0 * (0.15 * y as f32).cos()).round()
        })
    }

    /// The second picture after its depth was matched, and what was said.
    fn matched(first: Volume<f32>, second: Volume<f32>) -> (Volume<f32>, String) {
        let (mut images, mut warnings) = ([first, second], Warnings::new());
        match_depths(&mut images, |nth| ["a.png", "b.png"][nth].to_owned(), &mut warnings);
        let [_, second] = images;
        (second, warnings.iter().map(|w| w.message.clone()).collect())
    }

    #[test]
    fn other_depths_are_brought_to_the_first_ones_white() {
        let (eight, moved) = (picture(0.0), picture(1.0));
        for (white, bits) in
            [(65535.0, "16 bits"), (4095.0, "12 bits"), (1023.0, "10 bits"), (1.0, "fractions of 1")]
        {
            let deep = moved.map(|v| v / 255.0 * white);
            let (found, said) = matched(eight.clone(), deep.clone());
            let off = found.data().iter().zip(moved.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let told = ["a.png is a picture of 8 bits", "b.png one of", bits];
            assert!(off < 1e-3 && told.iter().all(|text| said.contains(text)), "{off}, {said}");
            let (found, said) = matched(deep.clone(), eight.clone());
            let off = found.data().iter().zip(eight.data()).map(|(a, b)| (a - b / 255.0 * white).abs());
            assert!(off.fold(0.0, f32::max) < 1e-5 * white && said.contains(bits), "{said}");
        }
    }

    #[test]
    fn one_depth_another_scene_and_measured_values_stay() {
        let (eight, moved) = (picture(0.0), picture(1.0));
        for other in [
            moved.map(|v| 0.5 * v),
            moved.map(|v| 3.3 * v),
            moved.map(|v| 60_000.0 - v),
            moved.map(|v| 300.0 * v - 1000.0),
        ] {
            let (found, said) = matched(eight.clone(), other.clone());
            assert!(found == other && said.is_empty(), "{said}");
        }
        let grid = Grid::volume(64, 12, 4).unwrap();
        let volume = |scale: f32| Volume::new(grid.clone(), moved.map(|v| scale * v).into_data()).unwrap();
        assert_eq!(matched(volume(1.0), volume(257.0)).1, "");
    }
}
