//! Values that lie far from most others.

/// Standard deviations of a normal distribution in one median of absolute deviations.
const DEVIATIONS_IN_MEDIAN: f64 = 1.4826;
/// Fewer values have no usual one.
const LEAST_VALUES: usize = 8;

/// A value that lies far from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// Its place among the values.
    pub nth: usize,
    /// The value.
    pub value: f64,
    /// The median of all values.
    pub median: f64,
    /// Its distance from the median in robust standard deviations: 1.4826 times the median of the absolute deviations.
    pub deviations: f64,
}

/// What counts as usual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsualSpread {
    /// Robust standard deviations from the median up to which a value is usual.
    pub deviations: f64,
    /// The least standard deviation that is taken, as a share of the median's size: values that are almost equal have no outlier.
    pub least_of_median: f64,
    /// The least standard deviation that is taken, in the unit of the values.
    pub least: f64,
}

/// The values that lie farther from the median than is usual, the farthest first.
///
/// Values that are not finite count nothing. There is no outlier among fewer than 8 values, nor where the spread is 0.
pub fn outliers(values: &[f64], usual: UsualSpread) -> Vec<Outlier> {
    let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    if finite.len() < LEAST_VALUES {
        return Vec::new();
    }
    let median = median_of(finite.clone());
    let spread =
        DEVIATIONS_IN_MEDIAN * median_of(finite.iter().map(|value| (value - median).abs()).collect());
    let spread = spread.max(usual.least_of_median * median.abs()).max(usual.least);
    if spread <= 0.0 {
        return Vec::new();
    }
    let far = |(nth, &value): (usize, &f64)| {
        let deviations = (value - median).abs() / spread;
        (value.is_finite() && deviations > usual.deviations).then_some(Outlier {
            nth,
            value,
            median,
            deviations,
        })
    };
    let mut found: Vec<Outlier> = values.iter().enumerate().filter_map(far).collect();
    found.sort_by(|a, b| b.deviations.total_cmp(&a.deviations));
    found
}

/// The median of some values, of an even number the mean of the two in the middle.
fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: UsualSpread = UsualSpread { deviations: 5.0, least_of_median: 0.05, least: 0.0 };

    #[test]
    fn a_value_far_from_the_others_is_found_with_its_place() {
        let mut values: Vec<f64> = (0..20).map(|n| 10.0 + 0.1 * f64::from(n)).collect();
        assert!(outliers(&values, USUAL).is_empty());
        values[7] = 40.0;
        values[3] = -8.0;
        let found = outliers(&values, USUAL);
        let places: Vec<_> = found.iter().map(|outlier| (outlier.nth, outlier.value)).collect();
        assert_eq!(places, [(7, 40.0), (3, -8.0)]);
        // The median of 10.0 … 11.9 with two values of the lower half gone, one of them to the top.
        assert!((found[0].median - 11.0).abs() < 0.051, "{}", found[0].median);
    }

    #[test]
    fn values_that_are_almost_equal_have_no_outlier() {
        let mut values: Vec<f64> = (0..12).map(|n| 10.0 + 0.001 * f64::from(n)).collect();
        values[2] = 10.5;
        assert!(outliers(&values, USUAL).is_empty());
        assert_eq!(outliers(&values, UsualSpread { least_of_median: 0.0, ..USUAL }).len(), 1);
        values[2] = 14.0;
        assert_eq!(outliers(&values, USUAL).len(), 1);
        let mut zeros = [0.0; 12];
        zeros[5] = 0.03;
        assert!(outliers(&zeros, USUAL).is_empty());
        assert_eq!(outliers(&zeros, UsualSpread { least: 0.002, ..USUAL }).len(), 1);
    }

    #[test]
    fn few_or_unknown_values_have_no_outlier() {
        assert!(outliers(&[1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 50.0], USUAL).is_empty());
        let mut unknown: Vec<f64> = (0..12).map(f64::from).collect();
        unknown[4] = f64::NAN;
        unknown[5] = f64::INFINITY;
        assert!(outliers(&unknown, USUAL).is_empty());
    }
}
