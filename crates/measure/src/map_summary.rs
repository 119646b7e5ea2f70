//! The summary of a map: its mean and its range over the voxels where it is known.

use serde::Serialize;

/// Mean and range of a map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MapSummary {
    /// The map's name, which is that of its file.
    pub name: &'static str,
    /// Arithmetic mean over the known voxels; none if there is none.
    pub mean: Option<f64>,
    /// The smallest value.
    pub min: Option<f32>,
    /// The largest value.
    pub max: Option<f32>,
    /// Number of voxels with a value.
    pub known: usize,
    /// Number of voxels without one.
    pub unknown: usize,
    /// Number of voxels whose value is 0 or below: of a determinant those that fold.
    pub not_positive: usize,
}

/// The summary of a part of a map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MapSums {
    sum: f64,
    min: f32,
    max: f32,
    known: usize,
    unknown: usize,
    not_positive: usize,
}

impl Default for MapSums {
    fn default() -> Self {
        Self { sum: 0.0, min: f32::INFINITY, max: f32::NEG_INFINITY, known: 0, unknown: 0, not_positive: 0 }
    }
}

impl MapSums {
    /// Counts values in, NaN where they are unknown.
    pub fn add(&mut self, values: &[f32]) {
        for &value in values {
            if value.is_finite() {
                self.sum += f64::from(value);
                (self.min, self.max) = (self.min.min(value), self.max.max(value));
                self.known += 1;
                self.not_positive += usize::from(value <= 0.0);
            } else {
                self.unknown += 1;
            }
        }
    }

    /// The sums of two parts, the first one first: the mean's last bit depends on their order.
    pub fn and(self, other: &Self) -> Self {
        Self {
            sum: self.sum + other.sum,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            known: self.known + other.known,
            unknown: self.unknown + other.unknown,
            not_positive: self.not_positive + other.not_positive,
        }
    }

    /// The summary of all parts.
    pub fn summary(&self, name: &'static str) -> MapSummary {
        let is_known = self.known > 0;
        MapSummary {
            name,
            mean: is_known.then(|| self.sum / self.known as f64),
            min: is_known.then_some(self.min),
            max: is_known.then_some(self.max),
            known: self.known,
            unknown: self.unknown,
            not_positive: self.not_positive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_voxels_do_not_count() {
        let of = |parts: &[&[f32]]| {
            let sums = parts.iter().map(|part| {
                let mut own = MapSums::default();
                own.add(part);
                own
            });
            sums.fold(MapSums::default(), |all, own| all.and(&own)).summary("determinant")
        };
        let summary = of(&[&[2.0, f32::NAN], &[], &[-1.0, 0.5]]);
        assert_eq!((summary.mean, summary.min, summary.max), (Some(0.5), Some(-1.0), Some(2.0)));
        assert_eq!((summary.known, summary.unknown, summary.not_positive), (3, 1, 1));
        let unknown = of(&[&[f32::NAN]]);
        assert_eq!((unknown.mean, unknown.min, unknown.unknown), (None, None, 1));
    }
}
