//! How probable it is that people give a face to the part that it has: a curve over the certainty, fitted to meshes that people segmented.
//!
//! *Right*: each part stands for the segment of a person's that it shares most area with; a face is right where it lies in that segment.
//! The probability is over people and meshes. The curve only rises (isotonic regression); `benches/calibration_of_parts.py` makes the table,
//! and says which meshes took part (docs/confidence.md).
//! *Limits*: closed models of single objects, parts in the number that the method chose. A part that no person has is not told: its faces
//! count as right in the segment that it lies in.

const TABLE: &str = include_str!("part_probability.csv");
/// Values of a curve, at certainties from 0 to 1 in even steps.
const KNOTS: usize = 11;

/// The probability of being right of faces of these certainties; none of a method that no mesh was measured with.
pub fn part_probabilities(method: &str, certainty: &[f32]) -> Option<Vec<f32>> {
    let curve = curve(method)?;
    Some(certainty.iter().map(|&certainty| at(&curve, certainty)).collect())
}

fn curve(method: &str) -> Option<[f32; KNOTS]> {
    let line = TABLE.lines().find_map(|line| line.strip_prefix(method)?.strip_prefix(','))?;
    let values: Vec<f32> = line.split(',').filter_map(|value| value.parse().ok()).collect();
    values.try_into().ok()
}

/// The value of a curve, straight between its values; NaN for NaN.
fn at(curve: &[f32; KNOTS], certainty: f32) -> f32 {
    let place = certainty.clamp(0.0, 1.0) * (KNOTS - 1) as f32;
    let lower = (place as usize).min(KNOTS - 2);
    let share = place - lower as f32;
    let value = (1.0 - share) * curve[lower] + share * curve[lower + 1];
    // Rounding does not leave a curve that only rises.
    value.clamp(curve[lower], curve[lower + 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::PARTS_METHODS;
    use veloxel_core::parameters::MethodEntry;

    #[test]
    fn probabilities_of_every_method_rise_with_certainty() {
        let certainty: Vec<f32> = (0..=50).map(|nth| nth as f32 / 50.0).collect();
        for method in PARTS_METHODS {
            let name = method.parameters().method;
            let found = part_probabilities(name, &certainty).expect("a method should have a curve");
            assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {found:?}");
            assert!(found.iter().all(|probability| (0.3..=1.0).contains(probability)), "{name}");
            assert!(found[50] > found[0] + 0.1, "{name}");
        }
        assert_eq!(part_probabilities("by hand", &certainty), None);
        // Half way between two values lies their mean.
        let curve = curve("cuts").expect("a curve");
        assert!((at(&curve, 0.95) - 0.5 * (curve[9] + curve[10])).abs() < 1e-6);
        assert!(at(&curve, f32::NAN).is_nan());
    }
}
