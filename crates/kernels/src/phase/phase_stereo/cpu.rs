//! Processor text of [`super::PhaseStereo`].

use super::{PhaseStereo, SPREAD_SCALE, Votes};
use crate::phase::gabor::{
    BLOCK, Block, ORIENTATIONS, PEAK_FREQUENCY, PerLane, Pixels, by_lane, per_lane, sum_over_lanes,
};
use crate::phase::phase_flow::{PhaseLevel, PhaseSampling};
use crate::shared::expansion::Coarser;
use crate::shared::lanes::{each, ordered};
use crate::shared::phases::{Halves, RADIANS, ahead, along, angles, moved_across, taken};
use multiversion::multiversion;
use veloxel_gpu::{Buffer, Cpu};

/// The lane that does not respond to a horizontal shift.
const BLIND: usize = 1;

/// The values that every pixel of a view needs.
struct View<'a> {
    place: PhaseLevel<'a>,
    /// Phases of this view.
    here: &'a [u16],
    there: &'a [u16],
    coarser: Option<Coarser<'a>>,
    /// Direction of matches: 1 if they lie to the left of a pixel by its disparity, −1 if to the right.
    sign: f32,
    votes: Votes,
    /// Pixels per unit of angle for every lane, with the sign.
    per_angle: Block,
}

/// Pixels per unit of angle for every lane; 0 for the lane that does not respond to a shift.
pub(super) fn pixels_per_angle() -> PerLane {
    let mut per_angle = per_lane(|[c, _]| RADIANS / (PEAK_FREQUENCY * c));
    per_angle[BLIND] = 0.0;
    per_angle
}

pub(super) fn phase_stereo(cpu: &Cpu, args: PhaseStereo<'_>) {
    let PhaseStereo { place, votes, left, right, coarser, out, confidence } = args;
    let [nx, ny] = place.size();
    let n = nx * ny;
    let start = ORIENTATIONS * place.levels.start(place.level);
    let [left, right] = [left, right].map(|r| &r.host()[start..start + ORIENTATIONS * n]);
    let (size, plane) = (place.coarser_size(), place.coarser_pixels());
    let per_angle = pixels_per_angle();
    let views: Vec<View<'_>> = [(left, right, 1.0), (right, left, -1.0)]
        .into_iter()
        .enumerate()
        .take(votes.views.count())
        .map(|(v, (here, there, sign))| View {
            place,
            here,
            there,
            coarser: coarser.map(|c| Coarser { size, samples: &c.host()[v * plane..(v + 1) * plane] }),
            sign,
            votes,
            per_angle: each(|i| sign * per_angle[i % ORIENTATIONS]),
        })
        .collect();
    cpu.split_rows([out, confidence].map(Buffer::host_mut), nx, 16 * views.len() * n, |row, out| {
        view_row(&views[row / ny], row % ny, out);
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn view_row(view: &View<'_>, y: usize, [out, confidence]: [&mut [f32]; 2]) {
    let [nx, _] = view.place.size();
    let last = (nx - 1) as f32;
    let row = ORIENTATIONS * y * nx..ORIENTATIONS * (y + 1) * nx;
    let (here, there) = (&view.here[row.clone()], &view.there[row]);
    let fewest = view.votes.min_orientations.max(1) as f32;
    let is_displaced = view.place.sampling == PhaseSampling::Displaced && view.coarser.is_some();
    for first in (0..nx).step_by(BLOCK) {
        let d = view.coarser.as_ref().map_or([0.0; BLOCK], |c| c.block(first, y));
        // Pixels beyond the row are found with the others and forgotten.
        let own = each(|p| (first + p).min(nx - 1) as i32);
        // SAFETY: they are in the row.
        let here = unsafe { taken(here, &own) };
        let (nearest, found) = if is_displaced {
            let x = along(&own, &each(|p| -view.sign * d[p]), nx);
            // SAFETY: positions are inside.
            let [nearest, side] = unsafe { [taken(there, &x.nearest), taken(there, &x.side)] };
            (nearest, moved_across(&nearest, &side, &x.away))
        } else {
            // SAFETY: as above.
            let there = unsafe { taken(there, &own) };
            (there, angles(&there))
        };
        let angle = ahead(&found, &angles(&here));
        let shift = by_lane(&each(|i| angle[i] * view.per_angle[i]));
        let one = by_lane(&both_seen(&here, &nearest));
        let known = sum_over_lanes(|l, p| one[l][p]);
        let middle = medians(&shift, &one, &known);
        let agreement = sum_over_lanes(|l, p| {
            let distance = shift[l][p] - middle[p];
            // A product, not a choice: divisions behind a condition are done one by one.
            one[l][p] * (1.0 / (1.0 + SPREAD_SCALE * (distance * distance)))
        });
        for p in 0..BLOCK.min(nx - first) {
            let found = d[p] + middle[p];
            let at = (first + p) as f32 - view.sign * found;
            // An unknown estimate is nowhere inside.
            let is_found = (known[p] >= fewest) & (at >= 0.0) & (at <= last);
            out[first + p] = if is_found { found } else { f32::NAN };
            confidence[first + p] = if is_found { agreement[p] * (1.0 / 7.0) } else { 0.0 };
        }
    }
}

/// The number 1 where both sides have a phase that responds to a shift, else 0.
#[inline(always)]
fn both_seen(here: &Halves, there: &Halves) -> Block {
    each(|i| (i32::from(here[i] & there[i] & 1) & i32::from(i % ORIENTATIONS != BLIND)) as f32)
}

/// The median of each pixel's valid lanes, of which there are `known`; for an even number the mean of the middle two.
#[inline(always)]
fn medians(values: &[Pixels; ORIENTATIONS], one: &[Pixels; ORIENTATIONS], known: &Pixels) -> Pixels {
    // The least four are enough: seven at most are valid.
    let mut sorted = [[f32::MAX; BLOCK]; 4];
    for l in 0..ORIENTATIONS {
        let mut value = each(|p| if one[l][p] > 0.0 { values[l][p] } else { f32::MAX });
        for slot in &mut sorted {
            (*slot, value) = ordered(*slot, value);
        }
    }
    let [first, second, third, fourth] = sorted;
    let lower = if_known(known, 3, second, first);
    let lower = if_known(known, 7, fourth, if_known(known, 5, third, lower));
    let upper = if_known(known, 2, second, first);
    let upper = if_known(known, 6, fourth, if_known(known, 4, third, upper));
    // Of an odd number both are the middle one; the mean of two alike is exact.
    each(|p| 0.5 * (lower[p] + upper[p]))
}

/// The number `then` where at least `least` lanes are known, `otherwise` elsewhere.
#[inline(always)]
fn if_known(known: &Pixels, least: usize, then: Pixels, otherwise: Pixels) -> Pixels {
    let bound = least as f32 - 0.5;
    each(|p| {
        let (then, otherwise) = (then[p], otherwise[p]);
        if known[p] > bound { then } else { otherwise }
    })
}
