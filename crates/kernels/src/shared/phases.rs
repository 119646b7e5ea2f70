//! Phases of eight orientations, at pixels and between them, a block of pixels at a time: `phases.wgsl` does the same in the
//! same order. [`crate::phase::gabor`] says how they are stored.

use crate::phase::gabor::{BLOCK, Block, ORIENTATIONS, Pixels};

/// Every lane of a block of pixels, pixel by pixel, in the stored form of phases.
pub(crate) type Halves = [u16; BLOCK * ORIENTATIONS];

/// Every lane of a block of pixels as angles, 2³² a turn, whose differences wrap as they should. At most 24 bits are
/// significant.
pub(crate) type Angles = [i32; BLOCK * ORIENTATIONS];

/// Radians of an angle of 1.
pub(crate) const RADIANS: f64 = std::f64::consts::TAU / 4_294_967_296.0;

/// Positions of a block along one axis: the nearest pixel, the next one on the position's side, and the distance from the
/// nearest, in units of 2⁻¹⁵ pixels.
pub(crate) struct Along {
    pub nearest: [i32; BLOCK],
    pub side: [i32; BLOCK],
    pub away: Away,
}

/// Distances from the nearest pixels: at most half a pixel, 2¹⁴.
pub(crate) type Away = [i16; BLOCK];

/// The positions at displacements `d` from pixels on an axis of `count`; those outside move to the border, NaN to the first
/// pixel.
///
/// The displacement is rounded, not the position: the same displacement gives the same phases everywhere.
#[inline(always)]
pub(crate) fn along(from: &[i32; BLOCK], d: &Pixels, count: usize) -> Along {
    let last = count as i32 - 1;
    let (mut nearest, mut side, mut away) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
    for p in 0..BLOCK {
        let (low, high) = (-from[p] as f32, (last - from[p]) as f32);
        let inside = if d[p] < high { d[p] } else { high };
        let clamped = if d[p] > low { inside } else { low };
        let up = clamped + 0.5;
        // SAFETY: no longer than the axis.
        let towards_zero: i32 = unsafe { up.to_int_unchecked() };
        let steps = towards_zero - i32::from(towards_zero as f32 > up);
        nearest[p] = from[p] + steps;
        let offset = clamped - steps as f32;
        side[p] = nearest[p] + i32::from(offset > 0.0) - i32::from(offset < 0.0);
        // SAFETY: 2¹⁴ at most.
        away[p] = unsafe { (offset.abs() * 32_768.0).to_int_unchecked() };
    }
    Along { nearest, side, away }
}

/// The phases of pixels.
///
/// # Safety
/// The pixels exist.
#[inline(always)]
pub(crate) unsafe fn taken(phases: &[u16], pixels: &[i32; BLOCK]) -> Halves {
    let mut out = [0; BLOCK * ORIENTATIONS];
    for p in 0..BLOCK {
        let at = ORIENTATIONS * pixels[p] as usize;
        debug_assert!(at + ORIENTATIONS <= phases.len(), "pixels should be there");
        // SAFETY: forwarded.
        let lanes = unsafe { phases.get_unchecked(at..at + ORIENTATIONS) };
        out[p * ORIENTATIONS..(p + 1) * ORIENTATIONS].copy_from_slice(lanes);
    }
    out
}

/// The angles of phases.
#[inline(always)]
pub(crate) fn angles(halves: &Halves) -> Angles {
    let mut out = [0; BLOCK * ORIENTATIONS];
    for i in 0..BLOCK * ORIENTATIONS {
        out[i] = i32::from(halves[i]) << 16;
    }
    out
}

/// Angles between pixels, on the plane through three of them: the nearest and those on the position's sides.
#[inline(always)]
pub(crate) fn moved(nearest: &Halves, [across, down]: [&Halves; 2], away: [&Away; 2]) -> Angles {
    let mut out = [0; BLOCK * ORIENTATIONS];
    for p in 0..BLOCK {
        let [x, y] = away.map(|away| i32::from(away[p]));
        for i in p * ORIENTATIONS..(p + 1) * ORIENTATIONS {
            let dx = i32::from(across[i].wrapping_sub(nearest[i]).cast_signed());
            let dy = i32::from(down[i].wrapping_sub(nearest[i]).cast_signed());
            // Half a turn at most, which is 2³⁰.
            let offset = x * dx + y * dy;
            out[i] = (i32::from(nearest[i]) << 16).wrapping_add(offset << 1);
        }
    }
    out
}

/// Angles between the pixels of a row.
#[inline(always)]
pub(crate) fn moved_across(nearest: &Halves, across: &Halves, away: &Away) -> Angles {
    let mut out = [0; BLOCK * ORIENTATIONS];
    for p in 0..BLOCK {
        let x = i32::from(away[p]);
        for i in p * ORIENTATIONS..(p + 1) * ORIENTATIONS {
            let dx = i32::from(across[i].wrapping_sub(nearest[i]).cast_signed());
            out[i] = (i32::from(nearest[i]) << 16).wrapping_add((x * dx) << 1);
        }
    }
    out
}

/// Differences of angles, 2³² a turn.
#[inline(always)]
pub(crate) fn ahead(angles: &Angles, others: &Angles) -> Block {
    let mut out = [0.0; BLOCK * ORIENTATIONS];
    for i in 0..BLOCK * ORIENTATIONS {
        out[i] = angles[i].wrapping_sub(others[i]) as f32;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_between_pixels_wrap() {
        // From one pixel to the next a tenth of a turn across, and minus a fifth down, over the end of the turn.
        let turns = |t: f64| ((t.rem_euclid(1.0) * 32_768.0).round() as u16) << 1 | 1;
        let halves = |t: f64| [turns(t); BLOCK * ORIENTATIONS];
        let away = [&[8_192; BLOCK], &[16_384; BLOCK]];
        let found = moved(&halves(0.95), [&halves(0.05), &halves(0.75)], away)[17];
        let expected = 0.95 + 0.025 - 0.1;
        let miss = f64::from(found.wrapping_sub(i32::from(turns(expected)) << 16)) / 4_294_967_296.0;
        assert!(miss.abs() < 1e-4, "{miss}");
        let same = ahead(&angles(&halves(0.3)), &moved_across(&halves(0.3), &halves(0.3), away[0]));
        assert_eq!(same, [0.0; BLOCK * ORIENTATIONS]);
    }

    #[test]
    fn positions_move_to_the_border() {
        let mut d = [0.75; BLOCK];
        d[..4].copy_from_slice(&[-5.0, 6.0, f32::NAN, -0.75]);
        let found = along(&[3; BLOCK], &d, 5);
        assert_eq!(
            (found.nearest[..5].to_vec(), found.side[..5].to_vec()),
            (vec![0, 4, 0, 2, 4], vec![0, 4, 0, 3, 3])
        );
        assert_eq!(found.away[..5], [0, 0, 0, 8_192, 8_192]);
        assert_eq!(along(&[0; BLOCK], &[0.75; BLOCK], 1).side, [0; BLOCK]);
    }

    #[test]
    fn a_displacement_gives_the_same_everywhere() {
        let d = each_of([-1.3, -0.5, 0.1, 0.499_999_97, 7.777_777]);
        let [near, far] = [3, 40_003].map(|from| along(&[from; BLOCK], &d, 1 << 16));
        assert_eq!(near.nearest.map(|n| n + 40_000), far.nearest);
        assert_eq!(near.side.map(|n| n + 40_000), far.side);
        assert_eq!(near.away, far.away);
    }

    /// A block whose first pixels have these values.
    fn each_of(values: [f32; 5]) -> Pixels {
        let mut out = [0.0; BLOCK];
        out[..5].copy_from_slice(&values);
        out
    }
}
