//! The outline of a cavity on one frame and its moved copy on another in; how far the copy is to be offset out (pixels of a slice).
//!
//! *Papers*: T. F. Chan, L. A. Vese, Active contours without edges, IEEE Transactions on Image Processing 10 (2001), 266–277:
//! an outline is where the intensities inside and outside say, though no edge is sharp. M.-P. Jolly, Automatic segmentation of
//! the left ventricle in cardiac MR and CT images, IJCV 70 (2006), 151–163: blood and muscle by their own intensities.
//!
//! *Method*: readers draw the cavity around papillary muscles and beside the blood. What is dark inside of an outline lies along
//! it, as deep at one time of the beat as at another:
//!
//! ```text
//! D = Σ_inside (1 − v),   v = (I − muscle) / (blood − muscle) within [0, 1]        D(δ) = D₀ √(A(δ) / A₀)
//! ```
//!
//! with the levels of blood and muscle and D₀, A₀ of the seed, and the moved outline offset by δ along its normals. Motion alone
//! follows less contraction than there is, and tells nothing of blood that leaves a slice; intensities know both, and mistake
//! what is as bright for blood. Their errors are about as large and have little in common, so that half of δ is taken.
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | `blood`, `muscle` | [`Rim::blood`], [`Rim::muscle`] | the image's |
//! | D₀, A₀ | `dark_px2`, `area_px2` | pixels² |
//! | δ | [`Rim::offset_px`] | pixels, outwards |
//!
//! *Evidence*: `tests` of this module; docs/algorithms/track.md.
//! *Limits*: bright blood beside dark muscle; a line that was offset is no longer material, so strain does not use it.

use super::contour::offset_vertices;
use super::slice::{PER_PX, Slice, median, over_inside, position, values};

/// The share of the offset that is taken: motion and rim count alike.
const SHARE: f64 = 0.5;
/// Blood is surely so far inside of an outline, mm.
const CORE_MM: f64 = 3.0;
/// Without an outer outline, muscle lies so far outside, mm.
const RING_MM: [f64; 2] = [1.5, 4.5];
/// The most that an outline may be off, mm; and no more than half of its radius inwards.
const MOST_MM: f64 = 3.0;
/// Samples that a level is the median of, at least.
const FEWEST: usize = 8;
/// Halvings of the interval in which the offset lies.
const HALVINGS: usize = 8;

/// What an outline holds on the frame on which it was drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rim {
    /// The level of blood.
    pub blood: f64,
    /// The level of muscle.
    pub muscle: f64,
    dark_px2: f64,
    area_px2: f64,
}

impl Rim {
    /// The rim of a closed outline around a cavity, and that of its muscle, where it has one; none where the cavity is not the
    /// brighter one.
    pub fn of(image: Slice<'_>, cavity: &[[f64; 2]], outer: Option<&[[f64; 2]]>) -> Option<Self> {
        let within = |points: &[[f64; 2]]| values(image, points, &[]);
        let core = within(&offset_vertices(cavity, -CORE_MM / image.pixel_mm));
        let blood = median(if core.len() < FEWEST { within(cavity) } else { core })?;
        let [near, far] = match outer {
            Some(outer) => [cavity.to_vec(), outer.to_vec()],
            None => RING_MM.map(|mm| offset_vertices(cavity, mm / image.pixel_mm)),
        };
        let muscle = median(values(image, &far, &near))?;
        let mut rim = Self { blood, muscle, dark_px2: 0.0, area_px2: 1.0 };
        (rim.dark_px2, rim.area_px2) = rim.dark_and_area(image, cavity);
        (blood > muscle && rim.area_px2 > 0.0).then_some(rim)
    }

    /// By how much a moved outline is to be offset outwards for its rim to be as deep, pixels.
    pub fn offset_px(&self, image: Slice<'_>, moved: &[[f64; 2]]) -> f64 {
        let (_, area) = self.dark_and_area(image, moved);
        let most = MOST_MM / image.pixel_mm;
        let too_dark = |offset: f64| {
            let (dark, area) = self.dark_and_area(image, &offset_vertices(moved, offset));
            dark > self.dark_px2 * (area / self.area_px2).sqrt()
        };
        let (mut low, mut high) = (-most.min(0.5 * (area / std::f64::consts::PI).sqrt()), most);
        if too_dark(low) {
            return low;
        }
        if !too_dark(high) {
            return high;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if too_dark(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The moved outline, vertex by vertex, where motion and rim together say that it lies.
    pub fn corrected(&self, image: Slice<'_>, moved: &[[f64; 2]]) -> Vec<[f64; 2]> {
        offset_vertices(moved, SHARE * self.offset_px(image, moved))
    }

    /// How much of an intensity is blood's, from 0 (muscle) to 1.
    pub(super) fn brightness(&self, intensity: f64) -> f64 {
        ((intensity - self.muscle) / (self.blood - self.muscle)).clamp(0.0, 1.0)
    }

    fn dark_and_area(&self, image: Slice<'_>, outline: &[[f64; 2]]) -> (f64, f64) {
        let (mut dark, mut count) = (0.0, 0.0);
        over_inside(outline, &mut |nth| {
            dark += 1.0 - self.brightness(image.at(position(nth)));
            count += 1.0;
        });
        (dark / PER_PX.powi(2), count / PER_PX.powi(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [usize; 2] = [64, 60];
    const CENTRE: [f64; 2] = [31.0, 29.5];

    fn circle(radius: f64) -> Vec<[f64; 2]> {
        let at = |k: usize| (std::f64::consts::TAU * k as f64 / 60.0).sin_cos();
        (0..60).map(at).map(|(s, c)| [CENTRE[0] + radius * c, CENTRE[1] + radius * s]).collect()
    }

    /// Blood of a radius, blurred by a pixel, in muscle.
    fn cavity(radius: f64) -> Vec<f32> {
        let at = |i: usize| {
            let (x, y) = ((i % SIZE[0]) as f64, (i / SIZE[0]) as f64);
            let beyond = (x - CENTRE[0]).hypot(y - CENTRE[1]) - radius;
            (40.0 + 100.0 * (0.5 - beyond).clamp(0.0, 1.0)) as f32
        };
        (0..SIZE[0] * SIZE[1]).map(at).collect()
    }

    fn slice(samples: &[f32]) -> Slice<'_> {
        Slice { size: SIZE, samples, pixel_mm: 1.5 }
    }

    #[test]
    fn an_outline_beside_the_blood_stays_as_far_beside_it() {
        // Drawn a pixel outside, on an image that is then brighter or not.
        for outer in [None, Some(circle(20.0))] {
            let (seed, then) = (cavity(14.0), cavity(10.0));
            let rim = Rim::of(slice(&seed), &circle(15.0), outer.as_deref()).unwrap();
            assert!((rim.blood - 140.0).abs() < 1.0 && (rim.muscle - 40.0).abs() < 1.0, "{rim:?}");
            for (moved, expected) in [(11.0, 0.0), (12.0, -1.0), (10.0, 1.0)] {
                let found = rim.offset_px(slice(&then), &circle(moved));
                assert!((found - expected).abs() < 0.15, "{moved}: {found} for {expected}");
            }
            let half = rim.corrected(slice(&then), &circle(12.0));
            let radius = |p: &[f64; 2]| (p[0] - CENTRE[0]).hypot(p[1] - CENTRE[1]);
            assert!(half.iter().all(|p| (radius(p) - 11.5).abs() < 0.1), "{half:?}");
        }
    }

    #[test]
    fn no_outline_goes_farther_than_it_may() {
        let (seed, nothing) = (cavity(14.0), cavity(0.0));
        let rim = Rim::of(slice(&seed), &circle(15.0), None).unwrap();
        assert_eq!(rim.offset_px(slice(&nothing), &circle(12.0)), -2.0);
        // Half of a radius.
        let tight = Rim::of(slice(&seed), &circle(14.2), None).unwrap();
        let small = tight.offset_px(slice(&nothing), &circle(2.0));
        assert!((small + 1.0).abs() < 0.1, "{small}");
        let bright = vec![200.0; SIZE[0] * SIZE[1]];
        assert_eq!(rim.offset_px(slice(&bright), &circle(12.0)), 2.0);
    }

    #[test]
    fn a_cavity_that_is_dark_has_no_rim() {
        let dark: Vec<f32> = cavity(14.0).iter().map(|v| 200.0 - v).collect();
        assert_eq!(Rim::of(slice(&dark), &circle(15.0), None), None);
        assert_eq!(Rim::of(slice(&vec![7.0; SIZE[0] * SIZE[1]]), &circle(15.0), None), None);
    }
}
