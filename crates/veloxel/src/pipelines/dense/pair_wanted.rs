//! What a pipeline of dense flow is to give beside the flow and its confidence.

use crate::pipelines::dense::choice::MethodChoice;
use crate::pipelines::dense::error::DenseError;
use crate::pipelines::dense::start::StartKind;
use crate::pipelines::dense::wanted::Wanted;
use crate::pipelines::prepare::grids::OutsideFill;
use veloxel_core::Dimension;
use veloxel_motion::ErrorCurves;

/// What is wanted beside the flow and its confidence; by default nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairWanted {
    /// The moving image as seen from the fixed one, with this where it has no sample; none: it is not wanted.
    pub warped: Option<OutsideFill>,
    /// The field back, of a method that finds both together.
    pub inverse: Wanted,
    /// The linear map that the run begins from ([`PairResult::transform`](super::PairResult::transform)): without one the run fails.
    pub transform: Wanted,
    /// The expected error of every vector, voxels, of a method whose confidences were held against known motion.
    pub expected_errors: Wanted,
    /// The covariance of every vector's error, squared voxels, of such a method.
    pub covariances: Wanted,
    /// The probability that a vector's error is below a threshold, voxels, of such a method; none: it is not wanted.
    pub probability_within_vox: Option<f32>,
    /// The field in numbers ([`PairReport`](veloxel_report::PairReport)), and the determinant that they are made from.
    pub measures: Wanted,
    /// All that a page draws: the warped image as it was found, and the moving image on the fixed grid.
    pub page: Wanted,
}

impl PairWanted {
    /// Refuses what a method does not find.
    ///
    /// # Errors
    /// [`DenseError::NoInverse`], [`DenseError::NoErrorCurves`], [`DenseError::Threshold`].
    pub(crate) fn require_found_by(
        &self,
        choice: &MethodChoice,
        dimension: Dimension,
    ) -> Result<(), DenseError> {
        let method = choice.draft.method();
        if self.inverse.is_yes() && !method.uses.finds_inverse {
            return Err(DenseError::NoInverse { method: method.name() });
        }
        if let Some(got_vox) = self.probability_within_vox.filter(|within| !ErrorCurves::is_measured(*within))
        {
            return Err(DenseError::Threshold { got_vox });
        }
        if self.needs_curves() && choice.error_curves(dimension, StartKind::None).is_none() {
            let what = if dimension == Dimension::Two { "pictures" } else { "volumes" };
            return Err(DenseError::NoErrorCurves { method: method.name(), what });
        }
        Ok(())
    }

    /// Whether something is wanted that the curves of a method's errors give.
    fn needs_curves(&self) -> bool {
        [self.expected_errors, self.covariances].contains(&Wanted::Yes)
            || self.probability_within_vox.is_some()
    }

    /// Whether the moving image is sampled at all.
    pub(crate) fn samples_moving(&self) -> bool {
        self.warped.is_some() || self.page.is_yes()
    }
}
