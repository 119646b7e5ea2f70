//! What the measures of a cavity are called: a stack of slices has volumes, a single slice has areas alone.

use crate::number::fixed;
use veloxel_measure::Chamber;

/// The measures of a cavity with their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChamberWords {
    /// `Ejection fraction`, or `Fractional area change, slice 3 alone`.
    pub share_title: String,
    /// `EF`, or `area change`.
    pub share_name: &'static str,
    /// The share itself, %.
    pub share_percent: String,
    /// `EDV 120.1 ml`, or `largest area 20.5 cm²`.
    pub largest: String,
    /// `ESV 55.0 ml`, or `smallest area 9.8 cm²`.
    pub smallest: String,
    /// The difference of both with its unit.
    pub difference: String,
}

impl ChamberWords {
    /// The words for a cavity.
    pub fn of(chamber: &Chamber) -> Self {
        let share_percent = fixed(100.0 * chamber.ejection_fraction, 1);
        let Some([largest, smallest]) = chamber.areas_cm2 else {
            let [edv, esv] = [chamber.edv_ml, chamber.esv_ml];
            return Self {
                share_title: "Ejection fraction".to_owned(),
                share_name: "EF",
                share_percent,
                largest: format!("EDV {edv:.1} ml"),
                smallest: format!("ESV {esv:.1} ml"),
                difference: format!("{:.1} ml", edv - esv),
            };
        };
        let slice = chamber.slices.first().copied().unwrap_or_default();
        Self {
            share_title: format!("Fractional area change, slice {slice} alone"),
            share_name: "area change",
            share_percent,
            largest: format!("largest area {largest:.1} cm²"),
            smallest: format!("smallest area {smallest:.1} cm²"),
            difference: format!("{:.1} cm²", largest - smallest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slice_has_areas_and_no_volumes() {
        let stack = Chamber {
            slices: vec![2, 3],
            volume_ml: vec![120.0, 60.0],
            end_diastole: 0,
            end_systole: 1,
            edv_ml: 120.0,
            esv_ml: 60.0,
            ejection_fraction: 0.5,
            areas_cm2: None,
        };
        let words = ChamberWords::of(&stack);
        assert_eq!(
            (words.share_name, &*words.largest, &*words.smallest),
            ("EF", "EDV 120.0 ml", "ESV 60.0 ml")
        );
        let slice = Chamber { slices: vec![3], areas_cm2: Some([20.5, 10.25]), ..stack };
        let words = ChamberWords::of(&slice);
        assert_eq!(words.share_title, "Fractional area change, slice 3 alone");
        assert_eq!((&*words.largest, &*words.share_percent), ("largest area 20.5 cm²", "50.0"));
        assert!(!format!("{words:?}").contains("EDV"), "{words:?}");
    }
}
