//! Numbers and their codes: how a pixel becomes 63 bits, and comes back.

use std::f32::consts::PI;

/// A part of a pixel's bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitRange {
    first: u32,
    bits: u32,
}

pub(super) const DISPARITY: BitRange = BitRange { first: 0, bits: 12 };
pub(super) const FLOW: [BitRange; 2] = [BitRange { first: 12, bits: 12 }, BitRange { first: 24, bits: 12 }];
pub(super) const MAGNITUDE: BitRange = BitRange { first: 36, bits: 9 };
pub(super) const ORIENTATION: BitRange = BitRange { first: 45, bits: 9 };
pub(super) const PHASE: BitRange = BitRange { first: 54, bits: 9 };
const FEATURELESS: BitRange = BitRange { first: 63, bits: 1 };

/// Codes of a pixel of displacement.
const PER_PX: f32 = 16.0;
/// The code of an unknown component, and the largest one of a known one.
const UNKNOWN_PX: i64 = -2048;
const MOST_PX: f32 = 2047.0;
/// The code of an unknown energy, and the largest one of a known one.
const UNKNOWN_ENERGY: u64 = 511;
const MOST_ENERGY: f32 = 510.0;
/// Codes of half a turn of orientation, and of a turn of phase.
const HALF_TURN: f32 = 512.0;

impl BitRange {
    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The code, in its place.
    fn placed(self, code: i64) -> u64 {
        (code.cast_unsigned() & self.mask()) << self.first
    }

    fn unsigned(self, pixel: u64) -> u64 {
        pixel >> self.first & self.mask()
    }

    fn signed(self, pixel: u64) -> i64 {
        let unused = 64 - self.bits;
        (self.unsigned(pixel) << unused).cast_signed() >> unused
    }
}

/// Packs numbers, and counts those that do not fit.
#[derive(Debug, Default)]
pub(super) struct Packing {
    /// Displacements beyond the range.
    pub far: usize,
    /// Energies beyond the range.
    pub strong: usize,
}

impl Packing {
    /// A component of a displacement, pixels; NaN is unknown.
    pub fn displacement(&mut self, part: BitRange, px: f32) -> u64 {
        if px.is_nan() {
            return part.placed(UNKNOWN_PX);
        }
        let code = (px * PER_PX + 0.5).floor();
        self.far += usize::from(code.abs() > MOST_PX);
        part.placed(code.clamp(-MOST_PX, MOST_PX) as i64)
    }

    /// An energy; `step` is one code.
    pub fn energy(&mut self, energy: f32, step: f32) -> u64 {
        if energy.is_nan() {
            return MAGNITUDE.placed(UNKNOWN_ENERGY.cast_signed());
        }
        let code = (energy / step + 0.5).floor();
        self.strong += usize::from(code > MOST_ENERGY);
        MAGNITUDE.placed(code.clamp(0.0, MOST_ENERGY) as i64)
    }
}

/// The energy of one code, where white is that much.
pub(super) fn energy_step(white: f32) -> f32 {
    0.5 * white * white / HALF_TURN
}

/// An orientation and a phase, radians; unknown where one of them is NaN.
pub(super) fn angles(orientation_rad: f32, phase_rad: f32) -> u64 {
    if orientation_rad.is_nan() || phase_rad.is_nan() {
        return FEATURELESS.placed(1);
    }
    // Both ends of a range are one angle: what is rounded up to the end is the beginning.
    let code = |rad: f32, turn: f32| (rad * (HALF_TURN / turn) + 0.5).floor() as i64;
    ORIENTATION.placed(code(orientation_rad, PI)) | PHASE.placed(code(phase_rad, 2.0 * PI))
}

/// The component of a displacement, pixels; NaN where it is unknown.
pub(super) fn displacement_px(part: BitRange, pixel: u64) -> f32 {
    match part.signed(pixel) {
        UNKNOWN_PX => f32::NAN,
        code => code as f32 / PER_PX,
    }
}

/// The energy; NaN where it is unknown.
pub(super) fn energy(pixel: u64, step: f32) -> f32 {
    match MAGNITUDE.unsigned(pixel) {
        UNKNOWN_ENERGY => f32::NAN,
        code => code as f32 * step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The orientation and the phase, radians; NaN where they are unknown.
    fn angles_of(pixel: u64) -> [f32; 2] {
        if FEATURELESS.unsigned(pixel) == 1 {
            return [f32::NAN; 2];
        }
        let (orientation, phase) = (ORIENTATION.unsigned(pixel) as f32, PHASE.signed(pixel) as f32);
        [orientation * PI / HALF_TURN, phase * 2.0 * PI / HALF_TURN]
    }

    #[test]
    fn the_widths_are_the_papers() {
        let parts = [DISPARITY, FLOW[0], FLOW[1], MAGNITUDE, ORIENTATION, PHASE];
        assert_eq!(parts.map(|part| part.bits).iter().sum::<u32>(), 63);
        let all = parts.iter().fold(0u64, |all, part| {
            let bits = part.placed(-1);
            assert_eq!(all & bits, 0, "no bit is used twice");
            all | bits
        });
        assert_eq!(all, u64::MAX >> 1);
    }

    #[test]
    fn numbers_come_back_to_half_a_step() {
        let mut packing = Packing::default();
        for part in [DISPARITY, FLOW[0], FLOW[1]] {
            for code in -2047..=2047 {
                let px = code as f32 / 16.0;
                assert_eq!(displacement_px(part, packing.displacement(part, px)), px);
                assert_eq!(displacement_px(part, packing.displacement(part, px + 0.02)), px);
            }
            assert!(displacement_px(part, packing.displacement(part, f32::NAN)).is_nan());
        }
        let step = energy_step(255.0);
        for code in 0..=510 {
            let value = code as f32 * step;
            assert_eq!(energy(packing.energy(value + 0.4 * step, step), step), value);
        }
        assert!(energy(packing.energy(f32::NAN, step), step).is_nan());
        assert_eq!((packing.far, packing.strong), (0, 0));
        assert_eq!(displacement_px(DISPARITY, packing.displacement(DISPARITY, 300.0)), 2047.0 / 16.0);
        assert_eq!(displacement_px(DISPARITY, packing.displacement(DISPARITY, -300.0)), -2047.0 / 16.0);
        assert_eq!(energy(packing.energy(1e9, step), step), 510.0 * step);
        assert_eq!((packing.far, packing.strong), (2, 1));
    }

    #[test]
    fn angles_go_around() {
        let near = |a: f32, b: f32, turn: f32| {
            let d = (a - b).rem_euclid(turn);
            d.min(turn - d) <= 0.51 * turn / HALF_TURN
        };
        for k in 0..1000 {
            let (orientation, phase) = (k as f32 * PI / 1000.0, PI - k as f32 * 2.0 * PI / 1000.0);
            let [o, p] = angles_of(angles(orientation, phase));
            assert!(near(o, orientation, PI) && near(p, phase, 2.0 * PI), "{orientation} {o}, {phase} {p}");
        }
        assert_eq!(angles_of(angles(0.0, PI)), [0.0, -PI]);
        assert!(angles_of(angles(f32::NAN, 0.0))[1].is_nan() && angles_of(angles(0.0, f32::NAN))[0].is_nan());
    }
}
