//! Whether the views of a stereo pair are swapped.

use veloxel_core::{Volume, WarningKind, Warnings};
use veloxel_report::number::percent;

/// Counts disparities whose pixel lies to the right in the right image, where nothing that cameras see can be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ViewOrder {
    found: usize,
    negative: usize,
}

impl ViewOrder {
    /// Adds the disparities (pixels) of a frame.
    pub fn count(&mut self, disparity_px: &Volume<f32>) {
        self.found += disparity_px.data().iter().filter(|d| d.is_finite()).count();
        self.negative += disparity_px.data().iter().filter(|d| **d < 0.0).count();
    }

    /// Warns if most are negative.
    pub fn warn(self, warnings: &mut Warnings) {
        if 2 * self.negative > self.found {
            let share = percent(self.negative as f64 / self.found as f64);
            let message =
                format!("{share} of the disparities are negative: LEFT and RIGHT seem to be swapped");
            warnings.push(WarningKind::Content, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn most_disparities_must_be_negative() {
        let warned = |values: &[f32]| {
            let mut order = ViewOrder::default();
            order.count(&Volume::new(Grid::image(values.len(), 1).unwrap(), values.to_vec()).unwrap());
            let mut warnings = Warnings::new();
            order.warn(&mut warnings);
            !warnings.is_empty()
        };
        assert!(warned(&[-1.0, -2.0, 3.0, f32::NAN]));
        assert!(!warned(&[-1.0, 2.0, f32::NAN]) && !warned(&[f32::NAN]) && !warned(&[0.0, 0.0]));
    }
}
