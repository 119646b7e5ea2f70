//! Outlines on every frame: each seed moved along, several seeds blended between their frames.

use super::cavities::Cavities;
use super::cine::Cine;
use super::motion::{CineMotion, Way};
use super::seeds::Seeds;
use veloxel_core::{Contour, ContourSet, Polygon, Structure, WarningKind, Warnings};
use veloxel_motion::cycle::{ContourMotion, ContourRule, Rim};
use veloxel_report::metrics::Periodicity;

/// Carries the seeds to every frame; `motions` are those from each of their frames.
///
/// *Where several frames have seeds*: between two of them both are followed, joined point by point, and blended by the time
/// that is left to each, as equation 6 of the paper blends forward and backward.
pub(super) fn carried(
    seeds: &Seeds,
    motions: &[CineMotion],
    way: Way,
    cine: &Cine,
    warnings: &mut Warnings,
) -> ContourSet {
    let frames = cine.place.frames;
    let mut all = Vec::new();
    let mut lost = 0;
    let periodicity = motions[0].periodicity();
    for structure in Structure::ALL {
        for slice in seeds.contours.slices() {
            let own: Vec<Seed<'_>> = (seeds.frames.iter().enumerate())
                .filter_map(|(nth, &frame)| {
                    let contour = seeds.contours.get(structure, slice, frame)?;
                    Some(Seed::of(seeds, nth, contour, way, cine))
                })
                .collect();
            if own.is_empty() || structure == Structure::Region {
                continue;
            }
            for frame in 0..frames {
                let carry = |seed: &Seed<'_>| seed.carried(&motions[seed.nth], way, cine, frame);
                let polygon = match neighbours(&own, frame, frames, periodicity) {
                    [(one, _), (other, _)] if one.nth == other.nth => carry(one),
                    [(one, weight), (other, _)] => {
                        carry(one).zip(carry(other)).map(|(a, b)| blended(&a, &b, weight))
                    }
                };
                match polygon {
                    Some(polygon) => all.push(Contour { structure, frame, slice, polygon }),
                    None => lost += 1,
                }
            }
        }
    }
    if lost > 0 {
        let text = format!("{lost} outlines leave the region where motion is known: enlarge it (--region)");
        warnings.push(WarningKind::Field, text);
    }
    ContourSet::new(all).unwrap_or_default()
}

/// An outline that is carried along.
struct Seed<'a> {
    /// The number of its frame among the seeds'.
    nth: usize,
    contour: &'a Contour,
    /// Its vertices, where it is carried from.
    placed_px: Vec<[f64; 2]>,
    /// Of a cavity, whose outline the images correct.
    rim: Option<Rim>,
}

impl<'a> Seed<'a> {
    fn of(seeds: &'a Seeds, nth: usize, contour: &'a Contour, way: Way, cine: &Cine) -> Self {
        let (slice, frame) = (contour.slice, contour.frame);
        let placed_px = seeds.placed_px(contour);
        let outer = match contour.structure {
            Structure::Endo => Structure::Epi,
            Structure::Rv => Structure::RvEpi,
            _ => return Self { nth, contour, placed_px, rim: None },
        };
        let outer = seeds.contours.get(outer, slice, frame).map(|outer| seeds.placed_px(outer));
        let rim = || Rim::of(cine.slice(slice, frame), &placed_px, outer.as_deref());
        let is_corrected = way == Way::Wanted && seeds.cavities == Cavities::Rim;
        let rim = is_corrected.then(rim).flatten();
        Self { nth, contour, placed_px, rim }
    }

    fn carried(&self, motion: &CineMotion, way: Way, cine: &Cine, frame: usize) -> Option<Polygon> {
        let seed = self.contour;
        if frame == seed.frame {
            return Some(seed.polygon.clone());
        }
        let pixel_mm = motion.pixel_mm();
        // Readers draw beside the edge of blood: see the rules.
        let rule = match seed.structure {
            Structure::Endo | Structure::Rv => ContourRule::endocardium(pixel_mm),
            Structure::Epi | Structure::RvEpi => ContourRule::epicardium(pixel_mm),
            Structure::Region => ContourRule::default(),
        };
        let way = match (way, rule.motion) {
            (Way::Wanted, ContourMotion::Reference) => Way::Reference,
            (way, _) => way,
        };
        let place = |[x, y]: [f64; 2]| {
            let [x, y, _] = motion.moved_by(way, [x, y, seed.slice as f64], frame)?;
            Some([x, y])
        };
        let moved = rule.moved(&self.placed_px, &place)?;
        let moved = match &self.rim {
            Some(rim) => rim.corrected(cine.slice(seed.slice, frame), &moved),
            None => moved,
        };
        Polygon::of_moved(moved).ok()
    }
}

type Weighted<'a, 'b> = (&'a Seed<'b>, f64);

/// The seeds before and after a frame, with their weights.
fn neighbours<'a, 'b>(
    seeds: &'a [Seed<'b>],
    frame: usize,
    frames: usize,
    periodicity: Periodicity,
) -> [Weighted<'a, 'b>; 2] {
    let around = |from: usize, to: usize| (to + frames - from) % frames;
    let before = seeds.iter().min_by_key(|seed| around(seed.contour.frame, frame)).expect("a seed at least");
    let after = seeds.iter().min_by_key(|seed| around(frame, seed.contour.frame)).expect("a seed at least");
    let (gone, left) = (around(before.contour.frame, frame), around(frame, after.contour.frame));
    if periodicity == Periodicity::Open {
        // Beyond the first and the last seed there is one neighbour.
        if before.contour.frame > frame {
            return [(after, 1.0), (after, 0.0)];
        }
        if after.contour.frame < frame {
            return [(before, 1.0), (before, 0.0)];
        }
    }
    if gone == 0 {
        return [(before, 1.0), (before, 0.0)];
    }
    let weight = left as f64 / (gone + left) as f64;
    [(before, weight), (after, 1.0 - weight)]
}

/// `weight · a + (1 − weight) · b`, joined at equal shares of their lengths where they lie nearest to each other.
fn blended(a: &Polygon, b: &Polygon, weight: f64) -> Polygon {
    let count = a.points_px().len().max(b.points_px().len()).max(48);
    let [first, second] = [a, b].map(|polygon| polygon.resampled_px(count, [1.0; 2]));
    let apart = |shift: usize| -> f64 {
        let squares = |i: usize| {
            let (p, q) = (first[i], second[(i + shift) % count]);
            (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2)
        };
        (0..count).map(squares).sum()
    };
    let shift = (0..count).min_by(|&s, &t| apart(s).total_cmp(&apart(t))).unwrap_or(0);
    let mix = |i: usize| {
        let (p, q) = (first[i], second[(i + shift) % count]);
        [0, 1].map(|k: usize| q[k] + weight * (p[k] - q[k]))
    };
    Polygon::of_moved((0..count).map(mix).collect()).unwrap_or_else(|_| a.clone())
}
