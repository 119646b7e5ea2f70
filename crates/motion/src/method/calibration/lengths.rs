//! The error to expect of a disparity and of a tracked point: curves that were fitted to scenes whose truth is known.
//!
//! Both have one raw error, pixels: of a disparity that of its confidence c, `½ √(1/c − 1)`; of a tracked point's step from one frame to the
//! next the distance between where it was and where the way back ends. A curve that only rises leads from there to the mean error of such
//! disparities or points, a second one to the error that nine of ten stay below. A third pair of curves leads from the expected errors of
//! all steps of a track to how far it is from where its first point has gone. `benches/calibration_of_lengths.py` makes the table, and
//! says which scenes took part (docs/confidence.md).
//! *Limits*: the scenes were photographs, and errors above 5 pixels counted as 5.

use super::{KNOTS, at_raw, raw_of, values};
use crate::phase::parameters::StereoSmoothing;
use veloxel_core::Volume;

const TABLE: &str = include_str!("lengths.csv");
/// The curves of disparities with semi-global matching.
const SMOOTHED: &str = "accurate";
/// The curves of disparities without it, where a preset has none of its own.
const PHASES: &str = "phases";

/// The errors of disparities, or of tracked points, by their raw errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthErrors {
    mean_px: [f32; KNOTS],
    nine_of_ten_px: [f32; KNOTS],
}

impl LengthErrors {
    /// The curves of disparities by a preset of the phase-based method, with or without semi-global matching; presets that have none of
    /// their own take those of `accurate`.
    pub fn of_disparities(preset: &str, smoothing: StereoSmoothing) -> Self {
        let own = match smoothing {
            StereoSmoothing::SemiGlobal => Self::named("stereo", SMOOTHED),
            StereoSmoothing::Off if preset == SMOOTHED => Self::named("stereo", PHASES),
            StereoSmoothing::Off => Self::named("stereo", preset).or_else(|| Self::named("stereo", PHASES)),
        };
        own.expect("the table should have disparities")
    }

    /// The curves of tracked points.
    pub fn of_tracked_points() -> Self {
        Self::named("track-points", "default").expect("the table should have tracked points")
    }

    /// The curves of how far a track is from where its first point has gone, by the root of the sum of squares of the expected errors of
    /// its steps, pixels.
    pub fn of_drifts() -> Self {
        Self::named("track-points", "drift").expect("the table should have tracks")
    }

    fn named(method: &str, preset: &str) -> Option<Self> {
        let curve = |kind: &str| {
            let head = format!("{method},{preset},{kind},");
            values(TABLE.lines().find_map(|line| line.strip_prefix(&head))?)
        };
        Some(Self { mean_px: curve("mean")?, nine_of_ten_px: curve("nine of ten")? })
    }

    /// The mean error for a raw error, pixels; NaN for NaN.
    pub fn expected_px(&self, raw_px: f32) -> f32 {
        at_raw(&self.mean_px, raw_px)
    }

    /// The error that nine of ten with a raw error stay below, pixels; NaN for NaN.
    pub fn nine_of_ten_px(&self, raw_px: f32) -> f32 {
        at_raw(&self.nine_of_ten_px, raw_px)
    }

    /// The expected error of every disparity, pixels, by its confidence; NaN where there is no disparity.
    ///
    /// Both lie on one grid.
    pub fn of_each_px(&self, disparity_px: &Volume<f32>, confidence: &Volume<f32>) -> Volume<f32> {
        let of_one = |index: usize| match disparity_px.data()[index].is_finite() {
            true => self.expected_px(raw_of(confidence.data()[index])),
            false => f32::NAN,
        };
        let grid = disparity_px.grid().clone();
        Volume::from_fn(grid.clone(), |voxel| of_one(grid.index(voxel)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;
    use StereoSmoothing::{Off, SemiGlobal};
    use veloxel_core::Grid;

    #[test]
    fn every_curve_of_the_table_only_rises() {
        let lines: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
        for line in &lines {
            let cells: Vec<&str> = line.splitn(4, ',').collect();
            let curve = values(cells[3]).unwrap();
            assert!(curve.windows(2).all(|pair| pair[0] <= pair[1]) && curve[0] >= 0.0, "{line}");
            assert!(LengthErrors::named(cells[0], cells[1]).is_some(), "{line}");
        }
        assert_eq!(lines.len(), 12);
    }

    #[test]
    fn errors_rise_with_what_they_are_foretold_from() {
        for curves in [
            LengthErrors::of_disparities("accurate", SemiGlobal),
            LengthErrors::of_disparities("accurate", Off),
            LengthErrors::of_disparities("fast", Off),
            LengthErrors::of_tracked_points(),
            LengthErrors::of_drifts(),
        ] {
            for (surer, less_sure) in [(0.0, 0.05), (0.05, 0.3), (0.3, 2.0), (2.0, 100.0)] {
                assert!(curves.expected_px(surer) <= curves.expected_px(less_sure));
                assert!(curves.nine_of_ten_px(surer) <= curves.nine_of_ten_px(less_sure));
            }
            assert!(curves.expected_px(0.0) < 0.5 * curves.expected_px(100.0));
            assert!(curves.expected_px(f32::NAN).is_nan());
        }
        let of = LengthErrors::of_disparities;
        assert_eq!(of("hardware", Off), of("accurate", Off));
        assert_eq!(of("fast", SemiGlobal), of("accurate", SemiGlobal));
        assert_ne!(of("accurate", Off), of("accurate", SemiGlobal));
    }

    #[test]
    fn a_pixel_without_a_disparity_has_no_expected_error() {
        let grid = Grid::image(3, 1).unwrap();
        let disparity_px = Volume::new(grid.clone(), vec![4.0, f32::NAN, 2.0]).unwrap();
        let confidence = Volume::new(grid, vec![0.99, 0.0, 0.0]).unwrap();
        let curves = LengthErrors::of_disparities("accurate", SemiGlobal);
        let errors = curves.of_each_px(&disparity_px, &confidence);
        let [sure, none, filled] = errors.data() else { panic!("three pixels") };
        assert!(none.is_nan() && sure < filled, "{errors:?}");
        assert_eq!(*sure, curves.expected_px(0.5 * (1.0f32 / 0.99 - 1.0).sqrt()));
    }
}
