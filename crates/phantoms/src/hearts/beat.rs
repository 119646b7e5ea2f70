//! The course of a beat, which is the same in all hearts.

use crate::error::PhantomError;
use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

/// How far the muscle has contracted in a frame of a beat of so many: 0 at end-diastole, 1 at end-systole.
///
/// `½ − ½ cos 2πs` with `s = t + 0.11 sin² πt`: systole takes two fifths of the beat, which is periodic.
pub(crate) fn activation(frame: usize, frames: usize) -> f64 {
    let t = (frame % frames) as f64 / frames as f64;
    let s = t + 0.11 * (PI * t).sin().powi(2);
    0.5 - 0.5 * (TAU * s).cos()
}

/// The frame nearest to end-systole.
pub(crate) fn end_systole(frames: usize) -> usize {
    let by_activation = |a: &usize, b: &usize| activation(*a, frames).total_cmp(&activation(*b, frames));
    (0..frames).max_by(by_activation).unwrap_or(0)
}

/// Refuses a beat of one frame, and parameters outside of their ranges.
pub(crate) fn check<const N: usize>(
    frames: usize,
    parameters: [(&'static str, f64, RangeInclusive<f64>); N],
) -> Result<(), PhantomError> {
    if frames < 2 {
        return Err(PhantomError::FrameCount { got: frames });
    }
    match parameters.into_iter().find(|(_, got, range)| !range.contains(got)) {
        None => Ok(()),
        Some((name, got, range)) => {
            let range = format!("[{}, {}]", range.start(), range.end());
            Err(PhantomError::HeartParameter { name, range, got })
        }
    }
}
