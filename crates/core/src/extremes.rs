//! The range of an image's finite samples, and whether all samples are finite.

/// The range of an image's finite samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// The least one; infinity where there is none.
    pub least: f32,
    /// The greatest one; minus infinity where there is none.
    pub greatest: f32,
    /// Whether all samples are finite.
    pub are_finite: bool,
}

/// Samples that are looked at twice while they are in the first cache.
const BLOCK: usize = 1024;
/// Samples that are compared side by side, as vectors.
const LANES: usize = 16;

impl Extremes {
    /// What no samples leave.
    pub const NONE: Self = Self { least: f32::INFINITY, greatest: f32::NEG_INFINITY, are_finite: true };

    /// The extremes of some samples, in one pass over them.
    pub fn of(samples: &[f32]) -> Self {
        samples.chunks(BLOCK).fold(Self::NONE, |all, block| {
            let are_finite = block.iter().fold(true, |all, v| all & (v.abs() <= f32::MAX));
            all.joined(if are_finite {
                Self::of_finite(block)
            } else {
                block.iter().fold(Self::NONE, |all, sample| all.with(*sample))
            })
        })
    }

    /// The extremes of samples that are all finite. One loop for both takes three times as long: the compiler makes fewer vector
    /// instructions of it.
    fn of_finite(samples: &[f32]) -> Self {
        Self {
            least: best(samples, f32::INFINITY, |v, least| if v < least { v } else { least }),
            greatest: best(samples, f32::NEG_INFINITY, |v, greatest| if v > greatest { v } else { greatest }),
            are_finite: true,
        }
    }

    /// These extremes with one more sample.
    #[must_use]
    pub fn with(self, sample: f32) -> Self {
        if !sample.is_finite() {
            return Self { are_finite: false, ..self };
        }
        Self { least: self.least.min(sample), greatest: self.greatest.max(sample), ..self }
    }

    /// The extremes of the samples of both.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            are_finite: self.are_finite && other.are_finite,
        }
    }
}

/// The best of some samples and `none`, where `better` gives the better one of two.
fn best(samples: &[f32], none: f32, better: impl Fn(f32, f32) -> f32) -> f32 {
    let (packs, rest) = samples.as_chunks::<LANES>();
    let mut lanes = [none; LANES];
    for pack in packs {
        for (lane, v) in lanes.iter_mut().zip(pack) {
            *lane = better(*v, *lane);
        }
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(none, |all, v| better(v, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_counts_and_what_is_no_number_does_not() {
        let plain = |i: usize| ((i * 7919) % 1009) as f32 - 500.0;
        for len in [0, 1, 15, 16, 17, 1024, 3 * 1024 + 5] {
            let samples: Vec<f32> = (0..len).map(plain).collect();
            let expected = samples.iter().fold(Extremes::NONE, |all, v| all.with(*v));
            assert_eq!(Extremes::of(&samples), expected, "{len}");
            for place in [0, len / 2, len.saturating_sub(1)].into_iter().filter(|place| *place < len) {
                for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30] {
                    let mut samples = samples.clone();
                    samples[place] = odd;
                    let expected = samples.iter().fold(Extremes::NONE, |all, v| all.with(*v));
                    assert_eq!(Extremes::of(&samples), expected, "{len} {place} {odd}");
                }
            }
        }
    }
}
