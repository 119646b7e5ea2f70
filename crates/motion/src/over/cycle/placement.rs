//! The outlines of a stack's slices on the frame on which they were drawn in; out, how far those of each slice are to be
//! shifted to lie beside the blood as the other slices' do (pixels of a slice).
//!
//! *Papers*: T. F. Chan, L. A. Vese, Active contours without edges, IEEE Transactions on Image Processing 10 (2001), 266–277:
//! where an outline parts bright from dark best. W. James, C. Stein, Estimation with quadratic loss, Proc. Fourth Berkeley
//! Symposium 1 (1961), 361–379: means of many things at once, each drawn towards what is common to them.
//!
//! *Method*: an outline is drawn anew on every slice and frame, and now and then one lies beside the heart as a whole. What
//! moves with the image then keeps that error on all frames, though it is the error of one drawing. Two measures tell of it:
//!
//! ```text
//! u = argmax_s Σ_inside(cavity + s) (2v − 1)     v = (I − muscle) / (blood − muscle) within [0, 1]
//! w = middle of the blood within the outer outline − middle of the outer outline
//! ```
//!
//! with v as for [`Rim`]; the blood is the largest part where v > ½, within its convex hull, since papillary muscles lie at its
//! border. Both differ from 0 in every heart: walls are thick on one side, and papillary muscles lie on another. Neighbouring
//! slices share that, so it is the difference from the median of the stack that counts. Whatever is true of the drawing as a
//! whole is true of both of its outlines, so what both say is taken, by as much as they agree over the stack:
//!
//! ```text
//! m = (u + w) / 2      g = max(0, Σ u · w) / Σ (|u|² + |w|²) / 2      shift = g max(0, 1 − σ² / |m|²) m
//! ```
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | u, w | [`BloodPlace::of_cavity_px`], [`BloodPlace::of_outer_px`] | pixels |
//! | σ, by how much readers differ in any case | `READERS_MM` | mm |
//!
//! *Evidence*: `tests` of this module; docs/algorithms/track.md.
//! *Limits*: half of the stack and more drawn beside the blood; it says nothing of how large or how round an outline is.

use super::rim::Rim;
use super::slice::{Slice, over_inside, position};
use std::collections::HashSet;
use veloxel_core::Polygon;

/// Readers differ by so much in any case, mm.
const READERS_MM: f64 = 1.0;
/// The most that a drawing may be off, mm.
const MOST_MM: f64 = 4.0;
/// The first and the last step of the search for it, mm.
const STEPS_MM: [f64; 2] = [1.6, 0.1];
/// Slices that a median is taken of, at least: it then bears two that are wrong.
const FEWEST: usize = 5;

/// Where the blood of a slice lies, as seen from its outlines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BloodPlace {
    /// The shift at which the outline of the cavity parts blood from muscle best.
    pub of_cavity_px: [f64; 2],
    /// From the middle of the outer outline to that of the blood within it.
    pub of_outer_px: [f64; 2],
}

impl BloodPlace {
    /// The place of blood within the outlines of a cavity and its muscle; none where the cavity is not the brighter one.
    pub fn of(image: Slice<'_>, cavity: &Polygon, outer: &Polygon) -> Option<Self> {
        let rim = Rim::of(image, cavity.points_px(), Some(outer.points_px()))?;
        let brightness = |nth: [i64; 2]| rim.brightness(image.at(position(nth)));
        let blood = middle_of_blood(outer, &brightness)?;
        let middle = outer.centroid_px();
        Some(Self {
            of_cavity_px: best_shift_px(cavity, image.pixel_mm, &brightness),
            of_outer_px: [0, 1].map(|c| blood[c] - middle[c]),
        })
    }
}

/// How far the outlines of each slice of a stack are to be shifted, pixels of a width. Nothing moves in a stack of few slices.
pub fn misplaced_px(stack: &[BloodPlace], pixel_mm: f64) -> Vec<[f64; 2]> {
    if stack.len() < FEWEST {
        return vec![[0.0; 2]; stack.len()];
    }
    let departures = |of: fn(&BloodPlace) -> [f64; 2]| -> Vec<[f64; 2]> {
        let all: Vec<[f64; 2]> = stack.iter().map(of).collect();
        let usual = [0, 1].map(|c| middle(all.iter().map(|v| v[c]).collect()));
        all.iter().map(|v| [0, 1].map(|c| v[c] - usual[c])).collect()
    };
    let u = departures(|place| place.of_cavity_px);
    let w = departures(|place| place.of_outer_px);
    let dot = |a: &[f64; 2], b: &[f64; 2]| a[0] * b[0] + a[1] * b[1];
    let common: f64 = u.iter().zip(&w).map(|(u, w)| dot(u, w)).sum();
    let power: f64 = u.iter().chain(&w).map(|v| 0.5 * dot(v, v)).sum();
    let agreement = if power > 0.0 { common.max(0.0) / power } else { 0.0 };
    let noise = (READERS_MM / pixel_mm).powi(2);
    let shift = |(u, w): (&[f64; 2], &[f64; 2])| {
        let mean = [0, 1].map(|c| 0.5 * (u[c] + w[c]));
        let share = agreement * (1.0 - noise / dot(&mean, &mean)).max(0.0);
        mean.map(|m| share * m)
    };
    u.iter().zip(&w).map(shift).collect()
}

/// A search by eight directions, with steps that halve where none of them gains.
fn best_shift_px(cavity: &Polygon, pixel_mm: f64, brightness: &dyn Fn([i64; 2]) -> f64) -> [f64; 2] {
    let gain = |shift: [f64; 2]| {
        let moved: Vec<[f64; 2]> =
            cavity.points_px().iter().map(|p| [p[0] + shift[0], p[1] + shift[1]]).collect();
        let mut sum = 0.0;
        over_inside(&moved, &mut |nth| sum += 2.0 * brightness(nth) - 1.0);
        sum
    };
    let slant = std::f64::consts::FRAC_1_SQRT_2;
    let ways = [[1.0, 0.0], [0.0, 1.0], [slant, slant], [slant, -slant]];
    let ways = ways.into_iter().flat_map(|[x, y]| [[x, y], [-x, -y]]);
    let [mut step, last] = STEPS_MM.map(|mm| mm / pixel_mm);
    let (mut at, mut best) = ([0.0; 2], gain([0.0; 2]));
    while step >= last {
        let from = at;
        for [x, y] in ways.clone() {
            let next = [at[0] + step * x, at[1] + step * y];
            if next[0].hypot(next[1]) > MOST_MM / pixel_mm {
                continue;
            }
            let gained = gain(next);
            if gained > best {
                (at, best) = (next, gained);
            }
        }
        if at == from {
            step *= 0.5;
        }
    }
    at
}

/// The middle of the convex hull of the largest bright part within an outline.
fn middle_of_blood(outer: &Polygon, brightness: &dyn Fn([i64; 2]) -> f64) -> Option<[f64; 2]> {
    let mut bright = Vec::new();
    over_inside(outer.points_px(), &mut |nth| {
        if brightness(nth) > 0.5 {
            bright.push(nth);
        }
    });
    let hull = convex_hull(largest_part(&bright));
    let hull = hull.into_iter().map(position).collect();
    Polygon::new(hull).ok().map(|hull| hull.centroid_px())
}

/// The largest set of neighbours along the axes; of several the first.
fn largest_part(points: &[[i64; 2]]) -> Vec<[i64; 2]> {
    let mut left: HashSet<[i64; 2]> = points.iter().copied().collect();
    let mut largest = Vec::new();
    for &seed in points {
        let mut part = Vec::new();
        let mut open = Vec::from_iter(left.take(&seed));
        while let Some([x, y]) = open.pop() {
            part.push([x, y]);
            let beside = [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]];
            open.extend(beside.iter().filter_map(|point| left.take(point)));
        }
        if part.len() > largest.len() {
            largest = part;
        }
    }
    largest
}

/// Andrew's chains: the lower and the upper border, from the left to the right and back.
fn convex_hull(mut points: Vec<[i64; 2]>) -> Vec<[i64; 2]> {
    points.sort_unstable();
    let chain = |points: &mut dyn Iterator<Item = [i64; 2]>| {
        let mut line: Vec<[i64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = line[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0]) {
                    break;
                }
                line.pop();
            }
            line.push(p);
        }
        line.pop();
        line
    };
    let mut hull = chain(&mut points.iter().copied());
    hull.extend(chain(&mut points.iter().rev().copied()));
    hull
}

/// The median; of an even number the mean of both in the middle, so that neither side is preferred.
fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        0 => 0.5 * (values[half - 1] + values[half]),
        _ => values[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [usize; 2] = [72, 70];
    const CENTRE: [f64; 2] = [35.0, 34.5];
    const PIXEL_MM: f64 = 1.25;

    fn circle(radius: f64, [x, y]: [f64; 2]) -> Polygon {
        let at = |k: usize| (std::f64::consts::TAU * k as f64 / 60.0).sin_cos();
        let points = (0..60).map(at).map(|(s, c)| [CENTRE[0] + x + radius * c, CENTRE[1] + y + radius * s]);
        Polygon::new(points.collect()).unwrap()
    }

    /// Blood of a radius, a papillary muscle at its border, and a bright cavity behind the muscle.
    fn heart(radius: f64) -> Vec<f32> {
        let blood =
            |x: f64, y: f64, r: f64| (0.5 - ((x - CENTRE[0]).hypot(y - CENTRE[1]) - r)).clamp(0.0, 1.0);
        let at = |i: usize| {
            let (x, y) = ((i % SIZE[0]) as f64, (i / SIZE[0]) as f64);
            let papillary = (x - CENTRE[0] - 0.8 * radius).hypot(y - CENTRE[1]) < 3.0;
            let v = if papillary { 0.0 } else { blood(x, y, radius) };
            let behind = if x < CENTRE[0] - radius - 9.0 { 1.0 } else { 0.0 };
            (40.0 + 100.0 * v.max(behind)) as f32
        };
        (0..SIZE[0] * SIZE[1]).map(at).collect()
    }

    /// Slices from base to apex, each drawn beside its blood by some pixels.
    fn stack(drawn_px: &[[f64; 2]]) -> Vec<BloodPlace> {
        let place = |(nth, &beside): (usize, &[f64; 2])| {
            let radius = 15.0 - 0.5 * nth as f64;
            let samples = heart(radius);
            let image = Slice { size: SIZE, samples: &samples, pixel_mm: PIXEL_MM };
            // A wall that is thicker on one side, in all slices.
            let outer = circle(radius + 7.0, [1.0 + beside[0], beside[1]]);
            BloodPlace::of(image, &circle(radius + 0.5, beside), &outer).unwrap()
        };
        drawn_px.iter().enumerate().map(place).collect()
    }

    #[test]
    fn a_drawing_beside_the_blood_is_told_among_others() {
        let mut drawn = [[0.0; 2]; 7];
        drawn[4] = [-1.5, 2.0];
        let shifts = misplaced_px(&stack(&drawn), PIXEL_MM);
        for (nth, [x, y]) in shifts.into_iter().enumerate() {
            if nth == 4 {
                // 2.5 px are 3.1 mm, of which a tenth is within what readers differ by.
                assert!((x - 1.35).abs() < 0.3 && (y + 1.8).abs() < 0.3, "{x} {y}");
            } else {
                assert_eq!([x, y], [0.0; 2], "slice {nth}");
            }
        }
    }

    #[test]
    fn what_all_slices_share_stays() {
        for drawn in [[0.0; 2], [1.5, 1.0]] {
            let shifts = misplaced_px(&stack(&[drawn; 6]), PIXEL_MM);
            assert!(shifts.iter().all(|s| *s == [0.0; 2]), "{shifts:?}");
        }
    }

    #[test]
    fn outlines_that_disagree_and_stacks_of_few_slices_stay() {
        let place = |u: f64, w: f64| BloodPlace { of_cavity_px: [u, 0.0], of_outer_px: [w, 0.0] };
        let mut against = vec![place(0.0, 0.0); 6];
        against[2] = place(3.0, -3.0);
        assert_eq!(misplaced_px(&against, 1.0), [[0.0; 2]; 6]);
        let mut few = vec![place(0.0, 0.0); FEWEST - 1];
        few[1] = place(3.0, 3.0);
        assert_eq!(misplaced_px(&few, 1.0), [[0.0; 2]; FEWEST - 1]);
        few.push(place(0.0, 0.0));
        let moved = misplaced_px(&few, 1.0)[1];
        assert!((moved[0] - 3.0 * (1.0 - 1.0 / 9.0)).abs() < 1e-12 && moved[1] == 0.0, "{moved:?}");
    }

    #[test]
    fn bright_spots_apart_from_the_blood_do_not_count() {
        let mut samples = heart(14.0);
        let spot = (CENTRE[1] as usize + 19) * SIZE[0] + CENTRE[0] as usize;
        samples[spot..spot + 2].fill(140.0);
        let image = Slice { size: SIZE, samples: &samples, pixel_mm: PIXEL_MM };
        let place = BloodPlace::of(image, &circle(14.5, [0.0; 2]), &circle(21.0, [0.0; 2])).unwrap();
        assert!(place.of_outer_px.iter().all(|v| v.abs() < 0.3), "{place:?}");
        let dark: Vec<f32> = heart(14.0).iter().map(|v| 200.0 - v).collect();
        let image = Slice { samples: &dark, ..image };
        assert_eq!(BloodPlace::of(image, &circle(14.5, [0.0; 2]), &circle(21.0, [0.0; 2])), None);
    }

    #[test]
    fn a_hull_has_corners_alone() {
        let square = (0..25).map(|i| [i % 5, i / 5]).collect();
        assert_eq!(convex_hull(square), [[0, 0], [4, 0], [4, 4], [0, 4]]);
    }
}
