//! The strain of a region in two numbers a kind: its extreme over the beat and its value at end-systole, both with their sign.
//!
//! *Definitions*: the extreme is the strain of largest magnitude over all frames: shortening is negative, stretching and
//! thickening positive. End-systole is the frame of the smallest cavity of the left ventricle.

use crate::strain::{RegionStrain, StrainAt};
use serde::Serialize;

/// The strain of a region over the beat, Lagrangian.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StrainSummary {
    /// The slice; none for all slices.
    pub slice: Option<usize>,
    /// The segment; none for the whole ring.
    pub segment: Option<u8>,
    /// Circumferential strain midway in the wall.
    pub circumferential: Option<KindSummary>,
    /// Radial strain.
    pub radial: Option<KindSummary>,
    /// Longitudinal strain, where points move across slices.
    pub longitudinal: Option<KindSummary>,
}

/// One kind of strain over the beat.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KindSummary {
    /// The strain of largest magnitude, with its sign.
    pub extreme: f64,
    /// The frame that has it.
    pub extreme_frame: usize,
    /// The strain at end-systole, where that frame is known.
    pub end_systolic: Option<f64>,
}

impl KindSummary {
    /// The summary of a curve of strain by frame; none where it is not known on every frame.
    fn of(curve: Option<Vec<f64>>, end_systole: Option<usize>) -> Option<Self> {
        let curve = curve.filter(|curve| curve.iter().all(|strain| strain.is_finite()))?;
        let by_size = |&a: &usize, &b: &usize| curve[a].abs().total_cmp(&curve[b].abs());
        let extreme_frame = (0..curve.len()).rev().max_by(by_size)?;
        let end_systolic = end_systole.and_then(|frame| curve.get(frame).copied());
        Some(Self { extreme: curve[extreme_frame], extreme_frame, end_systolic })
    }
}

impl StrainSummary {
    /// The summary of a region; `end_systole` is the frame of the smallest cavity, where that is known.
    pub fn of(region: &RegionStrain, end_systole: Option<usize>) -> Self {
        let kind = |of: fn(&StrainAt) -> Option<f64>| {
            KindSummary::of(region.frames.iter().map(of).collect(), end_systole)
        };
        Self {
            slice: region.slice,
            segment: region.segment,
            circumferential: kind(|strain| Some(strain.circumferential_mid)),
            radial: kind(|strain| Some(strain.radial)),
            longitudinal: kind(|strain| strain.longitudinal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(strains: &[f64]) -> RegionStrain {
        let at = |&strain: &f64| StrainAt {
            circumferential_endo: strain,
            circumferential_mid: strain,
            circumferential_epi: strain,
            radial: -strain,
            longitudinal: None,
            thickness_mm: 8.0,
        };
        RegionStrain { slice: None, segment: Some(3), frames: strains.iter().map(at).collect() }
    }

    #[test]
    fn stretching_is_an_extreme_as_shortening_is() {
        let summary = StrainSummary::of(&region(&[0.0, 0.1, 0.26, -0.05]), Some(3));
        let expected = KindSummary { extreme: 0.26, extreme_frame: 2, end_systolic: Some(-0.05) };
        assert_eq!(summary.circumferential, Some(expected));
        let expected = KindSummary { extreme: -0.26, extreme_frame: 2, end_systolic: Some(0.05) };
        assert_eq!((summary.radial, summary.longitudinal), (Some(expected), None));
        let shortens = StrainSummary::of(&region(&[0.0, 0.04, -0.2, -0.2]), None).circumferential;
        let expected = KindSummary { extreme: -0.2, extreme_frame: 2, end_systolic: None };
        assert_eq!(shortens, Some(expected));
        assert_eq!(StrainSummary::of(&region(&[0.0, f64::NAN]), Some(1)).circumferential, None);
    }
}
