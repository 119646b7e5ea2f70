//! What a confidence says of the error: curves that were fitted to pairs whose motion is known.
//!
//! A confidence c has the raw error `e = ½ √(1/c − 1)` voxels, which its method derived from data and smoothness. For each method, preset
//! and dimension a curve that only rises leads from there to the mean end-point error of such vectors, a second one to the error that
//! nine of ten stay below, a third to the size of the ellipse that holds nine of ten (its shape: `covariance`), and others to the shares that
//! are off by [`THRESHOLDS_VOX`] or more, which make a probability of a confidence (`probability`). `benches/calibration.py` makes the
//! table by isotonic regression, and says which pairs took part (docs/confidence.md).
//! *Units*: voxels (pixels) of the fixed grid; where these are no cubes, lengths of their shortest edge.
//! *Limits*: the pairs were photographs, films and phantoms: in other images errors may be larger or smaller by a factor.

mod covariance;
mod lengths;
mod outlines;
mod probability;

use veloxel_core::{Dimension, Volume};

pub use lengths::LengthErrors;
pub use outlines::OutlineErrors;
pub use probability::THRESHOLDS_VOX;

const TABLE: &str = include_str!("table.csv");
/// Values of a curve.
const KNOTS: usize = 11;
/// The raw error of the first value, voxels; that of each next one is twice as large.
const FIRST_RAW_VOX: f32 = 0.005;
/// The preset whose curves serve where another one of its method has none.
const COMMON_PRESET: &str = "accurate";
/// What the table adds to the name of a method whose fields begin from matches.
const FROM_MATCHES: &str = "+matches";

/// The errors of a method's vectors, by their confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorCurves {
    /// The method that was measured, and the preset, by their names.
    source: [&'static str; 2],
    mean_vox: [f32; KNOTS],
    nine_of_ten_vox: [f32; KNOTS],
    ellipse_vox: [f32; KNOTS],
    /// Shares of vectors that are off by each of [`THRESHOLDS_VOX`] or more.
    above: [[f32; KNOTS]; THRESHOLDS_VOX.len()],
}

impl ErrorCurves {
    /// The curves of a method and preset, those of its `accurate` preset where it has none of its own; none if no pair was measured with
    /// the method in that dimension.
    pub fn of(method: &str, preset: &str, dimension: Dimension) -> Option<Self> {
        let of = |preset: &str| {
            let (source, mean_vox) = curve([method, preset], dimension, "mean")?;
            let (_, nine_of_ten_vox) = curve([method, preset], dimension, "nine of ten")?;
            let (_, ellipse_vox) = curve([method, preset], dimension, "ellipse")?;
            let mut above = [[0.0; KNOTS]; THRESHOLDS_VOX.len()];
            for (curve_above, threshold) in above.iter_mut().zip(THRESHOLDS_VOX) {
                (_, *curve_above) = curve([method, preset], dimension, &format!("above {threshold}"))?;
            }
            Some(Self { source, mean_vox, nine_of_ten_vox, ellipse_vox, above })
        };
        of(preset).or_else(|| of(COMMON_PRESET))
    }

    /// The curves of fields that begin from matches, whose confidence is that of both joined; those of the
    /// method alone where they were not measured so.
    pub fn of_matches(method: &str, preset: &str, dimension: Dimension) -> Option<Self> {
        Self::of(&format!("{method}{FROM_MATCHES}"), preset, dimension)
            .or_else(|| Self::of(method, preset, dimension))
    }

    /// The names of the method and of the preset that were measured.
    pub fn source(&self) -> [&'static str; 2] {
        self.source
    }

    /// The mean end-point error of vectors with this confidence, voxels; NaN for NaN.
    pub fn expected_vox(&self, confidence: f32) -> f32 {
        at(&self.mean_vox, confidence)
    }

    /// The error that nine of ten vectors with this confidence stay below, voxels; NaN for NaN.
    pub fn nine_of_ten_vox(&self, confidence: f32) -> f32 {
        at(&self.nine_of_ten_vox, confidence)
    }

    /// The radius of the ball of the same summed squares of semi-axes as the ellipse that holds nine of ten errors of vectors with this
    /// confidence, voxels; NaN for NaN.
    pub fn ellipse_vox(&self, confidence: f32) -> f32 {
        at(&self.ellipse_vox, confidence)
    }

    /// The expected error of every vector, voxels, on the grid of its confidence.
    pub fn expected_errors_vox(&self, confidence: &Volume<f32>) -> Volume<f32> {
        confidence.map(|confidence| self.expected_vox(*confidence))
    }
}

/// The values of a curve in the table, and the names of its method and preset.
fn curve(
    [method, preset]: [&str; 2],
    dimension: Dimension,
    kind: &str,
) -> Option<([&'static str; 2], [f32; KNOTS])> {
    let head = format!("{method},{preset},{},{kind},", dimension.count());
    let line = TABLE.lines().find(|line| line.starts_with(&head))?;
    let curve = values(&line[head.len()..])?;
    let source = [&line[..method.len()], &line[method.len() + 1..method.len() + 1 + preset.len()]];
    Some((source, curve))
}

/// The values of a curve, from the end of its line.
fn values(text: &str) -> Option<[f32; KNOTS]> {
    let mut curve = [0.0; KNOTS];
    for (value, text) in curve.iter_mut().zip(text.split(',')) {
        *value = text.parse().ok()?;
    }
    Some(curve)
}

/// The value of a curve at the raw error of a confidence.
fn at(curve: &[f32; KNOTS], confidence: f32) -> f32 {
    at_raw(curve, raw_of(confidence))
}

/// The raw error of a confidence, voxels; NaN for NaN.
fn raw_of(confidence: f32) -> f32 {
    0.5 * (1.0 / confidence.clamp(1e-6, 1.0) - 1.0).sqrt()
}

/// The value of a curve at a raw error: straight over the logarithm, constant beyond either end; NaN for NaN.
fn at_raw(curve: &[f32; KNOTS], raw_vox: f32) -> f32 {
    at_place(curve, (raw_vox / FIRST_RAW_VOX).log2())
}

/// The value of a curve between its values, the first of which has the place 0; constant beyond either end, NaN for NaN.
fn at_place(curve: &[f32; KNOTS], place: f32) -> f32 {
    if place.is_nan() {
        return f32::NAN;
    }
    let place = place.clamp(0.0, (KNOTS - 1) as f32);
    let lower = (place as usize).min(KNOTS - 2);
    let share = place - lower as f32;
    let value = (1.0 - share) * curve[lower] + share * curve[lower + 1];
    // Rounding does not leave a curve that only rises.
    value.clamp(curve[lower], curve[lower + 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_of_the_table_is_read_and_only_rises() {
        let lines = TABLE.lines().skip_while(|line| line.starts_with('#')).skip(1);
        let mut count = 0;
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let dimension = if cells[2] == "2" { Dimension::Two } else { Dimension::Three };
            let names = [cells[0], cells[1]];
            let (source, curve) = curve(names, dimension, cells[3]).expect("a line should be a curve");
            assert_eq!(source, names);
            assert_eq!(cells.len(), 4 + KNOTS, "{line}");
            assert!(curve.windows(2).all(|pair| pair[0] <= pair[1]) && curve[0] >= 0.0, "{line}");
            count += 1;
        }
        assert!(count >= 30, "{count} curves");
    }

    #[test]
    fn fields_from_matches_have_curves_of_their_own_where_they_were_measured() {
        let alone = |preset| ErrorCurves::of("clg", preset, Dimension::Two).expect("curves");
        let joined = |preset| ErrorCurves::of_matches("clg", preset, Dimension::Two).expect("curves");
        assert_eq!(joined("fast").source(), ["clg+matches", "fast"]);
        assert_eq!(joined("realtime").source(), ["clg+matches", "accurate"]);
        assert_eq!(ErrorCurves::of("clg+matches", "fast", Dimension::Two), Some(joined("fast")));
        // Motion that is lost without matches raises what is foretold of the method alone.
        assert!(joined("accurate").expected_vox(0.9) < alone("accurate").expected_vox(0.9));
        let volumes = ErrorCurves::of_matches("clg", "fast", Dimension::Three);
        assert_eq!(volumes, ErrorCurves::of("clg", "fast", Dimension::Three));
        assert_eq!(ErrorCurves::of_matches("fe", "accurate", Dimension::Two), None);
    }

    #[test]
    fn errors_rise_as_confidence_falls() {
        let curves = ErrorCurves::of("clg", "accurate", Dimension::Two).expect("the default has curves");
        let confidences = [1.0, 0.999, 0.95, 0.8, 0.5, 0.2, 0.05, 0.0];
        let pairs = confidences.windows(2).map(|pair| (pair[0], pair[1]));
        for (surer, less_sure) in pairs {
            assert!(curves.expected_vox(surer) <= curves.expected_vox(less_sure));
            assert!(curves.nine_of_ten_vox(surer) <= curves.nine_of_ten_vox(less_sure));
            assert!(curves.ellipse_vox(surer) <= curves.ellipse_vox(less_sure));
            assert!(curves.probability(surer, 0.5) >= curves.probability(less_sure, 0.5));
        }
        assert!(curves.expected_vox(1.0) < 0.5 * curves.expected_vox(0.2));
        assert!(curves.expected_vox(f32::NAN).is_nan());
        // Between two values of the curve it lies between.
        let [low, high] = [0.02, 0.04].map(|raw: f32| curves.expected_vox(1.0 / (1.0 + 4.0 * raw * raw)));
        let middle = curves.expected_vox(1.0 / (1.0 + 4.0 * 0.03 * 0.03));
        assert!((low..=high).contains(&middle), "{low} {middle} {high}");
    }

    #[test]
    fn presets_without_curves_take_those_of_the_accurate_one_and_other_methods_have_none() {
        let of = |method, preset| ErrorCurves::of(method, preset, Dimension::Three);
        assert_eq!(of("clg", "paper"), of("clg", "accurate"));
        assert_eq!(of("fe", "accurate"), None);
    }
}
