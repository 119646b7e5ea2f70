//! Outlines on every frame: each seed moved along, several seeds blended between their frames.

use super::choices::Cavities;
use super::motion::{CineMotion, Way};
use super::setting::Setting;
use veloxel_core::{Contour, ContourSet, Hint, Polygon, Stopped, Structure, WarningKind, Warnings};
use veloxel_measure::CurveEnds;
use veloxel_motion::over::cycle::{ContourMotion, ContourRule, Rim};

/// Carries the seeds to every frame; `motions` are those from each of their frames.
///
/// *Where several frames have seeds*: between two of them both are followed, joined point by point, and blended by the time
/// that is left to each, as equation 6 of the paper blends forward and backward.
pub(super) fn carried(
    setting: &Setting<'_>,
    motions: &[CineMotion],
    way: Way,
    warnings: &mut Warnings,
) -> Result<ContourSet, Stopped> {
    let (seeds, frames) = (&setting.seeds, setting.request.cine.frames().len());
    let (mut all, mut lost) = (Vec::new(), 0);
    let periodicity = motions[0].periodicity();
    for structure in Structure::ALL {
        for slice in seeds.contours.slices() {
            let own: Vec<Seed<'_>> = (seeds.frames.iter().enumerate())
                .filter_map(|(nth, &frame)| {
                    Some(Seed::of(setting, nth, seeds.contours.get(structure, slice, frame)?, way))
                })
                .collect();
            if own.is_empty() || structure == Structure::Region {
                continue;
            }
            for frame in 0..frames {
                setting.session.control().check()?;
                let carry = |seed: &Seed<'_>| seed.carried(&motions[seed.nth], way, frame);
                let ([one, other], weight) = neighbours(&own, frame, frames, periodicity);
                let polygon = match one.nth == other.nth {
                    true => carry(one),
                    false => carry(one).zip(carry(other)).map(|(a, b)| blended(&a, &b, weight)),
                };
                match polygon {
                    Some(polygon) => all.push(Contour { structure, frame, slice, polygon }),
                    None => lost += 1,
                }
            }
        }
    }
    if lost > 0 {
        let text = format!("{lost} outlines leave the region where motion is known: enlarge it");
        warnings.push_with_hint(WarningKind::Field, Hint::Region, text);
    }
    Ok(ContourSet::new(all).unwrap_or_default())
}

/// An outline that is carried along.
struct Seed<'a> {
    setting: &'a Setting<'a>,
    /// The number of its frame among the seeds'.
    nth: usize,
    contour: &'a Contour,
    /// Its vertices, where it is carried from.
    placed_px: Vec<[f64; 2]>,
    /// The rim of a cavity, whose outline the images correct.
    rim: Option<Rim>,
}

impl<'a> Seed<'a> {
    fn of(setting: &'a Setting<'_>, nth: usize, contour: &'a Contour, way: Way) -> Self {
        let (seeds, slice, frame) = (&setting.seeds, contour.slice, contour.frame);
        let placed_px = seeds.placed_px(contour);
        let outer = match contour.structure {
            Structure::Endo => Some(Structure::Epi),
            Structure::Rv => Some(Structure::RvEpi),
            _ => None,
        };
        let is_corrected = way == Way::Wanted && setting.request.cavities == Cavities::Rim;
        let rim = outer.filter(|_| is_corrected).and_then(|outer| {
            let outer = seeds.contours.get(outer, slice, frame).map(|outer| seeds.placed_px(outer));
            Rim::of(setting.request.cine.slice(slice, frame), &placed_px, outer.as_deref())
        });
        Self { setting, nth, contour, placed_px, rim }
    }

    fn carried(&self, motion: &CineMotion, way: Way, frame: usize) -> Option<Polygon> {
        let seed = self.contour;
        if frame == seed.frame {
            return Some(seed.polygon.clone());
        }
        let pixel_mm = self.setting.request.cine.pixel_mm();
        // Readers draw beside the edge of blood: see the rules.
        let rule = match seed.structure {
            Structure::Endo | Structure::Rv => ContourRule::endocardium(pixel_mm),
            Structure::Epi | Structure::RvEpi => ContourRule::epicardium(pixel_mm),
            Structure::Region => ContourRule::default(),
        };
        let is_registered = (way, rule.motion) == (Way::Wanted, ContourMotion::Reference);
        let way = if is_registered { Way::Reference } else { way };
        let place = |[x, y]: [f64; 2]| {
            let [x, y, _] = motion.moved_vox(way, [x, y, seed.slice as f64], frame)?;
            Some([x, y])
        };
        let moved = rule.moved(&self.placed_px, &place)?;
        let moved = match &self.rim {
            Some(rim) => rim.corrected(self.setting.request.cine.slice(seed.slice, frame), &moved),
            None => moved,
        };
        Polygon::of_moved(moved).ok()
    }
}

/// The seeds before and after a frame, and the weight of the first.
fn neighbours<'a, 'b>(
    seeds: &'a [Seed<'b>],
    frame: usize,
    frames: usize,
    periodicity: CurveEnds,
) -> ([&'a Seed<'b>; 2], f64) {
    let around = |from: usize, to: usize| (to + frames - from) % frames;
    let before = seeds.iter().min_by_key(|seed| around(seed.contour.frame, frame)).expect("a seed at least");
    let after = seeds.iter().min_by_key(|seed| around(frame, seed.contour.frame)).expect("a seed at least");
    let (gone, left) = (around(before.contour.frame, frame), around(frame, after.contour.frame));
    match periodicity {
        // Beyond the first and the last seed there is one neighbour.
        CurveEnds::Open if before.contour.frame > frame => ([after; 2], 1.0),
        CurveEnds::Open if after.contour.frame < frame => ([before; 2], 1.0),
        _ if gone == 0 => ([before; 2], 1.0),
        _ => ([before, after], left as f64 / (gone + left) as f64),
    }
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
