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

/// Rounding of fields that came as they are.
#[derive(Debug, Clone)]
pub(super) struct Rounding {
    grid: Grid,
    delivery: Delivery,
    /// Whether the fields are handed out as well.
    keeps_fields: bool,
}

impl Leaving {
    /// What a request needs, of frames of a grid; and what remains to be rounded.
    pub fn of(request: &EngineRequest, grid: &Grid) -> (Self, Option<Rounding>) {
        let Some(delivery) = request.delivery else {
            let fields = |confidences| Self::Fields { confidences, scales: request.scales };
            return (request.fields.map_or(Self::Numbers, fields), None);
        };
        // The doubt about narrow pictures is cast on confidences in memory.
        let is_doubted = !takes_pairs(&request.method) && is_narrow_for_phases(grid);
        if request.fields.is_none() && !is_doubted {
            return (Self::Rounded(delivery), None);
        }
        let takes = [request.fields, Some(delivery.confidences)].contains(&Some(ConfidenceChoice::Taken));
        let has_all = [request.scales, delivery.scales].contains(&FeatureScales::All);
        let leaving = Self::Fields {
            confidences: if takes { ConfidenceChoice::Taken } else { ConfidenceChoice::Left },
            scales: if has_all { FeatureScales::All } else { FeatureScales::Finest },
        };
        let keeps_fields = request.fields.is_some();
        (leaving, Some(Rounding { grid: grid.clone(), delivery, keeps_fields }))
    }
}

impl Rounding {
    /// The fields where they are handed out, and in their types.
    pub fn of(self, fields: PhaseFields) -> (Option<PhaseFields>, DeliveredFields) {
        let delivered = DeliveredFields::of(&self.grid, &fields, &self.delivery);
        (Some(fields).filter(|_| self.keeps_fields), delivered)
    }
}
