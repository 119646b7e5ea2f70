//! The error to expect of an outline of a heart that was carried to another frame: curves that were fitted to hearts that readers outlined.
//!
//! *Raw error*: how far the outline lies from the one that it was carried from, modified Hausdorff distance, in edges of pixels: what moved
//! far was harder to follow. In millimetres hearts of finer images have smaller errors, in pixels nearly the same ones. What the ways forwards and backwards in time disagree by ranks errors hardly better than chance. A curve that only
//! rises leads from there to the mean distance to a reader's outline, a second one to the distance that nine of ten stay below, for each
//! structure. `benches/calibration_of_outlines.py` makes the table, and says which hearts took part (docs/confidence.md).
//! *Limits*: how readers differ is part of it; distances above 10 pixels counted as 10; cine MR. Outlines of one heart are hardly ranked.

use super::{KNOTS, at_place, values};
use veloxel_core::Structure;

const TABLE: &str = include_str!("outlines.csv");
/// The raw error of the first value, pixels; that of each next one is twice as large.
const FIRST_RAW_PX: f64 = 0.125;

/// The errors of the outlines of a structure, by how far they moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlineErrors {
    mean_px: [f32; KNOTS],
    nine_of_ten_px: [f32; KNOTS],
}

impl OutlineErrors {
    /// The curves of a method's outlines of a structure; none if no heart was measured with it.
    pub fn of(method: &str, structure: Structure) -> Option<Self> {
        let curve = |kind: &str| {
            let head = format!("{method},{structure},{kind},");
            values(TABLE.lines().find_map(|line| line.strip_prefix(&head))?)
        };
        Some(Self { mean_px: curve("mean")?, nine_of_ten_px: curve("nine of ten")? })
    }

    /// The mean distance to a reader's outline of outlines that moved so far, pixels; NaN for NaN.
    pub fn expected_px(&self, moved_px: f64) -> f64 {
        f64::from(at_moved(&self.mean_px, moved_px))
    }

    /// The distance that nine of ten outlines that moved so far stay below, pixels; NaN for NaN.
    pub fn nine_of_ten_px(&self, moved_px: f64) -> f64 {
        f64::from(at_moved(&self.nine_of_ten_px, moved_px))
    }
}

fn at_moved(curve: &[f32; KNOTS], moved_px: f64) -> f32 {
    at_place(curve, (moved_px / FIRST_RAW_PX).log2() as f32)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;

    #[test]
    fn every_curve_of_the_table_is_read_and_only_rises() {
        let lines: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
        for line in &lines {
            let cells: Vec<&str> = line.splitn(4, ',').collect();
            let curve = values(cells[3]).unwrap();
            assert!(curve.windows(2).all(|pair| pair[0] <= pair[1]) && curve[0] > 0.0, "{line}");
            assert!(Structure::ALL.iter().any(|structure| structure.to_string() == cells[1]), "{line}");
        }
        assert_eq!(lines.len(), 12);
    }

    #[test]
    fn what_moved_farther_is_expected_to_be_off_more() {
        let structures = [Structure::Endo, Structure::Epi, Structure::Rv];
        for (method, structure) in
            ["clg", "fe"].into_iter().flat_map(|method| structures.map(|own| (method, own)))
        {
            let curves = OutlineErrors::of(method, structure).unwrap();
            for (near, far) in [(0.0, 0.2), (0.2, 1.0), (1.0, 3.0), (3.0, 8.0), (8.0, 100.0)] {
                assert!(curves.expected_px(near) <= curves.expected_px(far), "{structure}");
                assert!(curves.nine_of_ten_px(near) <= curves.nine_of_ten_px(far), "{structure}");
            }
            assert!(curves.expected_px(3.0) < curves.nine_of_ten_px(3.0));
            assert!(curves.expected_px(f64::NAN).is_nan());
        }
        assert_eq!(OutlineErrors::of("block-matching", Structure::Endo), None);
        assert_eq!(OutlineErrors::of("clg", Structure::Region), None);
    }
}
