//! Where samples are rounded to the types in which they are delivered: on the device, or from fields that came.

use super::EngineRequest;
use super::pairs::takes_pairs;
use crate::pipelines::dense::is_narrow_for_phases;
use veloxel_core::Grid;
use veloxel_motion::{ConfidenceChoice, DeliveredFields, Delivery, FeatureScales, PhaseFields};

/// What leaves the device.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaving {
    /// The numbers of known pixels.
    Numbers,
    /// Fields as they are.
    Fields { confidences: ConfidenceChoice, scales: FeatureScales },
    /// Fields that the device rounds.
    Rounded(Delivery),
}

/// What becomes of fields that came as they are.
#[derive(Debug, Clone)]
pub(super) struct Rounding {
    grid: Grid,
    /// The types that they are rounded to; none: they are not.
    delivery: Option<Delivery>,
    /// Whether the fields are handed out as well.
    keeps_fields: bool,
}

/// Whether what was found of a frame is changed in memory, once it has left the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It is final.
    Stays,
    /// What was found of holes is left out.
    LosesHoles,
}

impl Leaving {
    /// What a request needs, of frames of a grid; and what remains to be done in memory.
    pub fn of(request: &EngineRequest, grid: &Grid, afterwards: Afterwards) -> (Self, Option<Rounding>) {
        let keeps_fields = request.fields.is_some();
        let rounding =
            |delivery: Option<Delivery>| Some(Rounding { grid: grid.clone(), delivery, keeps_fields });
        let loses_holes = afterwards == Afterwards::LosesHoles;
        let Some(delivery) = request.delivery else {
            let fields = |confidences| Self::Fields { confidences, scales: request.scales };
            // The numbers of known pixels are counted in the fields then.
            let counted = loses_holes && !takes_pairs(&request.method);
            return match request.fields {
                Some(confidences) => (fields(confidences), None),
                None if counted => (fields(ConfidenceChoice::Left), rounding(None)),
                None => (Self::Numbers, None),
            };
        };
        // The doubt about narrow pictures is cast on confidences in memory.
        let is_doubted = !takes_pairs(&request.method) && is_narrow_for_phases(grid);
        if request.fields.is_none() && !is_doubted && !loses_holes {
            return (Self::Rounded(delivery), None);
        }
        let takes = [request.fields, Some(delivery.confidences)].contains(&Some(ConfidenceChoice::Taken));
        let has_all = [request.scales, delivery.scales].contains(&FeatureScales::All);
        let leaving = Self::Fields {
            confidences: if takes { ConfidenceChoice::Taken } else { ConfidenceChoice::Left },
            scales: if has_all { FeatureScales::All } else { FeatureScales::Finest },
        };
        (leaving, rounding(Some(delivery)))
    }
}

impl Rounding {
    /// The fields where they are handed out, and in their types.
    pub fn of(self, fields: PhaseFields) -> (Option<PhaseFields>, Option<DeliveredFields>) {
        let delivered = self.delivery.map(|delivery| DeliveredFields::of(&self.grid, &fields, &delivery));
        (Some(fields).filter(|_| self.keeps_fields), delivered)
    }
}
