//! How far two segmentations of a mesh differ, face by face.
//!
//! *Source*: X. Chen, A. Golovinskiy, T. Funkhouser, "A Benchmark for 3D Mesh Segmentation", ACM TOG 28(3), 2009,
//! doi:10.1145/1531326.1531379, section 4; sets are measured by their number of faces.

use crate::error::MeasureError;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use veloxel_core::Control;

/// Faces that are looked at between two questions whether to go on: some milliseconds.
const FACES_AT_ONCE: usize = 1 << 16;

/// Two segmentations beside each other; every number is 0 where they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SegmentationError {
    /// Parts of the result.
    pub result_parts: usize,
    /// Parts of the truth.
    pub truth_parts: usize,
    /// Share of pairs of faces that one keeps together and the other does not: 1 less the Rand index.
    pub rand: f64,
    /// Mean of the next two.
    pub hamming: f64,
    /// Share of faces outside of the result's part that covers most of their true part.
    pub hamming_missing: f64,
    /// Share of faces outside of the true part that covers most of their part in the result.
    pub hamming_false_alarm: f64,
    /// Mean share of a face's part that the other segmentation puts elsewhere, in the direction that is smaller for all faces
    /// together.
    pub global_consistency: f64,
    /// Mean share of a face's part that the other segmentation puts elsewhere, in the direction that is smaller for each face.
    pub local_consistency: f64,
    /// Mean distance from the cuts of each to the nearest cut of the other, over the mesh's mean radius; none without the mesh,
    /// or where one of them has no cut.
    pub cut_discrepancy: Option<f64>,
}

impl SegmentationError {
    /// The mean over several truths.
    pub fn mean(errors: &[Self]) -> Option<Self> {
        let count = errors.len() as f64;
        let mean = |of: fn(&Self) -> f64| errors.iter().map(of).sum::<f64>() / count;
        let cuts: Vec<f64> = errors.iter().filter_map(|error| error.cut_discrepancy).collect();
        let mut parts: Vec<usize> = errors.iter().map(|error| error.truth_parts).collect();
        parts.sort_unstable();
        Some(Self {
            result_parts: errors.first()?.result_parts,
            // Of an even number the mean of two, rounded down.
            truth_parts: (parts[(parts.len() - 1) / 2] + parts[parts.len() / 2]) / 2,
            rand: mean(|error| error.rand),
            hamming: mean(|error| error.hamming),
            hamming_missing: mean(|error| error.hamming_missing),
            hamming_false_alarm: mean(|error| error.hamming_false_alarm),
            global_consistency: mean(|error| error.global_consistency),
            local_consistency: mean(|error| error.local_consistency),
            cut_discrepancy: (!cuts.is_empty()).then(|| cuts.iter().sum::<f64>() / cuts.len() as f64),
        })
    }
}

/// Compares two segmentations: the number of its part for each face, in the same order. The cut discrepancy is left out.
///
/// # Errors
/// [`MeasureError::Faces`] for another number of faces; [`MeasureError::NothingToMeasure`] without faces.
pub fn segmentation_error(
    result: &[u32],
    truth: &[u32],
    control: &Control,
) -> Result<SegmentationError, MeasureError> {
    if result.len() != truth.len() {
        return Err(MeasureError::Faces { result: result.len(), truth: truth.len() });
    }
    if result.is_empty() {
        return Err(MeasureError::nothing("segmentations", "there are no faces"));
    }
    let (mut in_result, mut in_truth) = (HashMap::new(), HashMap::new());
    // In a fixed order, for the sums over pairs of parts.
    let mut in_both: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut pace = control.once_in(FACES_AT_ONCE);
    for (&a, &b) in result.iter().zip(truth) {
        pace.step()?;
        *in_result.entry(a).or_insert(0u64) += 1;
        *in_truth.entry(b).or_insert(0u64) += 1;
        *in_both.entry((a, b)).or_default() += 1;
    }
    let faces = result.len() as f64;
    let squares = |counts: &mut dyn Iterator<Item = u64>| -> u64 { counts.map(|n| n * n).sum() };
    let apart = squares(&mut in_result.values().copied()) + squares(&mut in_truth.values().copied())
        - 2 * squares(&mut in_both.values().copied());
    let pairs = faces * (faces - 1.0);
    let covered = |part_of: fn(&(u32, u32)) -> u32| {
        let mut best: HashMap<u32, u64> = HashMap::new();
        for (pair, &count) in &in_both {
            let best = best.entry(part_of(pair)).or_default();
            *best = (*best).max(count);
        }
        1.0 - best.values().sum::<u64>() as f64 / faces
    };
    let (missing, false_alarm) = (covered(|pair| pair.1), covered(|pair| pair.0));
    let (mut of_result, mut of_truth, mut of_each) = (0.0, 0.0, 0.0);
    for (&(a, b), &both) in &in_both {
        let elsewhere = |part: u64| (part - both) as f64 / part as f64;
        let [a, b] = [elsewhere(in_result[&a]), elsewhere(in_truth[&b])];
        of_result += both as f64 * a;
        of_truth += both as f64 * b;
        of_each += both as f64 * a.min(b);
    }
    Ok(SegmentationError {
        result_parts: in_result.len(),
        truth_parts: in_truth.len(),
        rand: if pairs > 0.0 { apart as f64 / pairs } else { 0.0 },
        hamming: 0.5 * (missing + false_alarm),
        hamming_missing: missing,
        hamming_false_alarm: false_alarm,
        global_consistency: of_result.min(of_truth) / faces,
        local_consistency: of_each / faces,
        cut_discrepancy: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Two parts against three: the second true part is cut in two, and one face lies in the wrong part.
        let truth = [0, 0, 0, 0, 1, 1, 1, 1];
        let result = [5, 5, 5, 7, 7, 7, 9, 9];
        let error = segmentation_error(&result, &truth, &Control::default()).unwrap();
        assert_eq!((error.result_parts, error.truth_parts), (3, 2));
        // Of 28 pairs: 3 within the first part, 5 within the second, 2 across.
        let wrong = [(0..3, 3..4), (4..6, 6..8), (3..4, 4..6)].map(|(a, b)| a.len() * b.len());
        assert_eq!(error.rand, wrong.iter().sum::<usize>() as f64 / 28.0);
        assert_eq!((error.hamming_missing, error.hamming_false_alarm), (3.0 / 8.0, 1.0 / 8.0));
        assert_eq!(error.hamming, 0.25);
        // Elsewhere of the result's parts: 0, 2/3, 1/3, 0; of the true ones: 1/4, 3/4, 1/2, 1/2.
        let [of_result, of_truth] = [2.0 / 3.0 + 2.0 / 3.0, 3.0 / 4.0 + 3.0 / 4.0 + 1.0 + 1.0];
        assert!((error.global_consistency - f64::min(of_result, of_truth) / 8.0).abs() < 1e-12);
        assert!((error.local_consistency - (2.0 / 3.0 + 2.0 / 3.0) / 8.0).abs() < 1e-12);
    }

    #[test]
    fn equal_but_for_their_numbers() {
        let error = segmentation_error(&[3, 3, 1, 0], &[0, 0, 1, 2], &Control::default()).unwrap();
        let all = [error.rand, error.hamming, error.global_consistency, error.local_consistency];
        assert_eq!(all, [0.0; 4]);
        let mean =
            SegmentationError::mean(&[error, SegmentationError { rand: 0.5, truth_parts: 4, ..error }]);
        assert_eq!(mean.map(|mean| (mean.rand, mean.truth_parts)), Some((0.25, 3)));
        let error = segmentation_error(&[0], &[0, 1], &Control::default()).unwrap_err().to_string();
        assert!(error.contains("1 faces") && error.contains('2'), "{error}");
    }
}
